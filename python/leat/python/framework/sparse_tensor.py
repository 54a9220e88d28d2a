# SPDX-License-Identifier: Apache-2.0
"""SparseTensor: the indices of the elements that are there, their values, and the dense shape."""
import collections

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_spec
from leat.python.framework import tensor_util
from leat.python.framework import type_spec

SparseTensorValue = collections.namedtuple('SparseTensorValue',
                                           ['indices', 'values', 'dense_shape'])


class SparseTensor(ops._TensorLike):
    """Three tensors that stand for one; row i of indices says where values[i] is."""

    @classmethod
    def from_value(cls, sparse_tensor_value):
        if not is_sparse(sparse_tensor_value):
            raise TypeError('Neither a SparseTensor nor SparseTensorValue: %s.'
                            % (sparse_tensor_value,))
        return SparseTensor(indices=sparse_tensor_value.indices,
                            values=sparse_tensor_value.values,
                            dense_shape=sparse_tensor_value.dense_shape)

    def __init__(self, indices, values, dense_shape):
        with ops.name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self._indices = ops.convert_to_tensor(indices, name='indices', dtype=dtypes.int64)
            self._values = ops.internal_convert_to_tensor(values, name='values')
            self._dense_shape = ops.convert_to_tensor(dense_shape, name='dense_shape',
                                                      dtype=dtypes.int64)
        self._dense_shape_default = tensor_util.constant_value_as_shape(self._dense_shape)
        rows = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        rows.dims[0].merge_with(count.dims[0])
        rows.dims[1].merge_with(rank.dims[0])

    def get_shape(self):
        return tensor_util.constant_value_as_shape(self._dense_shape)

    shape = property(get_shape)
    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    op = property(lambda self: self._values.op)
    dtype = property(lambda self: self._values.dtype)
    graph = property(lambda self: self._indices.graph)
    name = property(lambda self: self._values.name)

    @property
    def _type_spec(self):
        return SparseTensorSpec(self.shape, self.dtype)

    def consumers(self):
        found = []
        for t in (self._indices, self._values, self._dense_shape):
            found += [op for op in t.consumers() if op not in found]
        return found

    def __str__(self):
        return 'SparseTensor(indices=%s, values=%s, dense_shape=%s)' % (
            self._indices, self._values, self._dense_shape)

    def eval(self, feed_dict=None, session=None):
        """A SparseTensorValue."""
        parts = [self._indices, self._values, self._dense_shape]
        return SparseTensorValue(*ops._eval_using_default_session(parts, feed_dict, self.graph,
                                                                  session))

    @staticmethod
    def _override_operator(operator, func):
        ops._override_helper(SparseTensor, operator, func)

    def _shape_invariant_to_components(self, shape=None):
        rank = tensor_shape.TensorShape(shape).ndims if shape is not None else None
        return [tensor_shape.TensorShape([None, rank]), tensor_shape.TensorShape([None]),
                tensor_shape.TensorShape([rank])]


class SparseTensorSpec(type_spec.BatchableTypeSpec):
    """The type and dense shape of a SparseTensor."""

    def __init__(self, shape=None, dtype=dtypes.float32):
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    value_type = SparseTensor
    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)

    def _serialize(self):
        return (self._shape, self._dtype)

    @property
    def _component_specs(self):
        rank = self._shape.ndims
        count = None
        return [tensor_spec.TensorSpec([count, rank], dtypes.int64),
                tensor_spec.TensorSpec([count], self._dtype),
                tensor_spec.TensorSpec([rank], dtypes.int64)]

    def _to_components(self, value):
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, tensor_list):
        if all(isinstance(t, np.ndarray) for t in tensor_list):
            return SparseTensorValue(*tensor_list)
        return SparseTensor(*tensor_list)

    @classmethod
    def from_value(cls, value):
        """The type of a SparseTensor, or of the value of one."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            if isinstance(value.values, np.ndarray):
                return cls(value.dense_shape, value.values.dtype)
            return cls.from_value(SparseTensor.from_value(value))
        raise TypeError('Expected SparseTensor or SparseTensorValue')

    def __repr__(self):
        return 'SparseTensorSpec(%r, %r)' % (self._shape, self._dtype)


def is_sparse(x):
    """Whether x is a SparseTensor or the value of one."""
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A SparseTensor as it is, the value of one as a SparseTensor, anything else as a Tensor."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype and not dtype.is_compatible_with(value.dtype):
            raise RuntimeError('Sparse dtype: requested = %s, actual = %s'
                               % (dtype.name, value.dtype.name))
        return value
    return ops.internal_convert_to_tensor(value, dtype=dtype, name=name)


