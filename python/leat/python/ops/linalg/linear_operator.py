# SPDX-License-Identifier: Apache-2.0
"""LinearOperator: a matrix, or a batch of them, by what can be done with it.

A class tells its shape and its product with a matrix (_shape, _shape_tensor, _matmul); what else it
does not say is computed from a dense matrix. Hints (is_non_singular and so on) tell what is known:
True, False, or None.
"""
import abc
import contextlib

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.module import module
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator_algebra
from leat.python.ops.linalg import linear_operator_util
from leat.python.platform import tf_logging as logging


class LinearOperator(module.Module, metaclass=abc.ABCMeta):
    """Base of all linear operators."""

    def __init__(self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):
        super(LinearOperator, self).__init__(name=None)
        graph_parents = [] if graph_parents is None else graph_parents
        for i, parent in enumerate(graph_parents):
            if parent is None or not tensor_util.is_tensor(parent):
                raise ValueError('Graph parent item %d is not a Tensor; %s.' % (i, parent))
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
        self._dtype = dtypes.as_dtype(dtype).base_dtype if dtype else dtype
        self._graph_parents = graph_parents
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name=None):
        full = self.name
        if name is not None:
            full += '/' + name
        with ops.name_scope(full) as scope:
            yield scope

    # --- what it is ---

    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)
    graph_parents = property(lambda self: self._graph_parents)
    is_non_singular = property(lambda self: self._is_non_singular)
    is_self_adjoint = property(lambda self: self._is_self_adjoint)
    is_positive_definite = property(lambda self: self._is_positive_definite)

    @property
    def is_square(self):
        """Whether it is square, by hint or by shape."""
        dims = self.domain_dimension, self.range_dimension
        if None in (dims[0].value, dims[1].value):
            return self._is_square_set_or_implied_by_hints
        square = dims[0] == dims[1]
        if self._is_square_set_or_implied_by_hints is not None and \
                self._is_square_set_or_implied_by_hints != square:
            raise ValueError('self.is_square_set_or_implied_by_hints is %s, but the shape says %s'
                             % (self._is_square_set_or_implied_by_hints, square))
        return square

    @abc.abstractmethod
    def _shape(self):
        """The static shape."""

    @property
    def shape(self):
        return self._shape()

    @abc.abstractmethod
    def _shape_tensor(self):
        """The shape as a tensor."""

    def shape_tensor(self, name='shape_tensor'):
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return linear_operator_util.shape_tensor(self.shape.as_list())
            return self._shape_tensor()

    @property
    def batch_shape(self):
        return self.shape[:-2]

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return linear_operator_util.shape_tensor(self.batch_shape.as_list(),
                                                         name='batch_shape')
            return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self):
        with self._name_scope('tensor_rank'):
            return self.shape.ndims

    def tensor_rank_tensor(self, name='tensor_rank_tensor'):
        with self._name_scope(name):
            if self.tensor_rank is not None:
                return ops.convert_to_tensor(self.tensor_rank)
            return array_ops.size(self.shape_tensor())

    @property
    def domain_dimension(self):
        """The number of columns."""
        return tensor_shape.Dimension(None) if self.shape.ndims is None else self.shape.dims[-1]

    def domain_dimension_tensor(self, name='domain_dimension_tensor'):
        with self._name_scope(name):
            if self.domain_dimension.value is not None:
                return ops.convert_to_tensor(self.domain_dimension.value)
            return self.shape_tensor()[-1]

    @property
    def range_dimension(self):
        """The number of rows."""
        return tensor_shape.Dimension(None) if not self.shape.ndims else self.shape.dims[-2]

    def range_dimension_tensor(self, name='range_dimension_tensor'):
        with self._name_scope(name):
            if self.range_dimension.value is not None:
                return ops.convert_to_tensor(self.range_dimension.value)
            return self.shape_tensor()[-2]

    # --- checks ---

    def _assert_non_singular(self):
        """By the smallest singular value over the largest."""
        if self._is_self_adjoint:
            values = linalg_ops.self_adjoint_eigvals(self.to_dense())
            values = math_ops.abs(values)
            ratio = math_ops.reduce_max(values, axis=-1) / math_ops.reduce_min(values, axis=-1)
        else:
            values = linalg_ops.svd(self.to_dense(), compute_uv=False)
            ratio = math_ops.reduce_max(values, axis=-1) / math_ops.reduce_min(values, axis=-1)
        limit = 1 / self._max_condition_number_epsilon()
        return check_ops.assert_less(ratio, ops.convert_to_tensor(limit, dtype=ratio.dtype),
                                     message='Singular matrix up to precision epsilon.')

    def _max_condition_number_epsilon(self):
        return np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps * 10

    def assert_non_singular(self, name='assert_non_singular'):
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self):
        logging.warn('Using (possibly slow) default implementation of assert_positive_definite.  '
                     'Requires conversion to a dense matrix and O(N^3) operations.')
        if self.is_self_adjoint:
            return linalg_ops.cholesky(self.to_dense())
        raise NotImplementedError('assert_positive_definite is not implemented.')

    def assert_positive_definite(self, name='assert_positive_definite'):
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        return check_ops.assert_equal(dense, linalg.adjoint(dense),
                                      message='Matrix was not equal to its adjoint.')

    def assert_self_adjoint(self, name='assert_self_adjoint'):
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg):
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError('Expected argument to have dtype %s.  Found: %s in tensor %s'
                            % (self.dtype, arg.dtype, arg))

    # --- products ---

    @abc.abstractmethod
    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        """The product with a matrix."""

    def matmul(self, x, adjoint=False, adjoint_arg=False, name='matmul'):
        """The product with a matrix, or with an operator."""
        if isinstance(x, LinearOperator):
            left, right = _adjoints(self, x, adjoint, adjoint_arg)
            _check_inner(left, right)
            with self._name_scope(name):
                return linear_operator_algebra.matmul(left, right)
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            own = -2 if adjoint else -1
            arg = -1 if adjoint_arg else -2
            if self.shape.ndims is not None:
                self.shape.dims[own].assert_is_compatible_with(x.shape[arg])
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return array_ops.squeeze(self.matmul(array_ops.expand_dims(x, axis=-1), adjoint=adjoint),
                                 axis=-1)

    def matvec(self, x, adjoint=False, name='matvec'):
        """The product with a vector."""
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            if self.shape.ndims is not None:
                self.shape.dims[-2 if adjoint else -1].assert_is_compatible_with(x.shape[-1])
            return self._matvec(x, adjoint=adjoint)

    # --- determinants ---

    def _determinant(self):
        if self._can_use_cholesky():
            return math_ops.exp(self.log_abs_determinant())
        return linalg_ops.matrix_determinant(self.to_dense())

    def _must_be_square(self, what):
        if self.is_square is False:
            raise NotImplementedError('%s not implemented for an operator that is expected to not '
                                      'be square.' % what)

    def determinant(self, name='det'):
        self._must_be_square('Determinant')
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        if self._can_use_cholesky():
            diag = array_ops.matrix_diag_part(linalg_ops.cholesky(self.to_dense()))
            return 2 * math_ops.reduce_sum(math_ops.log(diag), axis=[-1])
        _, log_abs_det = linalg.slogdet(self.to_dense())
        return log_abs_det

    def log_abs_determinant(self, name='log_abs_det'):
        self._must_be_square('Determinant')
        with self._name_scope(name):
            return self._log_abs_determinant()

    # --- solutions ---

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        """By a decomposition of the dense matrix."""
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return linear_operator_util.cholesky_solve_with_broadcast(
                linalg_ops.cholesky(self.to_dense()), rhs)
        return linear_operator_util.matrix_solve_with_broadcast(self.to_dense(), rhs,
                                                                adjoint=adjoint)

    def _must_be_solvable(self):
        if self.is_non_singular is False:
            raise NotImplementedError('Exact solve not implemented for an operator that is '
                                      'expected to be singular.')
        self._must_be_square('Exact solve')

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name='solve'):
        """X with A X = rhs, of a matrix or an operator."""
        self._must_be_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = _adjoints(self, rhs, adjoint, adjoint_arg)
            _check_inner(left, right)
            with self._name_scope(name):
                return linear_operator_algebra.solve(left, right)
        with self._name_scope(name):
            rhs = ops.convert_to_tensor(rhs, name='rhs')
            self._check_input_dtype(rhs)
            own = -1 if adjoint else -2
            arg = -1 if adjoint_arg else -2
            if self.shape.ndims is not None:
                self.shape.dims[own].assert_is_compatible_with(rhs.shape[arg])
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return array_ops.squeeze(self.solve(array_ops.expand_dims(rhs, axis=-1), adjoint=adjoint),
                                 axis=-1)

    def solvevec(self, rhs, adjoint=False, name='solve'):
        """x with A x = rhs, of a vector."""
        with self._name_scope(name):
            rhs = ops.convert_to_tensor(rhs, name='rhs')
            self._check_input_dtype(rhs)
            if self.shape.ndims is not None:
                self.shape.dims[-1 if adjoint else -2].assert_is_compatible_with(rhs.shape[-1])
            return self._solvevec(rhs, adjoint=adjoint)

    # --- others made of it ---

    def adjoint(self, name='adjoint'):
        """The operator that is this one's adjoint."""
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return linear_operator_algebra.adjoint(self)

    H = property(adjoint, None)

    def inverse(self, name='inverse'):
        """The operator that is this one's inverse."""
        if self.is_square is False:
            raise ValueError('Cannot take the Inverse: This operator represents a non square '
                             'matrix.')
        if self.is_non_singular is False:
            raise ValueError('Cannot take the Inverse: This operator represents a singular matrix.')
        with self._name_scope(name):
            return linear_operator_algebra.inverse(self)

    def cholesky(self, name='cholesky'):
        """The lower triangular operator L with A = L L^H."""
        if not self._can_use_cholesky():
            raise ValueError('Cannot take the Cholesky decomposition: Not a positive definite self '
                             'adjoint matrix.')
        with self._name_scope(name):
            return linear_operator_algebra.cholesky(self)

    def _to_dense(self):
        """By the product with the identity."""
        n = self.domain_dimension_tensor()
        if self.batch_shape.is_fully_defined():
            batch = self.batch_shape
        else:
            batch = self.batch_shape_tensor()
        return self.matmul(linalg_ops.eye(num_rows=n, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name='to_dense'):
        """The matrix."""
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self):
        return array_ops.matrix_diag_part(self.to_dense())

    def diag_part(self, name='diag_part'):
        """The diagonal."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self):
        return math_ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name='trace'):
        """The sum of the diagonal."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def add_to_tensor(self, x, name='add_to_tensor'):
        """The sum with a matrix."""
        with self._name_scope(name):
            x = ops.convert_to_tensor(x, name='x')
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    def _can_use_cholesky(self):
        return self.is_self_adjoint and self.is_positive_definite


