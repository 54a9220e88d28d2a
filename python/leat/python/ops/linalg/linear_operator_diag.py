# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorDiag: a diagonal matrix."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.linalg import registrations_util as hints


class LinearOperatorDiag(linear_operator.LinearOperator):
    """A (batch of) square matrices that are 0 off the diagonal."""

    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorDiag'):
        with ops.name_scope(name, values=[diag]):
            self._diag = linear_operator_util.convert_nonref_to_tensor(diag, name='diag')
            if self._diag.shape.ndims is not None and self._diag.shape.ndims < 1:
                raise ValueError('Argument diag must have at least 1 dimension.  Found: %s'
                                 % self._diag)
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError('A real diagonal operator is always self adjoint.')
                is_self_adjoint = True
            if is_square is False:
                raise ValueError('Only square diagonal operators currently supported.')
            super(LinearOperatorDiag, self).__init__(
                dtype=self._diag.dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=True, name=name)
            self._graph_parents = [self._diag]

    diag = property(lambda self: self._diag)

    def _shape(self):
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._diag)
        return array_ops.concat((shape, shape[-1:]), axis=0)

    def _assert_non_singular(self):
        return linear_operator_util.assert_no_entries_with_modulus_zero(
            self._diag, message='Singular operator:  Diagonal contained zero values.')

    def _assert_positive_definite(self):
        if self.dtype.is_complex:
            message = ('Diagonal operator had diagonal entries with non-positive real part, thus '
                       'was not positive definite.')
        else:
            message = ('Real diagonal operator had non-positive diagonal entries, thus was not '
                       'positive definite.')
        return check_ops.assert_positive(math_ops.real(self._diag), message=message)

    def _assert_self_adjoint(self):
        return linear_operator_util.assert_zero_imag_part(
            self._diag, message='This diagonal operator contained non-zero imaginary values.   '
                                'Thus it was not self-adjoint.')

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        diag = math_ops.conj(self._diag) if adjoint else self._diag
        x = linalg.adjoint(x) if adjoint_arg else x
        return array_ops.expand_dims(diag, axis=-1) * x

    def _matvec(self, x, adjoint=False):
        return (math_ops.conj(self._diag) if adjoint else self._diag) * x

    def _determinant(self):
        return math_ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self):
        result = math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag)), axis=[-1])
        return math_ops.cast(result, dtype=self.dtype) if self.dtype.is_complex else result

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        diag = math_ops.conj(self._diag) if adjoint else self._diag
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return rhs * array_ops.expand_dims(1. / diag, axis=-1)

    def _to_dense(self):
        return array_ops.matrix_diag(self._diag)

    def _diag_part(self):
        return self.diag

    def _add_to_tensor(self, x):
        total = array_ops.matrix_diag_part(x) + self._diag
        shape = array_ops.broadcast_dynamic_shape(array_ops.shape(total),
                                                  array_ops.shape(x)[:-1])
        wide = array_ops.concat([shape, array_ops.shape(x)[-1:]], axis=0)
        same = total.shape.ndims is not None and x.shape.ndims == total.shape.ndims + 1 and \
            x.shape[:-1].is_fully_defined() and x.shape[:-1] == total.shape
        x = x if same else array_ops.broadcast_to(x, wide)
        return array_ops.matrix_set_diag(x, total)


@linear_operator_algebra.RegisterAdjoint(LinearOperatorDiag)
def _adjoint(op):
    diag = op.diag
    if diag.dtype.is_complex:
        diag = math_ops.conj(diag)
    return LinearOperatorDiag(diag=diag, is_non_singular=op.is_non_singular,
                              is_self_adjoint=op.is_self_adjoint,
                              is_positive_definite=op.is_positive_definite, is_square=True)


@linear_operator_algebra.RegisterInverse(LinearOperatorDiag)
def _inverse(op):
    return LinearOperatorDiag(1. / op.diag, is_non_singular=op.is_non_singular,
                              is_self_adjoint=op.is_self_adjoint,
                              is_positive_definite=op.is_positive_definite, is_square=True)


@linear_operator_algebra.RegisterCholesky(LinearOperatorDiag)
def _cholesky(op):
    return LinearOperatorDiag(math_ops.sqrt(op.diag), is_non_singular=True, is_self_adjoint=True,
                              is_positive_definite=True, is_square=True)


@linear_operator_algebra.RegisterMatmul(LinearOperatorDiag, LinearOperatorDiag)
def _matmul(a, b):
    return LinearOperatorDiag(
        diag=a.diag * b.diag, is_non_singular=hints.combined_non_singular_hint(a, b),
        is_self_adjoint=hints.combined_commuting_self_adjoint_hint(a, b),
        is_positive_definite=hints.combined_commuting_positive_definite_hint(a, b), is_square=True)


@linear_operator_algebra.RegisterSolve(LinearOperatorDiag, LinearOperatorDiag)
def _solve(a, b):
    return LinearOperatorDiag(
        diag=b.diag / a.diag, is_non_singular=hints.combined_non_singular_hint(a, b),
        is_self_adjoint=hints.combined_commuting_self_adjoint_hint(a, b),
        is_positive_definite=hints.combined_commuting_positive_definite_hint(a, b), is_square=True)


def _scaled(diag_op, identity):
    """Hints, and the diagonal times the identity's multiplier."""
    return LinearOperatorDiag(
        diag=diag_op.diag * identity.multiplier,
        is_non_singular=hints.combined_non_singular_hint(diag_op, identity),
        is_self_adjoint=hints.combined_commuting_self_adjoint_hint(diag_op, identity),
        is_positive_definite=hints.combined_commuting_positive_definite_hint(diag_op, identity),
        is_square=True)


def _register_with_scaled_identity():
    from leat.python.ops.linalg import linear_operator_identity as identities
    scaled = identities.LinearOperatorScaledIdentity

    @linear_operator_algebra.RegisterMatmul(LinearOperatorDiag, scaled)
    def _diag_scaled(a, b):
        return _scaled(a, b)

    @linear_operator_algebra.RegisterMatmul(scaled, LinearOperatorDiag)
    def _scaled_diag(a, b):
        return _scaled(b, a)

    @linear_operator_algebra.RegisterSolve(scaled, LinearOperatorDiag)
    def _solve_scaled_diag(a, b):
        return LinearOperatorDiag(
            diag=b.diag / a.multiplier, is_non_singular=hints.combined_non_singular_hint(a, b),
            is_self_adjoint=hints.combined_commuting_self_adjoint_hint(a, b),
            is_positive_definite=hints.combined_commuting_positive_definite_hint(a, b),
            is_square=True)

    @linear_operator_algebra.RegisterSolve(LinearOperatorDiag, scaled)
    def _solve_diag_scaled(a, b):
        return LinearOperatorDiag(
            diag=b.multiplier / a.diag, is_non_singular=hints.combined_non_singular_hint(a, b),
            is_self_adjoint=hints.combined_commuting_self_adjoint_hint(a, b),
            is_positive_definite=hints.combined_commuting_positive_definite_hint(a, b),
            is_square=True)


_register_with_scaled_identity()
