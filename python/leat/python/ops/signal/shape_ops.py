# SPDX-License-Identifier: Apache-2.0
"""Signals cut into frames."""
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.signal import util_ops


def _infer_frame_shape(signal, frame_length, frame_step, pad_end, axis):
    """The shape of frame()'s result as far as it is known; None when nothing is."""
    length = tensor_util.constant_value(frame_length)
    step = tensor_util.constant_value(frame_step)
    axis = tensor_util.constant_value(axis)
    if signal.shape.ndims is None or axis is None:
        return None
    dims = signal.shape.as_list()
    at = int(axis) % len(dims)
    count = None
    if dims[at] is not None and length is not None and step is not None:
        if pad_end:
            count = max(0, -(-dims[at] // int(step)))
        else:
            count = max(0, (dims[at] - int(length) + int(step)) // int(step))
    return dims[:at] + [count, None if length is None else int(length)] + dims[at + 1:]


def _padded(signal, length, frame_length, frame_step, num_frames, pad_value, outer, inner):
    """The signal with values after it, so that the last frame is whole."""
    needed = math_ops.maximum(0, frame_length + frame_step * (num_frames - 1) - length)
    paddings = array_ops.concat([array_ops.zeros([outer, 2], dtype=needed.dtype),
                                 [[0, needed]],
                                 array_ops.zeros([inner, 2], dtype=needed.dtype)], 0)
    return array_ops.pad(signal, paddings, constant_values=pad_value)


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Windows of the signal along an axis, frame_step apart."""
    with ops.name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = ops.convert_to_tensor(signal, name='signal')
        frame_length = ops.convert_to_tensor(frame_length, name='frame_length')
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        axis = ops.convert_to_tensor(axis, name='axis')
        signal.shape.with_rank_at_least(1)
        frame_length.shape.assert_has_rank(0)
        frame_step.shape.assert_has_rank(0)
        axis.shape.assert_has_rank(0)
        known = _infer_frame_shape(signal, frame_length, frame_step, pad_end, axis)
        rank = array_ops.rank(signal)
        axis = math_ops.range(rank)[axis]
        shape = array_ops.shape(signal)
        outer_dims, length, inner_dims = array_ops.split(shape, [axis, 1, rank - 1 - axis])
        length = array_ops.reshape(length, [])
        num_outer = array_ops.size(outer_dims)
        num_inner = array_ops.size(inner_dims)
        if pad_end:
            num_frames = -(-length // frame_step)
            pad_value = ops.convert_to_tensor(pad_value, signal.dtype)
            pad_value.shape.assert_has_rank(0)
            signal = _padded(signal, length, frame_length, frame_step, num_frames, pad_value,
                             num_outer, num_inner)
            length = array_ops.shape(signal)[axis]
        else:
            num_frames = math_ops.maximum(0, 1 + (length - frame_length) // frame_step)
        piece = util_ops.gcd(frame_length, frame_step)
        per_frame = frame_length // piece
        per_hop = frame_step // piece
        pieces = length // piece
        end = array_ops.concat([outer_dims, [pieces * piece], inner_dims], 0)
        cut_shape = array_ops.concat([outer_dims, [pieces, piece], inner_dims], 0)
        cut = array_ops.reshape(array_ops.strided_slice(
            signal, array_ops.zeros_like(shape), end), cut_shape)
        starts = array_ops.reshape(math_ops.range(num_frames) * per_hop, [num_frames, 1])
        within = array_ops.reshape(math_ops.range(per_frame), [1, per_frame])
        frames = array_ops.gather(cut, starts + within, axis=axis)
        result = array_ops.reshape(frames, array_ops.concat(
            [outer_dims, [num_frames, frame_length], inner_dims], 0))
        if known is not None:
            result.set_shape(known)
        return result
