# SPDX-License-Identifier: Apache-2.0
"""Ranges, segments and reductions of ragged tensors."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import gen_ragged_math_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_functional_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
    """Row i counts from starts[i] to limits[i] by deltas[i] (scalars hold for every row)."""
    row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    with ops.name_scope(name, 'RaggedRange', [starts, limits, deltas]):
        starts = ops.convert_to_tensor(starts, dtype=dtype, name='starts')
        limits = ops.convert_to_tensor(limits, dtype=dtype, name='limits')
        deltas = ops.convert_to_tensor(deltas, dtype=dtype, name='deltas')
        if dtype is None:
            starts, limits, deltas = _of_one_type(starts, limits, deltas)
        result = gen_ragged_math_ops.ragged_range(starts, limits, deltas, Tsplits=row_splits_dtype)
        return ragged_tensor.RaggedTensor.from_row_splits(
            result.rt_dense_values, result.rt_nested_splits, validate=False)


_WIDENING = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]


def _of_one_type(*tensors):
    """The tensors, cast to the widest of their types."""
    widest = max((t.dtype for t in tensors), key=_WIDENING.index)
    return [math_ops.cast(t, widest) for t in tensors]


# --- segments ---

def _ragged_segment_aggregate(unsorted_segment_op, data, segment_ids, num_segments,
                              separator=None):
    """Each segment's rows combined, value by value."""
    if not (ragged_tensor.is_ragged(data) or ragged_tensor.is_ragged(segment_ids)):
        if separator is not None:
            return unsorted_segment_op(data, segment_ids, num_segments, separator)
        return unsorted_segment_op(data, segment_ids, num_segments)
    with ops.name_scope(None, 'RaggedSegment', [data, segment_ids, num_segments]):
        data = ragged_tensor.convert_to_tensor_or_ragged_tensor(data, name='data')
        segment_ids = ragged_tensor.convert_to_tensor_or_ragged_tensor(segment_ids,
                                                                       name='segment_ids')
        data, segment_ids = ragged_tensor.match_row_splits_dtypes(data, segment_ids)
        if segment_ids.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError('segment_ids must have dtype int32 or int64.')
        if ragged_tensor.is_ragged(segment_ids):
            if not ragged_tensor.is_ragged(data):
                raise ValueError('segment_ids.shape must be a prefix of data.shape, but '
                                 'segment_ids is ragged and data is not.')
            check = check_ops.assert_equal(
                segment_ids.row_splits, data.row_splits,
                message='segment_ids.shape must be a prefix of data.shape')
            with ops.control_dependencies([check]):
                return _ragged_segment_aggregate(unsorted_segment_op, data.values,
                                                 segment_ids.values, num_segments, separator)
        return _combined_rows(unsorted_segment_op, data, segment_ids, num_segments, separator)


def _combined_rows(unsorted_segment_op, data, segment_ids, num_segments, separator):
    """Ragged rows combined: a segment's row is as long as the longest of its rows."""
    segment_ids = math_ops.cast(segment_ids, data.row_splits.dtype)
    lengths = data.row_lengths()
    out_lengths = math_ops.maximum(
        math_ops.unsorted_segment_max(lengths, segment_ids, num_segments), 0)
    out_splits = array_ops.concat([array_ops.zeros([1], data.row_splits.dtype),
                                   math_ops.cumsum(out_lengths)], axis=0)
    starts = array_ops.gather(out_splits, segment_ids)
    places = range(starts, starts + lengths, row_splits_dtype=data.row_splits.dtype).values
    values = _ragged_segment_aggregate(unsorted_segment_op, data.values, places, out_splits[-1],
                                       separator)
    return ragged_tensor.RaggedTensor.from_row_splits(values, out_splits, validate=False)


def _segment_function(reduction, segment_op):
    def segment(data, segment_ids, num_segments, name=None):
        with ops.name_scope(name, 'RaggedSegment%s' % reduction.title(),
                            [data, segment_ids, num_segments]):
            return _ragged_segment_aggregate(segment_op, data, segment_ids, num_segments)
    segment.__name__ = segment.__qualname__ = 'segment_' + reduction.lower()
    segment.__doc__ = 'The %s of the rows of each segment, value by value.' % reduction.lower()
    return segment


segment_sum = _segment_function('Sum', math_ops.unsorted_segment_sum)
segment_prod = _segment_function('Prod', math_ops.unsorted_segment_prod)
segment_min = _segment_function('Min', math_ops.unsorted_segment_min)
segment_max = _segment_function('Max', math_ops.unsorted_segment_max)


def segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of the rows of each segment, value by value."""
    with ops.name_scope(name, 'RaggedSegmentMean', [data, segment_ids, num_segments]):
        total = segment_sum(data, segment_ids, num_segments)
        count = segment_sum(_ones_like(data), segment_ids, num_segments)
        return _divided(total, count)


def segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of the rows of each segment over the root of their number, value by value."""
    with ops.name_scope(name, 'RaggedSegmentSqrtN', [data, segment_ids, num_segments]):
        total = segment_sum(data, segment_ids, num_segments)
        count = segment_sum(_ones_like(data), segment_ids, num_segments)
        if ragged_tensor.is_ragged(total):
            return total.with_flat_values(total.flat_values / math_ops.sqrt(count.flat_values))
        return total / math_ops.sqrt(count)


def _ones_like(data):
    if ragged_tensor.is_ragged(data):
        return ragged_functional_ops.map_flat_values(array_ops.ones_like, data)
    return array_ops.ones_like(data)


def _divided(total, count):
    if ragged_tensor.is_ragged(total):
        return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


