# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorAdjoint: the adjoint of another operator."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util


def agreed_hint(operator, given, hint):
    """The hint of an operator that is made of another and shares it; ValueError where they
    differ."""
    return linear_operator_util.use_operator_or_provided_hint_unless_contradicting(
        operator, hint, given,
        'operator and supplied hints must have `%s` equal to `True` or `None`.  Found %s, %s'
        % (hint, getattr(operator, hint), given))


class OperatorOfAnother(linear_operator.LinearOperator):
    """What is made of one other operator, whose hints hold for it too."""

    def __init__(self, operator, suffix, hints, name=None):
        self._operator = operator
        name = operator.name + suffix if name is None else name
        agreed = {hint: agreed_hint(operator, given, hint) for hint, given in hints.items()}
        with ops.name_scope(name, values=operator.graph_parents):
            super(OperatorOfAnother, self).__init__(dtype=operator.dtype, graph_parents=None,
                                                    name=name, **agreed)
        self._graph_parents = operator.graph_parents

    operator = property(lambda self: self._operator)

    def _assert_non_singular(self):
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self.operator.assert_self_adjoint()


class LinearOperatorAdjoint(OperatorOfAnother):
    """The conjugate transpose, never held."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        super(LinearOperatorAdjoint, self).__init__(
            operator, '_adjoint', dict(is_non_singular=is_non_singular,
                                       is_self_adjoint=is_self_adjoint,
                                       is_positive_definite=is_positive_definite,
                                       is_square=is_square), name)

    def _shape(self):
        shape = self.operator.shape
        if shape.ndims is None:
            return shape
        return shape[:-2].concatenate([shape.dims[-1], shape.dims[-2]])

    def _shape_tensor(self):
        shape = self.operator.shape_tensor()
        return array_ops.concat([shape[:-2], [shape[-1], shape[-2]]], axis=-1)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self.operator.matvec(x, adjoint=not adjoint)

    def _determinant(self):
        if self.is_self_adjoint:
            return self.operator.determinant()
        return math_ops.conj(self.operator.determinant())

    def _log_abs_determinant(self):
        return self.operator.log_abs_determinant()

    def _trace(self):
        if self.is_self_adjoint:
            return self.operator.trace()
        return math_ops.conj(self.operator.trace())

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self.operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self):
        if self.is_self_adjoint:
            return self.operator.to_dense()
        return linalg.adjoint(self.operator.to_dense())


@linear_operator_algebra.RegisterAdjoint(LinearOperatorAdjoint)
def _adjoint(op):
    return op.operator
