# SPDX-License-Identifier: Apache-2.0
"""Products, adjoints, inverses and Cholesky factors of operators, as operators."""
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator_adjoint
from leat.python.ops.linalg import linear_operator_composition
from leat.python.ops.linalg import linear_operator_diag
from leat.python.ops.linalg import linear_operator_identity
from leat.python.ops.linalg import linear_operator_inversion
from leat.python.ops.linalg import linear_operator_lower_triangular

_Diag = linear_operator_diag.LinearOperatorDiag
_Identity = linear_operator_identity.LinearOperatorIdentity
_Scaled = linear_operator_identity.LinearOperatorScaledIdentity
_Inversion = linear_operator_inversion.LinearOperatorInversion


def _both(a, b):
    """The hint of a product: True if both are, else not known."""
    return True if a and b else None


def matmul(a, b):
    if isinstance(a, _Identity) and a.batch_shape.ndims == 0:
        return b
    if isinstance(b, _Identity) and b.batch_shape.ndims == 0:
        return a
    hints = {'is_non_singular': _both(a.is_non_singular, b.is_non_singular)}
    if isinstance(a, _Diag) and isinstance(b, _Diag):
        return _Diag(diag=a.diag * b.diag, is_square=True, is_self_adjoint=_both(
            a.is_self_adjoint, b.is_self_adjoint), is_positive_definite=_both(
                a.is_positive_definite, b.is_positive_definite), **hints)
    square = a.is_square and b.is_square
    return linear_operator_composition.LinearOperatorComposition(
        [a, b], is_square=True if square else None, **hints)


def adjoint(a):
    if isinstance(a, _Diag):
        return _Diag(math_ops.conj(a.diag), is_non_singular=a.is_non_singular,
                     is_self_adjoint=a.is_self_adjoint,
                     is_positive_definite=a.is_positive_definite, is_square=True)
    if isinstance(a, linear_operator_adjoint.LinearOperatorAdjoint):
        return a.operator
    return linear_operator_adjoint.LinearOperatorAdjoint(
        a, is_non_singular=a.is_non_singular, is_self_adjoint=a.is_self_adjoint,
        is_positive_definite=a.is_positive_definite, is_square=a.is_square)


def inverse(a):
    hints = {'is_non_singular': True, 'is_self_adjoint': a.is_self_adjoint,
             'is_positive_definite': a.is_positive_definite, 'is_square': True}
    if isinstance(a, _Identity):
        return a
    if isinstance(a, _Diag):
        return _Diag(1. / a.diag, **hints)
    if isinstance(a, _Scaled):
        return _Scaled(num_rows=a._num_rows, multiplier=1. / a.multiplier, **hints)
    if isinstance(a, _Inversion):
        return a.operator
    return _Inversion(a, **hints)


def cholesky(a):
    hints = {'is_non_singular': True, 'is_square': True}
    if isinstance(a, _Identity):
        return a
    if isinstance(a, _Diag):
        return _Diag(math_ops.sqrt(a.diag), is_self_adjoint=True, is_positive_definite=True,
                     **hints)
    if isinstance(a, _Scaled):
        return _Scaled(num_rows=a._num_rows, multiplier=math_ops.sqrt(a.multiplier),
                       is_self_adjoint=True, is_positive_definite=True, **hints)
    return linear_operator_lower_triangular.LinearOperatorLowerTriangular(
        linalg_ops.cholesky(a.to_dense()), **hints)
