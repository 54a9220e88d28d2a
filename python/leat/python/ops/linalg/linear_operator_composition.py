# SPDX-License-Identifier: Apache-2.0
"""Operators one after the other, the last one first."""
import functools

from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorComposition']


class LinearOperatorComposition(linear_operator.LinearOperator):
    """The product of the operators, in their order."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        operators = list(operators)
        if not operators:
            raise ValueError('Expected a non-empty list of operators. Found: %s' % operators)
        self._operators = operators
        dtype = operators[0].dtype
        for operator in operators:
            if operator.dtype != dtype:
                raise TypeError('Expected all operators to have the same dtype.  Found %s'
                                % [(o.name, o.dtype) for o in operators])
        if all(operator.is_non_singular for operator in operators):
            if is_non_singular is False:
                raise ValueError('The composition of non-singular operators is always '
                                 'non-singular.')
            is_non_singular = True
        parents = [t for operator in operators for t in operator.graph_parents]
        name = name or '_o_'.join(operator.name for operator in operators)
        with ops.name_scope(name, values=parents):
            super(LinearOperatorComposition, self).__init__(
                dtype=dtype, graph_parents=parents, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=is_square, name=name)

    @property
    def operators(self):
        return self._operators

    def _shape(self):
        for a, b in zip(self.operators, self.operators[1:]):
            a.domain_dimension.assert_is_compatible_with(b.range_dimension)
        batch = functools.reduce(array_ops.broadcast_static_shape,
                                 [operator.batch_shape for operator in self.operators])
        return batch.concatenate(tensor_shape.TensorShape(
            [self.operators[0].range_dimension, self.operators[-1].domain_dimension]))

    def _shape_tensor(self):
        batch = functools.reduce(array_ops.broadcast_dynamic_shape,
                                 [operator.batch_shape_tensor() for operator in self.operators])
        return array_ops.concat([batch, [self.operators[0].range_dimension_tensor(),
                                         self.operators[-1].domain_dimension_tensor()]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self.operators if adjoint else self.operators[::-1]
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _determinant(self):
        result = self.operators[0].determinant()
        for operator in self.operators[1:]:
            result *= operator.determinant()
        return result

    def _log_abs_determinant(self):
        result = self.operators[0].log_abs_determinant()
        for operator in self.operators[1:]:
            result += operator.log_abs_determinant()
        return result

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        order = self.operators[::-1] if adjoint else self.operators
        solution = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            solution = operator.solve(solution, adjoint=adjoint)
        return solution
