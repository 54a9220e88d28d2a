# SPDX-License-Identifier: Apache-2.0
"""Graph: operations by name and in order, collections, and the scopes that are open on it.

Imported by ops at its end, whose part this is.
"""
import collections
import contextlib
import re
import threading
import weakref

from leat._load import core
from leat.python.framework import device as pydev
from leat.python.framework import ops
from leat.python.framework import private_names
from leat.python.framework import traceback_utils
from leat.python.util import compat


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
        self.device = ops._device_text(device)


class Graph(private_names.GraphNames):
    """Operations and the tensors between them. Not for two threads that both add to it at once
    without a lock of their own, but the library itself stays whole if they do."""

    _tensor_class = ops.Tensor  # of what its nodes give

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
        self._flows = {}         # the library's flow -> context
        self._handle_feeders = {}
        self._handle_readers = {}
        self._handle_movers = {}
        self._handle_deleters = {}
        self._py_funcs_used_in_graph = []
        self._last_loss_reduction = None
        self._is_loss_scaled_by_optimizer = False
        self._auto_cast_variable_read_dtype = None
        self._graph_key = 'grap-key-%d/' % ops.uid()
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
        op = ops.Operation(None, self, _ptr=ptr)
        op._name = name
        op._outputs = [self._tensor_class(op, i, t) for i, t in enumerate(types)]
        op._stack = stack
        return op

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None,
                  op_def=None, compute_shapes=True, compute_device=True):
        """An operation of the op's name; attrs are AttrValues by name."""
        self._check_not_finalized()
        from leat.python.framework import op_def_library
        for i, x in enumerate(inputs):
            if not isinstance(x, ops.Tensor):
                raise TypeError('Input #%d is not a tensor: %s' % (i, x))
            if x.graph is not self:
                raise ValueError('%s must be from the same graph as the others.' % x)
        encoded = [(k, 'v', v.SerializeToString()) for k, v in (attrs or {}).items()]
        grouped = op_def_library.group_inputs(op_type, [x._c for x in inputs], attrs or {})
        try:
            return self._make_op(op_type, name, grouped, encoded)
        except core.Error as e:
            ops.raise_build_error(e)

    def _create_op_internal(self, op_type, inputs, dtypes=None, input_types=None, name=None,
                            attrs=None, op_def=None, compute_device=True):
        return self.create_op(op_type, inputs, dtypes, input_types, name, attrs, op_def)

    # ---- looking at them ----

    def _op_of(self, ptr):
        op = self._ops.get(ptr)
        return op if op is not None else ops.Operation(None, self, _ptr=ptr)

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
        if not isinstance(obj, (ops.Tensor, ops.Operation)):
            element = ops._as_graph_element(obj)
            obj = obj if element is None else element
        if isinstance(obj, (str, bytes)):
            return self._element_by_name(compat.as_str(obj), allow_tensor, allow_operation)
        if isinstance(obj, ops.Tensor) and allow_tensor or \
                isinstance(obj, ops.Operation) and allow_operation:
            if obj.graph is not self:
                kind = 'Tensor' if isinstance(obj, ops.Tensor) else 'Operation'
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
        if not graph.library.function:
            graph.ClearField('library')
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
        op = tensor_or_op.op if isinstance(tensor_or_op, ops.Tensor) else tensor_or_op
        return op not in self._unfetchable_ops

    def prevent_fetching(self, op):
        self._unfetchable_ops.add(op)

    def switch_to_thread_local(self):
        """Scopes belong to threads here from the start."""

    def as_default(self):
        return ops._default_graph_stack.get_controller(self)

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
            if not ops.valid_scope_name(name, self):
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
            text = ops._device_text(device)
            if text and not text.startswith('/'):
                text = pydev.canonical_name(text)  # 'cpu:0' is a way to say it, too
            try:
                self._c.push_device(text)
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
                merged.merge_from(pydev.DeviceSpec.from_string(ops._device_text(device)))
        return merged.to_string()

    def _apply_device_functions(self, op):
        """Tells op, which may be any object with a device, what the scopes in force ask of it."""
        for device in reversed(self._device_stack()):
            if device is None:
                break
            if callable(device) and not isinstance(device, pydev.DeviceSpec):
                op._set_device_from_string(ops._device_text(device(op)))
                continue
            asked = pydev.DeviceSpec.from_string(ops._device_text(device))
            asked.merge_from(pydev.DeviceSpec.from_string(op.device or ''))
            if asked.to_string():
                op._set_device_from_string(asked.to_string())

    def _device_function(self, function):
        graph = weakref.ref(self)

        def ask(op, name, device, output_bytes):
            return ops._device_text(function(_NodeRequest(graph(), op, name, device, output_bytes)))
        return ask

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        if control_inputs is None:
            self._c.push_controls(None)
        else:
            waits = []
            for c in control_inputs:
                if isinstance(c, ops.IndexedSlices) or \
                        hasattr(c, '_handle') and hasattr(c, 'op'):
                    c = c.op  # a variable is not read for that
                c = self.as_graph_element(c)
                op = c.op if isinstance(c, ops.Tensor) else c
                if op._ptr not in waits:
                    waits.append(op._ptr)
            self._c.push_controls(waits)
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
            op = ops._op_of_value(op)
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
        if self._flow_context is not None or not self._flows:
            return self._flow_context
        row = core.current_flow(self._c, 0)
        return None if row is None else self._flows.get(row[0])

    def _set_control_flow_context(self, ctx):
        self._flow_context = ctx

    def _add_function(self, function):
        """A function of framework/function.py into the graph's library."""
        from leat.python.framework import function as functions
        functions._add_function(self, function)

    def _is_function(self, name):
        return name in self._functions

    def _get_function(self, name):
        return self._functions.get(name)
