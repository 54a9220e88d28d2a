# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorInversion: the inverse of another operator."""
from leat.python.ops.linalg import linear_operator_adjoint
from leat.python.ops.linalg import linear_operator_algebra


class LinearOperatorInversion(linear_operator_adjoint.OperatorOfAnother):
    """Products are the other's solutions, and the other way round."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        for given, hint in ((is_square, 'is_square'), (is_non_singular, 'is_non_singular')):
            if getattr(operator, hint) is False or given is False:
                raise ValueError('operator and supplied hints must have `%s` equal to `True` or '
                                 '`None`.  Found %s, %s' % (hint, getattr(operator, hint), given))
        super(LinearOperatorInversion, self).__init__(
            operator, '_inv', dict(is_non_singular=is_non_singular,
                                   is_self_adjoint=is_self_adjoint,
                                   is_positive_definite=is_positive_definite,
                                   is_square=is_square), name)

    def _shape(self):
        return self.operator.shape

    def _shape_tensor(self):
        return self.operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self.operator.solvevec(x, adjoint=adjoint)

    def _determinant(self):
        return 1. / self.operator.determinant()

    def _log_abs_determinant(self):
        return -1. * self.operator.log_abs_determinant()

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self.operator.matvec(rhs, adjoint=adjoint)


@linear_operator_algebra.RegisterInverse(LinearOperatorInversion)
def _inverse(op):
    return op.operator
