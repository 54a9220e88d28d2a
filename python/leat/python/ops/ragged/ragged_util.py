# SPDX-License-Identifier: Apache-2.0
"""What the operations on ragged tensors share."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import gen_ragged_math_ops
from leat.python.ops import math_ops


def convert_to_int_tensor(tensor, name, dtype=dtypes.int32):
    """An int tensor of that type; TypeError for one that is not of integers."""
    tensor = ops.convert_to_tensor(tensor, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError('%s must be an integer tensor; dtype=%s' % (name, tensor.dtype))
    return math_ops.cast(tensor, dtype)


def get_positive_axis(axis, ndims):
    """An axis counted from the front; ValueError where it is out of bounds."""
    if not isinstance(axis, int):
        raise TypeError('axis must be an int; got %s' % type(axis).__name__)
    if ndims is None:
        if axis < 0:
            raise ValueError('axis may only be negative if ndims is statically known.')
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError('axis=%s out of bounds: expected %s<=axis<%s' % (axis, -ndims, ndims))
    return axis + ndims if axis < 0 else axis


def assert_splits_match(nested_splits_lists):
    """Ops that fail where lists of row splits differ; ValueError where their lengths do."""
    message = 'Inputs must have identical ragged splits'
    first = nested_splits_lists[0]
    if any(len(splits) != len(first) for splits in nested_splits_lists):
        raise ValueError(message)
    return [check_ops.assert_equal(s1, s2, message=message)
            for splits in nested_splits_lists[1:]
            for s1, s2 in zip(first, splits) if s1 is not s2]


def repeat(data, repeats, axis, name=None):
    """numpy's repeat()."""
    return array_ops.repeat_with_axis(data, repeats, axis, name)


def lengths_to_splits(lengths):
    """0 and the sums of the lengths so far."""
    return array_ops.concat([[0], math_ops.cumsum(lengths)], axis=-1)


def ranges(starts, limits, deltas, splits_dtype):
    """(values, splits) of the numbers from each start to each limit."""
    result = gen_ragged_math_ops.ragged_range(starts, limits, deltas, Tsplits=splits_dtype)
    return result.rt_dense_values, result.rt_nested_splits


def repeat_ranges(params, splits, repeats):
    """Each row of params, cut at splits, as often as repeats says, one after the other."""
    count = array_ops.shape(splits, out_type=splits.dtype)[0] - 1
    if repeats.shape.ndims == 0:
        repeats = array_ops.fill(array_ops.expand_dims(count, 0), repeats)
    rows = repeat(math_ops.range(count), repeats, axis=0)
    index, _ = ranges(array_ops.gather(splits[:-1], rows), array_ops.gather(splits[1:], rows), 1,
                      splits.dtype)
    return array_ops.gather(params, index)
