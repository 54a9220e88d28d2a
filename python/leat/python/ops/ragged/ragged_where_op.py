# SPDX-License-Identifier: Apache-2.0
"""where() of ragged tensors."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_concat_ops
from leat.python.ops.ragged import ragged_functional_ops
from leat.python.ops.ragged import ragged_gather_ops
from leat.python.ops.ragged import ragged_tensor


def where(condition, x=None, y=None, name=None):
    """Where condition is true: coordinates; or values (or rows) of x there, of y elsewhere."""
    if (x is None) != (y is None):
        raise ValueError('x and y must be either both None or both non-None')
    with ops.name_scope(name, 'RaggedWhere', [condition, x, y]):
        condition = ragged_tensor.convert_to_tensor_or_ragged_tensor(condition, name='condition')
        if x is None:
            return _coordinates(condition)
        x = ragged_tensor.convert_to_tensor_or_ragged_tensor(x, name='x')
        y = ragged_tensor.convert_to_tensor_or_ragged_tensor(y, name='y')
        condition, x, y = ragged_tensor.match_row_splits_dtypes(condition, x, y)
        return _elementwise(condition, x, y)


def _elementwise(condition, x, y):
    ragged = [ragged_tensor.is_ragged(v) for v in (condition, x, y)]
    if not any(ragged):
        return array_ops.where(condition, x, y)
    if all(ragged):
        return ragged_functional_ops.map_flat_values(array_ops.where, condition, x, y)
    if not ragged[0]:
        condition.shape.assert_has_rank(1)
        both = ragged_concat_ops.concat([x, y], axis=0)
        count = x.nrows() if ragged[1] else array_ops.shape(x, out_type=dtypes.int64)[0]
        at = math_ops.range(count)
        return ragged_gather_ops.gather(both, array_ops.where(condition, at, at + count))
    raise ValueError('Input shapes do not match.')


def _coordinates(condition):
    """The coordinates of true values, int64."""
    if not ragged_tensor.is_ragged(condition):
        return array_ops.where(condition)
    inner = _coordinates(condition.values)
    value, rest = inner[:, 0], inner[:, 1:]
    rowids = math_ops.cast(condition.value_rowids(), dtypes.int64)
    starts = math_ops.cast(condition.row_starts(), dtypes.int64)
    row = array_ops.gather(rowids, value)
    column = value - array_ops.gather(starts, row)
    return array_ops.concat([array_ops.expand_dims(row, 1), array_ops.expand_dims(column, 1), rest],
                            axis=1)
