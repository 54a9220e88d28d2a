# SPDX-License-Identifier: Apache-2.0
"""Indexing of ragged tensors: rt[...], with Python's rules for each dimension.

An outer index or slice picks rows; a slice of an inner dimension is made of the values' numbers
(start, limit, step per row). A ragged inner dimension cannot be indexed by a number.
"""
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_gather_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def ragged_tensor_getitem(self, key):
    """The part of a RaggedTensor that key selects: a RaggedTensor or a Tensor."""
    with ops.name_scope(None, 'RaggedGetItem', [self]):
        keys = list(key) if isinstance(key, (list, tuple)) else [key]
        return _ragged_getitem(self, keys)


def _is_full(key):
    return key.start is None and key.stop is None and key.step is None


def _ragged_getitem(ragged, keys):
    if not keys:
        return ragged
    row_key, inner_keys = keys[0], keys[1:]
    if row_key is Ellipsis:
        return _ragged_getitem(ragged, _expand_ellipsis(keys, ragged.shape.ndims))
    if row_key is array_ops.newaxis:
        inner = _ragged_getitem(ragged, inner_keys)
        if not isinstance(inner, ragged_tensor.RaggedTensor):
            return array_ops.expand_dims(inner, axis=0)
        count = array_ops.shape(inner.row_splits, out_type=inner.row_splits.dtype)[0]
        return ragged_tensor.RaggedTensor.from_row_splits(
            inner, array_ops.stack([0, count - 1]), validate=False)
    if isinstance(row_key, slice):
        return _inner_dimensions(_slice_rows(ragged, row_key), inner_keys)
    starts = ragged.row_splits[:-1]
    limits = ragged.row_splits[1:]
    try:
        row = ragged.values[starts[row_key]:limits[row_key]]
    except TypeError as e:
        raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and '
                        'scalar tf.int32/tf.int64 tensors are valid indices, got %r'
                        % (row_key,)) from e
    return row.__getitem__(inner_keys)


def _slice_rows(ragged, row_key):
    if _is_full(row_key):
        return ragged
    starts = ragged.row_splits[:-1][row_key]
    limits = ragged.row_splits[1:][row_key]
    zero = array_ops.zeros([1], ragged.row_splits.dtype)
    if row_key.step is None or row_key.step == 1:
        # The rows stand together; an empty selection begins and ends at 0.
        splits = array_ops.concat([zero[array_ops.size(starts):], starts[:1], limits], axis=0)
        values = ragged.values[splits[0]:splits[-1]]
        return ragged_tensor.RaggedTensor.from_row_splits(values, splits - splits[0],
                                                          validate=False)
    return _of_value_ranges(starts, limits, 1, ragged.values)


def _of_value_ranges(starts, limits, step, values):
    index, splits = ragged_util.ranges(starts, limits, step, starts.dtype)
    if isinstance(values, ragged_tensor.RaggedTensor):
        picked = ragged_gather_ops.gather(params=values, indices=index)
    else:
        picked = array_ops.gather(values, index)
    return ragged_tensor.RaggedTensor.from_row_splits(picked, splits, validate=False)


def _inner_dimensions(ragged, keys):
    """keys applied to the dimensions after the first."""
    if not keys:
        return ragged
    if isinstance(ragged, ops.Tensor):
        return ragged.__getitem__([slice(None)] + keys)
    key = keys[0]
    if key is Ellipsis:
        expanded = _expand_ellipsis(keys, ragged.values.shape.ndims)
        return _inner_dimensions(ragged, expanded)
    if key is array_ops.newaxis:
        inner = _inner_dimensions(ragged, keys[1:])
        splits = math_ops.range(inner.nrows() + 1)
        return ragged_tensor.RaggedTensor.from_row_splits(inner, splits, validate=False)
    if isinstance(key, slice):
        if _is_full(key):
            return ragged.with_values(_inner_dimensions(ragged.values, keys[1:]))
        sliced = _slice_columns(ragged, key)
        return sliced.with_values(_inner_dimensions(sliced.values, keys[1:]))
    if isinstance(key, (int, ops.Tensor)) or hasattr(key, '__index__'):
        raise ValueError('Cannot index into an inner ragged dimension.')
    raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                    'tf.int32/tf.int64 tensors are valid indices, got %r' % (key,))


def _bound(offset, starts, limits, lowest, highest):
    """Where a slice's number falls in each row: from the front, or from the end where negative."""
    known = tensor_util.constant_value(offset) if isinstance(offset, ops.Tensor) else offset
    if known is not None:
        if known >= 0:
            return math_ops.minimum(starts + int(known), highest)
        return math_ops.maximum(limits + int(known), lowest)
    offset = math_ops.cast(offset, starts.dtype)
    from_front = math_ops.minimum(starts + offset, highest)
    from_end = math_ops.maximum(limits + offset, lowest)
    picked = math_ops.cast(offset >= 0, starts.dtype)
    return picked * from_front + (1 - picked) * from_end


def _slice_columns(ragged, key):
    """A slice of each row."""
    starts, limits = ragged.row_splits[:-1], ragged.row_splits[1:]
    step = 1 if key.step is None else key.step
    known = tensor_util.constant_value(step) if isinstance(step, ops.Tensor) else step
    if known is None:
        raise ValueError('The step of a slice of a ragged dimension must be known')
    if known == 0:
        raise ValueError('slice step cannot be zero')
    if known > 0:
        lowest, highest = starts, limits
        first, last = starts, limits
    else:
        lowest, highest = starts - 1, limits - 1
        first, last = limits - 1, starts - 1
    if key.start is not None:
        first = _bound(key.start, starts, limits, lowest, highest)
    if key.stop is not None:
        last = _bound(key.stop, starts, limits, lowest, highest)
    return _of_value_ranges(first, last, int(known), ragged.values)


def _expand_ellipsis(keys, ndims):
    """keys with full slices for the ellipsis, or with one of them before it where ndims is open."""
    if ndims is None:
        raise ValueError('Ellipsis not supported for unknown shape RaggedTensors')
    used = sum(1 for key in keys[1:] if key is not array_ops.newaxis)
    return keys[1:] if used >= ndims else [slice(None)] + keys
