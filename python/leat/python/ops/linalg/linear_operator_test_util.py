# SPDX-License-Identifier: Apache-2.0
"""Tests that every LinearOperator passes: each method against the dense matrix.

A test case derives from SquareLinearOperatorDerivedClassTest or the non-square one, tells
operator_and_matrix(), and is given its tests by add_tests().
"""
import abc
import itertools

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.framework import test_util
from leat.python.ops import array_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops.linalg import linalg_impl as linalg
from leat.python.ops.linalg import linear_operator_util
from leat.python.platform import test


class OperatorShapesInfo(object):
    """The shape of an operator, and whatever else a test wants to say of it."""

    def __init__(self, shape, **kwargs):
        self.shape = shape
        self.__dict__.update(kwargs)


class CheckTapeSafeSkipOptions(object):
    """Methods that check_tape_safe() is not to look at."""

    DETERMINANT = 'determinant'
    DIAG_PART = 'diag_part'
    LOG_ABS_DETERMINANT = 'log_abs_determinant'
    TRACE = 'trace'


class LinearOperatorDerivedClassTest(test.TestCase, metaclass=abc.ABCMeta):
    """The options that tests are run with, and how near the results must be."""

    _atol = {dtypes.float16: 1e-3, dtypes.float32: 1e-6, dtypes.float64: 1e-12,
             dtypes.complex64: 1e-6, dtypes.complex128: 1e-12}
    _rtol = {dtypes.float16: 1e-3, dtypes.float32: 1e-6, dtypes.float64: 1e-12,
             dtypes.complex64: 1e-6, dtypes.complex128: 1e-12}

    def assertAC(self, x, y):
        """Near, as is fit for the type."""
        dtype = dtypes.as_dtype(x.dtype)
        self.assertAllClose(x, y, atol=self._atol[dtype], rtol=self._rtol[dtype])

    @staticmethod
    def adjoint_options():
        return [False, True]

    @staticmethod
    def adjoint_arg_options():
        return [False, True]

    @staticmethod
    def dtypes_to_test():
        return [dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]

    @staticmethod
    def use_placeholder_options():
        return [False, True]

    @staticmethod
    def operator_shapes_infos():
        """The shapes to test."""
        raise NotImplementedError('operator_shapes_infos has not been implemented.')

    @abc.abstractmethod
    def operator_and_matrix(self, shapes_info, dtype, use_placeholder,
                            ensure_self_adjoint_and_pd=False):
        """An operator and its dense matrix."""

    @abc.abstractmethod
    def make_rhs(self, operator, adjoint, with_batch=True):
        """What can be solved for."""

    @abc.abstractmethod
    def make_x(self, operator, adjoint, with_batch=True):
        """What can be multiplied."""

    @staticmethod
    def skip_these_tests():
        """The names of tests that are not to be run."""
        return []

    def assertRaisesError(self, msg):
        from leat.python.framework import errors
        return self.assertRaisesRegexp(errors.InvalidArgumentError, msg)

    def check_tape_safe(self, operator, skip_options=None):
        """Every result has a gradient with respect to the operator's variables."""
        skip_options = skip_options or []
        variables = operator.variables
        self.assertTrue(len(variables))

        def check(value):
            from leat.python.ops import gradients_impl
            for grad in gradients_impl.gradients(value, list(variables)):
                self.assertIsNotNone(grad)

        if operator.dtype.is_complex:
            return
        check(operator.to_dense())
        for name in ('determinant', 'log_abs_determinant', 'trace', 'diag_part'):
            wanted = name not in skip_options
            if wanted and (operator.is_square or name == 'diag_part'):
                check(getattr(operator, name)())
        x = random_ops.random_normal([operator.domain_dimension.value, 3], dtype=operator.dtype)
        check(operator.matmul(x))


