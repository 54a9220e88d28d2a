# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.distributions: values as TensorFlow 1.15.5 gives them."""
import unittest

import numpy as np

import leat as tf
from leat.python.ops.distributions import special_math
from leat.python.ops.distributions import util

ds = tf.contrib.distributions
bj = ds.bijectors

# (family, arguments, value, log_prob, cdf or None, mean or None, variance or None)
FAMILIES = [
    ('Cauchy', dict(loc=[0., 1.], scale=2.), [.3, -1.2], [-1.86, -2.63], [.547, .235], None, None),
    ('HalfNormal', dict(scale=[1., 2.]), [.3, 1.2], [-.271, -1.1], [.236, .451],
     [.798, 1.6], [.363, 1.45]),
    ('Binomial', dict(total_count=[5., 6.], probs=[.3, .6]), [1., 2.], [-1.02, -1.98],
     [.528, .179], [1.5, 3.6], [1.05, 1.44]),
    ('Geometric', dict(probs=[.3, .6]), [1., 2.], [-1.56, -2.34], [.51, .936], [2.33, .667],
     [7.78, 1.11]),
    ('NegativeBinomial', dict(total_count=[5., 6.], probs=[.3, .6]), [1., 2.], [-1.38, -3.47],
     [.42, .0498], [2.14, 9.], [3.06, 22.5]),
    ('Poisson', dict(rate=[.3, 6.]), [1., 2.], [-1.5, -3.11], [.963, .062], [.3, 6.], [.3, 6.]),
    ('Chi2', dict(df=[3., 4.]), [1., 2.], [-1.42, -1.69], [.199, .264], [3., 4.], [6., 8.]),
    ('InverseGamma', dict(concentration=[3., 1.5], rate=2.), [1., 2.], [-.614, -1.57],
     [.677, .572], [1., 4.], [1., np.nan]),
    ('MultivariateNormalDiag', dict(loc=[1., 2.], scale_diag=[2., 3.]), [[.5, .7]], [-3.75], None,
     [1., 2.], [4., 9.]),
]


