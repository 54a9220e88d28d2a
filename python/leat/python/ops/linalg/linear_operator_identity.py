# SPDX-License-Identifier: Apache-2.0
"""The identity, and multiples of it."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator

__all__ = ['LinearOperatorIdentity', 'LinearOperatorScaledIdentity']


class BaseLinearOperatorIdentity(linear_operator.LinearOperator):
    """What has a number of rows."""

    def _set_num_rows(self, num_rows):
        self._num_rows = ops.convert_to_tensor(num_rows, name='num_rows')
        self._num_rows_static = tensor_util.constant_value(self._num_rows)
        if not self._num_rows.dtype.is_integer:
            raise TypeError('Argument num_rows must be integer type.  Found: %s' % self._num_rows)
        if self._num_rows_static is None:
            return
        if self._num_rows_static.ndim != 0:
            raise ValueError('Argument num_rows must be a 0-D Tensor.  Found: %s'
                             % self._num_rows_static)
        if self._num_rows_static < 0:
            raise ValueError('Argument num_rows must be non-negative.  Found: %s'
                             % self._num_rows_static)

    def _rows(self):
        return None if self._num_rows_static is None else int(self._num_rows_static)

    def _ones_diag(self):
        """Ones in the shape of the diagonal."""
        shape = self.shape
        if shape.is_fully_defined():
            return array_ops.ones(shape.as_list()[:-1], dtype=self.dtype)
        return array_ops.ones(self._shape_tensor()[:-1], dtype=self.dtype)

    def _spread(self, x):
        """x, with the dims of the operator's batch."""
        known = self.batch_shape
        if known.ndims == 0:
            return x
        return x + array_ops.zeros(array_ops.concat(
            [self.batch_shape_tensor(), [1, 1]], 0), dtype=x.dtype)


class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """What changes nothing."""

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True,
                 is_self_adjoint=True, is_positive_definite=True, is_square=True,
                 assert_proper_shapes=False, name='LinearOperatorIdentity'):
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name):
            for hint, what in ((is_self_adjoint, 'self adjoint'),
                               (is_non_singular, 'non-singular'),
                               (is_positive_definite, 'positive-definite')):
                if hint is False:
                    raise ValueError('An identity operator is always %s.' % what)
            super(LinearOperatorIdentity, self).__init__(
                dtype=dtype, is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)
            self._set_num_rows(num_rows)
            self._batch_shape_arg = self._batch_static = None
            if batch_shape is not None:
                self._batch_shape_arg = ops.convert_to_tensor(
                    batch_shape, dtype=dtypes.int32, name='batch_shape_arg')
                self._batch_static = tensor_util.constant_value(self._batch_shape_arg)
                if self._batch_static is not None and self._batch_static.ndim != 1:
                    raise ValueError('Argument batch_shape must be a 1-D Tensor.  Found: %s'
                                     % self._batch_static)

    def _shape(self):
        matrix = tensor_shape.TensorShape((self._rows(), self._rows()))
        if self._batch_shape_arg is None:
            return matrix
        if self._batch_static is None:
            return tensor_shape.TensorShape(None)
        return tensor_shape.TensorShape(self._batch_static.tolist()).concatenate(matrix)

    def _shape_tensor(self):
        matrix = array_ops.stack((self._num_rows, self._num_rows), axis=0)
        if self._batch_shape_arg is None:
            return matrix
        return array_ops.concat((self._batch_shape_arg, matrix), 0)

    def _assert_non_singular(self):
        return control_flow_ops.no_op('assert_non_singular')

    def _assert_positive_definite(self):
        return control_flow_ops.no_op('assert_positive_definite')

    def _assert_self_adjoint(self):
        return control_flow_ops.no_op('assert_self_adjoint')

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._spread(linear_operator._adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return array_ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self):
        return math_ops.cast(self._num_rows, self.dtype) * array_ops.ones(
            self.batch_shape_tensor(), dtype=self.dtype)

    def _diag_part(self):
        return self._ones_diag()

    def _to_dense(self):
        return array_ops.matrix_diag(self._ones_diag())

    def add_to_tensor(self, mat, name='add_to_tensor'):
        with self._name_scope(name):
            mat = ops.convert_to_tensor(mat, name='mat')
            return array_ops.matrix_set_diag(mat, 1 + array_ops.matrix_diag_part(mat))


class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """The identity times a number, for each member of a batch."""

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, assert_proper_shapes=False,
                 name='LinearOperatorScaledIdentity'):
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = ops.convert_to_tensor(multiplier, name='multiplier')
            if not self._multiplier.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError('A real diagonal operator is always self adjoint.')
                is_self_adjoint = True
            if not is_square:
                raise ValueError('A ScaledIdentity operator is always square.')
            super(LinearOperatorScaledIdentity, self).__init__(
                dtype=self._multiplier.dtype.base_dtype, graph_parents=[self._multiplier],
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)
            self._matrix_multiplier = self._multiplier[
                ..., array_ops.newaxis, array_ops.newaxis]
            self._set_num_rows(num_rows)

    @property
    def multiplier(self):
        return self._multiplier

    def _shape(self):
        return self._multiplier.get_shape().concatenate(
            tensor_shape.TensorShape((self._rows(), self._rows())))

    def _shape_tensor(self):
        return array_ops.concat((array_ops.shape(self._multiplier), array_ops.stack(
            (self._num_rows, self._num_rows), axis=0)), 0)

    def _assert_non_singular(self):
        return check_ops.assert_positive(math_ops.abs(self.multiplier),
                                         message='LinearOperator was singular')

    def _assert_positive_definite(self):
        return check_ops.assert_positive(math_ops.real(self.multiplier), message=(
            'LinearOperator was not positive definite.'))

    def _assert_self_adjoint(self):
        imag = math_ops.imag(self.multiplier)
        return check_ops.assert_equal(array_ops.zeros_like(imag), imag,
                                      message='LinearOperator was not self-adjoint')

    def _factor(self, adjoint):
        return math_ops.conj(self._matrix_multiplier) if adjoint else self._matrix_multiplier

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return (linear_operator._adjoint(x) if adjoint_arg else x) * self._factor(adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return (linear_operator._adjoint(rhs) if adjoint_arg else rhs) / self._factor(adjoint)

    def _determinant(self):
        return self.multiplier ** math_ops.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self):
        rows = math_ops.cast(self._num_rows, self.dtype.real_dtype)
        return rows * math_ops.log(math_ops.abs(self.multiplier))

    def _trace(self):
        return math_ops.cast(self._num_rows, self.dtype) * self.multiplier

    def _diag_part(self):
        return self._ones_diag() * self.multiplier[..., array_ops.newaxis]

    def _to_dense(self):
        return array_ops.matrix_diag(self._diag_part())

    def add_to_tensor(self, mat, name='add_to_tensor'):
        with self._name_scope(name):
            mat = ops.convert_to_tensor(mat, name='mat')
            return array_ops.matrix_set_diag(
                mat, array_ops.matrix_diag_part(mat) + self.multiplier[..., array_ops.newaxis])
