# SPDX-License-Identifier: Apache-2.0
"""LinearOperators: every method against the dense matrix, hints, products of two, sums, errors."""
import unittest

import numpy as np

import leat as tf
from leat.python.ops import array_ops
from leat.python.ops.linalg import linear_operator_addition
from leat.python.ops.linalg import linear_operator_test_util as util

linalg = tf.linalg
MATRIX = [[2., 1.], [1., 3.]]


class _Case(util.SquareLinearOperatorDerivedClassTest):
    """One shape, and one type of each kind where that matters, are enough here."""

    _atol = {tf.float64: 1e-9, tf.complex128: 1e-9}
    _rtol = _atol

    @staticmethod
    def dtypes_to_test():
        return [tf.float64]

    @staticmethod
    def operator_shapes_infos():
        return [util.OperatorShapesInfo((2, 3, 3))]

    @staticmethod
    def adjoint_arg_options():
        return [True]

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        raise NotImplementedError('the cases below say which operator')

    def given(self, tensor, use_placeholder):
        return array_ops.placeholder_with_default(tensor, shape=None) if use_placeholder else tensor


def _hints(positive):
    return dict(is_self_adjoint=True, is_positive_definite=True) if positive else {}


class FullMatrixTest(_Case):
    @staticmethod
    def dtypes_to_test():
        return [tf.float64, tf.complex128]

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        matrix = util.random_positive_definite_matrix(info.shape, dtype, True)
        return linalg.LinearOperatorFullMatrix(
            self.given(matrix, use_placeholder), is_square=True,
            **_hints(ensure_self_adjoint_and_pd)), matrix


class TriangularTest(_Case):
    @staticmethod
    def skip_these_tests():
        return ['cholesky']

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        matrix = util.random_tril_matrix(info.shape, dtype, True)
        return linalg.LinearOperatorLowerTriangular(self.given(matrix, use_placeholder)), matrix


class BlocksTest(_Case):
    @staticmethod
    def operator_shapes_infos():
        return [util.OperatorShapesInfo((4, 4))]

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        blocks = [util.random_positive_definite_matrix([n, n], dtype, True) for n in (1, 3)]
        operator = linalg.LinearOperatorBlockDiag([
            linalg.LinearOperatorFullMatrix(self.given(b, use_placeholder), is_square=True,
                                            **_hints(ensure_self_adjoint_and_pd)) for b in blocks])
        return operator, tf.concat([tf.pad(blocks[0], [[0, 0], [0, 3]]),
                                    tf.pad(blocks[1], [[0, 0], [1, 0]])], 0)


class KroneckerTest(_Case):
    @staticmethod
    def operator_shapes_infos():
        return [util.OperatorShapesInfo((6, 6))]

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        a, b = [util.random_positive_definite_matrix([n, n], dtype, True) for n in (2, 3)]
        operator = linalg.LinearOperatorKronecker([
            linalg.LinearOperatorFullMatrix(self.given(m, use_placeholder), is_square=True,
                                            **_hints(ensure_self_adjoint_and_pd)) for m in (a, b)])
        return operator, tf.reshape(a[:, None, :, None] * b[None, :, None, :], [6, 6])


class LowRankTest(_Case):
    @staticmethod
    def skip_these_tests():
        return ['cholesky']

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        diag = tf.cast(util.random_sign_uniform(info.shape[:-1], 1., 2., dtype.real_dtype), dtype)
        u, v = [util.random_normal(list(info.shape[:-1]) + [2], stddev=.3, dtype=dtype)
                for _ in range(2)]
        update = util.random_sign_uniform(list(info.shape[:-2]) + [2], 1., 2., dtype=dtype)
        base = linalg.LinearOperatorDiag(self.given(diag, use_placeholder), is_non_singular=True)
        operator = linalg.LinearOperatorLowRankUpdate(
            base, self.given(u, use_placeholder), diag_update=self.given(update, use_placeholder),
            v=self.given(v, use_placeholder), is_square=True, is_non_singular=True)
        return operator, tf.matrix_diag(diag) + tf.matmul(
            u, tf.matmul(tf.matrix_diag(update), v, adjoint_b=True))


class CirculantTest(_Case):
    @staticmethod
    def dtypes_to_test():
        return [tf.complex128]

    @staticmethod
    def skip_these_tests():
        return ['cholesky']

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        spectrum = util.random_sign_uniform(info.shape[:-1], 1., 2., dtype=dtype)
        n = info.shape[-1]
        at = [[(i - j) % n for j in range(n)] for i in range(n)]
        return linalg.LinearOperatorCirculant(
            self.given(spectrum, use_placeholder), input_output_dtype=dtype), \
            tf.gather(tf.ifft(spectrum), at, axis=-1)


class CompositionTest(util.NonSquareLinearOperatorDerivedClassTest):
    @staticmethod
    def operator_shapes_infos():
        return [util.OperatorShapesInfo((2, 4, 2))]

    @staticmethod
    def dtypes_to_test():
        return [tf.float64]

    _atol = {tf.float64: 1e-9}
    _rtol = _atol

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        shape = list(info.shape)
        a = util.random_normal(shape[:-1] + [3], dtype=dtype)
        b = util.random_normal(shape[:-2] + [3, shape[-1]], dtype=dtype)
        return linalg.LinearOperatorComposition(
            [linalg.LinearOperatorFullMatrix(a), linalg.LinearOperatorFullMatrix(b)]), \
            tf.matmul(a, b)


for case in (FullMatrixTest, TriangularTest, BlocksTest, KroneckerTest, LowRankTest, CirculantTest,
             CompositionTest):
    util.add_tests(case)


