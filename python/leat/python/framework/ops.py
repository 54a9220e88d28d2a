# SPDX-License-Identifier: Apache-2.0
"""Graphs, operations, tensors, and what holds while operations are made.

The graph itself is the library's (`_core.Graph`); an Operation or Tensor here is a name for a part
of it, made when first asked for and kept as long as the graph, so that identity is equality. Scopes
are the library's own, per thread, and hold for what it builds too. Default graphs and sessions are
stacks of the thread. Conversions to tensors are a table of functions by type.
"""
import collections
import re
import threading

from leat._load import core
from leat.python.framework import device as pydev
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import private_names
from leat.python.framework import tensor_shape
from leat.python.framework import traceback_utils
from leat.python.framework.graph_keys import GraphKeys  # noqa: F401
from leat.python.util import compat

_VALID_OP_NAME = _VALID_OP_NAME_REGEX = re.compile('^[A-Za-z0-9.][A-Za-z0-9_.\\-/]*$')
_VALID_SCOPE_NAME = _VALID_SCOPE_NAME_REGEX = re.compile('^[A-Za-z0-9_.\\-/]*$')
_MADE_AT = re.compile(r" \[node '[^']*' \([^)]*\) made at [^\]]*\]$")
_uid_lock = threading.Lock()
_uid = 0


def uid():
    """A number that no other call in this process gets."""
    global _uid
    with _uid_lock:
        _uid += 1
        return _uid


def valid_scope_name(name, graph):
    """Whether a scope (or node) may be called so where the graph's scopes stand now."""
    if not name:
        return True
    valid = _VALID_SCOPE_NAME if graph._c.current_scope() else _VALID_OP_NAME
    return valid.match(name) is not None


def raise_build_error(error):
    """The library's error as Python's class for one made while building."""
    code, message = error.args
    message = _MADE_AT.sub('', message)
    if code in (errors_impl.INVALID_ARGUMENT, errors_impl.NOT_FOUND, errors_impl.OUT_OF_RANGE,
                errors_impl.FAILED_PRECONDITION, errors_impl.ALREADY_EXISTS):
        raise ValueError(message) from None
    raise errors_impl.exception_type_from_error_code(code)(None, None, message) from None


class _TensorLike(object):
    """What stands for a tensor: Tensor, SparseTensor, IndexedSlices."""


def is_dense_tensor_like(t):
    return isinstance(t, _DENSE_TENSOR_LIKE_TYPES)


def register_dense_tensor_like_type(tensor_type):
    global _DENSE_TENSOR_LIKE_TYPES
    if not isinstance(getattr(tensor_type, 'name', None), property):
        raise TypeError('Type %s does not define a `name` property' % tensor_type.__name__)
    if not isinstance(getattr(tensor_type, 'dtype', None), property):
        raise TypeError('Type %s does not define a `dtype` property' % tensor_type.__name__)
    _DENSE_TENSOR_LIKE_TYPES = _DENSE_TENSOR_LIKE_TYPES + (tensor_type,)


