# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorCirculant, 2D and 3D: diagonal in the discrete Fourier basis.

The operator is given by its spectrum, the Fourier transform of its convolution kernel (its first
column, as a block): A x = IDFT(spectrum * DFT(x)).
"""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.signal import fft_ops

_FFT = {1: fft_ops.fft, 2: fft_ops.fft2d, 3: fft_ops.fft3d}
_IFFT = {1: fft_ops.ifft, 2: fft_ops.ifft2d, 3: fft_ops.ifft3d}


def _to_complex(x):
    """x of the complex type of its precision."""
    if x.dtype.is_complex:
        return x
    return math_ops.cast(x, dtypes.complex128 if x.dtype == dtypes.float64 else dtypes.complex64)


class _BaseLinearOperatorCirculant(linear_operator.LinearOperator):
    """What the three of them share."""

    def __init__(self, spectrum, block_depth, input_output_dtype=dtypes.complex64,
                 is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name='LinearOperatorCirculant'):
        self._block_depth = block_depth
        with ops.name_scope(name, values=[spectrum]):
            self._spectrum = self._checked_spectrum(spectrum)
            if not self.spectrum.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError('A real spectrum always corresponds to a self-adjoint '
                                     'operator.')
                is_self_adjoint = True
            if is_square is False:
                raise ValueError('A [[nested] block] circulant operator is always square.')
            super(_BaseLinearOperatorCirculant, self).__init__(
                dtype=dtypes.as_dtype(input_output_dtype), graph_parents=None,
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=True, name=name)
            self._graph_parents = [self.spectrum]

    def _checked_spectrum(self, spectrum):
        spectrum = linear_operator_util.convert_nonref_to_tensor(spectrum, name='spectrum')
        if spectrum.shape.ndims is not None and spectrum.shape.ndims < self.block_depth:
            raise ValueError('Argument spectrum must have at least %d dimensions.  Found: %s'
                             % (self.block_depth, spectrum))
        return spectrum

    block_depth = property(lambda self: self._block_depth)
    spectrum = property(lambda self: self._spectrum)

    def block_shape_tensor(self):
        """The shape of a block."""
        if self.block_shape.is_fully_defined():
            return linear_operator_util.shape_tensor(self.block_shape.as_list(), name='block_shape')
        return array_ops.shape(self.spectrum)[-self.block_depth:]

    @property
    def block_shape(self):
        return self.spectrum.shape[-self.block_depth:]

    def _shape(self):
        shape = self.spectrum.shape
        if shape.ndims is None:
            return tensor_shape.unknown_shape()
        size = 1
        for d in shape.dims[-self.block_depth:]:
            size = d * size
        return shape[:-self.block_depth].concatenate([size, size])

    def _shape_tensor(self):
        shape = array_ops.shape(self.spectrum)
        size = math_ops.reduce_prod(shape[-self.block_depth:])
        return array_ops.concat((shape[:-self.block_depth], [size, size]), axis=0)

    def _complex_spectrum(self):
        return _to_complex(ops.convert_to_tensor(self.spectrum))

    def _vectorize_then_blockify(self, matrix):
        """[..., n, k] as blocks [..., k, block]."""
        vectors = linalg.transpose(matrix)
        shape = array_ops.concat((array_ops.shape(vectors)[:-1], self.block_shape_tensor()), 0)
        blocks = array_ops.reshape(vectors, shape)
        if vectors.shape.ndims is not None:
            blocks.set_shape(vectors.shape[:-1].concatenate(self.block_shape))
        return blocks

    def _unblockify_then_matricize(self, blocks):
        """The reverse."""
        shape = array_ops.shape(blocks)
        flat = array_ops.reshape(blocks, array_ops.concat(
            (shape[:-self.block_depth], [self.domain_dimension_tensor()]), 0))
        if blocks.shape.ndims is not None:
            flat.set_shape(blocks.shape[:-self.block_depth].concatenate([self.domain_dimension]))
        return linalg.transpose(flat)

    def _fft(self, x):
        return _FFT[self.block_depth](_to_complex(x))

    def _ifft(self, x):
        return _IFFT[self.block_depth](_to_complex(x))

    def convolution_kernel(self, name='convolution_kernel'):
        """The inverse transform of the spectrum."""
        with self._name_scope(name):
            return math_ops.cast(self._ifft(self._complex_spectrum()), self.dtype)

    def assert_hermitian_spectrum(self, name='assert_hermitian_spectrum'):
        """Fails where the convolution kernel is not real."""
        eps = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        with self._name_scope(name):
            imag = math_ops.imag(self._ifft(self._complex_spectrum()))
            limit = math_ops.cast(5. * eps * math_ops.cast(
                self.domain_dimension_tensor(), imag.dtype), imag.dtype)
            return check_ops.assert_less(math_ops.abs(imag), limit,
                                         message='Spectrum was not Hermitian')

    def _assert_non_singular(self):
        return linear_operator_util.assert_no_entries_with_modulus_zero(
            self.spectrum, message='Singular operator:  Spectrum contained zero values.')

    def _assert_positive_definite(self):
        return check_ops.assert_positive(math_ops.real(self.spectrum), message=(
            'Not positive definite:  Real part of spectrum was not all positive.'))

    def _assert_self_adjoint(self):
        return linear_operator_util.assert_zero_imag_part(
            self.spectrum, message='Not self-adjoint:  The spectrum contained non-zero imaginary '
                                   'part.')

    def _filtered(self, x, spectrum, adjoint_arg):
        """spectrum applied in the Fourier basis to the columns of x."""
        x = linalg.adjoint(x) if adjoint_arg else x
        blocks = self._fft(self._vectorize_then_blockify(_to_complex(x)))
        axis = -self.block_depth - 1
        result = self._ifft(array_ops.expand_dims(spectrum, axis) * blocks)
        return math_ops.cast(self._unblockify_then_matricize(result), self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        spectrum = self._complex_spectrum()
        return self._filtered(x, math_ops.conj(spectrum) if adjoint else spectrum, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        spectrum = self._complex_spectrum()
        return self._filtered(rhs, 1. / (math_ops.conj(spectrum) if adjoint else spectrum),
                              adjoint_arg)

    def _axes(self):
        return list(range(-self.block_depth, 0))

    def _determinant(self):
        result = math_ops.reduce_prod(ops.convert_to_tensor(self.spectrum), axis=self._axes())
        return math_ops.cast(result, self.dtype)

    def _log_abs_determinant(self):
        result = math_ops.reduce_sum(math_ops.log(math_ops.abs(self.spectrum)), axis=self._axes())
        return math_ops.cast(result, self.dtype)

    def _trace(self):
        result = math_ops.reduce_sum(ops.convert_to_tensor(self.spectrum), axis=self._axes())
        return math_ops.cast(result, self.dtype)

    def _diag_part(self):
        size = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        mean = array_ops.expand_dims(self.trace() / size, -1)
        return mean * array_ops.ones(self.shape_tensor()[:-1], self.dtype)


@linear_operator_algebra.RegisterAdjoint(_BaseLinearOperatorCirculant)
def _adjoint(op):
    return _like(op, math_ops.conj(op.spectrum) if op.spectrum.dtype.is_complex else op.spectrum)


@linear_operator_algebra.RegisterInverse(_BaseLinearOperatorCirculant)
def _inverse(op):
    return _like(op, 1. / op.spectrum)


def _like(op, spectrum):
    return type(op)(spectrum=spectrum, input_output_dtype=op.dtype,
                    is_non_singular=op.is_non_singular, is_self_adjoint=op.is_self_adjoint,
                    is_positive_definite=op.is_positive_definite, is_square=True)


class LinearOperatorCirculant(_BaseLinearOperatorCirculant):
    """Each row is the one before it, moved by one."""

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 name='LinearOperatorCirculant'):
        super(LinearOperatorCirculant, self).__init__(
            spectrum, block_depth=1, input_output_dtype=input_output_dtype,
            is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite, is_square=is_square, name=name)


class LinearOperatorCirculant2D(_BaseLinearOperatorCirculant):
    """Circulant blocks, in a circulant order."""

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 name='LinearOperatorCirculant2D'):
        super(LinearOperatorCirculant2D, self).__init__(
            spectrum, block_depth=2, input_output_dtype=input_output_dtype,
            is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite, is_square=is_square, name=name)


class LinearOperatorCirculant3D(_BaseLinearOperatorCirculant):
    """The same once more."""

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 name='LinearOperatorCirculant3D'):
        super(LinearOperatorCirculant3D, self).__init__(
            spectrum, block_depth=3, input_output_dtype=input_output_dtype,
            is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite, is_square=is_square, name=name)
