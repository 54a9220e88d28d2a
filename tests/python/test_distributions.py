# SPDX-License-Identifier: Apache-2.0
"""tf.distributions: names, samples of a seed, densities and moments as TensorFlow's."""
import unittest

import numpy as np

import leat as tf

D = tf.distributions


class Values(unittest.TestCase):

    def check(self, make, sample, **wanted):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(4)
            d = make()
            x = session.run(d.sample(3, seed=2))
            np.testing.assert_allclose(x, sample, atol=2e-3)
            for name, value in wanted.items():
                of = getattr(d, name)
                got = of(tf.constant(x)) if name in ('log_prob', 'prob', 'cdf') else of()
                np.testing.assert_allclose(session.run(got), value, atol=2e-4, err_msg=name)

    def test_normal(self):
        self.check(
            lambda: D.Normal([0., 1.], 2.),
            [[-1.3438, -0.4495], [1.0256, 1.8664], [0.8598, 2.1209]],
            log_prob=[[-1.8378, -1.8747], [-1.7436, -1.7059], [-1.7045, -1.7691]],
            cdf=[[0.2508, 0.2343], [0.696, 0.6676], [0.6664, 0.7124]],
            entropy=[2.1121, 2.1121],
            mean=[0.0, 1.0],
            variance=[4.0, 4.0])

    def test_bernoulli(self):
        self.check(
            lambda: D.Bernoulli(probs=[.3, .6]),
            [[0.0, 0.0], [0.0, 1.0], [0.0, 1.0]],
            log_prob=[[-0.3567, -0.9163], [-0.3567, -0.5108], [-0.3567, -0.5108]],
            entropy=[0.6109, 0.673],
            variance=[0.21, 0.24],
            mode=[0.0, 1.0])

    def test_categorical(self):
        self.check(
            lambda: D.Categorical(probs=[[.2, .5, .3], [.1, .1, .8]]),
            [[2.0, 2.0], [1.0, 1.0], [1.0, 2.0]],
            prob=[[0.3, 0.8], [0.5, 0.1], [0.5, 0.8]],
            entropy=[1.0297, 0.639],
            mode=[1.0, 2.0])

    def test_gamma(self):
        self.check(
            lambda: D.Gamma([2., 3.], [1., .5]),
            [[1.2765, 3.1691], [4.231, 2.7911], [1.4693, 4.8117]],
            log_prob=[[-1.0324, -2.0502], [-2.7885, -2.1153], [-1.0845, -2.0363]],
            cdf=[[0.3648, 0.2127], [0.9239, 0.1654], [0.4318, 0.4318]],
            mean=[2.0, 6.0],
            mode=[1.0, 4.0])

    def test_beta(self):
        self.check(
            lambda: D.Beta([2., 3.], [1.5, 2.5]),
            [[0.5944, 0.6188], [0.4773, 0.3661], [0.4071, 0.7518]],
            log_prob=[[0.3503, 0.5734], [0.2578, 0.2865], [0.1616, 0.319]],
            mean=[0.5714, 0.5455],
            variance=[0.0544, 0.0381])

    def test_ends_of_the_support(self):
        with tf.Graph().as_default(), tf.Session() as session:
            found = session.run([
                D.Beta(1., 1.).log_prob(0.), D.Gamma(1., 1.).log_prob(0.),
                D.Dirichlet([1., 1.]).log_prob([0., 1.]),
                D.Uniform([0., 1.], [2., 3.]).prob([[1.], [2.5]])])
        self.assertEqual(found[:3], [0., 0., 0.])
        self.assertEqual(found[3].tolist(), [[.5, .5], [0., .5]])

    def test_softplus(self):
        ds = tf.contrib.distributions
        with tf.Graph().as_default(), tf.Session() as session:
            made = [ds.BetaWithSoftplusConcentration(1., 2.), ds.ExponentialWithSoftplusRate(1.5),
                    ds.LaplaceWithSoftplusScale(0., 2.)]
            found = session.run([[d.mean(), d.prob(.3)] for d in made])
        self.assertTrue(np.allclose(
            found, [[.38174, 1.50392], [.58775, 1.02126], [0., .20416]], atol=1e-5), found)
        self.assertEqual(sorted(made[1].parameters),
                         ['allow_nan_stats', 'name', 'rate', 'validate_args'])

    def test_uniform(self):
        self.check(
            lambda: D.Uniform(-1., [2., 3.]),
            [[0.8409, 1.4759], [1.3947, -0.4466], [1.3376, -0.5834]],
            prob=[[0.3333, 0.25], [0.3333, 0.25], [0.3333, 0.25]],
            cdf=[[0.6136, 0.619], [0.7982, 0.1384], [0.7792, 0.1041]],
            entropy=[1.0986, 1.3863])

    def test_student_t(self):
        self.check(
            lambda: D.StudentT(5., [0., 1.], 2.),
            [[-1.401, -2.1339], [1.3258, 2.8429], [0.7299, 2.255]],
            log_prob=[[-1.9426, -2.8602], [-1.9145, -2.1323], [-1.7406, -1.8892]],
            entropy=[2.3206, 2.3206],
            variance=[6.6667, 6.6667])

    def test_divergences(self):
        pairs = [(D.Normal(0., 1.), D.Normal(1., 2.)),
                 (D.Bernoulli(probs=.2), D.Bernoulli(probs=.5)),
                 (D.Categorical(probs=[.2, .8]), D.Categorical(probs=[.5, .5])),
                 (D.Beta(1., 2.), D.Beta(2., 3.)), (D.Gamma(1., 2.), D.Gamma(2., 3.))]
        with tf.Session() as session:
            got = session.run([D.kl_divergence(a, b) for a, b in pairs])
        np.testing.assert_allclose(got, [0.4431, 0.1927, 0.1927, 0.2082, 0.2663], atol=1e-4)
        with self.assertRaisesRegex(NotImplementedError,
                                    r'No KL\(distribution_a \|\| distribution_b\) registered'):
            D.kl_divergence(D.Normal(0., 1.), D.Bernoulli(probs=.5))


class Names(unittest.TestCase):

    def test_normal(self):
        tf.reset_default_graph()
        d = D.Normal([1., 2.], 3.)
        self.assertEqual(str(d), 'tfp.distributions.Normal("Normal/", batch_shape=(2,), '
                                 'event_shape=(), dtype=float32)')
        self.assertEqual(d.sample([3, 4]).name, 'Normal/sample/Reshape:0')
        self.assertEqual(d.sample().shape.as_list(), [2])
        self.assertEqual(d.log_prob([1., 2.]).name, 'Normal/log_prob/sub:0')
        self.assertEqual(d.copy(scale=1.).name, 'Normal_1/')
        self.assertEqual(D.kl_divergence(d, d).name, 'KullbackLeibler/kl_normal_normal/add:0')


if __name__ == '__main__':
    unittest.main()
