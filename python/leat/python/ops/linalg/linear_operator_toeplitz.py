# SPDX-License-Identifier: Apache-2.0
"""LinearOperatorToeplitz: constant along each diagonal."""
from leat.python.framework import common_shapes
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_circulant
from leat.python.ops.linalg import linear_operator_util
from leat.python.ops.signal import fft_ops


class LinearOperatorToeplitz(linear_operator.LinearOperator):
    """By its first column and first row; products go through a circulant of twice the size."""

    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorToeplitz'):
        with ops.name_scope(name, values=[row, col]):
            self._row = linear_operator_util.convert_nonref_to_tensor(row, name='row')
            self._col = linear_operator_util.convert_nonref_to_tensor(col, name='col')
            for x, what in ((self._row, 'row'), (self._col, 'col')):
                if x.shape.ndims is not None and x.shape.ndims < 1:
                    raise ValueError('Argument %s must have at least 1 dimension.  Found: %s'
                                     % (what, x))
            if is_square is False:
                raise ValueError('Only square Toeplitz operators currently supported.')
            super(LinearOperatorToeplitz, self).__init__(
                dtype=self._row.dtype, graph_parents=None, is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                is_square=True, name=name)
            self._graph_parents = [self._row, self._col]

    row = property(lambda self: self._row)
    col = property(lambda self: self._col)

    def _shape(self):
        shape = common_shapes.broadcast_shape(self._row.shape[:-1], self._col.shape[:-1])
        rows, columns = self._row.shape[-1:], self._col.shape[-1:]
        if not rows.is_compatible_with(columns):
            raise ValueError('Expected square matrix, got row and col with mismatched dimensions.')
        return shape.concatenate(columns).concatenate(rows)

    def _shape_tensor(self):
        shape = array_ops.broadcast_dynamic_shape(array_ops.shape(self._row),
                                                  array_ops.shape(self._col))
        return array_ops.concat((shape, shape[-1:]), axis=0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        wide = array_ops.concat([x, array_ops.zeros_like(x)], axis=-2)
        zero = array_ops.zeros_like(self._broadcast(self._col)[..., :1])
        kernel = array_ops.concat([self._broadcast(self._col), zero, array_ops.reverse(
            self._broadcast(self._row)[..., 1:], axis=[-1])], axis=-1)
        circulant = linear_operator_circulant.LinearOperatorCirculant(
            fft_ops.fft(_to_complex(kernel)), input_output_dtype=self._row.dtype)
        result = circulant.matmul(wide, adjoint=adjoint, adjoint_arg=False)
        rows = self._shape_tensor()[-1] if self.domain_dimension.value is None else \
            self.domain_dimension.value
        return math_ops.cast(result[..., :rows, :], self._row.dtype)

    def _broadcast(self, vector):
        """row or col with the batch dimensions of both."""
        if self._row.shape == self._col.shape and self._row.shape.is_fully_defined():
            return vector
        return array_ops.broadcast_to(vector, array_ops.broadcast_dynamic_shape(
            array_ops.shape(self._row), array_ops.shape(self._col)))

    def _trace(self):
        return math_ops.cast(self.domain_dimension_tensor(), self.dtype) * self._col[..., 0]

    def _diag_part(self):
        first = self._col[..., :1]
        return array_ops.broadcast_to(first, self._shape_tensor()[:-1])

    def _to_dense(self):
        rows = self._broadcast(self._row)
        columns = self._broadcast(self._col)
        # Element (i, j) is number n - 1 + j - i of the column read upwards and then the row.
        line = array_ops.concat([array_ops.reverse(columns, axis=[-1]), rows[..., 1:]], axis=-1)
        n = array_ops.shape(rows)[-1]
        at = math_ops.range(n)
        index = n - 1 + at[array_ops.newaxis, :] - at[:, array_ops.newaxis]
        dense = array_ops.gather(line, index, axis=-1)
        dense.set_shape(self.shape)
        return dense


def _to_complex(x):
    dtype = dtypes.complex128 if x.dtype in (dtypes.float64, dtypes.complex128) \
        else dtypes.complex64
    return math_ops.cast(x, dtype)
