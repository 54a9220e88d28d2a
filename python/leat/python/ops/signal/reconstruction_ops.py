# SPDX-License-Identifier: Apache-2.0
"""Signals put together of frames that overlap."""
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops


def overlap_and_add(signal, frame_step, name=None):
    """The sum of frames, each frame_step after the one before."""
    with ops.name_scope(name, 'overlap_and_add', [signal, frame_step]):
        signal = ops.convert_to_tensor(signal, name='signal')
        signal.shape.with_rank_at_least(2)
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        frame_step.shape.assert_has_rank(0)
        if not frame_step.dtype.is_integer:
            raise ValueError('frame_step must be an integer. Got %s' % frame_step.dtype)
        shape = array_ops.shape(signal)
        outer, frames, length = shape[:-2], shape[-2], shape[-1]
        total = frame_step * (frames - 1) + length
        places = array_ops.reshape(
            math_ops.range(frames)[:, None] * frame_step + math_ops.range(length)[None, :], [-1])
        flat = array_ops.transpose(array_ops.reshape(signal, [-1, frames * length]))
        summed = math_ops.unsorted_segment_sum(flat, places, total)
        result = array_ops.reshape(array_ops.transpose(summed),
                                   array_ops.concat([outer, [total]], 0))
        step = tensor_util.constant_value(frame_step)
        dims = signal.shape.as_list() if signal.shape.ndims is not None else None
        if dims is not None:
            known = None
            if step is not None and None not in dims[-2:]:
                known = int(step) * (dims[-2] - 1) + dims[-1]
            result.set_shape(dims[:-2] + [known])
        return result
