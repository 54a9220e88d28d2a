# SPDX-License-Identifier: Apache-2.0
"""batch_gather() of ragged tensors."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_gather_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def batch_gather(params, indices, name=None):
    """result[i, ...] = params[i, indices[i, ...]]: the batch dimensions are indices' but its
    last."""
    if not (ragged_tensor.is_ragged(params) or ragged_tensor.is_ragged(indices)):
        return array_ops.batch_gather(params, indices, name)
    with ops.name_scope(name, 'RaggedBatchGather', [params, indices]):
        params = ragged_tensor.convert_to_tensor_or_ragged_tensor(params, name='params')
        indices = ragged_tensor.convert_to_tensor_or_ragged_tensor(indices, name='indices')
        params, indices = ragged_tensor.match_row_splits_dtypes(params, indices)
        ndims = indices.shape.ndims
        if ndims is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        if ndims == 0:
            raise ValueError('indices.rank must be at least 1.')
        if ragged_tensor.is_ragged(indices):
            return _ragged_indices(params, indices)
        return _dense_indices(params, indices, ndims)


def _ragged_indices(params, indices):
    if not ragged_tensor.is_ragged(params):
        rank = 1 if indices.ragged_rank == 1 else indices.ragged_rank
        params = ragged_tensor.RaggedTensor.from_tensor(params, ragged_rank=rank,
                                                        row_splits_dtype=indices.row_splits.dtype)
    if indices.ragged_rank > 1:
        if not ragged_tensor.is_ragged(params.values):
            raise ValueError('batch shape from indices does not match params')
        checks = ragged_util.assert_splits_match([[params.row_splits], [indices.row_splits]])
        with ops.control_dependencies(checks):
            return params.with_values(batch_gather(params.values, indices.values))
    if indices.shape.ndims > 2:
        return _uniform_inner(params, indices)
    shift = ragged_util.repeat(params.row_starts(), indices.row_lengths(), axis=0)
    index = math_ops.cast(indices.values, shift.dtype) + shift
    return indices.with_values(ragged_gather_ops.gather(params.values, index))


def _uniform_inner(params, indices):
    """indices with a ragged and then uniform dimensions: the uniform ones made ragged."""
    values = ragged_tensor.RaggedTensor.from_tensor(
        indices.values, ragged_rank=indices.values.shape.ndims - 1,
        row_splits_dtype=indices.row_splits.dtype)
    return batch_gather(params, indices.with_values(values))


def _dense_indices(params, indices, ndims):
    if ndims == 1:
        return ragged_gather_ops.gather(params, indices)
    if ndims > 2:
        ragged = ragged_tensor.RaggedTensor.from_tensor(indices, ragged_rank=ndims - 1,
                                                        row_splits_dtype=params.row_splits.dtype)
        return batch_gather(params, ragged)
    starts = array_ops.expand_dims(params.row_starts(), axis=1)
    index = math_ops.cast(indices, starts.dtype) + starts
    return ragged_gather_ops.gather(params.values, index)
