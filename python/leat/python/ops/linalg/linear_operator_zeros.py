# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorZeros."""
from leat.python.framework import dtypes
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.linalg.linear_operator_identity import NumRows
from leat.python.ops.linalg.linear_operator_identity import checked_batch_shape


class LinearOperatorZeros(linear_operator.LinearOperator):
    """A (batch of) matrices of zeros."""

    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None,
                 is_non_singular=False, is_self_adjoint=True, is_positive_definite=False,
                 is_square=True, assert_proper_shapes=False, name='LinearOperatorZeros'):
        dtype = dtypes.float32 if dtype is None else dtype
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name):
            if not is_self_adjoint and is_square:
                raise ValueError('A zero operator is always self adjoint.')
            if is_non_singular:
                raise ValueError('A zero operator is always singular.')
            if is_positive_definite:
                raise ValueError('A zero operator is always not positive-definite.')
            self._rows = NumRows(num_rows, 'num_rows')
            self._columns = NumRows(num_rows if num_columns is None else num_columns,
                                    'num_columns')
            self._batch_shape_arg, self._batch_shape_static = (None, None) \
                if batch_shape is None else checked_batch_shape(batch_shape)
            rows, columns = self._rows.dimension, self._columns.dimension
            if is_square and rows.value is not None and columns.value is not None and \
                    rows != columns:
                raise ValueError('LinearOperatorZeros initialized as is_square=%s, but got '
                                 'num_rows(%s) != num_columns(%s)' % (is_square, rows, columns))
            super(LinearOperatorZeros, self).__init__(
                dtype=dtype, is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)
            self._num_rows = self._checked(self._rows, 'num_rows')
            self._num_columns = self._checked(self._columns, 'num_columns')
            if self._batch_shape_arg is not None and assert_proper_shapes:
                self._batch_shape_arg = control_flow_ops.with_dependencies(
                    [check_ops.assert_rank(self._batch_shape_arg, 1,
                                           message='Argument batch_shape must be a 1-D Tensor.'),
                     check_ops.assert_non_negative(
                         self._batch_shape_arg,
                         message='Argument batch_shape must be non-negative.')],
                    self._batch_shape_arg)

    def _checked(self, size, name):
        if not self._assert_proper_shapes:
            return size.tensor
        return control_flow_ops.with_dependencies(
            [check_ops.assert_rank(size.tensor, 0,
                                   message='Argument %s must be a 0-D Tensor.' % name),
             check_ops.assert_non_negative(size.tensor,
                                           message='Argument %s must be non-negative.' % name)],
            size.tensor)

    def _shape(self):
        matrix = tensor_shape.TensorShape([self._rows.dimension, self._columns.dimension])
        if self._batch_shape_arg is None:
            return matrix
        return tensor_shape.TensorShape(
            None if self._batch_shape_static is None else
            [int(d) for d in self._batch_shape_static]).concatenate(matrix)

    def _shape_tensor(self):
        matrix = array_ops.stack((self._num_rows, self._num_columns), axis=0)
        if self._batch_shape_arg is None:
            return matrix
        return array_ops.concat((self._batch_shape_arg, matrix), 0)

    def _refuse(self, message):
        raise errors.InvalidArgumentError(node_def=None, op=None, message=message)

    def _assert_non_singular(self):
        self._refuse('Zero operators are always non-invertible.')

    def _assert_positive_definite(self):
        self._refuse('Zero operators are always non-positive definite.')

    def _assert_self_adjoint(self):
        return control_flow_ops.no_op('assert_self_adjoint')

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        if self._assert_proper_shapes:
            x = linalg.adjoint(x) if adjoint_arg else x
            check = linear_operator_util.assert_compatible_matrix_dimensions(self, x)
            x = control_flow_ops.with_dependencies([check], x)
            adjoint_arg = False
        if self.is_square and self._batch_shape_arg is None and not adjoint_arg:
            return array_ops.zeros_like(x)
        shape = array_ops.shape(x)
        rows = self._num_columns if adjoint else self._num_rows
        columns = shape[-2] if adjoint_arg else shape[-1]
        batch = array_ops.broadcast_dynamic_shape(shape[:-2], self.batch_shape_tensor())
        return array_ops.zeros(array_ops.concat([batch, [rows, columns]], axis=0), x.dtype)

    def _determinant(self):
        return array_ops.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self):
        return array_ops.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _diag_part(self):
        smaller = math_ops.minimum(self._num_rows, self._num_columns)
        return array_ops.zeros(array_ops.concat([self.batch_shape_tensor(), [smaller]], axis=0),
                               self.dtype)

    def _to_dense(self):
        return array_ops.zeros(self.shape_tensor(), self.dtype)

    def add_to_tensor(self, mat, name='add_to_tensor'):
        """mat, of the batch dimensions of both."""
        with self._name_scope(name):
            mat = ops.convert_to_tensor(mat, name='mat')
            if self._batch_shape_arg is None:
                return mat
            shape = array_ops.broadcast_dynamic_shape(array_ops.shape(mat), self.shape_tensor())
            return array_ops.broadcast_to(mat, shape)


@linear_operator_algebra.RegisterAdjoint(LinearOperatorZeros)
def _adjoint(op):
    if op.is_square:
        return op
    return LinearOperatorZeros(num_rows=op._num_columns, num_columns=op._num_rows,
                               batch_shape=op._batch_shape_arg, dtype=op.dtype,
                               is_non_singular=False, is_self_adjoint=False, is_square=False)


@linear_operator_algebra.RegisterMatmul(linear_operator.LinearOperator, LinearOperatorZeros)
def _right_zeros(a, b):
    return _zeros_of(a, b)


@linear_operator_algebra.RegisterMatmul(LinearOperatorZeros, linear_operator.LinearOperator)
def _left_zeros(a, b):
    return _zeros_of(a, b)


@linear_operator_algebra.RegisterMatmul(LinearOperatorZeros, LinearOperatorZeros)
def _both_zeros(a, b):
    return _zeros_of(a, b)


def _zeros_of(a, b):
    if not (a.is_square and b.is_square):
        raise ValueError('Can not represent resulting zeros operator since operators are '
                         'non-square.')
    return a if isinstance(a, LinearOperatorZeros) else b