def _adjoints(left, right, adjoint, adjoint_arg):
    return (left.adjoint() if adjoint else left, right.adjoint() if adjoint_arg else right)


def _check_inner(left, right):
    if right.range_dimension.value is not None and left.domain_dimension.value is not None and \
            right.range_dimension != left.domain_dimension:
        raise ValueError('Operators are incompatible. Expected `x` to have dimension %s but got %s.'
                         % (left.domain_dimension, right.range_dimension))


@linear_operator_algebra.RegisterAdjoint(LinearOperator)
def _adjoint(operator):
    from leat.python.ops.linalg import linear_operator_adjoint
    return linear_operator_adjoint.LinearOperatorAdjoint(operator)


@linear_operator_algebra.RegisterInverse(LinearOperator)
def _inverse(operator):
    from leat.python.ops.linalg import linear_operator_inversion
    return linear_operator_inversion.LinearOperatorInversion(operator)


@linear_operator_algebra.RegisterCholesky(LinearOperator)
def _cholesky(operator):
    from leat.python.ops.linalg import linear_operator_lower_triangular
    return linear_operator_lower_triangular.LinearOperatorLowerTriangular(
        linalg_ops.cholesky(operator.to_dense()), is_non_singular=True, is_self_adjoint=False,
        is_square=True)


