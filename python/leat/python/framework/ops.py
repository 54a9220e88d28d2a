# SPDX-License-Identifier: Apache-2.0
"""Graphs, operations, tensors, and what holds while operations are made.

The graph itself is the library's (`_core.Graph`); an Operation or Tensor here is a name for a part
of it, made when first asked for and kept as long as the graph, so that identity is equality. Scopes
are the library's own, per thread, and hold for what it builds too. Default graphs and sessions are
stacks of the thread. Conversions to tensors are a table of functions by type.
"""
import collections
import contextlib
import re
import sys
import threading
import weakref

from leat._load import core
from leat.python.framework import device as pydev
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import graph_keys
from leat.python.framework import tensor_shape
from leat.python.framework import traceback_utils
from leat.python.framework.graph_keys import GraphKeys  # noqa: F401
from leat.python.util import compat

_VALID_OP_NAME = re.compile('^[A-Za-z0-9.][A-Za-z0-9_.\\-/]*$')
_VALID_SCOPE_NAME = re.compile('^[A-Za-z0-9_.\\-/]*$')
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


def numpy_text(tensor, is_repr=False):
    return repr(tensor) if is_repr else str(tensor)


def raise_build_error(error):
    """The library's error as Python's class for one made while building."""
    code, message = error.args
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