def _test_to_dense(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
            dense = operator.to_dense()
            if not use_placeholder:
                self.assertAllEqual(shapes_info.shape, dense.shape)
            self.assertAC(*sess.run([dense, mat]))
    return run


def _value_test(method, of_dense, must_be_square=True):
    """A test of one method against a function of the dense matrix."""
    def make(use_placeholder, shapes_info, dtype):
        def run(self):
            with self.session(graph=ops.Graph()) as sess:
                sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
                operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
                found = getattr(operator, method)()
                if not use_placeholder and must_be_square:
                    self.assertAllEqual(of_dense(mat).shape, found.shape)
                self.assertAC(*sess.run([found, of_dense(mat)]))
        return run
    return make


def _log_abs_det(mat):
    _, value = linalg.slogdet(mat)
    return math_ops.cast(value, mat.dtype) if mat.dtype.is_complex else value


def _test_log_abs_det(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
            found = operator.log_abs_determinant()
            _, expected = linalg.slogdet(mat)
            if not use_placeholder:
                self.assertAllEqual(shapes_info.shape[:-2], found.shape)
            found, expected = sess.run([found, math_ops.cast(expected, found.dtype)])
            self.assertAC(found, expected)
    return run


def _test_add_to_tensor(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
            added = operator.add_to_tensor(2 * mat)
            if not use_placeholder:
                self.assertAllEqual(shapes_info.shape, added.shape)
            self.assertAC(*sess.run([added, 3 * mat]))
    return run


def _test_cholesky(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder,
                                                     ensure_self_adjoint_and_pd=True)
            found = operator.cholesky().to_dense()
            self.assertAC(*sess.run([found, linalg_ops.cholesky(mat)]))
    return run


def _test_inverse(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
            self.assertAC(*sess.run([operator.inverse().to_dense(), linalg.inv(mat)]))
    return run


def _test_adjoint(use_placeholder, shapes_info, dtype):
    def run(self):
        with self.session(graph=ops.Graph()) as sess:
            sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
            expected = linalg.adjoint(mat)
            self.assertAC(*sess.run([operator.adjoint().to_dense(), expected]))
            self.assertAC(*sess.run([operator.H.to_dense(), expected]))
    return run


def _test_product(solve, with_batch):
    """A test maker of matmul(), or of solve()."""
    def make(use_placeholder, shapes_info, dtype, adjoint, adjoint_arg):
        def run(self):
            with self.session(graph=ops.Graph()) as sess:
                sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
                operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
                make_arg = self.make_rhs if solve else self.make_x
                x = make_arg(operator, adjoint=adjoint, with_batch=with_batch)
                arg = linalg.adjoint(x) if adjoint_arg else x
                if solve:
                    found = operator.solve(arg, adjoint=adjoint, adjoint_arg=adjoint_arg)
                    expected = linear_operator_util.matrix_solve_with_broadcast(mat, x,
                                                                                adjoint=adjoint)
                else:
                    found = operator.matmul(arg, adjoint=adjoint, adjoint_arg=adjoint_arg)
                    expected = math_ops.matmul(mat, x, adjoint_a=adjoint)
                if not use_placeholder:
                    self.assertAllEqual(found.shape, expected.shape)
                self.assertAC(*sess.run([found, expected]))
        return run
    return make


def _test_vector(solve):
    def make(use_placeholder, shapes_info, dtype):
        def run(self):
            with self.session(graph=ops.Graph()) as sess:
                sess.graph.seed = random_seed.DEFAULT_GRAPH_SEED
                operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder)
                x = (self.make_rhs if solve else self.make_x)(operator, adjoint=False)[..., 0]
                column = array_ops.expand_dims(x, axis=-1)
                if solve:
                    found = operator.solvevec(x)
                    expected = linear_operator_util.matrix_solve_with_broadcast(mat, column)
                else:
                    found = operator.matvec(x)
                    expected = math_ops.matmul(mat, column)
                self.assertAC(*sess.run([found, array_ops.squeeze(expected, axis=-1)]))
        return run
    return make


_VALUE_TESTS = {
    'to_dense': _test_to_dense, 'det': _value_test('determinant', linalg_ops.matrix_determinant),
    'log_abs_det': _test_log_abs_det, 'trace': _value_test('trace', math_ops.trace),
    'diag_part': _value_test('diag_part', array_ops.matrix_diag_part),
    'add_to_tensor': _test_add_to_tensor, 'cholesky': _test_cholesky, 'inverse': _test_inverse,
    'adjoint': _test_adjoint, 'matvec': _test_vector(False), 'solvevec': _test_vector(True)}
_PRODUCT_TESTS = {
    'matmul': _test_product(False, True), 'matmul_with_broadcast': _test_product(False, False),
    'solve': _test_product(True, True), 'solve_with_broadcast': _test_product(True, False)}


def add_tests(test_cls):
    """Gives a test case its tests, one for each combination of its options."""
    skipped = list(test_cls.skip_these_tests())
    shapes = list(enumerate(test_cls.operator_shapes_infos()))
    for (name, make), placeholder, dtype, (i, info) in itertools.product(
            _VALUE_TESTS.items(), test_cls.use_placeholder_options(), test_cls.dtypes_to_test(),
            shapes):
        if name not in skipped:
            _add(test_cls, 'test_%s_%s_%s_%s' % (name, i, placeholder, dtype.name),
                 make(placeholder, info, dtype))
    for (name, make), placeholder, dtype, (i, info), adjoint, adjoint_arg in itertools.product(
            _PRODUCT_TESTS.items(), test_cls.use_placeholder_options(),
            test_cls.dtypes_to_test(), shapes, test_cls.adjoint_options(),
            test_cls.adjoint_arg_options()):
        if name in skipped or name.split('_')[0] in skipped:
            continue
        if name.endswith('with_broadcast') and len(info.shape) <= 2:
            continue
        _add(test_cls, 'test_%s_%s_%s_%s_%s_%s' % (name, i, placeholder, dtype.name, adjoint,
                                                    adjoint_arg),
             make(placeholder, info, dtype, adjoint, adjoint_arg))


def _add(test_cls, name, function):
    if hasattr(test_cls, name):
        raise RuntimeError('Test %s defined more than once' % name)
    setattr(test_cls, name, test_util.run_deprecated_v1(function))


class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """Tests of operators that are square."""

    @staticmethod
    def operator_shapes_infos():
        return [OperatorShapesInfo(s) for s in ((0, 0), (1, 1), (1, 3, 3), (3, 4, 4),
                                                (2, 1, 4, 4))]

    def make_rhs(self, operator, adjoint, with_batch=True):
        return self.make_x(operator, adjoint=not adjoint, with_batch=with_batch)

    def make_x(self, operator, adjoint, with_batch=True):
        return _random_columns(operator, operator.domain_dimension, with_batch, 2)


class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """Tests of operators that are not."""

    @staticmethod
    def skip_these_tests():
        return ['cholesky', 'inverse', 'solve', 'solve_with_broadcast', 'solvevec', 'det',
                'log_abs_det']

    @staticmethod
    def operator_shapes_infos():
        return [OperatorShapesInfo(s) for s in ((2, 1), (1, 2), (1, 3, 2), (3, 3, 4),
                                                (2, 1, 2, 4))]

    def make_rhs(self, operator, adjoint, with_batch=True):
        raise NotImplementedError('make_rhs not implemented for an operator that is not square')

    def make_x(self, operator, adjoint, with_batch=True):
        size = operator.range_dimension if adjoint else operator.domain_dimension
        if size.value is None:
            size = operator.range_dimension_tensor() if adjoint else \
                operator.domain_dimension_tensor()
        return _random_columns(operator, size, with_batch, 2)


def _random_columns(operator, size, with_batch, count):
    """Random columns for an operator, of its batch shape or none."""
    if operator.shape.is_fully_defined():
        batch = operator.batch_shape.as_list() if with_batch else []
        shape = batch + [getattr(size, 'value', size), count]
    else:
        rows = size if isinstance(size, ops.Tensor) else operator.domain_dimension_tensor()
        batch = operator.batch_shape_tensor() if with_batch else \
            array_ops.zeros([0], dtypes.int32)
        shape = array_ops.concat((batch, [rows, count]), 0)
    return random_normal(shape, dtype=operator.dtype)


# --- random matrices ---

def random_positive_definite_matrix(shape, dtype, force_well_conditioned=False):
    """[batch of] positive definite matrices."""
    dtype = dtypes.as_dtype(dtype)
    tril = random_tril_matrix(shape, dtype, force_well_conditioned=force_well_conditioned)
    return math_ops.matmul(tril, tril, adjoint_b=True)


def random_tril_matrix(shape, dtype, force_well_conditioned=False, remove_upper=True):
    """[batch of] lower triangular matrices; well conditioned: with a diagonal of modulus 1 and
    more."""
    with ops.name_scope('random_tril_matrix'):
        tril = random_normal(shape, dtype=dtype)
        if remove_upper:
            tril = array_ops.matrix_band_part(tril, -1, 0)
        if force_well_conditioned:
            maxval = ops.convert_to_tensor(np.sqrt(2.), dtype=dtype.real_dtype)
            diag = random_sign_uniform(shape[:-1], dtype=dtype, minval=1., maxval=maxval)
            tril = array_ops.matrix_set_diag(tril, diag)
        return tril


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None):
    """Normal numbers, of complex types too."""
    dtype = dtypes.as_dtype(dtype)
    with ops.name_scope('random_normal'):
        samples = random_ops.random_normal(shape, mean=mean, stddev=stddev,
                                           dtype=dtype.real_dtype, seed=seed)
        if dtype.is_complex:
            more = random_ops.random_normal(shape, mean=mean, stddev=stddev,
                                            dtype=dtype.real_dtype,
                                            seed=None if seed is None else seed + 1234)
            samples = math_ops.complex(samples, more)
        return samples


def random_uniform(shape, minval=None, maxval=None, dtype=dtypes.float32, seed=None):
    """Uniform numbers, of complex types too."""
    dtype = dtypes.as_dtype(dtype)
    with ops.name_scope('random_uniform'):
        samples = random_ops.random_uniform(shape, dtype=dtype.real_dtype, minval=minval or 0,
                                            maxval=maxval, seed=seed)
        if dtype.is_complex:
            more = random_ops.random_uniform(shape, dtype=dtype.real_dtype, minval=minval or 0,
                                             maxval=maxval,
                                             seed=None if seed is None else seed + 12345)
            samples = math_ops.complex(samples, more)
        return samples


def random_sign_uniform(shape, minval=None, maxval=None, dtype=dtypes.float32, seed=None):
    """Uniform numbers of random sign."""
    dtype = dtypes.as_dtype(dtype)
    with ops.name_scope('random_sign_uniform'):
        samples = random_uniform(shape, minval, maxval, dtype=dtype, seed=seed)
        signs = math_ops.sign(random_ops.random_uniform(
            shape, minval=-1., maxval=1., seed=None if seed is None else seed + 12))
        return math_ops.cast(signs, dtype=samples.dtype) * samples


def random_normal_correlated_columns(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, eps=1e-4,
                                     seed=None):
    """Matrices whose columns are near multiples of each other."""
    dtype = dtypes.as_dtype(dtype)
    if len(shape) < 2:
        raise ValueError('Argument shape must be at least length 2.  Found: %s' % shape)
    shape = list(shape)
    batch, rows, columns = shape[:-2], shape[-2], shape[-1]
    one = random_normal(batch + [rows, 1], mean=mean, stddev=stddev, dtype=dtype, seed=seed)
    scale = random_normal(batch + [1, columns], stddev=stddev, dtype=dtype, seed=seed)
    noise = random_normal(batch + [rows, columns], stddev=eps, dtype=dtype, seed=1234)
    return one * scale + noise
