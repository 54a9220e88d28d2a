# SPDX-License-Identifier: Apache-2.0
"""Loss scales and the optimizer that uses one. Texts, nodes and values are TensorFlow 1.15's."""
import unittest

import leat as tf
from leat.python.training.experimental import loss_scale
from leat.python.training.experimental import loss_scale_optimizer


class LossScaleTest(unittest.TestCase):
    def test_get(self):
        self.assertEqual(repr(loss_scale.get(2.5)), 'FixedLossScale(2.5)')
        self.assertEqual(repr(loss_scale.get('dynamic')), 'DynamicLossScale(initial_loss_scale='
                         '32768.0, increment_period=2000, multiplier=2.0)')
        self.assertIsNone(loss_scale.get(None))
        with self.assertRaisesRegex(ValueError, 'loss scale identifier: foo'):
            loss_scale.get('foo')
        with self.assertRaisesRegex(ValueError, 'must be at least 1'):
            loss_scale.get(0.5)
        with self.assertRaisesRegex(TypeError, 'abstract'):
            loss_scale.LossScale()

    def test_config(self):
        scale = loss_scale.FixedLossScale(4)
        self.assertEqual(scale.get_config(), {'loss_scale_value': 4.0})
        self.assertEqual(repr(loss_scale.FixedLossScale.from_config(scale.get_config())),
                         'FixedLossScale(4.0)')

    def test_dynamic(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            scale = tf.train.experimental.DynamicLossScale(8, 2, 2.)
            fed = tf.placeholder(tf.float32, [2])
            update, finite = scale.update([fed, None])
            sess.run(tf.global_variables_initializer())
            steps = [([1, 2], 8, 1), ([1, 1], 16, 0), ([1, 1], 16, 1), ([float('inf'), 1], 8, 0),
                     ([float('nan'), 0], 4, 0), ([1, 1], 4, 1)]
            for grads, value, good in steps:
                sess.run(update, {fed: grads})
                self.assertEqual(sess.run(tf.global_variables()), [value, good])
                self.assertEqual(sess.run(finite, {fed: grads}), sum(grads) < 9)
            for _ in range(4):
                sess.run(update, {fed: [float('nan'), 0]})
            self.assertEqual(sess.run(scale()), 1)
            names = [part.name for part in scale._checkpoint_dependencies]
            self.assertEqual(names, ['current_loss_scale', 'good_steps'])
            with self.assertRaisesRegex(RuntimeError, 'Duplicate variables detected'):
                scale._add_weight('good_steps', 1)
        with tf.Graph().as_default():
            self.assertEqual(scale._checkpoint_dependencies, [])

    def test_growth_stays_finite(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            scale = loss_scale.DynamicLossScale(1e38, 1, 100.)
            update, _ = scale.update([tf.constant(1.)])
            sess.run(tf.global_variables_initializer())
            sess.run(update)
            self.assertAlmostEqual(sess.run(scale()) / 1e38, 1, places=6)


class OptimizerTest(unittest.TestCase):
    def _steps(self, scale):
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable([1., 2.], name='v')
            w = tf.Variable([[1.], [2.]], name='w')
            opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
                tf.train.GradientDescentOptimizer(.25), scale)
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.nn.embedding_lookup(w, [0]))
            pairs = opt.compute_gradients(loss)
            self.assertIsInstance(pairs[1][0], tf.IndexedSlices)
            step = opt.apply_gradients(pairs, tf.train.get_or_create_global_step())
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            sess.run(step)
            values = sess.run([v, w, tf.train.get_global_step()])
            self.assertEqual([values[0].tolist(), values[1].tolist(), values[2]],
                             [[.25, .5], [[.5], [2.]], 2])
            return step.name, {node.name for node in tf.get_default_graph().as_graph_def().node}

    def test_fixed(self):
        name, nodes = self._steps(4.)
        self.assertEqual(name, 'GradientDescent')
        self.assertLessEqual({'mul_1', 'truediv', 'mul_2', 'mul_3'}, nodes)

    def test_dynamic(self):
        name, nodes = self._steps('dynamic')
        self.assertEqual(name, 'GradientDescent')
        self.assertIn('cond_1/GradientDescent-wrapped/update_w/ScatterSub', nodes)

    def test_step_left_out(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable([1., 2.])
            opt = loss_scale_optimizer.MixedPrecisionLossScaleOptimizer(
                tf.train.GradientDescentOptimizer(.5), loss_scale.DynamicLossScale(4.))
            step = opt.minimize(tf.reduce_sum(v) * float('inf'), name='mm')
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            self.assertEqual((step.name, sess.run(v).tolist(), sess.run(opt._loss_scale())),
                             ('mm', [1., 2.], 2.))
            self.assertEqual([part.name for part in opt._checkpoint_dependencies],
                             ['base_optimizer', 'loss_scale'])

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, '"opt" must be an instance of Optimizer'):
            loss_scale_optimizer.MixedPrecisionLossScaleOptimizer(3, 1.)
        with self.assertRaisesRegex(NotImplementedError, 'float16'):
            tf.train.experimental.enable_mixed_precision_graph_rewrite(
                tf.train.GradientDescentOptimizer(.5))


if __name__ == '__main__':
    unittest.main()
