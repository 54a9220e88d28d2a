# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorHouseholder: a reflection, I - 2 v v^H / |v|^2."""
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util


class LinearOperatorHouseholder(linear_operator.LinearOperator):
    """A (batch of) reflections at the plane to which reflection_axis is normal."""

    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorHouseholder'):
        with ops.name_scope(name, values=[reflection_axis]):
            self._reflection_axis = linear_operator_util.convert_nonref_to_tensor(
                reflection_axis, name='reflection_axis')
            axis = self._reflection_axis
            if axis.shape.ndims is not None and axis.shape.ndims < 1:
                raise ValueError('Argument reflection_axis must have at least 1 dimension.  Found: '
                                 '%s' % axis)
            if is_self_adjoint is False:
                raise ValueError('A Householder operator is always self adjoint.')
            if is_positive_definite is True:
                raise ValueError('A Householder operator is always non-positive definite.')
            if is_square is False:
                raise ValueError('A Householder operator is always square.')
            super(LinearOperatorHouseholder, self).__init__(
                dtype=axis.dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=True, is_positive_definite=False, is_square=True, name=name)
            self._graph_parents = [axis]

    reflection_axis = property(lambda self: self._reflection_axis)

    def _shape(self):
        shape = self._reflection_axis.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._reflection_axis)
        return array_ops.concat((shape, shape[-1:]), axis=0)

    def _assert_non_singular(self):
        return control_flow_ops.no_op('assert_non_singular')

    def _assert_positive_definite(self):
        raise errors.InvalidArgumentError(
            node_def=None, op=None, message='Householder operators are always non-positive '
                                            'definite.')

    def _assert_self_adjoint(self):
        return control_flow_ops.no_op('assert_self_adjoint')

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        normal = nn.l2_normalize(ops.convert_to_tensor(self._reflection_axis), axis=-1)
        column = normal[..., array_ops.newaxis]
        along = math_ops.matmul(column, x, adjoint_a=True)
        return x - 2 * column * along

    def _trace(self):
        shape = self.shape_tensor()
        return math_ops.cast(self.domain_dimension_tensor() - 2, self.dtype) * array_ops.ones(
            shape=shape[:-2], dtype=self.dtype)

    def _determinant(self):
        return -array_ops.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return array_ops.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)  # a reflection undoes itself

    def _to_dense(self):
        normal = nn.l2_normalize(ops.convert_to_tensor(self._reflection_axis), axis=-1)
        column = normal[..., array_ops.newaxis]
        matrix = -2 * math_ops.matmul(column, column, adjoint_b=True)
        return array_ops.matrix_set_diag(matrix, 1. + array_ops.matrix_diag_part(matrix))

    def _diag_part(self):
        normal = nn.l2_normalize(ops.convert_to_tensor(self._reflection_axis), axis=-1)
        return 1. - 2 * normal * math_ops.conj(normal)


@linear_operator_algebra.RegisterAdjoint(LinearOperatorHouseholder)
@linear_operator_algebra.RegisterInverse(LinearOperatorHouseholder)
def _itself(op):
    return op
