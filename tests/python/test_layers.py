# SPDX-License-Identifier: Apache-2.0
"""tf.layers and tf.losses: names, scopes, collections, and numbers of training, as TensorFlow's."""
import unittest

import numpy as np

import leat as tf

R = np.random.RandomState(0)
X = R.rand(8, 8, 8, 3).astype('f')
Y = R.randint(0, 4, 8)


def names(graph=None):
    return [op.name for op in (graph or tf.get_default_graph()).get_operations()]


def floats(*shape):
    return tf.placeholder(tf.float32, shape)


class Names(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def test_dense(self):
        x = floats(None, 4)
        y = tf.layers.dense(x, 3, activation=tf.nn.relu)
        self.assertEqual(y.name, 'dense/Relu:0')
        self.assertEqual(names()[-11:], [
            'dense/kernel/Initializer/random_uniform', 'dense/kernel', 'dense/kernel/Assign',
            'dense/kernel/read', 'dense/bias/Initializer/zeros', 'dense/bias',
            'dense/bias/Assign', 'dense/bias/read', 'dense/MatMul', 'dense/BiasAdd',
            'dense/Relu'])
        with tf.variable_scope('a'):
            layer = tf.layers.Dense(2)
            self.assertEqual(layer.name, 'dense_2')
            self.assertEqual(layer(y).name, 'a/dense/BiasAdd:0')
            self.assertEqual(layer(y).name, 'a/dense/BiasAdd_1:0')
            self.assertEqual(layer.scope_name, 'a/dense')
            self.assertEqual([w.name for w in layer.weights],
                             ['a/dense/kernel:0', 'a/dense/bias:0'])

    def test_reuse(self):
        tf.layers.dense(floats(1, 2), 3, name='fc')
        with self.assertRaisesRegex(ValueError, 'Variable fc/kernel already exists'):
            tf.layers.dense(floats(1, 2), 3, name='fc')
        again = tf.layers.dense(floats(1, 2), 3, name='fc', reuse=True)
        self.assertEqual(again.name, 'fc_2/BiasAdd:0')
        self.assertEqual(len(tf.global_variables()), 2)
        with tf.name_scope('ns'):
            layer = tf.layers.Dense(3)
            self.assertEqual(layer(floats(1, 2)).name, 'ns/dense/BiasAdd:0')
            self.assertEqual(layer.kernel.name, 'dense/kernel:0')

    def test_convolution_nodes(self):
        tf.layers.conv2d(floats(None, 8, 8, 3), 4, 3, padding='same', dilation_rate=2)
        self.assertEqual([n for n in names() if '/kernel' not in n and '/bias' not in n][1:], [
            'conv2d/dilation_rate', 'conv2d/filter_shape', 'conv2d/stack',
            'conv2d/required_space_to_batch_paddings/input_shape',
            'conv2d/required_space_to_batch_paddings/paddings',
            'conv2d/required_space_to_batch_paddings/crops', 'conv2d/SpaceToBatchND/block_shape',
            'conv2d/SpaceToBatchND/paddings', 'conv2d/SpaceToBatchND', 'conv2d/Conv2D',
            'conv2d/BatchToSpaceND/block_shape', 'conv2d/BatchToSpaceND/crops',
            'conv2d/BatchToSpaceND', 'conv2d/BiasAdd'])

    def test_batch_normalization_updates(self):
        layer = tf.layers.BatchNormalization()
        x = floats(None, 3)
        layer(x, training=True)
        self.assertEqual([op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
                         ['batch_normalization/AssignMovingAvg',
                          'batch_normalization/AssignMovingAvg_1'])
        self.assertEqual(len(layer.get_updates_for(x)), 2)
        self.assertEqual(layer.get_updates_for(None), [])
        layer.trainable = False
        self.assertEqual(layer.updates, [])
        self.assertEqual(len(layer.non_trainable_weights), 4)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, 'The last dimension of the inputs to `Dense`'):
            tf.layers.dense(floats(None, None), 3)
        with self.assertRaisesRegex(ValueError, 'expected ndim=4, found ndim=3. Full shape '
                                                r'received: \[1, 2, 2\]'):
            tf.layers.conv2d(floats(1, 2, 2), 3, 1)
        with self.assertRaisesRegex(TypeError, 'Keyword argument not understood'):
            tf.layers.Dense(3, foo=1)
        with self.assertRaisesRegex(ValueError, 'has not been used yet'):
            tf.layers.Dense(3).scope_name


class Subclass(unittest.TestCase):

    def test_user_layer(self):
        tf.reset_default_graph()

        class Scale(tf.layers.Layer):
            def build(self, shape):
                self.k = self.add_variable('k', [int(shape[-1]), 2],
                                           initializer=tf.zeros_initializer(),
                                           regularizer=tf.reduce_sum)
                super(Scale, self).build(shape)

            def call(self, x):
                self.add_loss(tf.reduce_sum(x), inputs=x)
                self.add_update(self.k.assign_add([[1., 1], [1, 1]]), inputs=True)
                return tf.matmul(x, self.k)
        layer = Scale()
        y = layer(floats(1, 2))
        self.assertEqual(y.name, 'scale/MatMul:0')
        self.assertEqual([loss.name for loss in layer.losses],
                         ['scale/Sum:0', 'k/Regularizer/Sum:0'])
        self.assertEqual([t.name for t in tf.losses.get_regularization_losses()],
                         ['scale/k/Regularizer/Sum:0', 'scale/Sum:0'])
        self.assertEqual([u.name for u in layer.updates], ['scale/AssignAdd'])
        self.assertEqual(layer.count_params(), 4)


class Training(unittest.TestCase):
    """The losses of five steps of gradient descent from a fixed seed."""

    def steps(self, build, wanted):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7)
            loss, feed = build()
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                train = tf.train.GradientDescentOptimizer(.05).minimize(loss)
            session.run(tf.global_variables_initializer())
            got = [session.run([loss, train], feed)[0] for _ in wanted]
        np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-4)

    def test_dense(self):
        def build():
            x, y = floats(None, 192), tf.placeholder(tf.int64, [None])
            h = tf.layers.dropout(tf.layers.dense(x, 16, tf.nn.relu), .3, training=True)
            return (tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(h, 4)),
                    {x: X.reshape(8, -1), y: Y})
        self.steps(build, [1.28, 1.2222, 1.0784, 1.1016, 1.0361])

    def test_convolutions(self):
        def build():
            x, y = floats(None, 8, 8, 3), tf.placeholder(tf.int64, [None])
            h = tf.layers.conv2d(x, 6, 3, padding='same', use_bias=False)
            h = tf.nn.relu(tf.layers.batch_normalization(h, training=True))
            h = tf.layers.max_pooling2d(h, 2, 2)
            h = tf.layers.flatten(tf.layers.separable_conv2d(h, 5, 3, activation=tf.nn.elu))
            h = tf.layers.batch_normalization(h, training=tf.constant(True))
            return (tf.losses.softmax_cross_entropy(tf.one_hot(y, 4), tf.layers.dense(h, 4),
                                                    label_smoothing=.1), {x: X, y: Y})
        self.steps(build, [2.2932, 1.3149, 0.8261, 0.6149, 0.514])

    def test_renorm_and_transpose(self):
        def build():
            x, t = floats(None, 8, 8, 3), tf.placeholder(tf.bool, [])
            h = tf.layers.conv2d(x, 4, 3, strides=2, padding='same', activation=tf.tanh)
            h = tf.layers.average_pooling2d(h, 2, 1, 'same')
            h = tf.layers.batch_normalization(h, training=t, renorm=True)
            h = tf.layers.conv2d_transpose(h, 3, 3, strides=2, padding='same')
            return (tf.losses.mean_squared_error(x, h) + tf.losses.huber_loss(x, h, delta=.2)
                    + tf.losses.absolute_difference(x, h), {x: X, t: True})
        self.steps(build, [0.9186, 0.8445, 0.7802, 0.7245, 0.6766])

    def test_sequences_and_losses(self):
        def build():
            x = floats(8, 8, 24)
            h = tf.layers.conv1d(x, 4, 3, padding='causal', dilation_rate=2)
            h = tf.layers.conv1d(tf.layers.max_pooling1d(h, 2, 2), 4, 2)
            h = tf.layers.batch_normalization(tf.layers.dense(h, 3, tf.nn.sigmoid), training=True)
            ones = tf.ones([8, 3, 3])
            return (tf.losses.log_loss(ones, tf.sigmoid(h)) + tf.losses.hinge_loss(ones, h)
                    + tf.losses.mean_pairwise_squared_error(ones, h)
                    + tf.losses.cosine_distance(ones, h, axis=2), {x: X.reshape(8, 8, 24)})
        self.steps(build, [13.2984, 4.6013, 2.7443, 1.846, 1.4462])


