# SPDX-License-Identifier: Apache-2.0
"""contrib.factorization's k-means: steps as TensorFlow 1.15.5 does them, and what they find."""
import unittest

import numpy as np

import leat as tf

KMeans = tf.contrib.factorization.KMeans
DATA = np.random.RandomState(0).rand(30, 4).astype(np.float32)


class KMeansTest(unittest.TestCase):
    def run_steps(self, steps, **arguments):
        with tf.Graph().as_default(), tf.Session() as sess:
            every, nearest, least, initialized, init_op, train = KMeans(
                tf.constant(DATA), 3, **arguments).training_graph()
            sess.run(tf.global_variables_initializer())
            self.assertFalse(sess.run(initialized))
            sess.run(init_op)
            self.assertTrue(sess.run(initialized))
            for _ in range(steps):
                sess.run(train)
            return sess.run([tf.global_variables()[0], every[0], nearest[0], least[0]])

    def test_whole_batches(self):
        centres = self.run_steps(1, initial_clusters=DATA[:3])[0]
        np.testing.assert_allclose(centres[0], [.4436, .5439, .5039, .3281], atol=1e-4)
        centres, every, nearest, least = self.run_steps(20, initial_clusters=DATA[:3])
        distances = ((DATA[:, None] - centres) ** 2).sum(-1)
        np.testing.assert_allclose(every, distances, atol=1e-5)
        np.testing.assert_array_equal(nearest, distances.argmin(1))
        np.testing.assert_allclose(least, distances.min(1), atol=1e-5)
        for k in range(3):
            np.testing.assert_allclose(centres[k], DATA[nearest == k].mean(0), rtol=1e-4)

    def test_mini_batches(self):
        """Each centre is the mean of itself at first and of all the rows that it has had."""
        centres = self.run_steps(1, initial_clusters=DATA[:3], use_mini_batch=True)[0]
        np.testing.assert_allclose(centres[0], [.4506, .5553, .5104, .3425], atol=1e-4)
        centres, sums, counts = DATA[:3].copy(), DATA[:3].copy(), np.ones(3)
        for _ in range(4):
            nearest = ((DATA[:, None] - centres) ** 2).sum(-1).argmin(1)
            for k in range(3):
                sums[k] += DATA[nearest == k].sum(0)
                counts[k] += (nearest == k).sum()
            centres = sums / counts[:, None]
        found = self.run_steps(4, initial_clusters=DATA[:3], use_mini_batch=True)[0]
        np.testing.assert_allclose(found, centres, rtol=1e-4)

    def test_cosine(self):
        centres, _, _, least = self.run_steps(2, initial_clusters=DATA[:3],
                                              distance_metric='cosine')
        np.testing.assert_allclose(centres[0], [.4631, .6474, .4889, .357], atol=1e-4)
        np.testing.assert_allclose(least[:3], [.006, .0077, .0134], atol=1e-4)

    def test_starts(self):
        for start in ('random', 'kmeans_plus_plus', lambda inputs, n: inputs[0][:n]):
            centres = self.run_steps(0, initial_clusters=start)[0]
            for centre in centres:
                self.assertLess(np.abs(DATA - centre).sum(1).min(), 1e-6)
            self.assertGreater(np.abs(centres[0] - centres[1]).sum(), 0)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "Unsupported distance metric 'x'"):
            KMeans(tf.constant(DATA), 3, distance_metric='x')
        with self.assertRaisesRegex(ValueError, "Unsupported initialization algorithm 'x'"):
            KMeans(tf.constant(DATA), 3, initial_clusters='x')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'fewer rows than clusters'):
            with tf.Session() as sess:
                init_op = KMeans(tf.constant(DATA), 31).training_graph()[4]
                sess.run(tf.global_variables_initializer())
                sess.run(init_op)


if __name__ == '__main__':
    unittest.main()
