# SPDX-License-Identifier: Apache-2.0
"""An operator of a diagonal."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorDiag']


class LinearOperatorDiag(linear_operator.LinearOperator):
    """Zeros beside the diagonal that is given."""

    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorDiag'):
        with ops.name_scope(name, values=[diag]):
            self._diag = ops.convert_to_tensor(diag, name='diag')
            if self._diag.get_shape().ndims is not None and self._diag.get_shape().ndims < 1:
                raise ValueError('Argument diag must have at least 1 dimension.  Found: %s'
                                 % self._diag)
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError('A real diagonal operator is always self adjoint.')
                is_self_adjoint = True
            if is_square is False:
                raise ValueError('Only square diagonal operators currently supported.')
            super(LinearOperatorDiag, self).__init__(
                dtype=self._diag.dtype, graph_parents=[self._diag],
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=True, name=name)

    @property
    def diag(self):
        return self._diag

    def _shape(self):
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._diag)
        return array_ops.concat((shape, shape[-1:]), 0)

    def _assert_non_singular(self):
        zero = array_ops.zeros([], dtype=self.dtype.real_dtype)
        return check_ops.assert_less(zero, math_ops.abs(self._diag), message=(
            'Singular operator:  Diagonal contained zero values.'))

    def _assert_positive_definite(self):
        message = 'non-positive diagonal entries, thus was not positive definite.'
        if self.dtype.is_complex:
            return check_ops.assert_positive(
                math_ops.real(self._diag), message='Diagonal operator had diagonal entries with '
                'non-positive real part, thus was not positive definite.')
        return check_ops.assert_positive(self._diag, message=(
            'Real diagonal operator had ' + message))

    def _assert_self_adjoint(self):
        imag = math_ops.imag(self._diag)
        return check_ops.assert_equal(array_ops.zeros_like(imag), imag, message=(
            'This diagonal operator contained non-zero imaginary values.  Thus it was not '
            'self-adjoint.'))

    def _conjugated(self, adjoint):
        return math_ops.conj(self._diag) if adjoint else self._diag

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linear_operator._adjoint(x) if adjoint_arg else x
        return array_ops.expand_dims(self._conjugated(adjoint), -1) * x

    def _matvec(self, x, adjoint=False):
        return self._conjugated(adjoint) * x

    def _determinant(self):
        return math_ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self):
        values = math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag)), axis=[-1])
        return math_ops.cast(values, self.dtype) if self.dtype.is_complex else values

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linear_operator._adjoint(rhs) if adjoint_arg else rhs
        return rhs * array_ops.expand_dims(1. / self._conjugated(adjoint), -1)

    def _to_dense(self):
        return array_ops.matrix_diag(self._diag)

    def _diag_part(self):
        return self.diag

    def _add_to_tensor(self, x):
        return array_ops.matrix_set_diag(x, array_ops.matrix_diag_part(x) + self._diag)