class Losses(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def test_reductions(self):
        labels = tf.constant([[1., 2.], [3., 4.]])
        weights = tf.constant([[2.], [0.]])
        wanted = {'none': [[2., 4.], [0., 0.]], 'weighted_sum': 6., 'weighted_mean': 1.5,
                  'weighted_sum_over_batch_size': 1.5, 'weighted_sum_by_nonzero_weights': 3.}
        with tf.Session() as session:
            for reduction, value in wanted.items():
                loss = tf.losses.absolute_difference(labels, tf.zeros([2, 2]), weights=weights,
                                                     reduction=reduction)
                np.testing.assert_allclose(session.run(loss), value)
        self.assertEqual(len(tf.losses.get_losses()), 5)

    def test_nodes(self):
        tf.losses.mean_squared_error(floats(None, 3), floats(None, 3))
        self.assertEqual([n for n in names() if 'broadcast' not in n][2:], [
            'mean_squared_error/SquaredDifference', 'mean_squared_error/Cast/x',
            'mean_squared_error/Mul', 'mean_squared_error/Const', 'mean_squared_error/Sum',
            'mean_squared_error/num_present/Equal/y', 'mean_squared_error/num_present/Equal',
            'mean_squared_error/num_present/zeros_like',
            'mean_squared_error/num_present/ones_like/Shape',
            'mean_squared_error/num_present/ones_like/Const',
            'mean_squared_error/num_present/ones_like', 'mean_squared_error/num_present/Select',
            'mean_squared_error/num_present/Const', 'mean_squared_error/num_present',
            'mean_squared_error/Const_1', 'mean_squared_error/Sum_1', 'mean_squared_error/value'])

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, 'labels must not be None.'):
            tf.losses.log_loss(None, floats(1))
        with self.assertRaisesRegex(ValueError, r'weights can not be broadcast to values. '
                                    r'values.rank=2. weights.rank=1. values.shape=\(2, 3\)'):
            tf.losses.compute_weighted_loss(floats(2, 3), weights=[1., 2])
        with self.assertRaisesRegex(ValueError, 'Mismatch at dim 1. '):
            tf.losses.compute_weighted_loss(floats(2, 3), weights=[[1., 2]])
        with self.assertRaisesRegex(ValueError, 'Invalid Reduction Key x.'):
            tf.losses.compute_weighted_loss(floats(2, 3), reduction='x')

    def test_confusion_matrix(self):
        with tf.Session() as session:
            got = session.run(tf.confusion_matrix([1, 2, 2], [0, 2, 2], 3))
        np.testing.assert_array_equal(got, [[0, 0, 0], [1, 0, 0], [0, 0, 2]])


if __name__ == '__main__':
    unittest.main()
