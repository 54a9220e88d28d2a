# SPDX-License-Identifier: Apache-2.0
"""Signals put together of frames that overlap."""
from leat.python.framework import dtypes
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
        outer = shape[:-2]
        outer_rank = array_ops.size(outer)
        length, frames = shape[-1], shape[-2]
        total = length + frame_step * (frames - 1)
        parts = -(-length // frame_step)
        paddings = [[0, parts], [0, parts * frame_step - length]]
        paddings = array_ops.concat(
            [array_ops.zeros([outer_rank, 2], dtype=dtypes.int32), paddings], 0)

        def shaped(tensor, dims):
            return array_ops.reshape(tensor, array_ops.concat([outer, dims], 0))

        # Each frame in parts of a step's length; the parts of equal place after another, so
        # that each place's row starts a step later than the one before: then they add up.
        cut = shaped(array_ops.pad(signal, paddings), [frames + parts, parts, frame_step])
        order = array_ops.concat([math_ops.range(outer_rank), outer_rank + [1, 0, 2]], 0)
        cut = array_ops.transpose(cut, perm=order)
        cut = shaped(cut, [(frames + parts) * parts, frame_step])
        cut = cut[..., :(frames + parts - 1) * parts, :]
        cut = shaped(cut, [parts, (frames + parts - 1), frame_step])
        summed = math_ops.reduce_sum(cut, -3)
        result = shaped(summed, [(frames + parts - 1) * frame_step])[..., :total]
        step = tensor_util.constant_value(frame_step)
        dims = signal.shape.as_list() if signal.shape.ndims is not None else None
        if dims is not None:
            known = None
            if step is not None and None not in dims[-2:]:
                known = int(step) * (dims[-2] - 1) + dims[-1]
            result.set_shape(dims[:-2] + [known])
        return result