class Tensor(_TensorLike):
    """One output of an operation: a value that a session computes."""

    __array_priority__ = 100
    OVERLOADABLE_OPERATORS = {
        '__add__', '__radd__', '__sub__', '__rsub__', '__mul__', '__rmul__', '__div__', '__rdiv__',
        '__truediv__', '__rtruediv__', '__floordiv__', '__rfloordiv__', '__mod__', '__rmod__',
        '__lt__', '__le__', '__gt__', '__ge__', '__ne__', '__eq__', '__and__', '__rand__',
        '__or__', '__ror__', '__xor__', '__rxor__', '__getitem__', '__pow__', '__rpow__',
        '__invert__', '__neg__', '__abs__', '__matmul__', '__rmatmul__'}

    def __init__(self, op, value_index, dtype):
        if not isinstance(op, Operation):
            raise TypeError('op needs to be an Operation: %s' % op)
        self._op = op
        self._value_index = value_index
        self._dtype = dtypes.as_dtype(dtype)
        self._id = uid()

    @property
    def op(self):
        return self._op

    @property
    def dtype(self):
        return self._dtype

    @property
    def graph(self):
        return self._op.graph

    @property
    def name(self):
        return '%s:%d' % (self._op.name, self._value_index)

    @property
    def device(self):
        return self._op.device

    @property
    def value_index(self):
        return self._value_index

    @property
    def _c(self):
        return (self._op._ptr, self._value_index)

    def _as_tf_output(self):
        return self._c

    @property
    def shape(self):
        return tensor_shape.TensorShape(self._shape_dims())

    def _shape_dims(self):
        """None, or a list with None where a dim is not known."""
        dims = self._op._graph._c.get_shape((self._op._ptr, self._value_index))
        return None if dims is None else [None if d < 0 else d for d in dims]

    @property
    def _shape(self):
        return self.shape

    def _shape_as_list(self):
        return self._shape_dims()

    def _shape_tuple(self):
        dims = self._shape_dims()
        return None if dims is None else tuple(dims)

    def _rank(self):
        dims = self._shape_dims()
        return None if dims is None else len(dims)

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        """Tells what is known of the shape beside what was inferred."""
        if not isinstance(shape, tensor_shape.TensorShape):
            shape = tensor_shape.TensorShape(shape)
        if shape.ndims is None:
            return
        try:
            self.graph._c.set_shape(self._c, shape.as_list())
        except core.Error as e:
            raise ValueError(e.args[1]) from None

    def consumers(self):
        found = []
        for ptr, _ in core.op_consumers(self._c):
            op = self.graph._op_of(ptr)
            if op not in found:
                found.append(op)
        return found

    def __len__(self):
        raise TypeError('len is not well defined for symbolic Tensors. (%s) Please call `x.shape` '
                        'rather than `len(x)` for shape information.' % self.name)

    def __iter__(self):
        self._not_in_graphs('iterating over `tf.Tensor`')

    def __bool__(self):
        self._not_in_graphs('using a `tf.Tensor` as a Python `bool`')

    @staticmethod
    def _not_in_graphs(what):
        raise errors_impl.OperatorNotAllowedInGraphError(
            '%s is not allowed in Graph execution. Use Eager execution or decorate this function '
            'with @tf.function.' % what)

    __nonzero__ = __bool__

    def __str__(self):
        shape = self.shape
        return 'Tensor("%s"%s%s%s)' % (
            self.name, (', shape=%s' % shape) if shape.ndims is not None else '',
            (', dtype=%s' % self._dtype.name) if self._dtype else '',
            (', device=%s' % self.device) if self.device else '')

    def __repr__(self):
        return '<tf.Tensor \'%s\' shape=%s dtype=%s>' % (self.name, self.shape, self._dtype.name)

    def __copy__(self):
        return self

    def __array__(self, *args):
        raise NotImplementedError('Cannot convert a symbolic Tensor (%s) to a numpy array.'
                                  % self.name)

    def eval(self, feed_dict=None, session=None):
        """The value, by the session or the default one."""
        return _eval_using_default_session(self, feed_dict, self.graph, session)

    def experimental_ref(self):
        return _Reference(self)

    @staticmethod
    def _override_operator(operator, func):
        _override_helper(Tensor, operator, func)


def _operator_when_used(operator):
    """An operator that gets the real ones first: they come with the ops."""
    def first_use(*args):
        from leat.python.ops import math_ops  # noqa: F401  (it overrides all operators)
        return getattr(Tensor, operator)(*args)
    return first_use


for _operator in Tensor.OVERLOADABLE_OPERATORS - {'__eq__', '__ne__'}:
    setattr(Tensor, _operator, _operator_when_used(_operator))

_DENSE_TENSOR_LIKE_TYPES = (Tensor,)
TENSOR_TYPES = (Tensor,)
EagerTensor = type('EagerTensor', (), {})


