# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.signal import dct_ops
from leat.python.ops.signal import fft_ops
from leat.python.ops.signal import reconstruction_ops
from leat.python.ops.signal import shape_ops
from leat.python.ops.signal import window_ops

dct, idct = dct_ops.dct, dct_ops.idct


def __getattr__(name):
    return getattr(fft_ops, name)


def _enclosing_power_of_two(value):
    """The least power of two that is not below it."""
    known = tensor_util.constant_value(value)
    if known is not None:
        return constant_op.constant(int(2 ** np.ceil(np.log(int(known)) / np.log(2.0))),
                                    value.dtype)
    log = math_ops.log(math_ops.cast(value, dtypes.float32)) / np.float32(np.log(2.0))
    return math_ops.cast(math_ops.pow(2.0, math_ops.ceil(log)), value.dtype)


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=window_ops.hann_window,
         pad_end=False, name=None):
    """The transforms of windows of the signals."""
    with ops.name_scope(name, 'stft', [signals, frame_length, frame_step]):
        signals = ops.convert_to_tensor(signals, name='signals')
        signals.shape.with_rank_at_least(1)
        frame_length = ops.convert_to_tensor(frame_length, name='frame_length')
        frame_length.shape.assert_has_rank(0)
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        frame_step.shape.assert_has_rank(0)
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        else:
            fft_length = ops.convert_to_tensor(fft_length, name='fft_length')
        framed = shape_ops.frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            framed *= window_fn(frame_length, dtype=framed.dtype)
        return fft_ops.rfft(framed, [fft_length])


def inverse_stft_window_fn(frame_step, forward_window_fn=window_ops.hann_window, name=None):
    """The window that makes inverse_stft() undo stft()."""
    with ops.name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
        step = ops.convert_to_tensor(frame_step, name='frame_step')
        step.shape.assert_has_rank(0)

    def inverse(frame_length, dtype):
        with ops.name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
            frame_length_ = ops.convert_to_tensor(frame_length, name='frame_length')
            window = forward_window_fn(frame_length_, dtype=dtype)
            squares = math_ops.square(window)
            overlaps = -(-frame_length_ // step)
            padded = array_ops.pad(squares, [(0, overlaps * step - frame_length_)])
            total = math_ops.reduce_sum(array_ops.reshape(padded, [overlaps, step]), 0,
                                        keepdims=True)
            total = array_ops.reshape(array_ops.tile(total, [overlaps, 1]), [overlaps * step])
            return window / total[:frame_length_]
    return inverse


def inverse_stft(stfts, frame_length, frame_step, fft_length=None,
                 window_fn=window_ops.hann_window, name=None):
    """The signals whose windows' transforms they are."""
    with ops.name_scope(name, 'inverse_stft', [stfts]):
        stfts = ops.convert_to_tensor(stfts, name='stfts')
        stfts.shape.with_rank_at_least(2)
        frame_length = ops.convert_to_tensor(frame_length, name='frame_length')
        frame_length.shape.assert_has_rank(0)
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        frame_step.shape.assert_has_rank(0)
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        else:
            fft_length = ops.convert_to_tensor(fft_length, name='fft_length')
            fft_length.shape.assert_has_rank(0)
        frames = fft_ops.irfft(stfts, [fft_length])
        length = tensor_util.constant_value(frame_length)
        size = tensor_util.constant_value(fft_length)
        if length is not None and size is not None and size > length:
            frames = frames[..., :int(length)]
        elif length is not None and size is not None and length > size:
            outer = [[0, 0]] * (frames.shape.ndims - 1)
            frames = array_ops.pad(frames, outer + [[0, int(length) - int(size)]])
        elif length is None or size is None:
            frames = frames[..., :frame_length]
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=stfts.dtype.real_dtype)
        return reconstruction_ops.overlap_and_add(frames, frame_step)


