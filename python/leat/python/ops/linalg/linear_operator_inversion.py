# SPDX-License-Identifier: Apache-2.0
"""The inverse of another operator."""
from leat.python.framework import ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorInversion']


class LinearOperatorInversion(linear_operator.LinearOperator):
    """The hints are the other's, unless they are given."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        self._operator = operator
        hints = {}
        for hint, given in (('is_non_singular', is_non_singular),
                            ('is_self_adjoint', is_self_adjoint),
                            ('is_positive_definite', is_positive_definite),
                            ('is_square', is_square)):
            own = getattr(operator, hint)
            if given is not None and own is not None and given != own:
                raise ValueError('Hint %s was %s but operator has %s' % (hint, given, own))
            hints[hint] = own if given is None else given
        name = operator.name + '_inv' if name is None else name
        with ops.name_scope(name, values=operator.graph_parents):
            super(LinearOperatorInversion, self).__init__(
                dtype=operator.dtype, graph_parents=operator.graph_parents, name=name, **hints)

    @property
    def operator(self):
        return self._operator

    def _shape(self):
        return self.operator.shape

    def _shape_tensor(self):
        return self.operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1. / self.operator.determinant()

    def _log_abs_determinant(self):
        return -1. * self.operator.log_abs_determinant()
