# SPDX-License-Identifier: Apache-2.0
"""Row splits and segment ids, the one as the other."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_util

_SPLITS = (dtypes.int32, dtypes.int64)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value: [0, 3, 3, 5] gives [0, 0, 0, 2, 2]."""
    with ops.name_scope(name, 'RaggedSplitsToSegmentIds', [splits]):
        splits = ops.convert_to_tensor(splits, name='splits', preferred_dtype=dtypes.int64)
        if splits.dtype not in _SPLITS:
            raise ValueError('splits must have dtype int32 or int64')
        splits.shape.assert_has_rank(1)
        if tensor_shape.dimension_value(splits.shape[0]) == 0:
            raise ValueError('Invalid row_splits: []')
        out_type = splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        lengths = splits[1:] - splits[:-1]
        count = array_ops.shape(splits, out_type=out_type)[0] - 1
        return ragged_util.repeat(math_ops.range(count), repeats=lengths, axis=0)


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where each segment begins, and the end of the last, of sorted ids."""
    if out_type is None:
        if isinstance(segment_ids, ops.Tensor):
            out_type = segment_ids.dtype
        elif isinstance(num_segments, ops.Tensor):
            out_type = num_segments.dtype
        else:
            out_type = dtypes.int64
    out_type = dtypes.as_dtype(out_type)
    with ops.name_scope(name, 'SegmentIdsToRaggedSplits', [segment_ids]):
        segment_ids = ragged_util.convert_to_int_tensor(segment_ids, 'segment_ids', dtypes.int32)
        segment_ids.shape.assert_has_rank(1)
        if num_segments is not None:
            num_segments = ragged_util.convert_to_int_tensor(num_segments, 'num_segments',
                                                             dtypes.int32)
            num_segments.shape.assert_has_rank(0)
        lengths = math_ops.bincount(segment_ids, minlength=num_segments, maxlength=num_segments,
                                    dtype=out_type)
        splits = array_ops.concat([[0], math_ops.cumsum(lengths)], axis=0)
        known = None if num_segments is None else tensor_util.constant_value(num_segments)
        if known is not None:
            splits.set_shape(tensor_shape.TensorShape([known + 1]))
        return splits
