# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorLowerTriangular."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_diag
from leat.python.ops.linalg import linear_operator_identity
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.linalg import registrations_util as hints


class LinearOperatorLowerTriangular(linear_operator.LinearOperator):
    """A (batch of) square matrices that are 0 above the diagonal: what stands there is not read."""

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorLowerTriangular'):
        if is_square is False:
            raise ValueError('Only square lower triangular operators supported at this time.')
        with ops.name_scope(name, values=[tril]):
            self._tril = linear_operator_util.convert_nonref_to_tensor(tril, name='tril')
            if self._tril.shape.ndims is not None and self._tril.shape.ndims < 2:
                raise ValueError('Argument tril must have at least 2 dimensions.  Found: %s'
                                 % self._tril)
            super(LinearOperatorLowerTriangular, self).__init__(
                dtype=self._tril.dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=True, name=name)
            self._graph_parents = [self._tril]

    def _lower(self):
        return array_ops.matrix_band_part(self._tril, -1, 0)

    def _diagonal(self):
        return array_ops.matrix_diag_part(self._tril)

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return array_ops.shape(self._tril)

    def _assert_non_singular(self):
        return linear_operator_util.assert_no_entries_with_modulus_zero(
            self._diagonal(), message='Singular operator:  Diagonal contained zero values.')

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return math_ops.matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self):
        return math_ops.reduce_prod(self._diagonal(), axis=[-1])

    def _log_abs_determinant(self):
        return math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diagonal())), axis=[-1])

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return linear_operator_util.matrix_triangular_solve_with_broadcast(
            self._lower(), rhs, lower=True, adjoint=adjoint)

    def _to_dense(self):
        return self._lower()


def _product(tril, a, b, positive=None):
    return LinearOperatorLowerTriangular(
        tril=tril, is_non_singular=hints.combined_non_singular_hint(a, b), is_self_adjoint=False,
        is_positive_definite=positive, is_square=True)


@linear_operator_algebra.RegisterMatmul(LinearOperatorLowerTriangular,
                                        linear_operator_identity.LinearOperatorScaledIdentity)
def _tril_scaled(a, b):
    return _product(a.to_dense() * b.multiplier[..., array_ops.newaxis, array_ops.newaxis], a, b)


@linear_operator_algebra.RegisterMatmul(linear_operator_identity.LinearOperatorScaledIdentity,
                                        LinearOperatorLowerTriangular)
def _scaled_tril(a, b):
    return _tril_scaled(b, a)


@linear_operator_algebra.RegisterMatmul(LinearOperatorLowerTriangular,
                                        linear_operator_diag.LinearOperatorDiag)
def _tril_diag(a, b):
    return _product(a.to_dense() * b.diag[..., array_ops.newaxis, :], a, b)


@linear_operator_algebra.RegisterMatmul(linear_operator_diag.LinearOperatorDiag,
                                        LinearOperatorLowerTriangular)
def _diag_tril(a, b):
    return _product(a.diag[..., array_ops.newaxis] * b.to_dense(), a, b)


@linear_operator_algebra.RegisterMatmul(LinearOperatorLowerTriangular,
                                        LinearOperatorLowerTriangular)
def _tril_tril(a, b):
    return _product(a.matmul(b.to_dense()), a, b)


@linear_operator_algebra.RegisterSolve(LinearOperatorLowerTriangular,
                                       LinearOperatorLowerTriangular)
def _solve_tril(a, b):
    return _product(a.solve(b.to_dense()), a, b)
