# SPDX-License-Identifier: Apache-2.0
"""tf.gradients: its arguments checked and converted; the walk over the graph is the library's."""
import contextlib
import threading

from leat._load import core
from leat.python.framework import dtypes
from leat.python.framework import gradient_registry
from leat.python.framework import ops
from leat.python.framework import traceback_utils
from leat.python.ops import gen_array_ops
from leat.python.ops.unconnected_gradients import UnconnectedGradients
from leat.python.util import compat
from leat.python.util import nest


class AggregationMethod(object):
    """How several gradients of one value are added."""
    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


# ---- functions of programs ----

_walks = threading.local()


def register(name, function):
    """The gradient of ops called so, or whose _gradient_op_type is the name, is the function's."""
    core.set_gradient_function(name, None if function is None else _adapter(function))


def _adapter(function):
    """As _core calls it: (address, rows) to rows."""
    def call(ptr, rows):
        graph = _walks.graph
        op = graph._op_of(ptr)
        grads = _AsList(function(op, *[_value(graph, row) for row in rows]))
        if len(grads) != len(op.inputs):
            raise ValueError('Num gradients %d generated for op %s do not match num inputs %d'
                             % (len(grads), op.node_def, len(op.inputs)))
        return [_row(g) for g in grads]
    return call


def _value(graph, row):
    """A Tensor, IndexedSlices or None of _core's row."""
    values, indices, dense_shape = row
    if values is None or indices is None:
        return graph._tensor_of(values)
    return ops.IndexedSlices(graph._tensor_of(values), graph._tensor_of(indices),
                             graph._tensor_of(dense_shape))


def _row(grad):
    if grad is None:
        return None, None, None
    if isinstance(grad, ops.IndexedSlices):
        shape = grad.dense_shape
        if shape is None:
            raise ValueError('IndexedSlices of a gradient need a dense_shape: %s' % grad)
        return grad.values._c, grad.indices._c, shape._c
    return ops.convert_to_tensor(grad)._c, None, None


def function_of(op):
    """The function that gives the operation's gradient, called with it and those of its outputs.
    LookupError where the program has said that there is none."""
    registry = gradient_registry._gradient_registry
    try:
        name = compat.as_str(op.get_attr('_gradient_op_type'))
    except ValueError:
        name = op.type
    if name in registry:
        return registry.lookup(name)

    def of_library(op, *grads):
        rows = [_row(g) for g in grads]
        rows += [(None, None, None)] * (len(op.outputs) - len(rows))
        graph = op.graph
        with graph.as_default(), _Walk(graph):
            try:
                made = core.call_gradient(graph._c, name, op._ptr, rows)
            except core.Error as e:
                _raise(e)
        return [_value(graph, row) for row in made]
    return of_library


class _Walk(object):
    """The graph whose gradients are made on this thread."""

    def __init__(self, graph):
        self._graph = graph

    def __enter__(self):
        self._before = getattr(_walks, 'graph', None)
        _walks.graph = self._graph

    def __exit__(self, *info):
        _walks.graph = self._before
        return False


# ---- tf.gradients ----

def _AsList(x):
    return x if isinstance(x, (list, tuple)) else [x]


def IsTrainable(tensor_or_dtype):
    """Whether gradients flow through values of the type."""
    dtype = tensor_or_dtype.dtype if isinstance(tensor_or_dtype, ops.Tensor) else tensor_or_dtype
    return dtypes.as_dtype(dtype).base_dtype in _TRAINABLE


_NOT_FOUND = 5
_TRAINABLE = frozenset([dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64,
                        dtypes.complex128, dtypes.resource, dtypes.variant, dtypes.bfloat16])


def _expand_and_convert(ys, name):
    """Tensors, with the parts of IndexedSlices in the place of each."""
    out = []
    for i, y in enumerate(ys):
        if isinstance(y, ops.IndexedSlices):
            out.append(y.values)
        else:
            out.append(ops.internal_convert_to_tensor(y, name='%s_%d' % (name, i))
                       if not isinstance(y, ops.Tensor) else y)
    return out


def _xs_tensors(xs):
    """The tensor that stands for each x: a resource variable's handle, a reference itself."""
    out = []
    for i, x in enumerate(xs):
        handle = getattr(x, 'handle', None)
        if handle is not None and not isinstance(x, ops.Tensor) and \
                getattr(handle, 'dtype', None) == dtypes.resource:
            out.append(handle)
        else:
            out.append(ops.internal_convert_to_tensor(x, name='x_%d' % i, as_ref=True))
    return out


