# SPDX-License-Identifier: Apache-2.0
"""The adjoint of another operator."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorAdjoint']


class LinearOperatorAdjoint(linear_operator.LinearOperator):
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
        name = operator.name + '_adjoint' if name is None else name
        with ops.name_scope(name, values=operator.graph_parents):
            super(LinearOperatorAdjoint, self).__init__(
                dtype=operator.dtype, graph_parents=operator.graph_parents, name=name, **hints)

    @property
    def operator(self):
        return self._operator

    def _shape(self):
        shape = self.operator.shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self):
        shape = self.operator.shape_tensor()
        return array_ops.concat([shape[:-2], [shape[-1], shape[-2]]], axis=-1)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        determinant = self.operator.determinant()
        return math_ops.conj(determinant) if self.dtype.is_complex else determinant

    def _log_abs_determinant(self):
        return self.operator.log_abs_determinant()

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        return linear_operator._adjoint(self.operator.to_dense())