# --- reductions ---

def ragged_reduce_aggregate(reduce_op, unsorted_segment_op, rt_input, axis, keepdims,
                            separator=None):
    """rt_input reduced along axis (all of it where None)."""
    if not ragged_tensor.is_ragged(rt_input):
        if separator is None:
            return reduce_op(rt_input, axis, keepdims=keepdims)
        return reduce_op(rt_input, axis, keepdims=keepdims, separator=separator)
    if isinstance(axis, ops.Tensor):
        axis = tensor_util.constant_value(axis)
        if axis is None:
            raise ValueError('axis must be known at graph construction time.')
        axis = axis.tolist()
    if keepdims:
        raise ValueError('keepdims=True is not supported for RaggedTensors.')
    if axis is None:
        return reduce_op(rt_input.flat_values, None) if separator is None else \
            reduce_op(rt_input.flat_values, None, separator=separator)
    with ops.name_scope(None, 'RaggedReduce', [rt_input, axis]):
        if isinstance(axis, (tuple, list)):
            return _reduce_axes(reduce_op, unsorted_segment_op, rt_input, list(axis), separator)
        rt_input = ragged_tensor.convert_to_tensor_or_ragged_tensor(rt_input, name='rt_input')
        axis = ragged_util.get_positive_axis(axis, rt_input.shape.ndims)
        return _reduce_axis(reduce_op, unsorted_segment_op, rt_input, axis, separator)


def _reduce_axes(reduce_op, unsorted_segment_op, rt_input, axes, separator):
    if not axes:
        return rt_input
    if len(axes) > 1 and any(a < 0 for a in axes) and rt_input.shape.ndims is None:
        raise ValueError('negative axes need a known rank')
    axes = sorted({ragged_util.get_positive_axis(a, rt_input.shape.ndims) for a in axes})
    result = rt_input
    for axis in reversed(axes):
        result = ragged_reduce_aggregate(reduce_op, unsorted_segment_op, result, axis, False,
                                         separator)
    return result


def _reduce_axis(reduce_op, unsorted_segment_op, rt_input, axis, separator):
    if axis == 0:
        # Column i of the result is made of value i of each row.
        lengths = rt_input.row_lengths()
        count = math_ops.maximum(math_ops.reduce_max(lengths), 0)
        columns = range(lengths, row_splits_dtype=rt_input.row_splits.dtype).values
        return _ragged_segment_aggregate(unsorted_segment_op, rt_input.values, columns, count,
                                         separator)
    if axis == 1:
        return _ragged_segment_aggregate(unsorted_segment_op, rt_input.values,
                                         rt_input.value_rowids(), rt_input.nrows(), separator)
    return rt_input.with_values(ragged_reduce_aggregate(
        reduce_op, unsorted_segment_op, rt_input.values, axis - 1, False, separator))


def reduce_sum(input_tensor, axis=None, keepdims=None, name=None):
    """The sum along axis."""
    with ops.name_scope(name, 'RaggedReduceSum', [input_tensor, axis]):
        return ragged_reduce_aggregate(math_ops.reduce_sum, math_ops.unsorted_segment_sum,
                                       input_tensor, axis, keepdims)


def reduce_prod(input_tensor, axis=None, keepdims=None, name=None):
    """The product along axis."""
    with ops.name_scope(name, 'RaggedReduceProd', [input_tensor, axis]):
        return ragged_reduce_aggregate(math_ops.reduce_prod, math_ops.unsorted_segment_prod,
                                       input_tensor, axis, keepdims)


def reduce_min(input_tensor, axis=None, keepdims=None, name=None):
    """The least value along axis."""
    with ops.name_scope(name, 'RaggedReduceMin', [input_tensor, axis]):
        return ragged_reduce_aggregate(math_ops.reduce_min, math_ops.unsorted_segment_min,
                                       input_tensor, axis, keepdims)


def reduce_max(input_tensor, axis=None, keepdims=None, name=None):
    """The greatest value along axis."""
    with ops.name_scope(name, 'RaggedReduceMax', [input_tensor, axis]):
        return ragged_reduce_aggregate(math_ops.reduce_max, math_ops.unsorted_segment_max,
                                       input_tensor, axis, keepdims)


def reduce_mean(input_tensor, axis=None, keepdims=None, name=None):
    """The mean along axis."""
    with ops.name_scope(name, 'RaggedReduceMean', [input_tensor, axis]):
        total = reduce_sum(input_tensor, axis, keepdims)
        if ragged_tensor.is_ragged(input_tensor):
            ones = input_tensor.with_flat_values(array_ops.ones_like(input_tensor.flat_values))
        else:
            ones = array_ops.ones_like(input_tensor)
        return _divided(total, reduce_sum(ones, axis, keepdims))


def _as_numbers(input_tensor):
    return ragged_functional_ops.map_flat_values(math_ops.cast, input_tensor, dtypes.int32)


def _as_bools(result):
    return ragged_functional_ops.map_flat_values(math_ops.cast, result, dtypes.bool)


def reduce_all(input_tensor, axis=None, keepdims=None, name=None):
    """Whether all values along axis are true."""
    with ops.name_scope(name, 'RaggedReduceAll', [input_tensor, axis]):
        return _as_bools(reduce_prod(_as_numbers(input_tensor), axis, keepdims))


def reduce_any(input_tensor, axis=None, keepdims=None, name=None):
    """Whether any value along axis is true."""
    with ops.name_scope(name, 'RaggedReduceAny', [input_tensor, axis]):
        return _as_bools(reduce_sum(_as_numbers(input_tensor), axis, keepdims))
