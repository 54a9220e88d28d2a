# SPDX-License-Identifier: Apache-2.0
"""Values of composite tensors, put together along their rows."""
import numpy as np

from leat.python.framework import composite_tensor
from leat.python.framework import sparse_tensor
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_tensor_value


def is_composite_or_composite_value(tensor):
    """Whether it is a composite tensor, or the value of one."""
    return hasattr(type(tensor), '_type_spec') or isinstance(
        tensor, (composite_tensor.CompositeTensor, sparse_tensor.SparseTensorValue,
                 sparse_tensor.SparseTensor, ragged_tensor_value.RaggedTensorValue))


def get_shape(tensor):
    """The shape of a composite tensor or of its value."""
    if isinstance(tensor, sparse_tensor.SparseTensorValue):
        return tensor.dense_shape
    return tensor.shape


def _append_sparse_tensor_value(target, to_append):
    """Sparse values, the second's rows after the first's."""
    if len(target.dense_shape) != len(to_append.dense_shape):
        raise RuntimeError('Unable to concatenate %s and %s. The inner dense shapes do not have '
                           'the same number of dimensions (%s vs %s)'
                           % (target, to_append, target.dense_shape, to_append.dense_shape))
    if tuple(target.dense_shape[1:]) != tuple(to_append.dense_shape[1:]):
        raise RuntimeError('Unable to concatenate %s and %s. The inner dense shapes do not match '
                           'inner dimensions (%s vs %s)'
                           % (target, to_append, target.dense_shape[1:],
                              to_append.dense_shape[1:]))
    rows = target.dense_shape[0]
    shifted = to_append.indices + np.array([rows] + [0] * (len(target.dense_shape) - 1))
    return sparse_tensor.SparseTensorValue(
        indices=np.concatenate((target.indices, shifted)),
        values=np.concatenate((target.values, to_append.values)),
        dense_shape=(rows + to_append.dense_shape[0],) + tuple(target.dense_shape[1:]))


def _append_ragged_tensor_value(target, to_append):
    """Ragged values, the second's rows after the first's."""
    if len(target.shape) != len(to_append.shape):
        raise RuntimeError('Unable to concatenate %s and %s' % (target, to_append))
    splits = np.concatenate((target.row_splits, to_append.row_splits[1:] + target.row_splits[-1]))
    if isinstance(target.values, ragged_tensor_value.RaggedTensorValue):
        values = _append_ragged_tensor_value(target.values, to_append.values)
    else:
        values = np.concatenate((target.values, to_append.values), axis=0)
    return ragged_tensor_value.RaggedTensorValue(values, splits)


def append_composite_tensor(target, to_append):
    """The two of a kind, the second's rows after the first's."""
    if type(target) is not type(to_append):
        raise RuntimeError('Unable to concatenate %s and %s' % (type(target), type(to_append)))
    if isinstance(target, sparse_tensor.SparseTensor):
        from leat.python.ops import sparse_ops
        return sparse_ops.sparse_concat(axis=0, sp_inputs=[target, to_append])
    if isinstance(target, ragged_tensor.RaggedTensor):
        from leat.python.ops.ragged import ragged_concat_ops
        return ragged_concat_ops.concat([target, to_append], axis=0)
    if isinstance(target, sparse_tensor.SparseTensorValue):
        return _append_sparse_tensor_value(target, to_append)
    if isinstance(target, ragged_tensor_value.RaggedTensorValue):
        return _append_ragged_tensor_value(target, to_append)
    raise RuntimeError('Attempted to concatenate unsupported object %s.' % type(target))
