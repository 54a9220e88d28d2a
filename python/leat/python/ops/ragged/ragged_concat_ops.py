# SPDX-License-Identifier: Apache-2.0
"""concat() and stack() of ragged tensors."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_array_ops
from leat.python.ops.ragged import ragged_gather_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def concat(values, axis, name=None):
    """Ragged and dense tensors of one rank joined along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with ops.name_scope(name, 'RaggedConcat', values):
        return _stack_concat(values, axis, stack_values=False)


def stack(values, axis=0, name=None):
    """Ragged and dense tensors of one rank as the slices of a new axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with ops.name_scope(name, 'RaggedConcat', values):
        return _stack_concat(values, axis, stack_values=True)


def _stack_concat(values, axis, stack_values):
    if not values:
        raise ValueError('rt_inputs may not be empty.')
    values = [ragged_tensor.convert_to_tensor_or_ragged_tensor(v, name='rt_input') for v in values]
    row_splits_dtype, values = ragged_tensor.match_row_splits_dtypes(*values, return_dtype=True)
    values = list(values)
    if len(values) == 1 and not stack_values:
        return values[0]
    ndims = None
    for v in values:
        if ndims is None:
            ndims = v.shape.ndims
        else:
            v.shape.assert_has_rank(ndims)
    out_ndims = ndims if ndims is None or not stack_values else ndims + 1
    axis = ragged_util.get_positive_axis(axis, out_ndims)
    if len(values) == 1:
        return ragged_array_ops.expand_dims(values[0], axis=axis)
    if all(not ragged_tensor.is_ragged(v) for v in values) and ndims is not None and \
            axis in (ndims - 1, out_ndims - 1):
        return array_ops.stack(values, axis) if stack_values else array_ops.concat(values, axis)
    for i, v in enumerate(values):
        if not ragged_tensor.is_ragged(v) and v.shape.ndims is not None and v.shape.ndims > 1:
            values[i] = ragged_tensor.RaggedTensor.from_tensor(
                v, ragged_rank=1, row_splits_dtype=row_splits_dtype or 'int64')
    return _joined(values, axis, stack_values, row_splits_dtype)


def _joined(values, axis, stack_values, row_splits_dtype):
    ragged_rank = max(v.ragged_rank if ragged_tensor.is_ragged(v) else 0 for v in values)
    values = [_of_rank(v, ragged_rank, row_splits_dtype) for v in values]
    if axis == 0:
        return _along_rows(values, stack_values)
    if axis == 1:
        return _along_columns(values, stack_values)
    checks = ragged_util.assert_splits_match([[v.row_splits] for v in values])
    with ops.control_dependencies(checks):
        inner = _stack_concat([v.values for v in values], axis - 1, stack_values)
        return values[0].with_values(inner)


def _of_rank(value, ragged_rank, row_splits_dtype):
    """value with that ragged rank."""
    if ragged_rank == 0:
        return value
    if not ragged_tensor.is_ragged(value):
        return ragged_tensor.RaggedTensor.from_tensor(
            value, ragged_rank=ragged_rank, row_splits_dtype=row_splits_dtype or 'int64')
    if value.ragged_rank < ragged_rank:
        return value.with_values(_of_rank(value.values, ragged_rank - 1, row_splits_dtype))
    return value


def _along_rows(values, stack_values):
    """The rows of one after those of the other; stacked, each is a row of the result."""
    if all(not ragged_tensor.is_ragged(v) for v in values):
        joined = array_ops.concat(values, axis=0)
    else:
        flat = [v.flat_values for v in values]
        nested = [v.nested_row_splits for v in values]
        joined = ragged_tensor.RaggedTensor.from_nested_row_splits(
            array_ops.concat(flat, axis=0),
            [_concat_splits([n[i] for n in nested]) for i in range(len(nested[0]))],
            validate=False)
    if not stack_values:
        return joined
    lengths = [v.nrows() if ragged_tensor.is_ragged(v)
               else array_ops.shape(v, out_type='int64')[0] for v in values]
    return ragged_tensor.RaggedTensor.from_row_lengths(joined, array_ops.stack(lengths),
                                                       validate=False)


def _concat_splits(splits):
    """The splits of lists of rows, one after the other."""
    pieces, offset = [splits[0]], splits[0][-1]
    for s in splits[1:]:
        pieces.append(s[1:] + offset)
        offset = offset + s[-1]
    return array_ops.concat(pieces, axis=0)


def _along_columns(values, stack_values):
    """Row i of each beside row i of the others."""
    count = len(values)
    nrows = values[0].nrows()
    joined = _along_rows(values, stack_values=False)
    order = array_ops.reshape(array_ops.transpose(array_ops.reshape(
        math_ops.range(nrows * count), [count, -1])), [-1])
    rows = ragged_gather_ops.gather(joined, order)
    if stack_values:
        splits = math_ops.range(nrows + 1) * count
        return ragged_tensor.RaggedTensor.from_row_splits(rows, splits, validate=False)
    return ragged_tensor.RaggedTensor.from_row_splits(rows.values, rows.row_splits[::count],
                                                      validate=False)
