# SPDX-License-Identifier: Apache-2.0
"""Ragged tensors of nested Python lists, and ragged placeholders."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_tensor_value


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None,
             row_splits_dtype=dtypes.int64):
    """A RaggedTensor of nested lists; a Tensor where ragged_rank comes to 0."""
    def values_of(values, dtype, shape):
        return constant_op.constant(values, dtype=dtype, shape=shape, name='values')

    def ragged_of(values, splits):
        splits = constant_op.constant(splits, dtype=row_splits_dtype)
        return ragged_tensor.RaggedTensor.from_row_splits(values, splits, validate=False)

    def dense_of(values, dtype, shape):
        return constant_op.constant(values, dtype=dtype, shape=shape,
                                    verify_shape=shape is not None)

    with ops.name_scope(name, 'RaggedConstant'):
        return _constant_value(ragged_of, (values_of, dense_of), pylist, dtype, ragged_rank,
                               inner_shape)


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None,
                   row_splits_dtype='int64'):
    """A RaggedTensorValue of nested lists; an array where ragged_rank comes to 0."""
    if dtype is not None and isinstance(dtype, dtypes.DType):
        dtype = dtype.as_numpy_dtype
    splits_type = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def values_of(values, dtype, shape):
        array = np.array(values, dtype=np.float32 if dtype is None and not len(values) else dtype)
        return array if shape is None else array.reshape(shape)

    def ragged_of(values, splits):
        return ragged_tensor_value.RaggedTensorValue(values, np.array(splits, dtype=splits_type))

    return _constant_value(ragged_of, (values_of, values_of), pylist, dtype, ragged_rank,
                           inner_shape)


def _is_list(item):
    return isinstance(item, (list, tuple)) or \
        isinstance(item, np.ndarray) and item.ndim > 0


def _constant_value(ragged_of, makers, pylist, dtype, ragged_rank, inner_shape):
    """The value of nested lists: splits for the outer ragged_rank levels, an array of the rest."""
    values_of, dense_of = makers
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError('Invalid pylist=%r: incompatible with ragged_rank=%d'
                             % (pylist, ragged_rank))
        if inner_shape:
            raise ValueError('Invalid pylist=%r: incompatible with dim(inner_shape)=%d'
                             % (pylist, len(inner_shape)))
        return dense_of(pylist, dtype, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError('Invalid ragged_rank=%r: must be nonnegative' % ragged_rank)
    scalar_depth, max_depth = _find_scalar_and_max_depth(pylist)
    if scalar_depth is not None:
        if max_depth > scalar_depth:
            raise ValueError('Invalid pylist=%r: empty list nesting is greater than scalar value '
                             'nesting' % (pylist,))
        if ragged_rank is not None and scalar_depth <= ragged_rank:
            raise ValueError('pylist has scalar values depth %d, but ragged_rank=%d requires '
                             'scalar value depth greater than %d'
                             % (scalar_depth, ragged_rank, ragged_rank))
        if ragged_rank is not None and max_depth < ragged_rank:
            raise ValueError('Invalid pylist=%r, max depth smaller than ragged_rank=%d'
                             % (pylist, ragged_rank))
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner_shape) + 1
        if (scalar_depth is not None and expected != scalar_depth) or \
                (scalar_depth is None and expected < max_depth):
            raise ValueError('Invalid pylist=%r: incompatible with ragged_rank=%d and '
                             'dim(inner_shape)=%d' % (pylist, ragged_rank, len(inner_shape)))
    if ragged_rank is None and inner_shape is None:
        ragged_rank = max_depth - 1
    elif ragged_rank is None:
        ragged_rank = max_depth - 1 - len(inner_shape)
    if inner_shape is None:
        if scalar_depth is None:
            inner_shape = ()
        else:
            inner_shape = _default_inner_shape_for_pylist(pylist, ragged_rank)
    if ragged_rank == 0 or not pylist and max_depth == 1:
        shape = (len(pylist),) + tuple(inner_shape)
        return dense_of(pylist, dtype, shape)
    values = pylist
    nested_splits = []
    for _ in range(ragged_rank):
        splits, rows = [0], []
        for row in values:
            rows.extend(row)
            splits.append(len(rows))
        nested_splits.append(splits)
        values = rows
    values = values_of(np.asarray(values) if len(values) and isinstance(values[0], np.ndarray)
                       else values, dtype, (len(values),) + tuple(inner_shape))
    for splits in reversed(nested_splits):
        values = ragged_of(values, splits)
    return values


def _find_scalar_and_max_depth(pylist):
    """How deep the scalars are (None without any), and the deepest list."""
    if not _is_list(pylist):
        return 0, 0
    scalar_depth, max_depth = None, 1
    for child in pylist:
        child_scalar, child_max = _find_scalar_and_max_depth(child)
        if child_scalar is not None:
            if scalar_depth is not None and scalar_depth != child_scalar + 1:
                raise ValueError('all scalar values must have the same nesting depth')
            scalar_depth = child_scalar + 1
        max_depth = max(max_depth, child_max + 1)
    return scalar_depth, max_depth


def _default_inner_shape_for_pylist(pylist, ragged_rank):
    """The shape of the items below the ragged levels, which all must share."""
    def inner_shape(item):
        return () if not _is_list(item) else (len(item),) + (inner_shape(item[0]) if len(item)
                                                              else ())

    def check(item, shape):
        is_nested = _is_list(item)
        if is_nested != bool(shape):
            raise ValueError('inner values have inconsistent shape')
        if is_nested:
            if shape[0] != len(item):
                raise ValueError('inner values have inconsistent shape')
            for child in item:
                check(child, shape[1:])

    flat = pylist
    for _ in range(ragged_rank):
        flat = [item for row in flat for item in row]
    shape = inner_shape(flat[0]) if len(flat) else ()
    for item in flat:
        check(item, shape)
    return shape


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """A RaggedTensor to be fed with a RaggedTensorValue."""
    if ragged_rank == 0:
        return array_ops.placeholder(dtype, value_shape, name)
    with ops.name_scope(name, 'RaggedPlaceholder', []):
        shape = tensor_shape.TensorShape([None]).concatenate(value_shape)
        result = array_ops.placeholder(dtype, shape, 'flat_values')
        for i in reversed(range(ragged_rank)):
            splits = array_ops.placeholder(dtypes.int64, [None], 'row_splits_%d' % i)
            result = ragged_tensor.RaggedTensor(result, splits, internal=True)
        return result
