# SPDX-License-Identifier: Apache-2.0
"""Slots: variables that an optimizer or an average keeps beside another variable."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import init_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables


def _create_slot_var(primary, val, scope, validate_shape, shape, dtype):
    """A variable of the scope that is open; a slice of a whole one if the primary is."""
    current = variable_scope.get_variable_scope()
    partitioner = current.partitioner
    current.set_partitioner(None)
    use_resource = None
    if isinstance(primary, variables.Variable):
        use_resource = getattr(primary, 'handle', None) is not None
    slot = variable_scope.get_variable(scope, initializer=val, trainable=False,
                                       use_resource=use_resource, shape=shape, dtype=dtype,
                                       validate_shape=validate_shape)
    current.set_partitioner(partitioner)
    if isinstance(primary, variables.Variable) and primary._save_slice_info:
        name = slot.name[len(primary.op.name + '/'):-2]
        info = primary._save_slice_info
        slot._set_save_slice_info(variables.Variable.SaveSliceInfo(
            info.full_name + '/' + name, info.full_shape[:], info.var_offset[:],
            info.var_shape[:]))
    return slot


def _in_scope_of(primary, name, colocate_with_primary, make):
    if isinstance(primary, variables.Variable):
        prefix = primary._shared_name
    else:
        prefix = primary.op.name
    with variable_scope.variable_scope(None, prefix + '/' + name):
        if not colocate_with_primary:
            return make()
        with ops.colocate_with(primary):
            return make()


def create_slot(primary, val, name, colocate_with_primary=True):
    """A slot whose first value is the tensor val."""
    validate_shape = val.get_shape().is_fully_defined()
    return _in_scope_of(
        primary, name, colocate_with_primary,
        lambda: _create_slot_var(primary, val, '', validate_shape, None, None))


def create_slot_with_initializer(primary, initializer, shape, dtype, name,
                                 colocate_with_primary=True):
    """A slot whose first value an initializer makes."""
    validate_shape = shape.is_fully_defined()
    return _in_scope_of(
        primary, name, colocate_with_primary,
        lambda: _create_slot_var(primary, initializer, '', validate_shape, shape, dtype))


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """A slot of zeros, in the primary's shape."""
    if dtype is None:
        dtype = primary.dtype
    slot_shape = primary.get_shape()
    if slot_shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, init_ops.zeros_initializer(dtype), slot_shape, dtype, name,
            colocate_with_primary=colocate_with_primary)
    if isinstance(primary, variables.Variable):
        slot_shape = array_ops.shape(control_flow_ops.cond(
            variables.is_variable_initialized(primary), primary.read_value,
            lambda: primary.initial_value))
    else:
        slot_shape = array_ops.shape(primary)
    return create_slot(primary, array_ops.zeros(slot_shape, dtype=dtype), name,
                       colocate_with_primary=colocate_with_primary)
