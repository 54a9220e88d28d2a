# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorLowRankUpdate: L + U D V^H.

Determinants and solutions are those of the base and of the small capacitance matrix
C = D^-1 + V^H L^-1 U (the matrix determinant lemma and the Woodbury identity).
"""
from leat.python.framework import common_shapes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_diag
from leat.python.ops.linalg import linear_operator_identity
from leat.python.ops.linalg import linear_operator_util


class LinearOperatorLowRankUpdate(linear_operator.LinearOperator):
    """base_operator plus a product of thin matrices."""

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None,
                 is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name='LinearOperatorLowRankUpdate'):
        dtype = base_operator.dtype
        if diag_update is not None and is_diag_update_positive and dtype.is_complex:
            from leat.python.platform import tf_logging as logging
            logging.warn('Note: setting is_diag_update_positive with a complex dtype means that '
                         'diagonal is real and positive.')
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError('Default diagonal is the identity, which is positive.  However, '
                                 'user set \'is_diag_update_positive\' to False.')
            is_diag_update_positive = True
        is_self_adjoint, is_positive_definite = self._implied(
            base_operator, v, diag_update, is_diag_update_positive, is_self_adjoint,
            is_positive_definite)
        with ops.name_scope(name):
            self._u = linear_operator_util.convert_nonref_to_tensor(u, name='u')
            self._v = self._u if v is None else \
                linear_operator_util.convert_nonref_to_tensor(v, name='v')
            self._diag_update = None if diag_update is None else \
                linear_operator_util.convert_nonref_to_tensor(diag_update, name='diag_update')
            self._base_operator = base_operator
            super(LinearOperatorLowRankUpdate, self).__init__(
                dtype=dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=is_square, name=name)
            self._is_diag_update_positive = is_diag_update_positive
            self._graph_parents = base_operator.graph_parents + [self._u] + (
                [] if v is None else [self._v]) + (
                [] if diag_update is None else [self._diag_update])
            self._set_diag_operator()
            self._check_shapes()

    @staticmethod
    def _implied(base, v, diag_update, positive, is_self_adjoint, is_positive_definite):
        """The hints that follow from those of the parts, where u and v are one."""
        if v is None and base.is_self_adjoint and (
                diag_update is None or positive or not base.dtype.is_complex):
            if is_self_adjoint is None:
                is_self_adjoint = True
        if is_self_adjoint and v is None and base.is_positive_definite and positive:
            if is_positive_definite is None:
                is_positive_definite = True
        return is_self_adjoint, is_positive_definite

    def _set_diag_operator(self):
        if self._diag_update is None:
            rank = tensor_shape.dimension_at_index(self._u.shape, -1) \
                if self._u.shape.ndims is not None else tensor_shape.Dimension(None)
            size = rank.value if rank.value is not None else array_ops.shape(self._u)[-1]
            self._diag_operator = linear_operator_identity.LinearOperatorIdentity(
                num_rows=size, dtype=self.dtype)
        else:
            self._diag_operator = linear_operator_diag.LinearOperatorDiag(
                self._diag_update, is_positive_definite=self._is_diag_update_positive)

    def _check_shapes(self):
        """The sizes of u, v and the diagonal against the base's."""
        both = self._u.shape
        if self._u.shape.ndims is not None and self._v.shape.ndims is not None:
            common_shapes.broadcast_shape(self._u.shape[:-2], self._v.shape[:-2])
            self._u.shape.dims[-1].assert_is_compatible_with(self._v.shape.dims[-1])
        if both.ndims is not None:
            self._base_operator.range_dimension.assert_is_compatible_with(both.dims[-2])
            if self._v.shape.ndims is not None:
                self._base_operator.domain_dimension.assert_is_compatible_with(
                    self._v.shape.dims[-2])
            if self._diag_update is not None and self._diag_update.shape.ndims is not None:
                both.dims[-1].assert_is_compatible_with(self._diag_update.shape.dims[-1])

    u = property(lambda self: self._u)
    v = property(lambda self: self._v)
    is_diag_update_positive = property(lambda self: self._is_diag_update_positive)
    diag_update = property(lambda self: self._diag_update)
    diag_operator = property(lambda self: self._diag_operator)
    base_operator = property(lambda self: self._base_operator)

    def _shape(self):
        batch = common_shapes.broadcast_shape(self._base_operator.batch_shape,
                                              self._diag_operator.batch_shape)
        batch = common_shapes.broadcast_shape(batch, self._u.shape[:-2])
        batch = common_shapes.broadcast_shape(batch, self._v.shape[:-2])
        return batch.concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self):
        batch = array_ops.broadcast_dynamic_shape(self._base_operator.batch_shape_tensor(),
                                                  self._diag_operator.batch_shape_tensor())
        batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(self._u)[:-2])
        batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(self._v)[:-2])
        return array_ops.concat((batch, self._base_operator.shape_tensor()[-2:]), axis=0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        base = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = math_ops.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        return base + math_ops.matmul(left, self._diag_operator.matmul(inner, adjoint=adjoint))

    def _determinant(self):
        if self.is_positive_definite:
            return math_ops.exp(self.log_abs_determinant())
        return linalg_ops.matrix_determinant(self._capacitance()) * \
            self._diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self):
        base = self._base_operator.log_abs_determinant()
        diag = self._diag_operator.log_abs_determinant()
        if self._use_cholesky:
            chol_diag = array_ops.matrix_diag_part(linalg_ops.cholesky(self._capacitance()))
            own = 2 * math_ops.reduce_sum(math_ops.log(chol_diag), axis=[-1])
        else:
            own = math_ops.log(math_ops.abs(linalg_ops.matrix_determinant(self._capacitance())))
        if self.dtype.is_complex:
            own = math_ops.cast(own, dtype=self.dtype)
        return own + diag + base

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if self._base_operator.is_non_singular is False:
            raise ValueError('Solve not implemented unless this is a perturbation of a '
                             'non-singular LinearOperator.')
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        base = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        seen = math_ops.matmul(right, base, adjoint_a=True)
        if self._use_cholesky:
            small = linear_operator_util.cholesky_solve_with_broadcast(
                linalg_ops.cholesky(self._capacitance()), seen)
        else:
            small = linear_operator_util.matrix_solve_with_broadcast(self._capacitance(), seen,
                                                                     adjoint=adjoint)
        return base - self._base_operator.solve(math_ops.matmul(left, small), adjoint=adjoint)

    @property
    def _use_cholesky(self):
        return self.is_positive_definite and self.is_self_adjoint and self._v is self._u

    def _capacitance(self):
        """D^-1 + V^H L^-1 U."""
        solved = math_ops.matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        if isinstance(self._diag_operator, linear_operator_identity.LinearOperatorIdentity):
            return self._diag_operator.add_to_tensor(solved)
        inverse = linear_operator_diag.LinearOperatorDiag(1. / self._diag_operator.diag)
        return inverse.add_to_tensor(solved)