def _check_grad_ys(grad_ys, ys, colocate=False):
    """The given first gradients as tensors, None where there are none; TypeErrors as TF's."""
    if len(grad_ys) != len(ys):
        raise ValueError('Passed %d grad_ys for %d ys' % (len(grad_ys), len(ys)))
    grad_ys = [None if g is None else ops.convert_to_tensor_or_indexed_slices(g, name='grad_y_%d'
                                                                              % i)
               for i, g in enumerate(grad_ys)]
    for i, (grad_y, y) in enumerate(zip(grad_ys, ys)):
        if grad_y is None:
            if y.dtype.is_complex:
                raise TypeError('Gradients of complex tensors must set grad_ys (y.dtype = %r)'
                                % y.dtype)
            if y.dtype.base_dtype == dtypes.string:
                raise TypeError('Expected string, got 1 of type \'int\' instead.')
            continue
        _check_grad_type(i, grad_y, y)
        with ops.colocate_with(y.op, ignore_existing=True) if colocate else _no_scope():
            grad_ys[i] = gen_array_ops.identity(_dense(grad_y), name='grad_ys_%d' % i)
    return grad_ys


@contextlib.contextmanager
def _no_scope():
    yield


def _check_grad_type(i, grad_y, y):
    if y.dtype.is_floating or y.dtype.is_integer:
        if not grad_y.dtype.is_floating and not grad_y.dtype.is_integer:
            raise TypeError('Gradient type %s generated for real or integer-valued tensor %s with '
                            'type %s must be real or integer'
                            % (dtypes.as_dtype(grad_y.dtype).name, y,
                               dtypes.as_dtype(y.dtype).name))
    elif y.dtype.is_complex:
        if not grad_y.dtype.is_complex:
            raise TypeError('Gradient type %s generated for complex-valued tensor %s with type %s '
                            'must be real' % (dtypes.as_dtype(grad_y.dtype).name, y,
                                              dtypes.as_dtype(y.dtype).name))
    elif y.dtype in (dtypes.variant, dtypes.resource):
        if grad_y.dtype != y.dtype:
            raise TypeError('Gradient type %s generated for %s tensor %s with type %s must be %s'
                            % (dtypes.as_dtype(grad_y.dtype).name, y.dtype.name, y,
                               dtypes.as_dtype(y.dtype).name, y.dtype.name))
    else:
        raise TypeError('Tensor %s with type %s must be numeric to obtain a default gradient'
                        % (y, dtypes.as_dtype(y.dtype).name))


def _GradientsHelper(ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False,
                     gate_gradients=False, aggregation_method=None, stop_gradients=None,
                     unconnected_gradients=UnconnectedGradients.NONE, src_graph=None):
    """The gradients of the sum of ys by each of xs: a Tensor, IndexedSlices, or None."""
    try:
        unconnected_gradients = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError('Unknown value for unconnected_gradients: %r'
                         % unconnected_gradients) from None
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError('Invalid aggregation_method specified %s.' % aggregation_method)
    ys = list(nest.flatten(_AsList(ys), expand_composites=False))
    xs = list(_AsList(xs))
    stops = [] if stop_gradients is None else list(_AsList(stop_gradients))
    grad_ys = [None] * len(ys) if grad_ys is None else list(_AsList(grad_ys))
    with ops.name_scope(name, 'gradients', ys + xs + stops + [g for g in grad_ys
                                                              if g is not None]) as scope:
        graph = src_graph or ops.get_default_graph()
        ys = _expand_and_convert(ys, 'y')
        tensors = _xs_tensors(xs)
        stops = [ops.internal_convert_to_tensor(s, name='stop', as_ref=True)
                 if not hasattr(s, 'handle') else s.handle for s in stops]
        grad_ys = _check_grad_ys(grad_ys, ys, colocate_gradients_with_ops)
        rows = _call(graph, ys, tensors, grad_ys, stops, scope,
                     (int(bool(colocate_gradients_with_ops)), int(bool(gate_gradients)),
                      aggregation_method or 0))
        return _results(graph, xs, tensors, rows, unconnected_gradients)


def _call(graph, ys, xs, grad_ys, stops, scope, how):
    line, _ = traceback_utils.take()
    given = None
    if any(g is not None for g in grad_ys):
        given = [None if g is None else g._c for g in grad_ys]
    try:
        with _Walk(graph):
            return core.gradients(graph._c, [y._c for y in ys], [x._c for x in xs],
                                  given, [s._c for s in stops], scope, line, *how)
    except core.Error as e:
        _raise(e)


def _raise(error):
    code, message = error.args
    if 'Second-order gradient for while loops not supported' in message:
        raise TypeError('Second-order gradient for while loops not supported.') from None
    if 'No gradient defined for op' in message or code == _NOT_FOUND:
        raise LookupError(message.split(' [[gradient of node')[0]) from None
    ops.raise_build_error(error)


def _dense(grad):
    return ops.convert_to_tensor(grad) if isinstance(grad, ops.IndexedSlices) else grad


def _results(graph, xs, tensors, rows, unconnected):
    out = []
    for x, tensor, row in zip(xs, tensors, rows):
        grad = _value(graph, row)
        if grad is None and unconnected is UnconnectedGradients.ZERO:
            from leat.python.ops import array_ops
            grad = array_ops.zeros_like(x)
        elif isinstance(grad, ops.Tensor) and grad._shape_dims() is None and \
                tensor.dtype != dtypes.resource:
            grad.set_shape(tensor.get_shape())
        out.append(grad)
    return out
