# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorKronecker: the Kronecker product of operators."""
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg.linear_operator_composition import broadcast_batch_shape_tensors
from leat.python.ops.linalg.linear_operator_composition import broadcast_batch_shapes
from leat.python.ops.linalg.linear_operator_composition import checked_operators
from leat.python.ops.linalg.linear_operator_composition import graph_parents_of
from leat.python.ops.linalg.linear_operator_composition import implied_hint
from leat.python.ops.linalg.linear_operator_composition import product_of


class LinearOperatorKronecker(linear_operator.LinearOperator):
    """op1 x op2 x ... : applied one factor at a time, never held."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        self._operators = operators = checked_operators(operators)
        text = 'The Kronecker product of %s operators is always %s.'
        is_square = implied_hint(operators, is_square, 'is_square', text % ('square', 'square'))
        is_non_singular = implied_hint(operators, is_non_singular, 'is_non_singular',
                                       text % ('non-singular', 'non-singular'))
        is_self_adjoint = implied_hint(operators, is_self_adjoint, 'is_self_adjoint',
                                       text % ('self-adjoint', 'self-adjoint'))
        is_positive_definite = implied_hint(operators, is_positive_definite,
                                            'is_positive_definite',
                                            text % ('positive-definite', 'positive-definite'))
        if name is None:
            name = '_x_'.join(o.name for o in operators)
        with ops.name_scope(name, values=graph_parents_of(operators)):
            super(LinearOperatorKronecker, self).__init__(
                dtype=operators[0].dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=is_square, name=name)
        self._graph_parents = graph_parents_of(operators)

    operators = property(lambda self: self._operators)

    def _shape(self):
        domain = product_of([o.domain_dimension for o in self.operators])
        rows = product_of([o.range_dimension for o in self.operators])
        return broadcast_batch_shapes(self.operators).concatenate(
            tensor_shape.TensorShape([rows, domain]))

    def _shape_tensor(self):
        matrix = array_ops.stack([
            product_of([o.range_dimension_tensor() for o in self.operators]),
            product_of([o.domain_dimension_tensor() for o in self.operators])])
        return array_ops.concat((broadcast_batch_shape_tensors(self.operators), matrix), 0)

    def _factor_by_factor(self, x, adjoint_arg, apply, out_size, in_size):
        """apply(operator, columns) for each factor, with the factor's dimension brought to the
        front: x is [batch, n1 n2 ... , k]."""
        x = linalg.adjoint(x) if adjoint_arg else x
        batch = array_ops.broadcast_dynamic_shape(array_ops.shape(x)[:-2],
                                                  self.batch_shape_tensor())
        columns = array_ops.shape(x)[-1]
        output = array_ops.broadcast_to(x, array_ops.concat(
            [batch, array_ops.shape(x)[-2:]], axis=0)) if not self._same_batch(x) else x
        # After a factor its rows come last, so that after all of them the order is the first one.
        for operator in self.operators:
            shaped = array_ops.reshape(output, array_ops.concat(
                [batch, [in_size(operator), -1]], axis=0))
            shaped = apply(operator, shaped)
            rows = out_size(operator)
            # [batch, rows, rest, k] -> [batch, rest, rows, k]
            split = array_ops.reshape(shaped, array_ops.concat([batch, [rows, -1, columns]],
                                                               axis=0))
            rank = array_ops.size(batch)
            perm = array_ops.concat([math_ops.range(rank), [rank + 1, rank, rank + 2]], axis=0)
            moved = array_ops.transpose(split, perm)
            output = array_ops.reshape(moved, array_ops.concat([batch, [-1, columns]], axis=0))
        return output

    def _same_batch(self, x):
        return x.shape.ndims == 2 and all(o.batch_shape.ndims == 0 for o in self.operators)

    def _set_result_shape(self, result, x, adjoint, adjoint_arg, solved):
        if x.shape.ndims is None or self.shape.ndims is None:
            return result
        rows = self.domain_dimension if adjoint != solved else self.range_dimension
        columns = x.shape.dims[-2 if adjoint_arg else -1]
        from leat.python.framework import common_shapes
        batch = common_shapes.broadcast_shape(x.shape[:-2], self.batch_shape)
        result.set_shape(batch.concatenate([rows, columns]))
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        result = self._factor_by_factor(
            x, adjoint_arg, lambda o, v: o.matmul(v, adjoint=adjoint),
            lambda o: o.domain_dimension_tensor() if adjoint else o.range_dimension_tensor(),
            lambda o: o.range_dimension_tensor() if adjoint else o.domain_dimension_tensor())
        return self._set_result_shape(result, x, adjoint, adjoint_arg, False)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        result = self._factor_by_factor(
            rhs, adjoint_arg, lambda o, v: o.solve(v, adjoint=adjoint),
            lambda o: o.range_dimension_tensor() if adjoint else o.domain_dimension_tensor(),
            lambda o: o.domain_dimension_tensor() if adjoint else o.range_dimension_tensor())
        return self._set_result_shape(result, rhs, adjoint, adjoint_arg, True)

    def _determinant(self):
        total = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        result = 1.
        for o in self.operators:
            power = total / math_ops.cast(o.domain_dimension_tensor(), self.dtype)
            result = result * o.determinant() ** power
        return result

    def _log_abs_determinant(self):
        total = self.domain_dimension_tensor()
        result = 0.
        for o in self.operators:
            power = math_ops.cast(total // o.domain_dimension_tensor(), self.dtype)
            result = result + o.log_abs_determinant() * power
        return result

    def _trace(self):
        return product_of([o.trace() for o in self.operators])

    def _diag_part(self):
        diag = self.operators[0].diag_part()
        for o in self.operators[1:]:
            diag = diag[..., :, array_ops.newaxis] * o.diag_part()[..., array_ops.newaxis, :]
            shape = array_ops.shape(diag)
            diag = array_ops.reshape(diag, array_ops.concat(
                [shape[:-2], [shape[-2] * shape[-1]]], axis=0))
        if self.shape.ndims is not None:
            diag.set_shape(self.batch_shape.concatenate([self.range_dimension]))
        return diag

    def _to_dense(self):
        dense = self.operators[0].to_dense()
        for o in self.operators[1:]:
            right = o.to_dense()
            both = dense[..., :, array_ops.newaxis, :, array_ops.newaxis] * \
                right[..., array_ops.newaxis, :, array_ops.newaxis, :]
            shape = array_ops.shape(both)
            dense = array_ops.reshape(both, array_ops.concat(
                [shape[:-4], [shape[-4] * shape[-3], shape[-2] * shape[-1]]], axis=0))
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self):
        if all(o.is_square for o in self.operators):
            from leat.python.ops import control_flow_ops
            return control_flow_ops.group([o.assert_non_singular() for o in self.operators])
        raise _not_asserted('Non-Singular')

    def _assert_self_adjoint(self):
        if all(o.is_square for o in self.operators):
            from leat.python.ops import control_flow_ops
            return control_flow_ops.group([o.assert_self_adjoint() for o in self.operators])
        raise _not_asserted('Self-Adjoint')


def _not_asserted(what):
    from leat.python.framework import errors
    return errors.InvalidArgumentError(
        node_def=None, op=None,
        message='All Kronecker factors must be square for the product to be %s.' % what)


def _each(function, op):
    return LinearOperatorKronecker(
        operators=[function(o) for o in op.operators], is_non_singular=op.is_non_singular,
        is_self_adjoint=op.is_self_adjoint, is_positive_definite=op.is_positive_definite,
        is_square=op.is_square)


@linear_operator_algebra.RegisterAdjoint(LinearOperatorKronecker)
def _adjoint(op):
    return _each(lambda o: o.adjoint(), op)


@linear_operator_algebra.RegisterInverse(LinearOperatorKronecker)
def _inverse(op):
    return _each(lambda o: o.inverse(), op)


@linear_operator_algebra.RegisterCholesky(LinearOperatorKronecker)
def _cholesky(op):
    return LinearOperatorKronecker(operators=[o.cholesky() for o in op.operators],
                                   is_non_singular=True, is_self_adjoint=None, is_square=True)
