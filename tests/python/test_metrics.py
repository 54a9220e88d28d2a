# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: names, collections, and values over two batches, as TensorFlow's."""
import unittest

import numpy as np

import leat as tf

R = np.random.RandomState(1)
L = R.randint(0, 3, (2, 10))
P = R.randint(0, 3, (2, 10))
S = R.rand(2, 10).astype('f')
B = R.rand(2, 10) > .5
W = R.rand(2, 10).astype('f')
SC = R.rand(2, 10, 5).astype('f')


class Values(unittest.TestCase):
    """The update op's value after each batch; the metric's own is the same after it."""

    def over(self, metric, first, second):
        with tf.Graph().as_default(), tf.Session() as session:
            i = tf.placeholder(tf.int32, [])
            value, update_op = metric(lambda x: tf.gather(tf.constant(x), i))
            session.run(tf.local_variables_initializer())
            for k, wanted in enumerate((first, second)):
                got = session.run(update_op, {i: k})
                np.testing.assert_allclose(got, wanted, atol=1e-5)
                if value.shape == update_op.shape:
                    np.testing.assert_allclose(session.run(value), wanted, atol=1e-5)

    def test_means(self):
        m = tf.metrics
        self.over(lambda g: m.accuracy(g(L), g(P)), .3, .4)
        self.over(lambda g: m.accuracy(g(L), g(P), g(W)), .33555, .46727)
        self.over(lambda g: m.mean_relative_error(g(S), g(W), g(S)), .78507, 1.9272)
        self.over(lambda g: m.mean_relative_error(g(S), g(W), g(S), g(W)), .85447, 2.25702)

    def test_right_and_wrong(self):
        m = tf.metrics
        self.over(lambda g: m.precision(g(B), g(P)), .57143, .6)
        self.over(lambda g: m.precision(g(B), g(P), g(W)), .86947, .79081)

    def test_thresholds(self):
        m = tf.metrics
        self.over(lambda g: m.auc(g(B), g(S), num_thresholds=20), .48, .47396)
        self.over(lambda g: m.auc(g(B), g(S), g(W), num_thresholds=20), .5381, .58387)
        self.over(lambda g: m.auc(g(B), g(S), num_thresholds=20, curve='PR',
                                  summation_method='careful_interpolation'), .44074, .54366)
        self.over(lambda g: m.precision_at_thresholds(g(B), g(S), [.2, .6]), [.625, .5],
                  [.66667, .57143])
        self.over(lambda g: m.sensitivity_at_specificity(g(B), g(S), .6), .4, .33333)
        self.over(lambda g: m.specificity_at_sensitivity(g(B), g(S), .6, g(W)), .35941, .46422)

    def test_classes(self):
        m = tf.metrics
        self.over(lambda g: m.mean_iou(g(L), g(P), 3), [[2, 2, 1], [1, 1, 3], [0, 0, 0]],
                  [[4, 3, 2], [1, 3, 3], [0, 3, 1]])
        self.over(lambda g: m.mean_per_class_accuracy(g(L), g(P), 3), [.4, .2, 0.],
                  [.44444, .42857, .25])

    def test_best_k(self):
        m = tf.metrics
        self.over(lambda g: m.recall_at_k(tf.to_int64(g(L)), g(SC), 2), .4, .35)
        self.over(lambda g: m.precision_at_k(tf.to_int64(g(L)), g(SC), 2, 1), .25, .16667)
        self.over(lambda g: m.recall_at_k(tf.to_int64(g(L)), g(SC), 2, 1, g(W)), .01898, .01257)
        self.over(lambda g: m.average_precision_at_k(tf.to_int64(g(L)), g(SC), 3), .31667, .31667)


class Names(unittest.TestCase):

    def test_accuracy(self):
        tf.reset_default_graph()
        labels, predictions = (tf.placeholder(tf.int64, [None]) for _ in range(2))
        value, update_op = tf.metrics.accuracy(labels, predictions, metrics_collections='a',
                                               updates_collections=['b'])
        self.assertEqual(value.name, 'accuracy/value:0')
        self.assertEqual(update_op.name, 'accuracy/update_op:0')
        self.assertEqual(tf.get_collection('a') + tf.get_collection('b'), [value, update_op])
        for key in (tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES):
            self.assertEqual([v.name for v in tf.get_collection(key)],
                             ['accuracy/total:0', 'accuracy/count:0'])
        self.assertEqual([op.name for op in tf.get_default_graph().get_operations()
                          if '/total' not in op.name and '/count' not in op.name], [
                              'Placeholder', 'Placeholder_1', 'Equal', 'Cast', 'accuracy/Size',
                              'accuracy/Cast', 'accuracy/Const', 'accuracy/Sum',
                              'accuracy/AssignAdd', 'accuracy/AssignAdd_1', 'accuracy/Maximum/y',
                              'accuracy/Maximum', 'accuracy/value', 'accuracy/Maximum_1/y',
                              'accuracy/Maximum_1', 'accuracy/update_op'])

    def test_errors(self):
        floats = tf.placeholder(tf.float32, [3])
        bools = tf.placeholder(tf.bool, [3])
        with self.assertRaisesRegex(ValueError, 'curve must be either ROC or PR, x unknown'):
            tf.metrics.auc(bools, floats, curve='x')
        with self.assertRaisesRegex(ValueError, r'`specificity` must be in the range \[0, 1\].'):
            tf.metrics.sensitivity_at_specificity(bools, floats, 2.)
        with self.assertRaisesRegex(ValueError, 'Invalid k=0.'):
            tf.metrics.average_precision_at_k(bools, floats, 0)


if __name__ == '__main__':
    unittest.main()
