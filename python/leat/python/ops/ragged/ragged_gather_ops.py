# SPDX-License-Identifier: Apache-2.0
"""Slices of ragged tensors by their numbers."""
from leat.python.framework import dtypes
from leat.python.framework import indexed_slices
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import gen_ragged_array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_array_ops
from leat.python.ops.ragged import ragged_batch_gather_ops
from leat.python.ops.ragged import ragged_math_ops
from leat.python.ops.ragged import ragged_tensor


def gather(params, indices, validate_indices=None, axis=0, batch_dims=0, name=None):
    """The rows of params that indices name; each may be ragged."""
    del validate_indices
    if not isinstance(axis, int) or axis != 0:
        raise ValueError('axis != 0 is not supported for ragged gather yet.')
    if not isinstance(batch_dims, int) or batch_dims not in (0, 1):
        raise ValueError('batch_dims=%s is not supported for ragged gather yet.' % batch_dims)
    with ops.name_scope(name, 'RaggedGather', [params, indices]):
        params = ragged_tensor.convert_to_tensor_or_ragged_tensor(params, name='params')
        indices = ragged_tensor.convert_to_tensor_or_ragged_tensor(indices, name='indices')
        params, indices = ragged_tensor.match_row_splits_dtypes(params, indices)
        if batch_dims == 1:
            return ragged_batch_gather_ops.batch_gather(params, indices)
        if ragged_tensor.is_ragged(indices):
            return indices.with_values(gather(params, indices.values))
        if not ragged_tensor.is_ragged(params):
            return array_ops.gather(params, indices)
        indices = ops.convert_to_tensor(indices)
        if indices.shape.ndims is None:
            raise ValueError('indices.shape.ndims must be known statically')
        result = gen_ragged_array_ops.ragged_gather(
            indices=indices, params_dense_values=params.flat_values,
            params_nested_splits=list(params.nested_row_splits),
            OUTPUT_RAGGED_RANK=indices.shape.ndims + len(params.nested_row_splits) - 1)
        return ragged_tensor.RaggedTensor.from_nested_row_splits(
            result.output_dense_values, result.output_nested_splits, validate=False)


def gather_nd(params, indices, batch_dims=0, name=None):
    """The slices of params at index tuples, the rows of indices' innermost dimension."""
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError('batch_dims != 0 is not supported for ragged gather yet.')
    if not (ragged_tensor.is_ragged(params) or ragged_tensor.is_ragged(indices)):
        return array_ops.gather_nd(params, indices, name)
    with ops.name_scope(name, 'RaggedGatherNd', [params, indices]):
        params = ragged_tensor.convert_to_tensor_or_ragged_tensor(params, name='params')
        indices = ragged_tensor.convert_to_tensor_or_ragged_tensor(indices, name='indices')
        params, indices = ragged_tensor.match_row_splits_dtypes(params, indices)
        ndims, size = indices.shape.ndims, None
        if ndims is None:
            raise ValueError('indices.rank be statically known.')
        if ndims == 0:
            raise ValueError('indices.rank must be at least 1.')
        if ragged_tensor.is_ragged(indices) and ndims == indices.ragged_rank + 1:
            raise ValueError('The innermost dimension of indices may not be ragged')
        size = tensor_shape.dimension_value(indices.shape[ndims - 1])
        if size is None:
            raise ValueError('indices.shape[-1] must be statically known.')
        return _gather_nd(params, indices, ndims, size)


def _gather_nd(params, indices, ndims, size):
    if ndims > 2:
        dense = not ragged_tensor.is_ragged(indices)
        if dense:
            indices = ragged_tensor.RaggedTensor.from_tensor(
                indices, ragged_rank=ndims - 2,
                row_splits_dtype=params.row_splits.dtype if ragged_tensor.is_ragged(params)
                else dtypes.int64)
        result = indices.with_flat_values(gather_nd(params, indices.flat_values))
        if dense and ragged_tensor.is_ragged(result) and result.ragged_rank == ndims - 2:
            result = result.to_tensor()
        return result
    if not ragged_tensor.is_ragged(params):
        return array_ops.gather_nd(params, indices)
    if size == 0:
        copies = array_ops.shape(indices, out_type=dtypes.int32)[:-1]
        expanded = ragged_array_ops.expand_dims(params, axis=0)
        return expanded if ndims == 1 else ragged_array_ops.tile(
            expanded, array_ops.concat([copies, array_ops.ones(
                [params.shape.ndims], dtypes.int32)], axis=0))
    if ndims == 1:
        row = _gather_rows(params, array_ops.expand_dims(indices, 0), size)
        return row[0]
    return _gather_rows(params, indices, size)


def _gather_rows(params, indices, size):
    """params at the rows of a matrix of indices."""
    indices = math_ops.cast(indices, params.row_splits.dtype)
    flat, rest = indices[:, 0], params
    for dim in range(1, size):
        if not ragged_tensor.is_ragged(rest):
            tuples = array_ops.concat([array_ops.expand_dims(flat, 1), indices[:, dim:]], axis=1)
            return array_ops.gather_nd(rest, tuples)
        flat = array_ops.gather(rest.row_starts(), flat) + indices[:, dim]
        rest = rest.values
    return gather(rest, flat)


@ops.RegisterGradient('RaggedGather')
def _ragged_gather_grad(op, *grads):
    """The gradient of each gathered value goes to the place that it came from."""
    count = op.get_attr('PARAMS_RAGGED_RANK')
    splits, values, indices = op.inputs[:count], op.inputs[count], op.inputs[count + 1]
    grad = grads[-1]
    # The flat rows under each outer row, then those of the rows that were gathered.
    combined = splits[0]
    for row_splits in splits[1:]:
        combined = array_ops.gather(row_splits, combined)
    flat_indices = array_ops.reshape(indices, [-1])
    places = ragged_math_ops.range(array_ops.gather(combined[:-1], flat_indices),
                                   array_ops.gather(combined[1:], flat_indices),
                                   row_splits_dtype=combined.dtype).values
    slices = indexed_slices.IndexedSlices(
        values=grad, indices=places,
        dense_shape=array_ops.shape(values, out_type=places.dtype))
    return [None] * count + [slices, None]
