# SPDX-License-Identifier: Apache-2.0
"""Spectra on the mel scale."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.signal import shape_ops

_MEL_BREAK_FREQUENCY_HERTZ = 700.0
_MEL_HIGH_FREQUENCY_Q = 1127.0


def _hertz_to_mel(frequencies_hertz, name=None):
    with ops.name_scope(name, 'hertz_to_mel', [frequencies_hertz]):
        frequencies_hertz = ops.convert_to_tensor(frequencies_hertz)
        return _MEL_HIGH_FREQUENCY_Q * math_ops.log(
            1.0 + (frequencies_hertz / _MEL_BREAK_FREQUENCY_HERTZ))


def _validate_arguments(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype):
    if num_mel_bins <= 0:
        raise ValueError('num_mel_bins must be positive. Got: %s' % num_mel_bins)
    if lower_edge_hertz < 0.0:
        raise ValueError('lower_edge_hertz must be non-negative. Got: %s' % lower_edge_hertz)
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError('lower_edge_hertz %.1f >= upper_edge_hertz %.1f'
                         % (lower_edge_hertz, upper_edge_hertz))
    if not isinstance(sample_rate, ops.Tensor):
        if sample_rate <= 0.0:
            raise ValueError('sample_rate must be positive. Got: %s' % sample_rate)
        if upper_edge_hertz > sample_rate / 2:
            raise ValueError('upper_edge_hertz must not be larger than the Nyquist frequency '
                             '(sample_rate / 2). Got %s for sample_rate: %s'
                             % (upper_edge_hertz, sample_rate))
    if not dtype.is_floating:
        raise ValueError('dtype must be a floating point type. Got: %s' % dtype)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000,
                                lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
                                dtype=dtypes.float32, name=None):
    """A matrix of triangles: spectra times it are mel spectra."""
    with ops.name_scope(name, 'linear_to_mel_weight_matrix') as name:
        _validate_arguments(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz,
                            dtypes.as_dtype(dtype))
        sample_rate = math_ops.cast(sample_rate, dtype, name='sample_rate') if isinstance(
            sample_rate, ops.Tensor) else ops.convert_to_tensor(float(sample_rate), dtype,
                                                                name='sample_rate')
        lower = ops.convert_to_tensor(lower_edge_hertz, dtype, name='lower_edge_hertz')
        upper = ops.convert_to_tensor(upper_edge_hertz, dtype, name='upper_edge_hertz')
        zero = ops.convert_to_tensor(0.0, dtype)
        frequencies = math_ops.linspace(zero, sample_rate / 2.0, num_spectrogram_bins)[1:]
        mels = array_ops.expand_dims(_hertz_to_mel(frequencies), 1)
        edges = shape_ops.frame(math_ops.linspace(
            _hertz_to_mel(lower), _hertz_to_mel(upper), num_mel_bins + 2), frame_length=3,
            frame_step=1)
        lower_mel, center_mel, upper_mel = (
            array_ops.reshape(t, [1, num_mel_bins]) for t in array_ops.split(edges, 3, axis=1))
        rising = (mels - lower_mel) / (center_mel - lower_mel)
        falling = (upper_mel - mels) / (upper_mel - center_mel)
        weights = math_ops.maximum(zero, math_ops.minimum(rising, falling))
        return array_ops.pad(weights, [[1, 0], [0, 0]], name=name)