@linear_operator_algebra.RegisterMatmul(LinearOperator, LinearOperator)
def _matmul(left, right):
    from leat.python.ops.linalg import linear_operator_composition
    from leat.python.ops.linalg import registrations_util as hints
    is_square = hints.is_square(left, right)
    non_singular, self_adjoint, positive = None, None, None
    if is_square:
        non_singular = hints.combined_non_singular_hint(left, right)
    elif is_square is False:
        non_singular = self_adjoint = positive = False
    return linear_operator_composition.LinearOperatorComposition(
        operators=[left, right], is_non_singular=non_singular, is_self_adjoint=self_adjoint,
        is_positive_definite=positive, is_square=is_square)


@linear_operator_algebra.RegisterSolve(LinearOperator, LinearOperator)
def _solve(left, right):
    from leat.python.ops.linalg import linear_operator_composition
    from leat.python.ops.linalg import registrations_util as hints
    is_square = hints.is_square(left, right)
    non_singular, self_adjoint, positive = None, None, None
    if is_square:
        non_singular = hints.combined_non_singular_hint(left, right)
    elif is_square is False:
        non_singular = self_adjoint = positive = False
    return linear_operator_composition.LinearOperatorComposition(
        operators=[left.inverse(), right], is_non_singular=non_singular,
        is_self_adjoint=self_adjoint, is_positive_definite=positive, is_square=is_square)
