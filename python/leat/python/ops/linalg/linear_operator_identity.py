# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorIdentity, and LinearOperatorScaledIdentity: a multiple of it."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.linalg import registrations_util as hints


class NumRows(object):
    """The checks of a size that an operator is given: num_rows, num_columns."""

    def __init__(self, value, name):
        self.tensor = linear_operator_util.shape_tensor(value, name=name)
        self.static = tensor_util.constant_value(self.tensor)
        linear_operator_util.assert_not_ref_type(self.tensor, name)
        if not self.tensor.dtype.is_integer:
            raise TypeError('Argument %s must be integer type.  Found: %s' % (name, self.tensor))
        if self.static is None:
            return
        if self.static.ndim != 0:
            raise ValueError('Argument %s must be a 0-D Tensor.  Found: %s' % (name, self.static))
        if self.static < 0:
            raise ValueError('Argument %s must be non-negative.  Found: %s' % (name, self.static))

    @property
    def dimension(self):
        return tensor_shape.Dimension(None if self.static is None else int(self.static))


def checked_batch_shape(batch_shape, name='batch_shape_arg'):
    """(tensor, its value where it is known) of a batch shape."""
    linear_operator_util.assert_not_ref_type(batch_shape, 'batch_shape')
    tensor = linear_operator_util.shape_tensor(batch_shape, name=name)
    static = tensor_util.constant_value(tensor)
    if not tensor.dtype.is_integer:
        raise TypeError('Argument batch_shape must be integer type.  Found: %s' % tensor)
    if static is not None:
        if static.ndim != 1:
            raise ValueError('Argument batch_shape must be a 1-D Tensor.  Found: %s' % static)
        if np.any(static < 0):
            raise ValueError('Argument batch_shape must be non-negative.  Found:%s' % static)
    return tensor, static


class BaseLinearOperatorIdentity(linear_operator.LinearOperator):
    """What the kinds of identities share."""

    def _min_matrix_dim(self):
        """The smaller of the matrix's sizes, or None."""
        domain, rows = self.domain_dimension.value, self.range_dimension.value
        return None if domain is None or rows is None else min(domain, rows)

    def _min_matrix_dim_tensor(self):
        return math_ops.reduce_min(self.shape_tensor()[-2:])

    def _ones_diag(self):
        """The diagonal of the identity."""
        if self.shape.is_fully_defined():
            shape = self.batch_shape.concatenate([self._min_matrix_dim()])
        else:
            shape = array_ops.concat([self.batch_shape_tensor(), [self._min_matrix_dim_tensor()]],
                                     axis=0)
        return array_ops.ones(shape=shape, dtype=self.dtype)


