# SPDX-License-Identifier: Apache-2.0
"""Sums and means over segments, and counts. Part of math_ops."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_math_ops
from leat.python.util import dispatch


def bincount_v1(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32):
    return bincount(arr, weights, minlength, maxlength, dtype)


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32, name=None):
    """How often each number occurs, or the sum of its weights."""
    from leat.python.ops import math_ops
    name = 'bincount' if name is None else name
    with ops.name_scope(name):
        arr = ops.convert_to_tensor(arr, name='arr', dtype=dtypes.int32)
        not_empty = math_ops.reduce_prod(array_ops.shape(arr)) > 0
        size = math_ops.cast(not_empty, dtypes.int32) * (math_ops.reduce_max(arr) + 1)
        if minlength is not None:
            minlength = ops.convert_to_tensor(minlength, name='minlength', dtype=dtypes.int32)
            size = gen_math_ops.maximum(minlength, size)
        if maxlength is not None:
            maxlength = ops.convert_to_tensor(maxlength, name='maxlength', dtype=dtypes.int32)
            size = gen_math_ops.minimum(maxlength, size)
        if weights is not None:
            weights = ops.convert_to_tensor(weights, name='weights')
            return gen_math_ops.unsorted_segment_sum(weights, arr, size)
        return gen_math_ops.bincount(arr, size, constant_op.constant([], dtype))


def _unsorted_segment_N(data, segment_ids, num_segments):
    """How many there are in each segment, 1 at least, shaped to divide the sums by."""
    ones = array_ops.ones(array_ops.shape(segment_ids), dtype=data.dtype)
    count = gen_math_ops.unsorted_segment_sum(ones, segment_ids, num_segments)
    rank = len(data.shape) - len(segment_ids.shape)
    return gen_math_ops.maximum(array_ops.reshape(count, (num_segments,) + (1,) * rank), 1)


@dispatch.add_dispatch_support
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of each segment."""
    with ops.name_scope(name, 'UnsortedSegmentMean'):
        data = ops.convert_to_tensor(data)
        segment_ids = ops.convert_to_tensor(segment_ids)
        count = _unsorted_segment_N(data, segment_ids, num_segments)
        return gen_math_ops.unsorted_segment_sum(data, segment_ids, num_segments) / count


@dispatch.add_dispatch_support
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of each segment over the root of its size."""
    with ops.name_scope(name, 'UnsortedSegmentSqrtN'):
        data = ops.convert_to_tensor(data)
        segment_ids = ops.convert_to_tensor(segment_ids)
        count = _unsorted_segment_N(data, segment_ids, num_segments)
        total = gen_math_ops.unsorted_segment_sum(data, segment_ids, num_segments)
        return total / gen_math_ops.sqrt(count)


def _sparse_segment(kind, data, indices, segment_ids, num_segments, name):
    if num_segments is not None:
        return getattr(gen_math_ops, 'sparse_segment_%s_with_num_segments' % kind)(
            data=data, indices=indices, segment_ids=segment_ids, num_segments=num_segments,
            name=name)
    return getattr(gen_math_ops, 'sparse_segment_' + kind)(
        data=data, indices=indices, segment_ids=segment_ids, name=name)


def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None):
    """The sums of picked rows."""
    return _sparse_segment('sum', data, indices, segment_ids, num_segments, name)


def sparse_segment_sum_v2(data, indices, segment_ids, num_segments=None, name=None):
    return _sparse_segment('sum', data, indices, segment_ids, num_segments, name)


def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None):
    """The means of picked rows."""
    return _sparse_segment('mean', data, indices, segment_ids, num_segments, name)


def sparse_segment_mean_v2(data, indices, segment_ids, num_segments=None, name=None):
    return _sparse_segment('mean', data, indices, segment_ids, num_segments, name)


def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None):
    """The sums of picked rows over the root of their number."""
    return _sparse_segment('sqrt_n', data, indices, segment_ids, num_segments, name)


def sparse_segment_sqrt_n_v2(data, indices, segment_ids, num_segments=None, name=None):
    return _sparse_segment('sqrt_n', data, indices, segment_ids, num_segments, name)
