# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorBlockDiag: operators along the diagonal."""
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.linalg.linear_operator_composition import broadcast_batch_shape_tensors
from leat.python.ops.linalg.linear_operator_composition import broadcast_batch_shapes
from leat.python.ops.linalg.linear_operator_composition import checked_operators
from leat.python.ops.linalg.linear_operator_composition import graph_parents_of
from leat.python.ops.linalg.linear_operator_composition import implied_hint
from leat.python.ops.linalg.linear_operator_composition import product_of
from leat.python.ops.linalg.linear_operator_composition import sum_of


class LinearOperatorBlockDiag(linear_operator.LinearOperator):
    """Square operators, each for its own part of a vector."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name=None):
        self._operators = operators = checked_operators(operators)
        is_non_singular = implied_hint(
            operators, is_non_singular, 'is_non_singular',
            'The direct sum of non-singular operators is always non-singular.')
        is_self_adjoint = implied_hint(
            operators, is_self_adjoint, 'is_self_adjoint',
            'The direct sum of self-adjoint operators is always self-adjoint.')
        is_positive_definite = implied_hint(
            operators, is_positive_definite, 'is_positive_definite',
            'The direct sum of positive definite operators is always positive definite.')
        if not (is_square and all(o.is_square is not False for o in operators)):
            raise ValueError('Can only represent a block diagonal of square matrices.')
        if name is None:
            name = '_ds_'.join(o.name for o in operators)
        with ops.name_scope(name, values=graph_parents_of(operators)):
            super(LinearOperatorBlockDiag, self).__init__(
                dtype=operators[0].dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=True, name=name)
        self._graph_parents = graph_parents_of(operators)

    operators = property(lambda self: self._operators)

    def _shape(self):
        domain = sum([o.domain_dimension for o in self.operators], tensor_shape.Dimension(0))
        rows = sum([o.range_dimension for o in self.operators], tensor_shape.Dimension(0))
        return broadcast_batch_shapes(self.operators).concatenate(
            tensor_shape.TensorShape([domain, rows]))

    def _shape_tensor(self):
        if self.shape.is_fully_defined():
            return ops.convert_to_tensor(self.shape.as_list(), name='shape')
        domain = sum(o.domain_dimension_tensor() for o in self.operators)
        rows = sum(o.range_dimension_tensor() for o in self.operators)
        matrix = array_ops.stack([domain, rows])
        return array_ops.concat((broadcast_batch_shape_tensors(self.operators), matrix), 0)

    def _parts(self, x, adjoint_arg, sizes, tensors):
        """x cut at the operators' sizes."""
        axis = -1 if adjoint_arg else -2
        known = [linear_operator_util.known_int(s) for s in sizes]
        return array_ops.split(x, known if None not in known else array_ops.stack(tensors),
                               axis=axis, num=len(self.operators))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        parts = self._parts(x, adjoint_arg, [o.domain_dimension for o in self.operators],
                            [o.domain_dimension_tensor() for o in self.operators])
        results = [o.matmul(p, adjoint=adjoint, adjoint_arg=adjoint_arg)
                   for o, p in zip(self.operators, parts)]
        return array_ops.concat(linear_operator_util.broadcast_matrix_batch_dims(results), axis=-2)

    def _determinant(self):
        return product_of([o.determinant() for o in self.operators])

    def _log_abs_determinant(self):
        return sum_of([o.log_abs_determinant() for o in self.operators])

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        parts = self._parts(rhs, adjoint_arg, [o.domain_dimension for o in self.operators],
                            [o.domain_dimension_tensor() for o in self.operators])
        results = [o.solve(p, adjoint=adjoint, adjoint_arg=adjoint_arg)
                   for o, p in zip(self.operators, parts)]
        return array_ops.concat(linear_operator_util.broadcast_matrix_batch_dims(results), axis=-2)

    def _diag_part(self):
        rows = [array_ops.expand_dims(o.diag_part(), axis=-1) for o in self.operators]
        joined = array_ops.concat(linear_operator_util.broadcast_matrix_batch_dims(rows), axis=-2)
        return array_ops.squeeze(joined, axis=-1)

    def _trace(self):
        return sum_of([o.trace() for o in self.operators])

    def _to_dense(self):
        """The blocks between columns of zeros."""
        rows, before = [], 0
        total = self.domain_dimension_tensor()
        blocks = self._wide_blocks()
        for operator, block in zip(self.operators, blocks):
            size = operator.domain_dimension_tensor()
            shape = array_ops.shape(block)
            left = array_ops.zeros(array_ops.concat([shape[:-1], [before]], axis=0), block.dtype)
            right = array_ops.zeros(array_ops.concat([shape[:-1], [total - before - size]],
                                                     axis=0), block.dtype)
            rows.append(array_ops.concat([left, block, right], axis=-1))
            before += size
        dense = array_ops.concat(rows, axis=-2)
        dense.set_shape(self.shape)
        return dense

    def _wide_blocks(self):
        """The blocks, each with all the batch dimensions."""
        batch = self.batch_shape_tensor()
        return [array_ops.broadcast_to(o.to_dense(), array_ops.concat(
            [batch, array_ops.stack([o.range_dimension_tensor(), o.domain_dimension_tensor()])],
            axis=0)) for o in self.operators]


def _each(function, op):
    return LinearOperatorBlockDiag(
        operators=[function(o) for o in op.operators], is_non_singular=op.is_non_singular,
        is_self_adjoint=op.is_self_adjoint, is_positive_definite=op.is_positive_definite,
        is_square=True)


@linear_operator_algebra.RegisterAdjoint(LinearOperatorBlockDiag)
def _adjoint(op):
    return _each(lambda o: o.adjoint(), op)


@linear_operator_algebra.RegisterInverse(LinearOperatorBlockDiag)
def _inverse(op):
    return _each(lambda o: o.inverse(), op)


@linear_operator_algebra.RegisterCholesky(LinearOperatorBlockDiag)
def _cholesky(op):
    return LinearOperatorBlockDiag(operators=[o.cholesky() for o in op.operators],
                                   is_non_singular=True, is_self_adjoint=None, is_square=True)
