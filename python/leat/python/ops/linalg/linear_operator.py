# SPDX-License-Identifier: Apache-2.0
"""The base class of linear operators: matrices, or batches of them, by what they are made of.

A subclass writes _shape, _shape_tensor and _matmul; the rest is done by the dense matrix where the
subclass knows no better way."""
import contextlib

import numpy as np

from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops

__all__ = ['LinearOperator']


class LinearOperator(object):
    """A linear map of vectors, with hints of what kind it is (None for not known)."""

    def __init__(self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError('A positive definite matrix is always non-singular.')
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError('A non-singular matrix is always square.')
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError('A self-adjoint matrix is always square.')
            is_square = True
        self._is_square_set_or_implied_by_hints = is_square
        graph_parents = [] if graph_parents is None else graph_parents
        for i, t in enumerate(graph_parents):
            if t is None or not tensor_util.is_tensor(t):
                raise ValueError('Graph parent item %d is not a Tensor; %s.' % (i, t))
        self._dtype = dtype
        self._graph_parents = graph_parents
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name=None):
        with ops.name_scope(self.name):
            with ops.name_scope(name) as scope:
                yield scope

    @property
    def dtype(self):
        return self._dtype

    @property
    def name(self):
        return self._name

    @property
    def graph_parents(self):
        return self._graph_parents

    @property
    def is_non_singular(self):
        return self._is_non_singular

    @property
    def is_self_adjoint(self):
        return self._is_self_adjoint

    @property
    def is_positive_definite(self):
        return self._is_positive_definite

    @property
    def is_square(self):
        sizes = [tensor_shape.dimension_value(d) for d in (self.domain_dimension,
                                                           self.range_dimension)]
        known = None if None in sizes else sizes[0] == sizes[1]
        if known is not None and self._is_square_set_or_implied_by_hints not in (None, known):
            raise ValueError('User provided hint is_square %s while the operator has shape %s'
                             % (self._is_square_set_or_implied_by_hints, self.shape))
        return self._is_square_set_or_implied_by_hints if known is None else known

    # ---- shapes ----

    def _shape(self):
        raise NotImplementedError('_shape is not implemented.')

    def _shape_tensor(self):
        raise NotImplementedError('_shape_tensor is not implemented.')

    @property
    def shape(self):
        return self._shape()

    @property
    def batch_shape(self):
        return self.shape[:-2]

    @property
    def tensor_rank(self):
        with self._name_scope('tensor_rank'):
            return self.shape.ndims

    @property
    def domain_dimension(self):
        if self.shape.ndims is None:
            return tensor_shape.Dimension(None)
        return self.shape.dims[-1]

    @property
    def range_dimension(self):
        if self.shape.dims is None:
            return tensor_shape.Dimension(None)
        return self.shape.dims[-2]

    def _shape_vector(self):
        """The shape as a tensor, constant where it is known."""
        if self.shape.is_fully_defined():
            return ops.convert_to_tensor(self.shape.as_list(), dtype='int32')
        return self._shape_tensor()

    def shape_tensor(self, name='shape_tensor'):
        with self._name_scope(name):
            return self._shape_vector()

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return ops.convert_to_tensor(self.batch_shape.as_list(), dtype='int32',
                                             name='batch_shape')
            return self._shape_vector()[:-2]

    def tensor_rank_tensor(self, name='tensor_rank_tensor'):
        with self._name_scope(name):
            if self.shape.ndims is not None:
                return ops.convert_to_tensor(self.shape.ndims)
            return array_ops.size(self._shape_vector())

    def domain_dimension_tensor(self, name='domain_dimension_tensor'):
        with self._name_scope(name):
            known = tensor_shape.dimension_value(self.domain_dimension)
            return self._shape_vector()[-1] if known is None else ops.convert_to_tensor(known)

    def range_dimension_tensor(self, name='range_dimension_tensor'):
        with self._name_scope(name):
            known = tensor_shape.dimension_value(self.range_dimension)
            return self._shape_vector()[-2] if known is None else ops.convert_to_tensor(known)

    # ---- assertions ----

    def _assert_non_singular(self):
        s = linalg_ops.svd(self.to_dense(), compute_uv=False)
        return check_ops.assert_less(
            math_ops.reduce_max(s, axis=-1) / math_ops.reduce_min(s, axis=-1),
            math_ops.cast(1. / np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps,
                          self.dtype.real_dtype),
            message='Singular matrix up to precision epsilon.')

    def assert_non_singular(self, name='assert_non_singular'):
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self):
        # Cholesky's factor is there of such matrices only.
        return linalg_ops.cholesky(self.to_dense()).op

    def assert_positive_definite(self, name='assert_positive_definite'):
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        return check_ops.assert_equal(dense, _adjoint(dense),
                                      message='Matrix was not equal to its adjoint.')

    def assert_self_adjoint(self, name='assert_self_adjoint'):
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg):
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError('Expected argument to have dtype %s. Found: %s in tensor %s' % (
                self.dtype, arg.dtype, arg))

    def _must_be_square(self, what):
        if self.is_square is False:
            raise NotImplementedError('%s not implemented for an operator that is expected to not '
                                      'be square.' % what)

    # ---- products ----

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError('_matmul is not implemented.')

    def matmul(self, x, adjoint=False, adjoint_arg=False, name='matmul'):
        """The product with matrices, or with another operator."""
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
            with self._name_scope(name):
                from leat.python.ops.linalg import linear_operator_algebra
                return linear_operator_algebra.matmul(left, right)
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            self_dim, arg_dim = -2 if adjoint else -1, -1 if adjoint_arg else -2
            if self.shape.ndims is not None and x.shape.ndims is not None:
                self.shape.dims[self_dim].assert_is_compatible_with(x.get_shape().dims[arg_dim])
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other):
        return self.matmul(other)

    def _matvec(self, x, adjoint=False):
        return array_ops.squeeze(self.matmul(array_ops.expand_dims(x, axis=-1), adjoint=adjoint),
                                 axis=-1)

    def matvec(self, x, adjoint=False, name='matvec'):
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            self_dim = -2 if adjoint else -1
            if self.shape.ndims is not None and x.shape.ndims is not None:
                self.shape.dims[self_dim].assert_is_compatible_with(x.get_shape().dims[-1])
            return self._matvec(x, adjoint=adjoint)

    # ---- determinants and solutions ----

    def _determinant(self):
        return linalg_ops.matrix_determinant(self.to_dense())

    def determinant(self, name='det'):
        self._must_be_square('Determinant')
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        return math_ops.log(math_ops.abs(self._determinant()))

    def log_abs_determinant(self, name='log_abs_det'):
        self._must_be_square('Determinant')
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = _adjoint(rhs) if adjoint_arg else rhs
        dense = self.to_dense()
        dense, rhs = broadcast_batches(dense, rhs)
        if self._can_use_cholesky():
            return linalg_ops.cholesky_solve(linalg_ops.cholesky(dense), rhs)
        return linalg_ops.matrix_solve(dense, rhs, adjoint=adjoint)

    def _check_solvable(self):
        for hint, what in ((self.is_non_singular, 'be singular'), (self.is_square,
                                                                   'not be square')):
            if hint is False:
                raise NotImplementedError('Exact solve not implemented for an operator that is '
                                          'expected to %s.' % what)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name='solve'):
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return left.inverse().matmul(rhs.adjoint() if adjoint_arg else rhs)
        with self._name_scope(name):
            rhs = ops.convert_to_tensor(rhs, name='rhs')
            self._check_input_dtype(rhs)
            self_dim, arg_dim = -1 if adjoint else -2, -1 if adjoint_arg else -2
            if self.shape.ndims is not None and rhs.shape.ndims is not None:
                self.shape.dims[self_dim].assert_is_compatible_with(rhs.get_shape().dims[arg_dim])
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return array_ops.squeeze(self.solve(array_ops.expand_dims(rhs, axis=-1),
                                            adjoint=adjoint), axis=-1)

    def solvevec(self, rhs, adjoint=False, name='solve'):
        self._check_solvable()
        with self._name_scope(name):
            rhs = ops.convert_to_tensor(rhs, name='rhs')
            self._check_input_dtype(rhs)
            return self._solvevec(rhs, adjoint=adjoint)

    # ---- other operators ----

    def adjoint(self, name='adjoint'):
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            from leat.python.ops.linalg import linear_operator_algebra
            return linear_operator_algebra.adjoint(self)

    H = property(adjoint, None)

    def inverse(self, name='inverse'):
        if self.is_square is False:
            raise ValueError('Cannot take the Inverse: This operator represents a non square '
                             'matrix.')
        if self.is_non_singular is False:
            raise ValueError('Cannot take the Inverse: This operator represents a singular matrix.')
        with self._name_scope(name):
            from leat.python.ops.linalg import linear_operator_algebra
            return linear_operator_algebra.inverse(self)

    def cholesky(self, name='cholesky'):
        if not self._can_use_cholesky():
            raise ValueError('Cannot take the Cholesky decomposition: Not a positive definite self '
                             'adjoint matrix.')
        with self._name_scope(name):
            from leat.python.ops.linalg import linear_operator_algebra
            return linear_operator_algebra.cholesky(self)

    # ---- matrices ----

    def _to_dense(self):
        if self.batch_shape.is_fully_defined():
            batch = self.batch_shape.as_list()
        else:
            batch = self.batch_shape_tensor()
        n = tensor_shape.dimension_value(self.domain_dimension)
        eye = linalg_ops.eye(num_rows=self.domain_dimension_tensor() if n is None else n,
                             batch_shape=batch, dtype=self.dtype)
        return self.matmul(eye)

    def to_dense(self, name='to_dense'):
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self):
        return array_ops.matrix_diag_part(self.to_dense())

    def diag_part(self, name='diag_part'):
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self):
        return math_ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name='trace'):
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def add_to_tensor(self, x, name='add_to_tensor'):
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    def _can_use_cholesky(self):
        return bool(self.is_self_adjoint and self.is_positive_definite)


def _adjoint(x):
    """The transposed matrices, conjugated where they are complex."""
    return array_ops.matrix_transpose(x, conjugate=x.dtype.is_complex)


def broadcast_batches(a, b):
    """Both with the same dims before those of the matrices."""
    if a.shape[:-2].is_fully_defined() and a.shape[:-2] == b.shape[:-2]:
        return a, b
    shape = array_ops.broadcast_dynamic_shape(array_ops.shape(a)[:-2], array_ops.shape(b)[:-2])

    def spread(x):
        known = array_ops.broadcast_static_shape(a.shape[:-2], b.shape[:-2])
        result = array_ops.broadcast_to(x, array_ops.concat([shape, array_ops.shape(x)[-2:]], 0))
        result.set_shape(known.concatenate(x.shape[-2:]))
        return result
    return spread(a), spread(b)