class Operation(object):
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
        self._control_flow_context = g._flow_context
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
            self._outputs = [Tensor(self, i, t)
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
            self._inputs_val = _InputList([of(p).outputs[i]
                                           for p, i in core.op_inputs(self._ptr)])
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
        return self._control_flow_context

    def _set_control_flow_context(self, context):
        self._control_flow_context = context

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


def _node_from_def(node_def, g, inputs, control_inputs):
    """For programs that make an Operation of a NodeDef themselves."""
    name = node_def.name
    if not _VALID_OP_NAME.match(name):
        raise ValueError('\'%s\' is not a valid node name' % name)
    attrs = [(k, 'v', node_def.attr[k].SerializeToString()) for k in node_def.attr]
    with g.control_dependencies(control_inputs or []):
        return g._add_node(node_def.op, name + '/', [i._c for i in inputs or []], attrs)[0]


def _assert_same_graph(original, item):
    if original.graph is not item.graph:
        raise ValueError('%s must be from the same graph as %s.' % (item, original))


def _get_graph_from_inputs(op_input_list, graph=None):
    """The graph of the inputs, which must be one; the default graph where they have none."""
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


class _NodeRequest(object):
    """A node that is about to be made, for a device function."""

    def __init__(self, graph, op, name, device, output_bytes):
        self.graph, self.type, self.name, self.device = graph, op, name, device
        self.output_bytes = None if output_bytes < 0 else output_bytes
        self.inputs, self.outputs, self.control_inputs = [], [], []

    @property
    def node_def(self):
        from leat.core.framework import node_def_pb2
        return node_def_pb2.NodeDef(name=self.name, op=self.type, device=self.device)

    def _set_device(self, device):
        self.device = _device_text(device)


class Graph(object):
    """Operations and the tensors between them. Not for two threads that both add to it at once
    without a lock of their own, but the library itself stays whole if they do."""

    def __init__(self):
        self._c = core.Graph()
        self._ops = {}           # address -> Operation
        self._order = []         # of all that are wrapped, as _refresh left it
        self._positions = {}
        self._cursor = 0
        self._lock = threading.RLock()
        self._collections = {}
        self._finalized = False
        self._seed = None
        self._thread_local = threading.local()
        self._unfeedable_tensors = set()
        self._unfetchable_ops = set()
        self._container = ''
        self._building_function = False
        self._functions = collections.OrderedDict()
        self._gradient_override_map = {}
        self._op_to_kernel_label_map = {}
        self._attr_scope_map = {}
        self._flow_context = None
        self._handle_feeders = {}
        self._handle_readers = {}
        self._handle_movers = {}
        self._handle_deleters = {}
        self._py_funcs_used_in_graph = []
        self._last_loss_reduction = None
        self._is_loss_scaled_by_optimizer = False
        self._auto_cast_variable_read_dtype = None
        self._graph_key = 'grap-key-%d/' % uid()
        self._variable_creator_stack = []
        self._default_original_op = None
        self._outer_context = None

    # ---- making operations ----

    def _check_not_finalized(self):
        if self._finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')

    def _add_node(self, op_type, name, inputs, attrs, line=None):
        """(address, name, output types); attrs as _core has them. The errors are _core's."""
        if self._finalized:
            self._check_not_finalized()
        if self._attr_scope_map or self._gradient_override_map or self._op_to_kernel_label_map:
            attrs = attrs + self._scope_attrs(op_type, attrs)
        return self._c.add_op(op_type, name, inputs, attrs, line)

    def _scope_attrs(self, op_type, attrs):
        given = {a[0] for a in attrs}
        more = []
        for key, value in self._attr_scope_map.items():
            if callable(value):
                value = value(_NodeRequest(self, op_type, '', '', -1).node_def)
            if value is not None and key not in given:
                more.append((key, 'v', value.SerializeToString()))
        for table, key in ((self._op_to_kernel_label_map, '_kernel'),
                           (self._gradient_override_map, '_gradient_op_type')):
            if op_type in table and key not in given:
                more.append((key, 's', compat.as_bytes(table[op_type])))
        return more

    def _make_op(self, op_type, name, inputs, attrs):
        """An Operation of addresses and encoded attrs."""
        line, stack = traceback_utils.take()
        ptr, name, types = self._add_node(op_type, name, inputs, attrs, line)
        op = Operation(None, self, _ptr=ptr)
        op._name = name
        op._outputs = [Tensor(op, i, t) for i, t in enumerate(types)]
        op._stack = stack
        return op

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None,
                  op_def=None, compute_shapes=True, compute_device=True):
        """An operation of the op's name; attrs are AttrValues by name."""
        self._check_not_finalized()
        from leat.python.framework import op_def_library
        for i, x in enumerate(inputs):
            if not isinstance(x, Tensor):
                raise TypeError('Input #%d is not a tensor: %s' % (i, x))
            if x.graph is not self:
                raise ValueError('%s must be from the same graph as the others.' % x)
        encoded = [(k, 'v', v.SerializeToString()) for k, v in (attrs or {}).items()]
        grouped = op_def_library.group_inputs(op_type, [x._c for x in inputs], attrs or {})
        try:
            return self._make_op(op_type, name, grouped, encoded)
        except core.Error as e:
            raise_build_error(e)

    def _create_op_internal(self, op_type, inputs, dtypes=None, input_types=None, name=None,
                            attrs=None, op_def=None, compute_device=True):
        return self.create_op(op_type, inputs, dtypes, input_types, name, attrs, op_def)

    # ---- looking at them ----

    def _op_of(self, ptr):
        op = self._ops.get(ptr)
        return op if op is not None else Operation(None, self, _ptr=ptr)

    def _refresh(self):
        with self._lock:
            self._cursor, new = self._c.ops_from(self._cursor)
            for ptr in new:
                self._positions[ptr] = len(self._order)
                self._order.append(self._op_of(ptr))
            return self._order

    def _position(self, op):
        if op._ptr not in self._positions:
            self._refresh()
        return self._positions.get(op._ptr, -1)

    def get_operations(self):
        return list(self._refresh())

    @property
    def _nodes_by_id(self):
        return {i + 1: op for i, op in enumerate(self._refresh())}

    @property
    def version(self):
        return len(self._refresh())

    @property
    def _last_id(self):
        return self.version

    def get_operation_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError('Operation names are strings (or similar), not %s.'
                            % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def _get_operation_by_name_unsafe(self, name):
        ptr = self._c.op_by_name(name)
        return None if ptr is None else self._op_of(ptr)

    def get_tensor_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError('Tensor names are strings (or similar), not %s.' % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The Tensor or Operation that obj is, names, or converts to."""
        if not (allow_tensor or allow_operation):
            raise ValueError('allow_tensor and allow_operation can\'t both be False.')
        types = ' or '.join((['Tensor'] if allow_tensor else []) +
                            (['Operation'] if allow_operation else []))
        if not isinstance(obj, (Tensor, Operation)):
            element = _as_graph_element(obj)
            obj = obj if element is None else element
        if isinstance(obj, (str, bytes)):
            return self._element_by_name(compat.as_str(obj), allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                kind = 'Tensor' if isinstance(obj, Tensor) else 'Operation'
                raise ValueError('%s %s is not an element of this graph.' % (kind, obj))
            return obj
        raise TypeError('Can not convert a %s into a %s.' % (type(obj).__name__, types))

    _as_graph_element_locked = as_graph_element

    def _element_by_name(self, name, allow_tensor, allow_operation):
        if ':' in name and allow_tensor:
            return self._tensor_by_name(name)
        if ':' in name:
            raise ValueError('Name %s appears to refer to a Tensor, not a Operation.' % repr(name))
        if not allow_operation:
            if self._get_operation_by_name_unsafe(name) is not None:
                raise ValueError('The name %s refers to an Operation, not a Tensor. Tensor names '
                                 'must be of the form "<op_name>:<output_index>".' % repr(name))
            raise ValueError('The name %s looks like an (invalid) Operation name, not a Tensor. '
                             'Tensor names must be of the form "<op_name>:<output_index>".'
                             % repr(name))
        op = self._get_operation_by_name_unsafe(name)
        if op is None:
            raise KeyError('The name %s refers to an Operation not in the graph.' % repr(name))
        return op

    def _tensor_by_name(self, name):
        op_name, _, index = name.rpartition(':')
        if ':' in op_name or not index.isdigit():
            raise ValueError('The name %s looks a like a Tensor name, but is not a valid one. '
                             'Tensor names must be of the form "<op_name>:<output_index>".'
                             % repr(name))
        op = self._get_operation_by_name_unsafe(op_name)
        if op is None:
            raise KeyError('The name %s refers to a Tensor which does not exist. The operation, '
                           '%s, does not exist in the graph.' % (repr(name), repr(op_name)))
        if int(index) >= len(op.outputs):
            raise KeyError('The name %s refers to a Tensor which does not exist. The operation, '
                           '%s, exists but only has %s outputs.'
                           % (repr(name), repr(op_name), len(op.outputs)))
        return op.outputs[int(index)]

    def _get_tensor_by_tf_output(self, output):
        return self._op_of(output[0]).outputs[output[1]]

    def _tensor_of(self, pair):
        """The Tensor of _core's pair; None of None."""
        return None if pair is None else self._op_of(pair[0]).outputs[pair[1]]

    def as_graph_def(self, from_version=None, add_shapes=False):
        return self._as_graph_def(from_version, add_shapes)[0]

    def _as_graph_def(self, from_version=None, add_shapes=False):
        from leat.core.framework import graph_pb2
        graph = graph_pb2.GraphDef()
        graph.ParseFromString(self._c.to_graph_def())
        if from_version is not None:
            kept = list(graph.node)[from_version:]
            del graph.node[:]
            graph.node.extend(kept)
        if add_shapes:
            for node in graph.node:
                op = self.get_operation_by_name(node.name)
                if op.outputs:
                    node.attr['_output_shapes'].list.shape.extend(
                        [t.get_shape().as_proto() for t in op.outputs])
        return graph, self.version

    @property
    def graph_def_versions(self):
        from leat.core.framework import versions_pb2
        return versions_pb2.VersionDef.FromString(self._c.versions())

    # ---- state ----

    @property
    def seed(self):
        return self._seed

    @seed.setter
    def seed(self, seed):
        self._seed = seed
        self._c.set_seed(seed)

    @property
    def finalized(self):
        return self._finalized

    def finalize(self):
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    @property
    def building_function(self):
        return self._building_function

    def is_feedable(self, tensor):
        return tensor not in self._unfeedable_tensors

    def prevent_feeding(self, tensor):
        self._unfeedable_tensors.add(tensor)

    def is_fetchable(self, tensor_or_op):
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable_ops

    def prevent_fetching(self, op):
        self._unfetchable_ops.add(op)

    def switch_to_thread_local(self):
        """Scopes belong to threads here from the start."""

    def as_default(self):
        return _default_graph_stack.get_controller(self)

    # ---- collections ----

    @property
    def collections(self):
        return list(self._collections)

    def add_to_collection(self, name, value):
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name, scope=None):
        with self._lock:
            items = self._collections.get(name)
            if items is None:
                return []
            if scope is None:
                return list(items)
            match = re.compile(scope).match
            return [i for i in items if hasattr(i, 'name') and match(i.name)]

    def get_all_collection_keys(self):
        with self._lock:
            return [k for k in self._collections if isinstance(k, str)]

    def clear_collection(self, name):
        self._check_not_finalized()
        with self._lock:
            self._collections.pop(name, None)

    # ---- scopes ----

    @contextlib.contextmanager
    def name_scope(self, name):
        if name:
            if isinstance(name, bytes):
                name = compat.as_str(name)
            if not valid_scope_name(name, self):
                raise ValueError('\'%s\' is not a valid scope name' % name)
        full = self._c.push_scope(name or None)
        try:
            yield full
        finally:
            self._c.pop()

    @property
    def _name_stack(self):
        return self.get_name_scope()

    def get_name_scope(self):
        return self._c.current_scope().rstrip('/')

    def unique_name(self, name, mark_as_used=True):
        if mark_as_used:
            return self._c.unique_name(name)
        return self._c.peek_unique_name(name)

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        entry = None
        device = device_name_or_function
        if callable(device) and not isinstance(device, pydev.DeviceSpec):
            entry = self._c.push_device(self._device_function(device))
        else:
            try:
                self._c.push_device(_device_text(device))
            except core.Error as e:
                raise ValueError(e.args[1]) from None
        stack = self._device_stack()
        stack.append(device)
        try:
            yield
        finally:
            stack.pop()
            self._c.pop()
            if entry is not None:
                self._c.drop_device_function(entry)

    def _device_stack(self):
        if not hasattr(self._thread_local, 'devices'):
            self._thread_local.devices = []
        return self._thread_local.devices

    def _device_text(self):
        """What the scopes in force ask of a node that says nothing, functions apart."""
        merged = pydev.DeviceSpec()
        for device in self._device_stack():
            if device is None:
                merged = pydev.DeviceSpec()
            elif not callable(device):
                merged.merge_from(pydev.DeviceSpec.from_string(_device_text(device)))
        return merged.to_string()

    def _device_function(self, function):
        graph = weakref.ref(self)

        def ask(op, name, device, output_bytes):
            return _device_text(function(_NodeRequest(graph(), op, name, device, output_bytes)))
        return ask

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        if control_inputs is None:
            self._c.push_controls(None)
        else:
            ops = []
            for c in control_inputs:
                if isinstance(c, IndexedSlices):
                    c = c.op
                c = self.as_graph_element(c)
                op = c.op if isinstance(c, Tensor) else c
                if op._ptr not in ops:
                    ops.append(op._ptr)
            self._c.push_controls(ops)
        try:
            yield
        finally:
            self._c.pop()

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        if op is None and not ignore_existing:
            raise ValueError('Trying to reset colocation (op is None) but ignore_existing is not '
                             'True')
        if op is not None:
            op = _op_of_value(op)
        pops = 1
        if ignore_existing:
            self._c.push_colocation(None)
            pops += op is not None
        if op is not None:
            self._c.push_colocation(op._ptr)
        try:
            yield
        finally:
            for _ in range(pops):
                self._c.pop()

    @contextlib.contextmanager
    def container(self, container_name):
        saved, self._container = self._container, container_name
        try:
            yield self._container
        finally:
            self._container = saved

    @contextlib.contextmanager
    def _merged(self, field, new):
        saved = getattr(self, field)
        setattr(self, field, dict(saved, **new))
        try:
            yield
        finally:
            setattr(self, field, saved)

    def _attr_scope(self, attr_map):
        if not isinstance(attr_map, dict):
            raise TypeError('attr_map must be a dictionary mapping strings to Callable or '
                            'AttrValue protocol buffers')
        return self._merged('_attr_scope_map', attr_map)

    def _kernel_label_map(self, op_to_kernel_label_map):
        if not isinstance(op_to_kernel_label_map, dict):
            raise TypeError('op_to_kernel_label_map must be a dictionary mapping strings to '
                            'strings')
        return self._merged('_op_to_kernel_label_map', op_to_kernel_label_map)

    def gradient_override_map(self, op_type_map):
        if not isinstance(op_type_map, dict):
            raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        for k, v in op_type_map.items():
            if not isinstance(k, str) or not isinstance(v, str):
                raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        return self._merged('_gradient_override_map', op_type_map)

    @contextlib.contextmanager
    def _original_op(self, op):
        saved, self._default_original_op = self._default_original_op, op
        try:
            yield
        finally:
            self._default_original_op = saved

    def _get_control_flow_context(self):
        return self._flow_context

    def _set_control_flow_context(self, ctx):
        self._flow_context = ctx

    def _is_function(self, name):
        return name in self._functions

    def _get_function(self, name):
        return self._functions.get(name)


def _op_of_value(value):
    """The operation that a value to be colocated with stands on."""
    if isinstance(value, Operation):
        return value
    if isinstance(value, (Tensor, IndexedSlices)):
        return value.op
    element = _as_graph_element(value)
    if element is not None:
        return element if isinstance(element, Operation) else element.op
    return internal_convert_to_tensor_or_indexed_slices(value, as_ref=True).op


from leat.python.framework.conversion import (  # noqa: E402  (they need the classes above)
    convert_n_to_tensor, convert_n_to_tensor_or_composite, convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor, convert_to_tensor_or_composite, convert_to_tensor_or_indexed_slices,
    convert_to_tensor_v2, internal_convert_n_to_tensor,
    internal_convert_n_to_tensor_or_indexed_slices, internal_convert_to_tensor,
    internal_convert_to_tensor_or_indexed_slices, register_tensor_conversion_function,
    internal_convert_to_tensor_or_composite, internal_convert_n_to_tensor_or_composite)
from leat.python.framework.scopes import (  # noqa: E402
    NullContextmanager, _colocate_with_for_gradient, _default_graph_stack, _default_session_stack,
    _eval_using_default_session, _run_using_default_session, add_to_collection,
    add_to_collections, colocate_with, container, control_dependencies, default_session, device,
    device_v2, dismantle_graph, enable_eager_execution, executing_eagerly_outside_functions,
    get_all_collection_keys, get_collection, get_collection_ref, get_default_graph,
    get_default_session, get_name_scope, get_to_proto_function, get_from_proto_function,
    has_default_graph, in_graph_mode_only, init_scope, inside_function, name_from_scope_name,
    name_scope, name_scope_v1, name_scope_v2, op_scope, register_proto_function,
    reset_default_graph, strip_name_scope, prepend_name_scope, get_collection_proto_type)
from leat.python.framework.gradient_registry import (  # noqa: E402
    NoGradient, NotDifferentiable, OpStats, RegisterGradient, RegisterShape, RegisterStatistics,
    _gradient_registry, get_gradient_function, get_stats_for_node_def)

_ = (sys, graph_keys)
