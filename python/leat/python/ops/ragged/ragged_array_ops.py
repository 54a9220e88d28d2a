# SPDX-License-Identifier: Apache-2.0
"""Masks, new axes, tiles, sizes and partitions of ragged tensors."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import sort_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def boolean_mask(data, mask, name=None):
    """The values of data where mask, of the leading dimensions, is true: ragged below a mask of
    more than one dimension."""
    with ops.name_scope(name, 'RaggedMask', [data, mask]):
        data = ragged_tensor.convert_to_tensor_or_ragged_tensor(data, name='data')
        mask = ragged_tensor.convert_to_tensor_or_ragged_tensor(mask, dtypes.bool, name='mask')
        splits_dtype, (data, mask) = ragged_tensor.match_row_splits_dtypes(data, mask,
                                                                           return_dtype=True)
        if mask.shape.ndims is None:
            raise ValueError('mask.shape.ndims must be known statically.')
        if mask.shape.ndims == 0:
            raise ValueError('mask cannot be scalar.')
        return _masked(data, mask, splits_dtype or dtypes.int64)


def _masked(data, mask, splits_dtype):
    if not ragged_tensor.is_ragged(mask) and mask.shape.ndims > 1:
        mask = ragged_tensor.RaggedTensor.from_tensor(mask, ragged_rank=mask.shape.ndims - 1,
                                                      row_splits_dtype=splits_dtype)
    if not ragged_tensor.is_ragged(mask):
        if ragged_tensor.is_ragged(data):
            from leat.python.ops.ragged import ragged_gather_ops
            rows = array_ops.squeeze(array_ops.where(mask), [1])
            return ragged_gather_ops.gather(data, rows)
        return array_ops.boolean_mask(data, mask)
    if not ragged_tensor.is_ragged(data):
        data = ragged_tensor.RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank,
                                                      row_splits_dtype=mask.row_splits.dtype)
    checks = ragged_util.assert_splits_match([[mask.row_splits], [data.row_splits]])
    with ops.control_dependencies(checks):
        if ragged_tensor.is_ragged(mask.values):
            return data.with_values(_masked(data.values, mask.values, splits_dtype))
        if mask.values.shape.ndims > 1:
            inner = ragged_tensor.RaggedTensor.from_tensor(
                mask.values, ragged_rank=mask.values.shape.ndims - 1,
                row_splits_dtype=mask.row_splits.dtype)
            return data.with_values(_masked(data.values, inner, splits_dtype))
        kept = math_ops.cast(mask.values, mask.row_splits.dtype)
        lengths = math_ops.unsorted_segment_sum(kept, mask.value_rowids(), mask.nrows())
        values = _masked(data.values, mask.values, splits_dtype)
        return ragged_tensor.RaggedTensor.from_row_lengths(values, lengths, validate=False)


def tile(input, multiples, name=None):
    """input repeated multiples[i] times along dimension i."""
    with ops.name_scope(name, 'RaggedTile', [input, multiples]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, name='input')
        if not ragged_tensor.is_ragged(input):
            return array_ops.tile(input, multiples)
        multiples = ragged_util.convert_to_int_tensor(multiples, name='multiples',
                                                      dtype=input.row_splits.dtype)
        multiples.shape.assert_has_rank(1)
        known = tensor_util.constant_value(multiples)
        if known is not None:
            if input.shape.ndims is not None and len(known) != input.shape.ndims:
                raise ValueError('multiples must have one item for each of the %d dimensions, got '
                                 '%d' % (input.shape.ndims, len(known)))
            if (known == 1).all():
                return input
        from leat.python.ops.ragged import ragged_gather_ops
        inner = _tile_rows(input, multiples[1:])
        order = array_ops.tile(math_ops.range(inner.nrows()), multiples[:1])
        return ragged_gather_ops.gather(inner, order)


def _tile_rows(value, multiples):
    """Each row of value tiled; the number of rows stays."""
    if not ragged_tensor.is_ragged(value):
        one = array_ops.ones([1], multiples.dtype)
        return array_ops.tile(value, array_ops.concat([one, multiples], axis=0))
    from leat.python.ops.ragged import ragged_gather_ops
    inner = value.with_values(_tile_rows(value.values, multiples[1:]))
    rows = ragged_util.repeat(math_ops.range(value.nrows()), multiples[0], axis=0)
    repeated = ragged_gather_ops.gather(inner, rows)
    return ragged_tensor.RaggedTensor.from_row_splits(
        repeated.values, value.row_splits * multiples[0], validate=False)


def expand_dims(input, axis, name=None):
    """input with a dimension of 1 inserted at axis."""
    with ops.name_scope(name, 'RaggedExpandDims', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, name='input')
        if not ragged_tensor.is_ragged(input):
            return array_ops.expand_dims(input, axis)
        ndims = None if input.shape.ndims is None else input.shape.ndims + 1
        axis = ragged_util.get_positive_axis(axis, ndims)
        if axis == 0:
            splits = array_ops.stack([0, input.nrows()])
            return ragged_tensor.RaggedTensor.from_row_splits(input, splits, validate=False)
        if axis == 1:
            splits = math_ops.range(input.nrows() + 1)
            return ragged_tensor.RaggedTensor.from_row_splits(input, splits, validate=False)
        if ragged_tensor.is_ragged(input.values):
            return input.with_values(expand_dims(input.values, axis - 1))
        return input.with_values(array_ops.expand_dims(input.values, axis - 1))


def size(input, out_type=dtypes.int32, name=None):
    """How many values there are."""
    if ragged_tensor.is_ragged(input):
        return array_ops.size(input.flat_values, out_type=out_type, name=name)
    return array_ops.size(input, out_type=out_type, name=name)


def rank(input, name=None):
    """The number of dimensions."""
    with ops.name_scope(name, 'RaggedRank', [input]) as scope:
        if not ragged_tensor.is_ragged(input):
            return array_ops.rank(input, scope)
        return input.ragged_rank + array_ops.rank(input.flat_values)


def ragged_one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None,
                   name=None):
    """one_hot() of each value."""
    with ops.name_scope(name, 'RaggedOneHot', [indices]):
        indices = ragged_tensor.convert_to_tensor_or_ragged_tensor(indices, name='indices')
        if axis is not None:
            axis = ragged_util.get_positive_axis(axis, indices.shape.ndims and
                                                 indices.shape.ndims + 1)
            if axis < indices.ragged_rank:
                raise ValueError('axis may not be less than indices.ragged_rank.')
            axis -= indices.ragged_rank
        return indices.with_flat_values(array_ops.one_hot(
            indices.flat_values, depth, on_value, off_value, axis, dtype, name))


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """The slices of data by the partition each belongs to: row i of the result is partition i."""
    with ops.name_scope(name, 'SegmentStack', [data, partitions, num_partitions]):
        data = ragged_tensor.convert_to_tensor_or_ragged_tensor(data, name='data')
        splits_dtype = data.row_splits.dtype if ragged_tensor.is_ragged(data) else None
        partitions = ragged_tensor.convert_to_tensor_or_ragged_tensor(
            partitions, name='partitions', preferred_dtype=splits_dtype)
        num_partitions = ops.convert_to_tensor(num_partitions, name='num_partitions',
                                               preferred_dtype=partitions.dtype)
        splits_dtype = splits_dtype or partitions.dtype
        partitions = _cast(partitions, splits_dtype)
        num_partitions = math_ops.cast(num_partitions, splits_dtype)
        checks = []
        if ragged_tensor.is_ragged(data) and not ragged_tensor.is_ragged(partitions) or \
                not ragged_tensor.is_ragged(partitions):
            if partitions.shape.ndims is None:
                raise ValueError('partitions must have known rank')
            num_partitions.shape.assert_has_rank(0)
            partitions.shape.assert_is_compatible_with(data.shape[:partitions.shape.ndims])
        if partitions.shape.ndims == 0:
            index = ops.convert_to_tensor([0], dtype=partitions.dtype)
            data, partitions = _front(data), array_ops.gather(
                array_ops.expand_dims(partitions, 0), index)
        elif partitions.shape.ndims > 1:
            return _flat_partitions(data, partitions, num_partitions)
        checks = [check_ops.assert_less(partitions, num_partitions,
                                        message='partitions must be less than num_partitions'),
                  check_ops.assert_non_negative(partitions,
                                                message='partitions must be non-negative')]
        with ops.control_dependencies(checks):
            order = sort_ops.argsort(partitions, stable=True)
            from leat.python.ops.ragged import ragged_gather_ops
            values = ragged_gather_ops.gather(data, order)
            rowids = array_ops.gather(partitions, order)
        return ragged_tensor.RaggedTensor.from_value_rowids(values, rowids, num_partitions,
                                                            validate=False)


def _cast(value, dtype):
    return value.with_flat_values(math_ops.cast(value.flat_values, dtype)) \
        if ragged_tensor.is_ragged(value) else math_ops.cast(value, dtype)


def _front(data):
    return expand_dims(data, 0) if ragged_tensor.is_ragged(data) else array_ops.expand_dims(data, 0)


def _flat_partitions(data, partitions, num_partitions):
    """Partitions of several dimensions: the outer two as one."""
    if not ragged_tensor.is_ragged(data):
        data = ragged_tensor.RaggedTensor.from_tensor(data, row_splits_dtype=partitions.dtype,
                                                      ragged_rank=1)
    if not ragged_tensor.is_ragged(partitions):
        partitions = ragged_tensor.RaggedTensor.from_tensor(
            partitions, row_splits_dtype=data.row_splits.dtype,
            ragged_rank=max(data.ragged_rank, partitions.shape.ndims - 1))
    checks = [check_ops.assert_equal(data.row_splits, partitions.row_splits)]
    with ops.control_dependencies(checks):
        return stack_dynamic_partitions(data.values, partitions.values, num_partitions)
