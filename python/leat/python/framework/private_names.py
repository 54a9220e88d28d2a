# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow's tests and older programs ask of graphs and operations under private names.

OperationNames and GraphNames are bases of Operation and Graph; the functions stand in ops.
"""
import contextlib

from leat.python.util import compat


class OperationNames(object):
    """Private names of an operation."""

    @property
    def _inputs(self):
        return list(self.inputs)

    @property
    def _control_inputs(self):
        return self.control_inputs

    @property
    def _node_def(self):
        return self.node_def

    @property
    def _op_def(self):
        return self.op_def

    @property
    def _device_assignments(self):
        return []

    @property
    def _colocation_dict(self):
        return {}

    def _set_value(self, name, fill):
        from leat.core.framework import attr_value_pb2
        value = attr_value_pb2.AttrValue()
        fill(value)
        self._set_attr(name, value)

    def _set_func_attr(self, attr_name, func_name):
        self._set_value(attr_name, lambda v: setattr(v.func, 'name', func_name))

    def _set_func_list_attr(self, attr_name, func_names):
        def fill(value):
            for name in func_names:
                value.list.func.add().name = name
        self._set_value(attr_name, fill)

    def _set_type_list_attr(self, attr_name, types):
        if types:
            self._set_value(attr_name, lambda v: v.list.type.extend(
                getattr(t, 'as_datatype_enum', t) for t in types))

    def _set_shape_list_attr(self, attr_name, shapes):
        if shapes:
            self._set_value(attr_name, lambda v: v.list.shape.extend(
                s.as_proto() for s in shapes))

    def _tf_output(self, output_idx):
        return self.outputs[output_idx]

    def _tf_input(self, input_idx):
        return self.inputs[input_idx]


class GraphNames(object):
    """Private names of a graph."""
    _auto_cast_variable_read_dtype = None

    @property
    def _c_graph(self):
        return self._c

    def _get_op_def(self, type):
        from leat.python.framework import op_def_registry
        found = op_def_registry.get(type)
        if found is None:
            from leat.python.framework import errors_impl
            raise errors_impl.NotFoundError(None, None, 'Op type not registered \'%s\'' % type)
        return found

    def _next_id(self):
        return self._last_id + 1

    def _mutation_lock(self):
        return self._lock

    def _session_run_lock(self):
        return contextlib.nullcontext()  # runs and changes take the C graph's own lock

    def _colocate_with_for_gradient(self, op, gradient_uid, ignore_existing=False):
        if op is None and not ignore_existing:
            return contextlib.nullcontext()
        return self.colocate_with(op, ignore_existing)

    def _variable_creator_scope(self, creator, priority=100):
        from leat.python.ops import variable_scope
        return variable_scope.variable_creator_scope(creator)

    def _create_op_from_tf_operation(self, c_op, compute_device=True):
        """The Operation of what _create_c_op made."""
        made = self.__dict__.setdefault('_made_in_c', [])
        if c_op in made:
            made.remove(c_op)
        return self._op_of(c_op)

    def _get_operation_by_tf_operation(self, tf_oper):
        return self._op_of(tf_oper)

    def _add_new_tf_operations(self, compute_devices=True):
        """The operations that _create_c_op made since this was asked."""
        made = self.__dict__.pop('_made_in_c', [])
        return [self._op_of(c_op) for c_op in made]

    def _add_op(self, op, op_name):
        """Operations are the graph's when they are made."""

    def _copy_functions_to_graph_def(self, graph_def, starting_bytesize):
        """The graph's functions, into a message."""
        graph_def.library.CopyFrom(self.as_graph_def().library)


_USE_C_API = _USE_C_SHAPES = True


def _NodeDef(op_type, name, attrs=None):
    """A NodeDef of an op, with attrs (AttrValues by name)."""
    from leat.core.framework import node_def_pb2
    node = node_def_pb2.NodeDef()
    node.op, node.name = compat.as_str(op_type), compat.as_str(name)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    return node


def _create_c_op(graph, node_def, inputs, control_inputs, op_def=None):
    """Adds a node to the C graph, of which Python need not know; its address."""
    from leat.python.framework import ops
    flat = []
    for i in inputs:
        flat += i if isinstance(i, (list, tuple)) else [i]
    c_op = ops._node_from_def(node_def, graph, flat, control_inputs)
    graph.__dict__.setdefault('_made_in_c', []).append(c_op)
    return c_op


def _device_string(dev_spec):
    """A device or a DeviceSpec as text."""
    return dev_spec.to_string() if hasattr(dev_spec, 'to_string') else dev_spec


def _op_to_colocate_with(v):
    """The operation that stands for v where something lies with it."""
    from leat.python.framework import ops
    return None if v is None else ops._op_of_value(v)


def tensor_id(tensor):
    """A number that no other tensor has while this one is there."""
    return id(tensor)


def set_shape_and_handle_data_for_outputs(op):
    """Shapes are inferred when operations are made."""