class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """The identity, of any size and batch."""

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True,
                 is_self_adjoint=True, is_positive_definite=True, is_square=True,
                 assert_proper_shapes=False, name='LinearOperatorIdentity'):
        dtype = dtypes.float32 if dtype is None else dtype
        with ops.name_scope(name):
            if not is_self_adjoint:
                raise ValueError('An identity operator is always self adjoint.')
            if not is_non_singular:
                raise ValueError('An identity operator is always non-singular.')
            if not is_positive_definite:
                raise ValueError('An identity operator is always positive-definite.')
            if not is_square:
                raise ValueError('An identity operator is always square.')
            self._assert_proper_shapes = assert_proper_shapes
            self._rows = NumRows(num_rows, 'num_rows')
            self._batch_shape_arg, self._batch_shape_static = (None, None) \
                if batch_shape is None else checked_batch_shape(batch_shape)
            super(LinearOperatorIdentity, self).__init__(
                dtype=dtype, is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)
            self._num_rows = self._rows.tensor
            if assert_proper_shapes:
                self._num_rows = control_flow_ops.with_dependencies(
                    [check_ops.assert_rank(self._num_rows, 0,
                                           message='Argument num_rows must be a 0-D Tensor.'),
                     check_ops.assert_non_negative(
                         self._num_rows, message='Argument num_rows must be non-negative.')],
                    self._num_rows)
                if self._batch_shape_arg is not None:
                    self._batch_shape_arg = control_flow_ops.with_dependencies(
                        [check_ops.assert_rank(self._batch_shape_arg, 1,
                                               message='Argument batch_shape must be a 1-D '
                                                       'Tensor.'),
                         check_ops.assert_non_negative(
                             self._batch_shape_arg,
                             message='Argument batch_shape must be non-negative.')],
                        self._batch_shape_arg)

    def _shape(self):
        matrix = tensor_shape.TensorShape([self._rows.dimension, self._rows.dimension])
        if self._batch_shape_arg is None:
            return matrix
        return tensor_shape.TensorShape(
            None if self._batch_shape_static is None else
            [int(d) for d in self._batch_shape_static]).concatenate(matrix)

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

    def _possibly_broadcast_batch_shape(self, x):
        """x with the batch dimensions that this operator has and x lacks."""
        if self._batch_shape_arg is None:
            return x
        special = self.batch_shape.concatenate([1, 1])
        if x.shape.ndims is not None and special.ndims is not None and \
                x.shape.is_fully_defined() and special.is_fully_defined():
            from leat.python.framework import common_shapes
            if common_shapes.broadcast_shape(x.shape, special) == x.shape:
                return x
        zeros = array_ops.zeros(array_ops.concat((self.batch_shape_tensor(), [1, 1]), 0),
                                dtype=self.dtype)
        return x + zeros

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        if self._assert_proper_shapes:
            check = linear_operator_util.assert_compatible_matrix_dimensions(self, x)
            x = control_flow_ops.with_dependencies([check], x)
        return self._possibly_broadcast_batch_shape(x)

    def _determinant(self):
        return array_ops.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return array_ops.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _trace(self):
        rows = self.domain_dimension_tensor()
        return math_ops.cast(rows, self.dtype) * array_ops.ones(self.batch_shape_tensor(),
                                                                dtype=self.dtype)

    def _diag_part(self):
        return self._ones_diag()

    def add_to_tensor(self, mat, name='add_to_tensor'):
        """The sum with a matrix."""
        with self._name_scope(name):
            mat = ops.convert_to_tensor(mat, name='mat')
            diag = array_ops.matrix_diag_part(mat)
            return array_ops.matrix_set_diag(mat, 1 + diag)


class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """A multiple of the identity; a batch of multipliers makes a batch of matrices."""

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, assert_proper_shapes=False,
                 name='LinearOperatorScaledIdentity'):
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = linear_operator_util.convert_nonref_to_tensor(multiplier,
                                                                             name='multiplier')
            if not self._multiplier.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError('A real diagonal operator is always self adjoint.')
                is_self_adjoint = True
            if not is_square:
                raise ValueError('A ScaledIdentity operator is always square.')
            self._rows = NumRows(num_rows, 'num_rows')
            super(LinearOperatorScaledIdentity, self).__init__(
                dtype=self._multiplier.dtype.base_dtype, graph_parents=None,
                is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite, is_square=is_square, name=name)
            self._graph_parents = [self._multiplier]
            self._num_rows = self._rows.tensor
            if assert_proper_shapes:
                self._num_rows = control_flow_ops.with_dependencies(
                    [check_ops.assert_rank(self._num_rows, 0),
                     check_ops.assert_non_negative(self._num_rows)], self._num_rows)

    multiplier = property(lambda self: self._multiplier)

    def _shape(self):
        return self._multiplier.shape.concatenate([self._rows.dimension, self._rows.dimension])

    def _shape_tensor(self):
        matrix = array_ops.stack((self._num_rows, self._num_rows), axis=0)
        return array_ops.concat((array_ops.shape(self._multiplier), matrix), 0)

    def _assert_non_singular(self):
        return check_ops.assert_positive(math_ops.abs(self._multiplier),
                                         message='LinearOperator was singular')

    def _assert_positive_definite(self):
        return check_ops.assert_positive(math_ops.real(self._multiplier),
                                         message='LinearOperator was not positive definite.')

    def _assert_self_adjoint(self):
        imag = math_ops.imag(self._multiplier)
        return check_ops.assert_equal(array_ops.zeros_like(imag), imag,
                                      message='LinearOperator was not self-adjoint')

    def _matrix(self, conjugate=False):
        multiplier = math_ops.conj(self._multiplier) if conjugate else self._multiplier
        return array_ops.expand_dims(array_ops.expand_dims(multiplier, -1), -1)

    def _checked(self, x):
        if not self._assert_proper_shapes:
            return x
        check = linear_operator_util.assert_compatible_matrix_dimensions(self, x)
        return control_flow_ops.with_dependencies([check], x)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._checked(x) * self._matrix(conjugate=adjoint)

    def _determinant(self):
        return self._multiplier ** math_ops.cast(self.domain_dimension_tensor(), self.dtype)

    def _log_abs_determinant(self):
        rows = math_ops.cast(self.domain_dimension_tensor(), self.dtype.real_dtype)
        result = rows * math_ops.log(math_ops.abs(self._multiplier))
        return math_ops.cast(result, self.dtype)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return self._checked(rhs) / self._matrix(conjugate=adjoint)

    def _trace(self):
        rows = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        return rows * self._multiplier * array_ops.ones(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self):
        return self._ones_diag() * self._multiplier[..., array_ops.newaxis]

    def add_to_tensor(self, mat, name='add_to_tensor'):
        """The sum with a matrix."""
        with self._name_scope(name):
            mat = ops.convert_to_tensor(mat, name='mat')
            vector = array_ops.expand_dims(self._multiplier, -1)
            diag = array_ops.matrix_diag_part(mat)
            return array_ops.matrix_set_diag(mat, vector + diag)