class ValuesTest(tf.test.TestCase):
    def check(self, operator, dense):
        with self.session():
            self.assertAllClose(operator.to_dense(), dense)
            x = np.arange(1., 2. * len(dense) + 1).reshape(len(dense), 2).astype(np.float32)
            self.assertAllClose(operator.matmul(x), np.matmul(dense, x), rtol=1e-5)
            self.assertAllClose(operator.trace(), np.trace(dense))
            self.assertAllClose(operator.diag_part(), np.diag(dense))
            if operator.is_non_singular is not False:
                self.assertAllClose(operator.solve(x), np.linalg.solve(dense, x), rtol=1e-4)
                self.assertAllClose(operator.determinant(), np.linalg.det(dense), rtol=1e-5)

    def test_kinds(self):
        v = np.array([[1.], [2.]])
        self.check(linalg.LinearOperatorIdentity(2), np.eye(2))
        self.check(linalg.LinearOperatorScaledIdentity(2, 3.), 3 * np.eye(2))
        self.check(linalg.LinearOperatorDiag([1., 2.]), np.diag([1., 2.]))
        self.check(linalg.LinearOperatorZeros(2), np.zeros([2, 2]))
        self.check(linalg.LinearOperatorHouseholder([1., 2.]),
                   np.eye(2) - 2 * v.dot(v.T) / 5)
        self.check(linalg.LinearOperatorToeplitz([1., 2., 3.], [1., 4., 5.]),
                   np.array([[1., 4., 5.], [2., 1., 4.], [3., 2., 1.]]))

    def test_two_operators(self):
        diag = linalg.LinearOperatorDiag([1., 2.])
        full = linalg.LinearOperatorFullMatrix(MATRIX, is_non_singular=True)
        names = [type(o).__name__ + ' ' + o.name for o in (
            diag.matmul(diag), full.matmul(full), diag.solve(diag), full.adjoint(), full.inverse(),
            diag.matmul(linalg.LinearOperatorIdentity(2)))]
        self.assertEqual(names, [
            'LinearOperatorDiag LinearOperatorDiag',
            'LinearOperatorComposition LinearOperatorFullMatrix_o_LinearOperatorFullMatrix',
            'LinearOperatorDiag LinearOperatorDiag',
            'LinearOperatorAdjoint LinearOperatorFullMatrix_adjoint',
            'LinearOperatorInversion LinearOperatorFullMatrix_inv',
            'LinearOperatorDiag LinearOperatorDiag'])
        with self.session():
            self.assertAllClose(full.solve(diag).to_dense(),
                                np.linalg.solve(MATRIX, np.diag([1., 2.])))

    def test_sums(self):
        diag = linalg.LinearOperatorDiag([1., 2.], name='d')
        identity = linalg.LinearOperatorIdentity(2, name='i')
        full = linalg.LinearOperatorFullMatrix(MATRIX, name='f')
        total, = linear_operator_addition.add_operators([diag, identity, full])
        self.assertIsInstance(total, linalg.LinearOperatorFullMatrix)
        with self.session():
            self.assertAllClose(total.to_dense(), np.diag([2., 3.]) + MATRIX)
        total, = linear_operator_addition.add_operators([diag, identity])
        self.assertIsInstance(total, linalg.LinearOperatorDiag)
        self.assertRaisesRegex(ValueError, 'at least one operator',
                               linear_operator_addition.add_operators, [])


class ErrorsTest(tf.test.TestCase):
    def test_building(self):
        for build, error, text in [
                (lambda: linalg.LinearOperatorFullMatrix([1.]), ValueError, 'at least 2'),
                (lambda: linalg.LinearOperatorFullMatrix([[1, 2]]), TypeError, 'must have dtype'),
                (lambda: linalg.LinearOperatorIdentity(-1), ValueError, 'non-negative'),
                (lambda: linalg.LinearOperatorIdentity(2, is_square=False), ValueError, 'square'),
                (lambda: linalg.LinearOperatorFullMatrix([[1., 2.]]).determinant(),
                 NotImplementedError, 'not be square'),
                (lambda: linalg.LinearOperatorFullMatrix(MATRIX).cholesky(), ValueError,
                 'Not a positive definite'),
                (lambda: linalg.LinearOperatorFullMatrix(MATRIX).matmul([[1.]]), ValueError,
                 'not compatible'),
                (lambda: linalg.LinearOperatorComposition([]), ValueError, 'non-empty list')]:
            with self.assertRaisesRegex(error, text):
                build()

    def test_asserts(self):
        with self.session():
            for operator, name in [
                    (linalg.LinearOperatorDiag([1., 0.]), 'assert_non_singular'),
                    (linalg.LinearOperatorFullMatrix([[1., 1.], [1., 1.]]), 'assert_non_singular'),
                    (linalg.LinearOperatorFullMatrix([[1., 2.], [1., 1.]]), 'assert_self_adjoint')]:
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    self.evaluate(getattr(operator, name)())


class ModuleTest(tf.test.TestCase):
    def test_variables_and_scopes(self):
        class Layer(tf.Module):
            def __init__(self, **kwargs):
                super(Layer, self).__init__(**kwargs)
                self.w = tf.Variable(1., name='w')
                self.others = [tf.Variable(2., trainable=False)]
                self.inner = {'a': tf.Module()}

            @tf.Module.with_name_scope
            def one(self):
                return tf.constant(1.)

        layer = Layer()
        self.assertEqual([v.name for v in layer.variables], ['Variable:0', 'w:0'])
        self.assertEqual([v.name for v in layer.trainable_variables], ['w:0'])
        self.assertEqual(len(layer.submodules), 1)
        self.assertEqual([layer.one().name, layer.one().name], ['layer/Const:0', 'layer/Const_1:0'])
        self.assertRaisesRegex(ValueError, 'valid module name', tf.Module, name='a b')


if __name__ == '__main__':
    unittest.main()
