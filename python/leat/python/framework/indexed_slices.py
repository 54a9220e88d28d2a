# SPDX-License-Identifier: Apache-2.0
"""IndexedSlices (of ops), their spec, and how they become dense."""
import warnings

from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_spec
from leat.python.framework import tensor_util
from leat.python.framework import type_spec
from leat.python.framework.ops import (  # noqa: F401
    IndexedSlices, IndexedSlicesValue, convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor_or_indexed_slices, internal_convert_n_to_tensor_or_indexed_slices,
    internal_convert_to_tensor_or_indexed_slices)

_LARGE = 100000000


class IndexedSlicesSpec(type_spec.TypeSpec):
    """The type of IndexedSlices."""

    __slots__ = ['_shape', '_values_dtype', '_indices_dtype', '_dense_shape_dtype',
                 '_indices_shape']

    def __init__(self, shape=None, dtype=dtypes.float32, indices_dtype=dtypes.int64,
                 dense_shape_dtype=None, indices_shape=None):
        self._shape = tensor_shape.as_shape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = (None if dense_shape_dtype is None
                                   else dtypes.as_dtype(dense_shape_dtype))
        self._indices_shape = tensor_shape.as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self):
        return IndexedSlices

    def _serialize(self):
        return (self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype,
                self._indices_shape)

    @property
    def _component_specs(self):
        value_shape = self._indices_shape.concatenate(self._shape[1:])
        specs = [tensor_spec.TensorSpec(value_shape, self._values_dtype),
                 tensor_spec.TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            specs.append(tensor_spec.TensorSpec([self._shape.ndims], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value):
        if value.dense_shape is None:
            return (value.values, value.indices)
        return (value.values, value.indices, value.dense_shape)

    def _from_components(self, tensor_list):
        return IndexedSlices(*tensor_list)


def spec_of(slices):
    dense_shape = slices.dense_shape
    return IndexedSlicesSpec(
        slices.shape,
        slices.dtype, slices.indices.dtype,
        None if dense_shape is None else dense_shape.dtype, slices.indices.shape)


def _to_tensor(value, dtype=None, name=None, as_ref=False):
    """A dense tensor: rows of the same index are added up."""
    from leat.python.ops import math_ops
    del as_ref
    if dtype and not dtype.is_compatible_with(value.dtype):
        raise ValueError('Tensor conversion requested dtype %s for IndexedSlices with dtype %s'
                         % (dtype.name, value.dtype.name))
    if value.dense_shape is None:
        raise ValueError('Tensor conversion requested for IndexedSlices without dense_shape: %s'
                         % str(value))
    dense_shape = tensor_util.constant_value(value.dense_shape)
    if dense_shape is None:
        warnings.warn('Converting sparse IndexedSlices to a dense Tensor of unknown shape. This '
                      'may consume a large amount of memory.')
    else:
        num_elements = 1
        for d in dense_shape:
            num_elements *= int(d)
        if num_elements >= _LARGE:
            warnings.warn('Converting sparse IndexedSlices to a dense Tensor with %d elements. '
                          'This may consume a large amount of memory.' % num_elements)
    return math_ops.unsorted_segment_sum(value.values, value.indices, value.dense_shape[0],
                                         name=name)