# --- what is made of two ---

@linear_operator_algebra.RegisterAdjoint(LinearOperatorIdentity)
def _adjoint_identity(op):
    return op


@linear_operator_algebra.RegisterAdjoint(LinearOperatorScaledIdentity)
def _adjoint_scaled(op):
    multiplier = op.multiplier
    if multiplier.dtype.is_complex:
        multiplier = math_ops.conj(multiplier)
    return LinearOperatorScaledIdentity(
        num_rows=op._num_rows, multiplier=multiplier, is_non_singular=op.is_non_singular,
        is_self_adjoint=op.is_self_adjoint, is_positive_definite=op.is_positive_definite,
        is_square=True)


@linear_operator_algebra.RegisterCholesky(LinearOperatorIdentity)
def _cholesky_identity(op):
    return LinearOperatorIdentity(num_rows=op._num_rows, batch_shape=op.batch_shape,
                                  dtype=op.dtype, is_non_singular=True, is_self_adjoint=True,
                                  is_positive_definite=True, is_square=True)


@linear_operator_algebra.RegisterCholesky(LinearOperatorScaledIdentity)
def _cholesky_scaled(op):
    return LinearOperatorScaledIdentity(
        num_rows=op._num_rows, multiplier=math_ops.sqrt(op.multiplier), is_non_singular=True,
        is_self_adjoint=True, is_positive_definite=True, is_square=True)


@linear_operator_algebra.RegisterInverse(LinearOperatorIdentity)
def _inverse_identity(op):
    return op


@linear_operator_algebra.RegisterInverse(LinearOperatorScaledIdentity)
def _inverse_scaled(op):
    return LinearOperatorScaledIdentity(
        num_rows=op._num_rows, multiplier=1. / op.multiplier, is_non_singular=op.is_non_singular,
        is_self_adjoint=True if op.is_self_adjoint else op.is_self_adjoint,
        is_positive_definite=op.is_positive_definite, is_square=True)


@linear_operator_algebra.RegisterMatmul(LinearOperatorIdentity, linear_operator.LinearOperator)
@linear_operator_algebra.RegisterSolve(LinearOperatorIdentity, linear_operator.LinearOperator)
def _identity_left(identity, other):
    del identity
    return other


@linear_operator_algebra.RegisterMatmul(linear_operator.LinearOperator, LinearOperatorIdentity)
def _identity_right(other, identity):
    del identity
    return other


def _of_multipliers(a, b, multiplier):
    return LinearOperatorScaledIdentity(
        num_rows=a.domain_dimension_tensor(), multiplier=multiplier,
        is_non_singular=hints.combined_non_singular_hint(a, b),
        is_self_adjoint=hints.combined_commuting_self_adjoint_hint(a, b),
        is_positive_definite=hints.combined_commuting_positive_definite_hint(a, b), is_square=True)


@linear_operator_algebra.RegisterMatmul(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _matmul_scaled(a, b):
    return _of_multipliers(a, b, a.multiplier * b.multiplier)


@linear_operator_algebra.RegisterSolve(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _solve_scaled(a, b):
    return _of_multipliers(a, b, b.multiplier / a.multiplier)