class _Reference(object):
    """Something that is hashed and compared by identity."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def deref(self):
        return self._wrapped

    def __hash__(self):
        return id(self._wrapped)

    def __eq__(self, other):
        return isinstance(other, _Reference) and self._wrapped is other._wrapped


def _override_helper(clazz_object, operator, func):
    if operator not in Tensor.OVERLOADABLE_OPERATORS:
        raise ValueError('Overriding %s is disallowed' % operator)
    setattr(clazz_object, operator, func)


class _InputList(object):
    """The inputs of an operation: a list that cannot be changed."""

    def __init__(self, inputs):
        self._inputs = inputs

    def __iter__(self):
        return iter(self._inputs)

    def __len__(self):
        return len(self._inputs)

    def __bool__(self):
        return bool(self._inputs)

    def __getitem__(self, i):
        return self._inputs[i]

    def __eq__(self, other):
        return list(self) == list(other)

    def __repr__(self):
        return repr(self._inputs)


class Operation(private_names.OperationNames):
    """A node of a graph."""

    def __init__(self, node_def, g, inputs=None, output_types=None, control_inputs=None,
                 input_types=None, original_op=None, op_def=None, _ptr=None):
        if not isinstance(g, Graph):
            raise TypeError('g needs to be a Graph: %s' % g)
        if _ptr is None:
            _ptr = _node_from_def(node_def, g, inputs, control_inputs)
        self._graph = g
        self._ptr = _ptr
        self._name = None
        self._outputs = None
        self._inputs_val = None
        self._stack = None
        self._original_op = original_op
        self._gradient_function = None
        self._flow = None
        g._ops[_ptr] = self

    @property
    def graph(self):
        return self._graph

    @property
    def name(self):
        if self._name is None:
            self._name = core.op_name(self._ptr)
        return self._name

    @property
    def _id(self):
        return self._graph._position(self)

    @property
    def type(self):
        return core.op_type(self._ptr)

    @property
    def device(self):
        return core.op_device(self._ptr)

    @property
    def outputs(self):
        if self._outputs is None:
            self._outputs = [self._graph._tensor_class(self, i, t)
                             for i, t in enumerate(core.op_output_types(self._ptr))]
        return self._outputs

    @property
    def _output_types(self):
        return [t.dtype for t in self.outputs]

    @property
    def _input_types(self):
        return [dtypes.as_dtype(t) for t in core.op_input_types(self._ptr)]

    @property
    def _input_dtypes(self):
        return self._input_types

    @property
    def inputs(self):
        if self._inputs_val is None:
            of = self._graph._op_of
            found = _InputList([of(p).outputs[i] for p, i in core.op_inputs(self._ptr)])
            if self.type == 'Merge':  # a loop that is closed later changes them
                return found
            self._inputs_val = found
        return self._inputs_val

    @property
    def control_inputs(self):
        return [self._graph._op_of(p) for p in core.op_control_inputs(self._ptr)]

    @property
    def _control_outputs(self):
        return [self._graph._op_of(p) for p in core.op_control_outputs(self._ptr)]

    def values(self):
        return tuple(self.outputs)

    @property
    def node_def(self):
        from leat.core.framework import node_def_pb2
        return node_def_pb2.NodeDef.FromString(core.op_node_def(self._ptr))

    @property
    def op_def(self):
        from leat.python.framework import op_def_registry
        function = self._graph._get_function(self.type)
        if function is not None:
            return function.definition.signature
        return op_def_registry.get_registered_ops()[self.type]

    @property
    def traceback(self):
        return traceback_utils.convert(self._stack)

    @property
    def traceback_with_start_lines(self):
        return [f + (0,) for f in self.traceback]

    @property
    def _is_stateful(self):
        from leat.python.framework import op_def_library
        return op_def_library.spec_of(self.type).stateful

    def get_attr(self, name):
        """An attribute: a number, bytes, DType, TensorShapeProto..., or a list of them."""
        from leat.python.framework import attr_values
        return attr_values.get_attr(self, name)

    def _get_attr_type(self, name):
        return self.get_attr(name)

    def _get_attr_int(self, name):
        return self.get_attr(name)

    def _get_attr_bool(self, name):
        return self.get_attr(name)

    def _set_attr(self, name, value):
        _edit(core.set_op_attr, self._ptr, name, value.SerializeToString())

    def _set_attr_with_buf(self, name, data):
        _edit(core.set_op_attr, self._ptr, name, data)

    def _set_device(self, device):
        _edit(core.set_op_device, self._ptr, _device_text(device) or '')

    def _set_device_from_string(self, text):
        self._set_device(text)

    def _add_control_input(self, op):
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops):
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError('op must be an Operation: %s' % op)
            _edit(core.add_control, self._ptr, op._ptr)

    def _remove_all_control_inputs(self):
        _edit(core.remove_controls, self._ptr)

    def _update_input(self, index, tensor):
        if not isinstance(tensor, Tensor):
            raise TypeError('tensor must be a Tensor: %s' % tensor)
        _assert_same_graph(self, tensor)
        _edit(core.update_input, self._ptr, index, tensor._c)
        self._inputs_val = None

    def colocation_groups(self):
        default = [compat.as_bytes('loc:@%s' % self.name)]
        if core.op_attr_kind(self._ptr, '_class') is None:
            return default
        groups = [g for g in self.get_attr('_class') if g.startswith(b'loc:@')]
        return groups or default

    def _get_control_flow_context(self):
        """The loop or branch that it was made in (control_flow_context.py), or None."""
        if self._flow is not None or not self._graph._flows:
            return self._flow
        row = core.flow_of(self._graph._c, self._ptr, 0)
        return None if row is None else self._graph._flows.get(row[0])

    def _set_control_flow_context(self, context):
        self._flow = context

    _control_flow_context = property(_get_control_flow_context, _set_control_flow_context)

    def run(self, feed_dict=None, session=None):
        _run_using_default_session(self, feed_dict, self.graph, session)

    def __str__(self):
        return str(self.node_def)

    def __repr__(self):
        return '<tf.Operation \'%s\' type=%s>' % (self.name, self.type)

    def __copy__(self):
        return self


def _edit(call, *args):
    try:
        call(*args)
    except core.Error as e:
        raise_build_error(e)


def _grouped_inputs(node_def, inputs):
    """The inputs of an op's arguments, those of a list argument as a list."""
    from leat.python.framework import op_def_registry
    op_def = op_def_registry.get_registered_ops().get(node_def.op)
    if op_def is None:
        return inputs
    grouped, at = [], 0
    for arg in op_def.input_arg:
        if arg.number_attr or arg.type_list_attr:
            value = node_def.attr[arg.number_attr or arg.type_list_attr]
            n = value.i if arg.number_attr else len(value.list.type)
            grouped.append(inputs[at:at + n])
            at += n
        else:
            grouped += inputs[at:at + 1]
            at += 1
    return grouped + inputs[at:]


