# SPDX-License-Identifier: Apache-2.0
"""An operator of a lower triangular matrix."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_full_matrix

__all__ = ['LinearOperatorLowerTriangular']


class LinearOperatorLowerTriangular(linear_operator.LinearOperator):
    """The lower part of what is given; the rest does not count."""

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None,
                 name='LinearOperatorLowerTriangular'):
        if is_square is False:
            raise ValueError('Only square lower triangular operators supported at this time.')
        with ops.name_scope(name, values=[tril]):
            tril = linear_operator_full_matrix.matrix_of(tril, 'tril')
            self._tril = array_ops.matrix_band_part(tril, -1, 0)
            self._diag = array_ops.matrix_diag_part(self._tril)
            super(LinearOperatorLowerTriangular, self).__init__(
                dtype=self._tril.dtype, graph_parents=[self._tril],
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=True, name=name)

    def _shape(self):
        return self._tril.get_shape()

    def _shape_tensor(self):
        return array_ops.shape(self._tril)

    def _assert_non_singular(self):
        zero = array_ops.zeros([], dtype=self.dtype.real_dtype)
        return check_ops.assert_less(zero, math_ops.abs(self._diag), message=(
            'Singular operator:  Diagonal contained zero values.'))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        a, x = linear_operator.broadcast_batches(self._tril, x)
        return math_ops.matmul(a, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self):
        return math_ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self):
        return math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag)), axis=[-1])

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linear_operator._adjoint(rhs) if adjoint_arg else rhs
        a, rhs = linear_operator.broadcast_batches(self._tril, rhs)
        return linalg_ops.matrix_triangular_solve(a, rhs, lower=True, adjoint=adjoint)

    def _to_dense(self):
        return self._tril
