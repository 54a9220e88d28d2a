# SPDX-License-Identifier: Apache-2.0
"""Discrete cosine transforms of the types 1, 2 and 3, by way of rfft."""
import math

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.signal import fft_ops


def _validate_dct_arguments(input_tensor, dct_type, n, axis, norm):
    if axis != -1:
        raise NotImplementedError('axis must be -1. Got: %s' % axis)
    if n is not None and n < 1:
        raise ValueError('n should be a positive integer or None')
    if dct_type not in (1, 2, 3):
        raise ValueError('Only Types I, II and III (I)DCT are supported.')
    if dct_type == 1:
        if norm == 'ortho':
            raise ValueError('Normalization is not supported for the Type-I DCT.')
        size = input_tensor.shape.as_list()[-1]
        if size is not None and size < 2:
            raise ValueError('Type-I DCT requires the dimension to be greater than one.')
    if norm not in (None, 'ortho'):
        raise ValueError('Unknown normalization. Expected None or \'ortho\', got: %s' % norm)


def _of_length(input, n):
    """The signal cut, or with zeros after it."""
    size = input.shape.as_list()[-1]
    if n is None or n == size:
        return input
    if n < size:
        return input[..., 0:n]
    outer = [[0, 0]] * (input.shape.ndims - 1)
    return array_ops.pad(input, outer + [[0, n - size]])


def _dct2(input, norm, size, axis_dim):
    scale = 2.0 * math_ops.exp(math_ops.complex(
        0.0, -math_ops.range(axis_dim) * math.pi * 0.5 / axis_dim))
    result = math_ops.real(fft_ops.rfft(input, fft_length=[2 * size])[..., :size] * scale)
    if norm == 'ortho':
        n1 = 0.5 * math_ops.rsqrt(axis_dim)
        n2 = n1 * math_ops.sqrt(2.0)
        weights = array_ops.pad(array_ops.expand_dims(n1, 0), [[0, size - 1]],
                                constant_values=n2)
        result *= weights
    return result


def _dct3(input, norm, size, axis_dim):
    if norm == 'ortho':
        n1 = math_ops.sqrt(axis_dim)
        n2 = n1 * math_ops.sqrt(0.5)
        input *= array_ops.pad(array_ops.expand_dims(n1, 0), [[0, size - 1]],
                               constant_values=n2)
    else:
        input *= axis_dim
    scale = 2.0 * math_ops.exp(math_ops.complex(
        0.0, math_ops.range(axis_dim) * math.pi * 0.5 / axis_dim))
    return math_ops.real(fft_ops.irfft(
        scale * math_ops.complex(input, 0.0), fft_length=[2 * size]))[..., :size]


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The cosine transform along the last dim."""
    _validate_dct_arguments(input, type, n, axis, norm)
    with ops.name_scope(name, 'dct', [input]):
        input = _of_length(ops.convert_to_tensor(input, dtype=dtypes.float32), n)
        size = input.shape.as_list()[-1] or array_ops.shape(input)[-1]
        axis_dim = math_ops.cast(size, dtypes.float32)
        if type == 1:
            doubled = array_ops.concat([input, input[..., -2:0:-1]], axis=-1)
            return math_ops.real(fft_ops.rfft(doubled))
        return (_dct2 if type == 2 else _dct3)(input, norm, size, axis_dim)


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """dct() undone, up to its scale."""
    inverse = {1: 1, 2: 3, 3: 2}[type] if type in (1, 2, 3) else type
    return dct(input, type=inverse, n=n, axis=axis, norm=norm, name=name)