def _node_from_def(node_def, g, inputs, control_inputs):
    """For programs that make an Operation of a NodeDef themselves."""
    name = node_def.name
    if not _VALID_OP_NAME.match(name):
        raise ValueError('\'%s\' is not a valid node name' % name)
    if inputs is not None and not isinstance(inputs, list):
        raise TypeError('inputs needs to be a list of Tensors: %s' % inputs)
    for i in inputs or []:
        if not isinstance(i, Tensor):
            raise TypeError('input needs to be a Tensor: %s' % i)
    for c in control_inputs or []:
        if not isinstance(c, (Operation, Tensor, IndexedSlices)):
            raise TypeError('Control input must be an Operation, a Tensor, or IndexedSlices: %s'
                            % c)
    attrs = [(k, 'v', node_def.attr[k].SerializeToString()) for k in node_def.attr]
    with g.control_dependencies(control_inputs or []):
        given = _grouped_inputs(node_def, [i._c for i in inputs or []])
        try:
            return g._add_node(node_def.op, name + '/', given, attrs)[0]
        except core.Error as e:
            raise_build_error(e)


def _assert_same_graph(original, item):
    if original.graph is not item.graph:
        raise ValueError('%s must be from the same graph as %s.' % (item, original))


def _get_graph_from_inputs(op_input_list, graph=None):
    """The graph of the inputs, which must be one; the default graph where they have none. A
    function's body takes tensors of any graph."""
    current = get_default_graph()
    if current._building_function:
        return current
    original = None
    for item in op_input_list:
        element = item if isinstance(item, (Operation, _TensorLike)) else _as_graph_element(item)
        if element is None:
            continue
        if graph is None:
            original, graph = item, getattr(element, 'graph', None)
        elif original is not None:
            _assert_same_graph(original, element)
        elif element.graph is not graph:
            raise ValueError('%s is not from the passed-in graph.' % element)
    return graph or get_default_graph()


def _as_graph_element(obj):
    convert = getattr(obj, '_as_graph_element', None)
    return convert() if convert else None


