# SPDX-License-Identifier: Apache-2.0
"""An operator of a dense matrix."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorFullMatrix']


def matrix_of(matrix, name):
    """The argument as a tensor of matrices."""
    matrix = ops.convert_to_tensor(matrix, name=name)
    if matrix.get_shape().ndims is not None and matrix.get_shape().ndims < 2:
        raise ValueError('Argument %s must have at least 2 dimensions.  Found: %s' % (
            name, matrix))
    return matrix


class LinearOperatorFullMatrix(linear_operator.LinearOperator):
    """The matrix as it is given."""

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorFullMatrix'):
        with ops.name_scope(name, values=[matrix]):
            self._matrix = matrix_of(matrix, 'matrix')
            super(LinearOperatorFullMatrix, self).__init__(
                dtype=self._matrix.dtype, graph_parents=[self._matrix],
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)

    def _shape(self):
        return self._matrix.get_shape()

    def _shape_tensor(self):
        return array_ops.shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        a, x = linear_operator.broadcast_batches(self._matrix, x)
        return math_ops.matmul(a, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return self._matrix