class Families(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def check(self, tensor, expected, places=3):
        np.testing.assert_allclose(self.session.run(tensor), expected, rtol=5 * 10.**-places)

    def test_values(self):
        for name, arguments, value, log_prob, cdf, mean, variance in FAMILIES:
            with self.subTest(name):
                d = getattr(ds, name)(validate_args=True, **arguments)
                self.check(d.log_prob(value), log_prob)
                for method, expected in (('cdf', cdf and (value,)), ('mean', mean and ()),
                                         ('variance', variance and ())):
                    if expected is not None:
                        self.check(getattr(d, method)(*expected),
                                   {'cdf': cdf, 'mean': mean, 'variance': variance}[method])

    def test_means_of_samples(self):
        for name, arguments, *_ in FAMILIES:
            if name in ('Cauchy', 'InverseGamma'):
                continue
            with self.subTest(name):
                d = getattr(ds, name)(**arguments)
                x, mean, stddev = self.session.run([d.sample(4000, seed=3), d.mean(), d.stddev()])
                self.assertTrue((np.abs(x.mean(0) - mean) < stddev * .1).all())

    def test_one_hot(self):
        d = ds.OneHotCategorical(probs=[.2, .3, .5], dtype=tf.float32)
        self.check(d.log_prob([0., 1., 0.]), np.log(.3))
        x = self.session.run(d.sample(50, seed=1))
        self.assertTrue(((x == 0) | (x == 1)).all() and (x.sum(1) == 1).all())
        relaxed = ds.RelaxedOneHotCategorical(.5, logits=[.2, .3, .5])
        self.check(relaxed.log_prob([.2, .2, .6]), -.291)
        self.check(tf.reduce_sum(relaxed.sample(9), -1), np.ones(9))

    def test_matrices(self):
        cov = [[4., 1.], [1., 3.]]
        full = ds.MultivariateNormalFullCovariance([1., 2.], cov)
        tril = ds.MultivariateNormalTriL([1., 2.], np.linalg.cholesky(cov).astype(np.float32))
        x = np.array([[.5, .7], [3., 1.]], np.float32)
        delta = x - [1., 2.]
        want = -.5 * np.einsum('ni,ij,nj->n', delta, np.linalg.inv(cov), delta) - .5 * np.log(
            (2 * np.pi)**2 * np.linalg.det(cov))
        self.check(full.log_prob(x), want)
        self.check(tril.log_prob(x), want)
        self.check(full.covariance(), cov)
        self.check(full.entropy(), .5 * np.log((2 * np.pi * np.e)**2 * np.linalg.det(cov)))
        other = ds.MultivariateNormalDiag([0., 0.], [1., 2.])
        inverse = np.diag([1., .25])
        self.check(full.kl_divergence(other), .5 * (
            np.trace(inverse @ cov) + np.dot([1, 2], inverse @ [1, 2]) - 2 +
            np.log(4 / np.linalg.det(cov))))
        drawn = self.session.run(tril.sample(5000, seed=5))
        np.testing.assert_allclose(np.cov(drawn.T), cov, atol=.4)

    def test_mixtures(self):
        normal = tf.distributions.Normal
        categorical = tf.distributions.Categorical(probs=[.3, .7])
        for d in (ds.Mixture(categorical, [normal(0., 1.), normal(2., 3.)]),
                  ds.MixtureSameFamily(categorical, normal([0., 2.], [1., 3.]))):
            self.check(d.log_prob([.5, 1.]), [-1.67, -1.83])
            self.check(d.mean(), 1.4)
            self.check(d.variance(), 7.44)
            x = self.session.run(d.sample(4000, seed=3))
            self.assertEqual(x.shape, (4000,))
            self.assertLess(abs(x.mean() - 1.4), .2)
        with self.assertRaisesRegex(TypeError, 'cat must be a Categorical'):
            ds.Mixture([.3, .7], [normal(0., 1.)])

    def test_independent(self):
        base = tf.distributions.Normal([[0., 1.], [2., 3.]], 1.)
        d = ds.Independent(base)
        self.assertEqual((d.batch_shape.as_list(), d.event_shape.as_list()), ([2], [2]))
        self.check(d.log_prob([1., 2.]), [-2.84, -2.84])
        with self.assertRaisesRegex(ValueError, 'cannot exceed'):
            ds.Independent(base, 3)

    def test_multinomial(self):
        d = tf.distributions.Multinomial([4., 5.], probs=[[.2, .3, .5], [.1, .1, .8]],
                                         validate_args=True)
        self.check(d.log_prob([[1., 1., 2.], [0., 0., 5.]]), [-1.7148, -1.1157])
        counts = self.session.run(d.sample(500, seed=2))
        np.testing.assert_array_equal(counts.sum(-1), np.tile([4., 5.], (500, 1)))
        for value, error in (([1., 1., 3.], 'must sum'), ([1.5, .5, 2.], 'fractional'),
                             ([-1., 3., 2.], 'non-negative')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, error):
                self.session.run(d.prob(value))
        other = tf.distributions.DirichletMultinomial(4., [1., 2., 3.])
        self.check(other.log_prob([1., 1., 2.]), -2.3514)
        self.check(other.variance(), [.7937, 1.2698, 1.4286])
        self.assertTrue((self.session.run(other.sample(20, seed=1)).sum(-1) == 4).all())


class Bijectors(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def test_log_det_jacobians(self):
        """Each against differences of forward()."""
        x = np.array([.3, .8], np.float64)
        for b in (bj.Exp(), bj.AffineScalar(np.float64(1), np.float64(3)), bj.PowerTransform(.5),
                  bj.Gumbel(np.float64(.1), np.float64(2)), bj.Sigmoid(), bj.Softplus(),
                  bj.Softsign(), bj.Square(), bj.SinhArcsinh(np.float64(.2), np.float64(1.5)),
                  bj.Chain([bj.Exp(), bj.Softplus()]), bj.Invert(bj.Sigmoid())):
            with self.subTest(b.name):
                y, up, down = self.session.run([b.forward(x), b.forward(x + 1e-6),
                                                b.forward(x - 1e-6)])
                slope = np.log(np.abs((up - down) / 2e-6))
                fldj, back, ildj = self.session.run([
                    b.forward_log_det_jacobian(x, event_ndims=0) + np.zeros(2), b.inverse(y),
                    b.inverse_log_det_jacobian(y, event_ndims=0) + np.zeros(2)])
                np.testing.assert_allclose(fldj, slope, atol=1e-7)
                np.testing.assert_allclose(ildj, -slope, atol=1e-7)
                np.testing.assert_allclose(back, x)
                total = self.session.run(b.forward_log_det_jacobian(x, event_ndims=1))
                np.testing.assert_allclose(total, slope.sum(), atol=1e-6)

    def test_kept(self):
        b, x = bj.Exp(), tf.constant([1., 2.])
        self.assertIs(b.inverse(b.forward(x)), x)
        with self.assertRaisesRegex(ValueError, 'must be larger than min_event_ndims'):
            bj.SoftmaxCentered().forward_log_det_jacobian(x, event_ndims=0)

    def test_shapes(self):
        b = bj.Reshape([2, -1], [4])
        self.assertEqual(b.forward_event_shape([4]).as_list(), [2, 2])
        self.assertEqual(bj.SoftmaxCentered().forward_event_shape([3]).as_list(), [4])
        self.assertEqual(self.session.run(bj.Permute([2, 0, 1]).forward([1, 2, 3])).tolist(),
                         [3, 1, 2])

    def test_transformed(self):
        normal = tf.distributions.Normal([0., 1.], [1., 2.])
        d = ds.TransformedDistribution(normal, bj.Exp(), name='LogNormal')
        np.testing.assert_allclose(self.session.run(d.log_prob([[1., 2.]])), [[-.9189, -2.317]],
                                   rtol=1e-3)
        np.testing.assert_allclose(self.session.run(d.cdf([[1., 2.]])), [[.5, .439]], rtol=1e-3)
        wide = ds.TransformedDistribution(tf.distributions.Normal([0., 1.], 1.), bijector=None,
                                          event_shape=[3])
        self.assertEqual(wide.sample(5).shape.as_list(), [5, 2, 3])
        np.testing.assert_allclose(self.session.run(wide.log_prob(np.ones([2, 3], np.float32))),
                                   [-4.2568, -2.7568], rtol=1e-3)

    def test_numbers(self):
        p = np.array([1e-300, 1e-20, .01, .3, .99, 1 - 1e-10])
        np.testing.assert_allclose(
            self.session.run(special_math.ndtri(p)),
            [-37.0470963, -9.26234009, -2.32634787, -.52440051, 2.32634787, 6.36134089], rtol=1e-8)
        self.assertEqual(self.session.run(special_math.ndtri([0., 1.])).tolist(),
                         [-np.inf, np.inf])
        for upper in (False, True):
            matrix = util.fill_triangular([1., 2., 3., 4., 5., 6.], upper=upper)
            self.assertEqual(self.session.run(matrix).tolist(), (
                [[1, 2, 3], [0, 5, 6], [0, 0, 4]] if upper else
                [[4, 0, 0], [6, 5, 0], [3, 2, 1]]))
            self.assertEqual(self.session.run(util.fill_triangular_inverse(
                matrix, upper=upper)).tolist(), [1, 2, 3, 4, 5, 6])


if __name__ == '__main__':
    unittest.main()
