# SPDX-License-Identifier: Apache-2.0
"""How variables are cut into slices."""
import math

from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import variable_scope
from leat.python.util import deprecation

__all__ = ['create_partitioned_variables', 'variable_axis_size_partitioner',
           'min_max_variable_partitioner', 'fixed_size_partitioner']


def _element_size(dtype, bytes_per_string_element):
    if dtype.base_dtype == dtypes.string:
        return bytes_per_string_element
    return dtype.size


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16,
                                   max_shards=None):
    """Slices along an axis of at most so many bytes; at most max_shards of them."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError('Both max_shard_bytes and bytes_per_string_element must be positive.')
    if max_shards and max_shards < 1:
        raise ValueError('max_shards must be positive.')

    def _partitioner(shape, dtype):
        if not isinstance(shape, tensor_shape.TensorShape):
            raise ValueError('shape is not a TensorShape: %s' % shape)
        if not shape.is_fully_defined():
            raise ValueError('shape is not fully defined: %s' % shape)
        if not isinstance(dtype, dtypes.DType):
            raise ValueError('dtype is not a DType: %s' % dtype)
        element_size = _element_size(dtype, bytes_per_string_element)
        partitions = [1] * shape.ndims
        bytes_per_slice = 1.0 * (shape.num_elements() / shape.dims[axis].value) * element_size
        slices_per_shard = max(1, math.floor(max_shard_bytes / bytes_per_slice))
        axis_shards = int(math.ceil(1.0 * shape.dims[axis].value / slices_per_shard))
        if max_shards:
            axis_shards = min(max_shards, axis_shards)
        partitions[axis] = axis_shards
        return partitions
    return _partitioner


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10,
                                 bytes_per_string_element=16):
    """At most max_partitions slices, none of less than so many bytes."""
    def _partitioner(shape, dtype):
        if axis >= len(shape):
            raise ValueError('Can not partition variable along axis %d when shape is only %s'
                             % (axis, shape))
        dtype = dtypes.as_dtype(dtype)
        size = shape.num_elements() * _element_size(dtype, bytes_per_string_element)
        partitions = max(1, min(max_partitions, shape.dims[axis].value,
                                int(math.ceil(size / (min_slice_size * 1.0)))))
        result = [1] * len(shape)
        result[axis] = partitions
        return result
    return _partitioner


def fixed_size_partitioner(num_shards, axis=0):
    """num_shards slices along the axis."""
    def _partitioner(shape, **unused_args):
        partitions = [1] * len(shape)
        partitions[axis] = min(num_shards, shape.dims[axis].value)
        return partitions
    return _partitioner


@deprecation.deprecated(
    date=None,
    instructions='Use `tf.get_variable` with a partitioner set.')
def create_partitioned_variables(shape, slicing, initializer, dtype=dtypes.float32,
                                 trainable=True, collections=None, name=None, reuse=None):
    """The slices of a new variable, as a list."""
    if len(shape) != len(slicing):
        raise ValueError('The \'shape\' and \'slicing\' of a partitioned Variable must have the '
                         'length: shape: %s, slicing: %s' % (shape, slicing))
    if len(shape) < 1:
        raise ValueError('A partitioned Variable must have rank at least 1: shape: %s' % shape)

    def partitioner(**unused_kwargs):
        return slicing
    with variable_scope.variable_scope(name, 'PartitionedVariable', reuse=reuse):
        partitioned = variable_scope._get_partitioned_variable(
            name=None, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable,
            partitioner=partitioner, collections=collections)
        return list(partitioned)
