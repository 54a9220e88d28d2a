# SPDX-License-Identifier: Apache-2.0
"""squeeze() of ragged tensors."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def squeeze(input, axis=None, name=None):
    """input without the dimensions of 1 that axis names."""
    with ops.name_scope(name, 'RaggedSqueeze', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input)
        if isinstance(input, ops.Tensor):
            return array_ops.squeeze(input, axis, name)
        if axis is None:
            raise ValueError('Ragged.squeeze must have an axis argument.')
        if isinstance(axis, int):
            axis = [axis]
        elif not isinstance(axis, (list, tuple)) or not all(isinstance(d, int) for d in axis):
            raise TypeError('Axis must be a list or tuple of integers.')
        axes = {ragged_util.get_positive_axis(d, input.shape.ndims) for d in axis}
        for axis in sorted(axes, reverse=True):
            input = _without(input, axis)
        return input


def _without(value, axis):
    """value without one dimension."""
    if not ragged_tensor.is_ragged(value):
        return array_ops.squeeze(value, [axis])
    if axis == 0:
        return _kept(value.values, value.nrows(), axis)
    if axis == 1:
        return _kept(value.values, value.row_lengths(), axis)
    return value.with_values(_without(value.values, axis - 1))


def _kept(value, sizes, axis):
    """value by way of identities, which wait for the check that the sizes are 1."""
    check = control_flow_ops.Assert(
        math_ops.reduce_all(math_ops.equal(sizes, 1)),
        ['the given axis (axis = %d) is not squeezable!' % axis])
    with ops.control_dependencies([check]):
        if ragged_tensor.is_ragged(value):
            return value.with_flat_values(array_ops.identity(value.flat_values))
        return array_ops.identity(value)
