# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.layers and tf.contrib.framework: names, collections and training as TensorFlow's."""
import unittest

import numpy as np

import leat as tf
from leat.contrib import framework, layers

R = np.random.RandomState(0)
X = R.rand(8, 8, 8, 3).astype('f')
Y = R.randint(0, 4, 8)


class Names(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def test_fully_connected(self):
        x = tf.placeholder(tf.float32, [None, 4])
        y = layers.fully_connected(x, 3, outputs_collections='out', variables_collections=['v'])
        self.assertEqual(y.name, 'fully_connected/Relu:0')
        self.assertEqual(y.aliases, ['fully_connected'])
        self.assertEqual(tf.get_collection('out'), [y])
        names = ['fully_connected/weights:0', 'fully_connected/biases:0']
        for key in ('v', tf.GraphKeys.MODEL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES):
            self.assertEqual([v.name for v in tf.get_collection(key)], names)
        again = layers.fully_connected(x, 3, scope='fully_connected', reuse=True)
        self.assertEqual(again.name, 'fully_connected_1/Relu:0')
        self.assertEqual(len(tf.global_variables()), 2)

    def test_arg_scope(self):
        x = tf.placeholder(tf.float32, [2, 8, 8, 3])
        with framework.arg_scope([layers.conv2d], padding='VALID', activation_fn=None) as scope:
            with framework.arg_scope([layers.conv2d], stride=2):
                self.assertEqual(layers.conv2d(x, 4, 3).shape.as_list(), [2, 3, 3, 4])
            self.assertEqual(layers.conv2d(x, 4, 3).shape.as_list(), [2, 6, 6, 4])
        self.assertEqual(layers.conv2d(x, 4, 3).name, 'Conv_2/Relu:0')
        with framework.arg_scope(scope):
            self.assertEqual(layers.conv2d(x, 4, 3, padding='SAME').name, 'Conv_3/BiasAdd:0')
        with self.assertRaisesRegex(ValueError, 'is not decorated with @add_arg_scope'):
            with framework.arg_scope([tf.nn.relu], name='x'):
                pass

    def test_batch_norm(self):
        x = tf.placeholder(tf.float32, [2, 3])
        layers.batch_norm(x)
        self.assertEqual([t.name for t in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
                         ['BatchNorm/AssignMovingAvg:0', 'BatchNorm/AssignMovingAvg_1:0'])
        y = layers.batch_norm(x, updates_collections=None, scope='b')
        self.assertEqual(y.name, 'b/Reshape_1:0')
        self.assertEqual([op.name for op in y.op.inputs[0].op.control_inputs],
                         ['b/AssignMovingAvg', 'b/AssignMovingAvg_1'])

    def test_repeat_and_stack(self):
        x = tf.placeholder(tf.float32, [2, 4])
        self.assertEqual(layers.repeat(x, 2, layers.fully_connected, 3, scope='r').name,
                         'r/r_2/Relu:0')
        self.assertEqual(layers.stack(x, layers.fully_connected, [3, 4]).name,
                         'Stack/fully_connected_2/Relu:0')

    def test_errors(self):
        x = tf.placeholder(tf.float32, [1, 2, 2, 2])
        with self.assertRaisesRegex(ValueError, "Invalid data_format: 'q'"):
            layers.conv2d(x, 2, 3, data_format='q')
        with self.assertRaisesRegex(ValueError, 'num_outputs type should be one of'):
            layers.fully_connected(x, 2.)
        with self.assertRaisesRegex(ValueError, 'scale cannot be an integer: 1'):
            layers.l1_regularizer(1)
        with self.assertRaisesRegex(ValueError, 'No weights to regularize.'):
            layers.apply_regularization(layers.l1_regularizer(.1))


class Framework(unittest.TestCase):

    def test_variables(self):
        tf.reset_default_graph()
        with tf.variable_scope('a'):
            one = framework.model_variable('one', [2], initializer=tf.zeros_initializer())
            two = framework.variable('two', [2], initializer=tf.zeros_initializer())
        local = framework.local_variable(0., name='local')
        self.assertEqual(framework.get_model_variables(), [one])
        self.assertEqual(framework.get_variables('a'), [one, two])
        self.assertEqual(framework.get_variables_by_name('two'), [two])
        self.assertEqual(framework.get_variables_by_suffix('one'), [one])
        self.assertEqual(framework.get_variables_to_restore(exclude=['a/one']), [two])
        self.assertEqual(framework.get_local_variables(), [local])
        self.assertEqual(framework.get_unique_variable('a/two'), two)
        assign, feed = framework.assign_from_values({'a/one': np.array([1., 2.])})
        with tf.Session() as session:
            session.run(assign, feed)
            np.testing.assert_array_equal(session.run(one), [1, 2])


class Training(unittest.TestCase):

    def steps(self, build, wanted, optimizer=True):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7 if optimizer else 5)
            loss, feed = build()
            train = []
            if optimizer:
                with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                    train = tf.train.GradientDescentOptimizer(.05).minimize(loss)
            session.run(tf.global_variables_initializer())
            got = [session.run([loss, train], feed)[0] for _ in wanted]
        np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-4)

    def test_network(self):
        def build():
            x = tf.placeholder(tf.float32, [None, 8, 8, 3])
            y = tf.placeholder(tf.int64, [None])
            with framework.arg_scope([layers.conv2d, layers.fully_connected],
                                     activation_fn=tf.nn.relu, normalizer_fn=layers.batch_norm,
                                     weights_regularizer=layers.l2_regularizer(.01)):
                h = layers.max_pool2d(layers.conv2d(x, 4, 3, scope='c1'), 2)
                h = layers.conv2d(h, 4, 3, normalizer_params={'updates_collections': None,
                                                              'scale': True})
                h = layers.flatten(layers.avg_pool2d(h, 2))
                h = layers.layer_norm(layers.fully_connected(layers.dropout(h, .8), 8))
                o = layers.fully_connected(h, 4, activation_fn=None, normalizer_fn=None)
            tf.losses.sparse_softmax_cross_entropy(y, o)
            return tf.losses.get_total_loss(), {x: X, y: Y}
        self.steps(build, [1.5699, 1.6857, 1.1696, 1.6705, 0.8615])

    def test_embeddings(self):
        def build():
            ids = tf.placeholder(tf.int64, [8])
            h = layers.unit_norm(layers.embed_sequence(ids, 5, 6), 1)
            h = layers.stack(h, layers.fully_connected, [5, 3], activation_fn=tf.tanh)
            h = layers.bias_add(h, initializer=tf.ones_initializer())
            size = layers.apply_regularization(layers.l1_regularizer(.01),
                                               tf.trainable_variables())
            return tf.losses.mean_squared_error(tf.ones([8, 3]), h) + size, {ids: Y}
        self.steps(build, [0.7135, 0.6833, 0.6558, 0.6304, 0.607])

    def test_optimize_loss(self):
        def build():
            x = tf.placeholder(tf.float32, [None, 8, 8, 3])
            o = layers.fully_connected(layers.flatten(x), 1, activation_fn=None)
            loss = layers.optimize_loss(
                tf.reduce_mean(tf.square(o - 1.)), tf.train.get_or_create_global_step(), .1,
                'Momentum', clip_gradients=1.,
                learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(
                    rate, step, 2, .5))
            return loss, {x: X}
        self.steps(build, [0.2018, 0.2442, 0.1874, 0.0593], optimizer=False)


if __name__ == '__main__':
    unittest.main()
