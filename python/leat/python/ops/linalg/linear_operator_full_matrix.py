# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorFullMatrix: a dense matrix."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_util

_DTYPES = [dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]


class LinearOperatorFullMatrix(linear_operator.LinearOperator):
    """A (batch of) matrices held whole."""

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorFullMatrix'):
        with ops.name_scope(name, values=[matrix]):
            self._matrix = linear_operator_util.convert_nonref_to_tensor(matrix, name='matrix')
            self._check_matrix(self._matrix)
            super(LinearOperatorFullMatrix, self).__init__(
                dtype=self._matrix.dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=is_square, name=name)
            self._graph_parents = [self._matrix]

    @staticmethod
    def _check_matrix(matrix):
        if matrix.shape.ndims is not None and matrix.shape.ndims < 2:
            raise ValueError('Argument matrix must have at least 2 dimensions.  Found: %s' % matrix)
        if matrix.dtype.base_dtype not in _DTYPES:
            raise TypeError('Argument matrix must have dtype in %s.  Found: %s'
                            % (_DTYPES, matrix.dtype))

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return array_ops.shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return math_ops.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return self._matrix