class IndexedSlices(_TensorLike):
    """Rows of a tensor: values[i] stands at indices[i] of the first dim."""

    def __init__(self, values, indices, dense_shape=None):
        _get_graph_from_inputs([t for t in (values, indices, dense_shape) if t is not None])
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        return self._values

    @property
    def indices(self):
        return self._indices

    @property
    def dense_shape(self):
        return self._dense_shape

    @property
    def shape(self):
        if self._dense_shape is None:
            return tensor_shape.TensorShape(None)
        from leat.python.framework import tensor_util
        return tensor_util.constant_value_as_shape(self._dense_shape)

    @property
    def name(self):
        return self.values.name

    @property
    def device(self):
        return self.values.device

    @property
    def op(self):
        return self.values.op

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def graph(self):
        return self._values.graph

    @property
    def _type_spec(self):
        from leat.python.framework import indexed_slices
        return indexed_slices.spec_of(self)

    def consumers(self):
        return self.values.consumers()

    def __str__(self):
        shape = ', dense_shape=%s' % self._dense_shape if self._dense_shape is not None else ''
        return 'IndexedSlices(indices=%s, values=%s%s)' % (self._indices, self._values, shape)

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)


IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue',
                                            ['values', 'indices', 'dense_shape'])


def _device_text(device):
    if device is None or isinstance(device, str):
        return device
    if hasattr(device, 'to_string'):
        return device.to_string()
    return compat.as_str(device)


def _op_of_value(value):
    """The operation that a value to be colocated with stands on."""
    if isinstance(value, Operation):
        return value
    if isinstance(value, (Tensor, IndexedSlices)):
        return value.op
    handle = getattr(value, 'handle', None)
    if isinstance(handle, Tensor):
        return handle.op  # a variable stands where its resource does
    element = _as_graph_element(value)
    if element is not None:
        return element if isinstance(element, Operation) else element.op
    return internal_convert_to_tensor_or_indexed_slices(value, as_ref=True).op


from leat.python.framework.graph_impl import Graph, _NodeRequest  # noqa: E402
from leat.python.framework.conversion import (  # noqa: E402  (they need the classes above)
    convert_n_to_tensor, convert_n_to_tensor_or_composite, convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor, convert_to_tensor_or_composite, convert_to_tensor_or_indexed_slices,
    convert_to_tensor_v2, internal_convert_n_to_tensor,
    internal_convert_n_to_tensor_or_indexed_slices, internal_convert_to_tensor,
    internal_convert_to_tensor_or_indexed_slices, register_tensor_conversion_function,
    internal_convert_to_tensor_or_composite, internal_convert_n_to_tensor_or_composite)
from leat.python.framework.scopes import (  # noqa: E402
    NullContextmanager, _colocate_with, _colocate_with_for_gradient, _default_graph_stack,
    _default_session_stack,
    _eval_using_default_session, _run_using_default_session, add_to_collection,
    add_to_collections, colocate_with, container, control_dependencies, default_session, device,
    device_v2, disable_eager_execution, disable_tensor_equality, dismantle_graph,
    enable_eager_execution, enable_tensor_equality,
    executing_eagerly_outside_functions,
    get_all_collection_keys, get_collection, get_collection_ref, get_default_graph,
    get_default_session, get_name_scope, get_to_proto_function, get_from_proto_function,
    has_default_graph, in_graph_mode_only, init_scope, inside_function, name_from_scope_name,
    name_scope, name_scope_v1, name_scope_v2, op_scope, register_proto_function,
    reset_default_graph, strip_name_scope, prepend_name_scope, get_collection_proto_type)
from leat.python.framework.gradient_registry import (  # noqa: E402
    NoGradient, NotDifferentiable, OpStats, RegisterGradient, RegisterShape, RegisterStatistics,
    no_gradient,
    _gradient_registry, get_gradient_function, get_stats_for_node_def)
from leat.python.framework.private_names import (  # noqa: E402
    _NodeDef, _USE_C_API, _USE_C_SHAPES, _create_c_op, _device_string, _op_to_colocate_with,
    set_shape_and_handle_data_for_outputs, tensor_id)


def _slices_to_tensor(value, dtype=None, name=None, as_ref=False):
    from leat.python.framework import indexed_slices
    return indexed_slices._to_tensor(value, dtype, name, as_ref)


register_tensor_conversion_function(IndexedSlices, _slices_to_tensor)
