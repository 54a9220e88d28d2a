# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorComposition: a product of operators, applied one after the other."""
import functools
import operator as operator_module

from leat.python.framework import common_shapes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops.linalg import linear_operator


def checked_operators(operators):
    """The operators as a list; ValueError where there is none, TypeError where types differ."""
    operators = list(operators)
    if not operators:
        raise ValueError('Expected a non-empty list of operators. Found: %s' % operators)
    if any(o.dtype != operators[0].dtype for o in operators):
        pairs = ((o.name, o.dtype) for o in operators)
        raise TypeError('Expected all operators to have the same dtype.  Found %s'
                        % '   '.join(str(p) for p in pairs))
    return operators


def graph_parents_of(operators):
    return [parent for o in operators for parent in o.graph_parents]


def broadcast_batch_shapes(operators):
    """The static batch shape of all of them."""
    shape = operators[0].batch_shape
    for o in operators[1:]:
        shape = common_shapes.broadcast_shape(shape, o.batch_shape)
    return shape


def broadcast_batch_shape_tensors(operators):
    """The same when it runs."""
    shape = operators[0].batch_shape_tensor()
    for o in operators[1:]:
        shape = array_ops.broadcast_dynamic_shape(shape, o.batch_shape_tensor())
    return shape


def product_of(values):
    return functools.reduce(operator_module.mul, values)


def sum_of(values):
    return functools.reduce(operator_module.add, values)


def implied_hint(operators, given, hint, message):
    """True where all operators have the hint; ValueError where it was said to be False."""
    if all(getattr(o, hint) for o in operators):
        if given is False:
            raise ValueError(message)
        return True
    return given


class LinearOperatorComposition(linear_operator.LinearOperator):
    """op1 op2 ... opJ: the last one is applied first."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        self._operators = operators = checked_operators(operators)
        is_non_singular = implied_hint(
            operators, is_non_singular, 'is_non_singular',
            'The composition of non-singular operators is always non-singular.')
        if name is None:
            name = '_o_'.join(o.name for o in operators)
        with ops.name_scope(name, values=graph_parents_of(operators)):
            super(LinearOperatorComposition, self).__init__(
                dtype=operators[0].dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=is_square, name=name)
        self._graph_parents = graph_parents_of(operators)

    operators = property(lambda self: self._operators)

    def _shape(self):
        domain = self.operators[0].range_dimension
        for operator in self.operators:
            domain.assert_is_compatible_with(operator.range_dimension)
            domain = operator.domain_dimension
        matrix = tensor_shape.TensorShape([self.operators[0].range_dimension,
                                           self.operators[-1].domain_dimension])
        return broadcast_batch_shapes(self.operators).concatenate(matrix)

    def _shape_tensor(self):
        if self.shape.is_fully_defined():
            return ops.convert_to_tensor(self.shape.as_list(), name='shape')
        matrix = array_ops.stack([self.operators[0].range_dimension_tensor(),
                                  self.operators[-1].domain_dimension_tensor()])
        return array_ops.concat((broadcast_batch_shape_tensors(self.operators), matrix), 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self.operators if adjoint else list(reversed(self.operators))
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _determinant(self):
        return product_of([o.determinant() for o in self.operators])

    def _log_abs_determinant(self):
        return sum_of([o.log_abs_determinant() for o in self.operators])

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        order = list(reversed(self.operators)) if adjoint else self.operators
        solution = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            solution = operator.solve(solution, adjoint=adjoint)
        return solution
