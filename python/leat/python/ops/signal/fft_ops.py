# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of real signals, and shifts; the complex ones are the ops' own functions."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_spectral_ops
from leat.python.ops import manip_ops
from leat.python.ops import math_ops


def __getattr__(name):
    return getattr(gen_spectral_ops, name)


def _infer_fft_length_for_rfft(input_tensor, fft_rank):
    """The inner dims."""
    known = input_tensor.get_shape()[-fft_rank:]
    if not known.is_fully_defined():
        return array_ops.shape(input_tensor)[-fft_rank:]
    from leat.python.framework import constant_op
    return constant_op.constant(known.as_list(), dtypes.int32)


def _infer_fft_length_for_irfft(input_tensor, fft_rank):
    """The inner dims; of the last one there is but half."""
    known = input_tensor.get_shape()[-fft_rank:]
    if not known.is_fully_defined():
        length = array_ops.unstack(array_ops.shape(input_tensor)[-fft_rank:])
        length[-1] = math_ops.maximum(0, 2 * (length[-1] - 1))
        return array_ops.stack(length)
    dims = known.as_list()
    if dims:
        dims[-1] = max(0, 2 * (dims[-1] - 1))
    from leat.python.framework import constant_op
    return constant_op.constant(dims, dtypes.int32)


def _maybe_pad_for_rfft(input_tensor, fft_rank, fft_length, is_reverse=False):
    """Zeros after the signal where fft_length is longer."""
    known = tensor_util.constant_value_as_shape(fft_length)
    if not known.ndims or input_tensor.get_shape().ndims is None:
        return input_tensor
    inner = input_tensor.get_shape()[-fft_rank:]
    if known.is_fully_defined() and inner.is_fully_defined():
        if inner.num_elements() == 0:
            return input_tensor
        wanted = known.as_list()
        if is_reverse and wanted[-1] > 0:
            wanted[-1] = wanted[-1] // 2 + 1
        paddings = [[0, max(want - have, 0)] for want, have in zip(wanted, inner.as_list())]
        if any(p > 0 for _, p in paddings):
            outer = [[0, 0]] * (input_tensor.get_shape().ndims - fft_rank)
            return array_ops.pad(input_tensor, outer + paddings)
        return input_tensor
    rank = array_ops.rank(input_tensor)
    inner = array_ops.shape(input_tensor)[-fft_rank:]
    outer = array_ops.zeros([rank - fft_rank, 2], dtype=dtypes.int32)
    wanted = fft_length
    if is_reverse:
        wanted = array_ops.concat([fft_length[:-1], fft_length[-1:] // 2 + 1], axis=0)
    amounts = math_ops.maximum(0, wanted - inner)
    paddings = array_ops.concat([outer, array_ops.stack(
        [array_ops.zeros_like(amounts), amounts], axis=1)], axis=0)
    return array_ops.pad(input_tensor, paddings)


def _rfft_wrapper(op_name, fft_rank, default_name):
    def rfft(input_tensor, fft_length=None, name=None):
        """The transform of real numbers: the half that says it all."""
        with ops.name_scope(name, default_name, [input_tensor, fft_length]) as name:
            input_tensor = ops.convert_to_tensor(input_tensor, dtypes.float32)
            input_tensor.shape.with_rank_at_least(fft_rank)
            if fft_length is None:
                fft_length = _infer_fft_length_for_rfft(input_tensor, fft_rank)
            else:
                fft_length = ops.convert_to_tensor(fft_length, dtypes.int32)
            input_tensor = _maybe_pad_for_rfft(input_tensor, fft_rank, fft_length)
            return getattr(gen_spectral_ops, op_name)(input_tensor, fft_length, name=name)
    rfft.__name__ = default_name
    return rfft


def _irfft_wrapper(op_name, fft_rank, default_name):
    def irfft(input_tensor, fft_length=None, name=None):
        """The real numbers whose transform it is."""
        with ops.name_scope(name, default_name, [input_tensor, fft_length]) as name:
            input_tensor = ops.convert_to_tensor(input_tensor, dtypes.complex64)
            input_tensor.shape.with_rank_at_least(fft_rank)
            if fft_length is None:
                fft_length = _infer_fft_length_for_irfft(input_tensor, fft_rank)
            else:
                fft_length = ops.convert_to_tensor(fft_length, dtypes.int32)
            input_tensor = _maybe_pad_for_rfft(input_tensor, fft_rank, fft_length,
                                               is_reverse=True)
            return getattr(gen_spectral_ops, op_name)(input_tensor, fft_length, name=name)
    irfft.__name__ = default_name
    return irfft


rfft = _rfft_wrapper('rfft', 1, 'rfft')
irfft = _irfft_wrapper('irfft', 1, 'irfft')
rfft2d = _rfft_wrapper('rfft2d', 2, 'rfft2d')
irfft2d = _irfft_wrapper('irfft2d', 2, 'irfft2d')
rfft3d = _rfft_wrapper('rfft3d', 3, 'rfft3d')
irfft3d = _irfft_wrapper('irfft3d', 3, 'irfft3d')


def _shift(default_name, x, axes, name, amount):
    with ops.name_scope(name, default_name) as name:
        x = ops.convert_to_tensor(x)
        if axes is None:
            axes = tuple(range(x.shape.ndims))
            shift = [amount(int(d)) for d in x.shape.as_list()]
        elif isinstance(axes, int):
            shift = amount(x.shape.as_list()[axes])
        else:
            shift = [amount(x.shape.as_list()[a]) for a in np.array(axes)]
        return manip_ops.roll(x, shift, axes, name)


def fftshift(x, axes=None, name=None):
    """Frequency zero moved to the middle."""
    return _shift('fftshift', x, axes, name, lambda n: n // 2)


def ifftshift(x, axes=None, name=None):
    """fftshift() undone."""
    return _shift('ifftshift', x, axes, name, lambda n: -(n // 2))
