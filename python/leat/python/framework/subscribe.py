# SPDX-License-Identifier: Apache-2.0
"""subscribe: something that runs whenever a tensor is computed, and before who takes it."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.util import nest


def _consumers(tensor):
    """(operation, which input) of all that take the tensor."""
    return [(op, i) for op in tensor.consumers() for i, t in enumerate(op.inputs) if t is tensor]


def _is_subscribed_identity(tensor):
    return tensor.op.type == 'Identity' and '/subscription/Identity' in '/' + tensor.op.name


def _effects(tensor, side_effects):
    made = []
    for effect in side_effects:
        for out in nest.flatten(effect(tensor)):
            made.append(out if isinstance(out, ops.Operation) else out.op)
    return made


def _subscribe(tensor, side_effects):
    """The tensor that stands for the subscribed one."""
    for op in tensor.consumers():  # it is subscribed: this effect is one more
        if op.type == 'Identity' and op.name.startswith(tensor.op.name + '/subscription/'):
            with ops.control_dependencies(None), ops.name_scope(tensor.op.name + '/subscription/'):
                op._add_control_inputs(_effects(tensor, side_effects))
            return op.outputs[0]
    takers = _consumers(tensor)
    control = [op for op in tensor.graph.get_operations() if tensor.op in op.control_inputs]
    with ops.control_dependencies(None), ops.name_scope(tensor.op.name + '/subscription/'), \
            ops.colocate_with(tensor.op):
        effects = _effects(tensor, side_effects)
        with ops.control_dependencies(effects):
            out = array_ops.identity(tensor)
    for op, i in takers:
        op._update_input(i, out)
    for op in control:
        op._add_control_input(out.op)
    return out


def subscribe(tensors, side_effects):
    """side_effects, functions of a tensor, run when a tensor of the structure is computed; what
    took the tensors takes those that are given back."""
    if not hasattr(side_effects, '__iter__'):
        side_effects = [side_effects]

    def one(tensor):
        if not isinstance(tensor, ops.Tensor):
            raise TypeError('Non-tensor in structure: %s' % type(tensor))
        if _is_subscribed_identity(tensor):
            tensor = tensor.op.inputs[0]
        return _subscribe(tensor, side_effects)
    return nest.map_structure(one, tensors)
