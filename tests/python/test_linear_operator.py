# SPDX-License-Identifier: Apache-2.0
"""tf.linalg's linear operators: each method beside numpy's answer for the dense matrix."""
import unittest

import numpy as np

import leat as tf

la = tf.linalg
RNG = np.random.RandomState(3)
SQUARE = RNG.randn(2, 3, 3) + 3 * np.eye(3)
POSITIVE = SQUARE @ SQUARE.transpose(0, 2, 1)
DIAG = RNG.rand(2, 3) + .5
HINTS = dict(is_self_adjoint=True, is_positive_definite=True)


def operators():
    """(operator, its matrix)"""
    full = la.LinearOperatorFullMatrix(SQUARE)
    diag = la.LinearOperatorDiag(DIAG, is_positive_definite=True)
    dense_diag = np.stack([np.diag(d) for d in DIAG])
    return [
        (full, SQUARE), (la.LinearOperatorFullMatrix(POSITIVE, **HINTS), POSITIVE),
        (la.LinearOperatorLowerTriangular(SQUARE), np.tril(SQUARE)),
        (diag, dense_diag),
        (la.LinearOperatorIdentity(3, [2], dtype=tf.float64), np.stack([np.eye(3)] * 2)),
        (la.LinearOperatorScaledIdentity(3, np.array([2., 3.])),
         np.stack([2 * np.eye(3), 3 * np.eye(3)])),
        (la.LinearOperatorAdjoint(full), SQUARE.transpose(0, 2, 1)),
        (la.LinearOperatorInversion(full, is_non_singular=True), np.linalg.inv(SQUARE)),
        (la.LinearOperatorComposition([full, diag]), SQUARE @ dense_diag),
        (full.matmul(diag), SQUARE @ dense_diag), (diag.matmul(diag), dense_diag @ dense_diag)]


class Operators(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def check(self, tensor, expected):
        found = self.session.run(tensor)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
        if isinstance(tensor, tf.Tensor):
            tf.TensorShape(np.shape(expected)).assert_is_compatible_with(tensor.shape)

    def test_as_dense(self):
        x, wide = RNG.randn(2, 3, 4), RNG.randn(2, 4, 3)
        for operator, matrix in operators():
            with self.subTest(operator.name):
                transposed = matrix.transpose(0, 2, 1)
                self.assertEqual(operator.shape.as_list(), [2, 3, 3])
                self.check(operator.shape_tensor(), [2, 3, 3])
                self.check(operator.batch_shape_tensor(), [2])
                self.check(operator.tensor_rank_tensor(), 3)
                self.check(operator.to_dense(), matrix)
                self.check(operator.matmul(x), matrix @ x)
                self.check(operator.matmul(x, adjoint=True), transposed @ x)
                self.check(operator.matmul(wide, adjoint_arg=True),
                           matrix @ wide.transpose(0, 2, 1))
                self.check(operator.matvec(x[..., 0]), (matrix @ x)[..., 0])
                self.check(operator.solve(x), np.linalg.solve(matrix, x))
                self.check(operator.solve(x, adjoint=True), np.linalg.solve(transposed, x))
                self.check(operator.solvevec(x[..., 0]), np.linalg.solve(matrix, x)[..., 0])
                self.check(operator.determinant(), np.linalg.det(matrix))
                self.check(operator.log_abs_determinant(), np.linalg.slogdet(matrix)[1])
                self.check(operator.diag_part(), np.einsum('bii->bi', matrix))
                self.check(operator.trace(), np.einsum('bii->b', matrix))
                self.check(operator.add_to_tensor(SQUARE), matrix + SQUARE)
                self.check(operator.adjoint().to_dense(), transposed)
                self.check(operator.inverse().to_dense(), np.linalg.inv(matrix))

    def test_cholesky(self):
        for operator, matrix in ((la.LinearOperatorFullMatrix(POSITIVE, **HINTS), POSITIVE),
                                 (la.LinearOperatorDiag(DIAG[0], is_positive_definite=True),
                                  np.diag(DIAG[0]))):
            factor = self.session.run(operator.cholesky().to_dense())
            np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), matrix)
        with self.assertRaisesRegex(ValueError, 'Cannot take the Cholesky decomposition'):
            la.LinearOperatorFullMatrix(SQUARE).cholesky()

    def test_shapes_not_known(self):
        matrix = tf.placeholder_with_default(SQUARE, None)
        operator = la.LinearOperatorFullMatrix(matrix)
        self.check(operator.shape_tensor(), [2, 3, 3])
        self.check(operator.domain_dimension_tensor(), 3)
        self.check(operator.matmul(np.ones([3, 1])), SQUARE @ np.ones([3, 1]))

    def test_hints(self):
        diag = la.LinearOperatorDiag([1., 2.])
        self.assertEqual((diag.is_self_adjoint, diag.is_square, diag.is_non_singular),
                         (True, True, None))
        for make, error, message in (
                (lambda: la.LinearOperatorDiag(1.), ValueError, 'at least 1 dimension'),
                (lambda: la.LinearOperatorFullMatrix([1.]), ValueError, 'at least 2 dimensions'),
                (lambda: la.LinearOperatorIdentity(-1), ValueError, 'must be non-negative'),
                (lambda: la.LinearOperatorIdentity(2.), TypeError, 'must be integer type'),
                (lambda: la.LinearOperatorFullMatrix(
                    [[1.]], is_positive_definite=True, is_non_singular=False), ValueError,
                 'positive definite matrix is always non-singular'),
                (lambda: la.LinearOperatorFullMatrix([[1.]], is_non_singular=False).solve(
                    [[1.]]), NotImplementedError, 'expected to be singular'),
                (lambda: la.LinearOperatorFullMatrix([[1., 2.]]).determinant(),
                 NotImplementedError, 'expected to not be square'),
                (lambda: diag.matmul([[1.]]), ValueError, 'are not compatible')):
            with self.assertRaisesRegex(error, message):
                make()

    def test_assertions(self):
        run = self.session.run
        run(la.LinearOperatorDiag([1., 2.]).assert_positive_definite())
        run(la.LinearOperatorFullMatrix(POSITIVE).assert_non_singular())
        run(la.LinearOperatorFullMatrix(np.eye(2)).assert_self_adjoint())
        for assertion, message in (
                (lambda: la.LinearOperatorDiag([1., -2.]).assert_positive_definite(),
                 'non-positive'),
                (lambda: la.LinearOperatorDiag([1., 0.]).assert_non_singular(), 'zero values'),
                (lambda: la.LinearOperatorFullMatrix([[1., 2.], [2., 4.]]).assert_non_singular(),
                 'Singular matrix'),
                (lambda: la.LinearOperatorFullMatrix([[1., 2.], [3., 4.]]).assert_self_adjoint(),
                 'not equal to its adjoint')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
                run(assertion())


if __name__ == '__main__':
    unittest.main()
