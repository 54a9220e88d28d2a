# SPDX-License-Identifier: Apache-2.0
"""Zeros of a tensor's shape, where a gradient of nothing is asked for."""
from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import resource_variable_ops


def get_zeros_dtype(t):
    """The type of the zeros of t: of a handle that of its values."""
    if t.dtype == dtypes.resource:
        return dtypes.as_dtype(resource_variable_ops.get_resource_handle_data(t)[1])
    return t.dtype


def shape_and_dtype(t):
    """The shape and the type of t, or of what its handle is of."""
    if t.dtype == dtypes.resource:
        shape, dtype = resource_variable_ops.get_resource_handle_data(t)
        return tensor_shape.TensorShape(shape), dtypes.as_dtype(dtype)
    return t.shape, t.dtype


def zeros_like(t):
    """Zeros of the shape of t, or of what its handle is of."""
    if t.dtype == dtypes.resource:
        shape, dtype = shape_and_dtype(t)
        return array_ops.zeros(shape, dtype)
    return array_ops.zeros_like(t)
