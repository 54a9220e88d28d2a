# SPDX-License-Identifier: Apache-2.0
"""batch_gather() in which an index of -1 means a default."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_batch_gather_ops
from leat.python.ops.ragged import ragged_concat_ops
from leat.python.ops.ragged import ragged_tensor


def batch_gather_with_default(params, indices, default_value='', name=None):
    """batch_gather(), with default_value where an index is -1."""
    with ops.name_scope(name, 'RaggedBatchGatherWithDefault'):
        params = ragged_tensor.convert_to_tensor_or_ragged_tensor(params, name='params')
        indices = ragged_tensor.convert_to_tensor_or_ragged_tensor(indices, name='indices')
        default_value = ragged_tensor.convert_to_tensor_or_ragged_tensor(
            default_value, dtype=params.dtype, name='default_value')
        row_splits_dtype, tensors = ragged_tensor.match_row_splits_dtypes(
            params, indices, default_value, return_dtype=True)
        params, indices, default_value = tensors
        if params.shape.ndims is not None and default_value.shape.ndims is not None and \
                default_value.shape.ndims != 0:
            raise ValueError('"default_value" must be a scalar or vector')
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError('Indices may not have unknown rank.')
        # A default before each row: an index moves by one.
        padded = _with_default(params, default_value, rank, row_splits_dtype)
        one = constant_op.constant(1, indices.dtype)
        moved = indices.with_flat_values(indices.flat_values + one) \
            if ragged_tensor.is_ragged(indices) else math_ops.add(indices, one)
        return ragged_batch_gather_ops.batch_gather(params=padded, indices=moved)


def _with_default(params, default_value, rank, row_splits_dtype):
    """params with default_value before each row of the dimension that is gathered from."""
    if rank > 1 and ragged_tensor.is_ragged(params) and params.ragged_rank >= rank - 1 and rank > 2:
        return params.with_values(_with_default(params.values, default_value, rank - 1,
                                                row_splits_dtype))
    nrows = params.nrows() if ragged_tensor.is_ragged(params) else \
        array_ops.shape(params, out_type=row_splits_dtype or dtypes.int64)[0]
    column = array_ops.expand_dims(array_ops.fill([nrows], default_value), 1)
    if ragged_tensor.is_ragged(params):
        column = ragged_tensor.RaggedTensor.from_tensor(column,
                                                        row_splits_dtype=params.row_splits.dtype)
        return ragged_concat_ops.concat([column, params], axis=1)
    return array_ops.concat([column, params], axis=1)
