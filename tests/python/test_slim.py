# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.slim: training, networks, checkpoints; tf.contrib.training.HParams."""
import os
import tempfile
import unittest

import numpy as np

import leat as tf
from leat.contrib import slim
from leat.contrib.slim import nets

R = np.random.RandomState(0)
X = R.rand(8, 8, 8, 3).astype('f')
Y = R.randint(0, 4, 8)


class Training(unittest.TestCase):

    def test_train_and_restore(self):
        tf.logging.set_verbosity(tf.logging.ERROR)
        with tempfile.TemporaryDirectory() as folder:
            with tf.Graph().as_default():
                tf.set_random_seed(3)
                labels = slim.one_hot_encoding(tf.constant(Y), 4)
                with slim.arg_scope([slim.conv2d, slim.fully_connected],
                                    normalizer_fn=slim.batch_norm,
                                    weights_regularizer=slim.l2_regularizer(.01)):
                    net = slim.max_pool2d(slim.conv2d(tf.constant(X), 4, [3, 3]), [2, 2])
                    net = slim.fully_connected(slim.flatten(net), 8)
                    logits = slim.fully_connected(net, 4, activation_fn=None)
                slim.losses.softmax_cross_entropy(logits, labels)
                train_op = slim.learning.create_train_op(
                    slim.losses.get_total_loss(), tf.train.GradientDescentOptimizer(.1),
                    clip_gradient_norm=.5, summarize_gradients=True)
                self.assertEqual(train_op.name, 'train_op/control_dependency:0')
                self.assertEqual(slim.model_analyzer.analyze_vars(slim.get_model_variables()),
                                 (700, 2800))
                loss = slim.learning.train(train_op, folder, number_of_steps=4,
                                           save_summaries_secs=1000)
            self.assertAlmostEqual(float(loss), 0.9377, places=3)
            self.assertIn('checkpoint', os.listdir(folder))
            with tf.Graph().as_default(), tf.Session() as session:
                with tf.variable_scope('Conv'):
                    weights = slim.model_variable('weights', [3, 3, 3, 4])
                restore = slim.assign_from_checkpoint_fn(tf.train.latest_checkpoint(folder),
                                                         slim.get_variables_to_restore())
                restore(session)
                self.assertAlmostEqual(float(np.abs(session.run(weights)).sum()), 15.7824,
                                       places=3)


class Nets(unittest.TestCase):
    """(nodes, variables, updates, losses), as TensorFlow makes them."""

    def of(self, scope, network, size, *args, **kwargs):
        with tf.Graph().as_default() as graph:
            with slim.arg_scope(scope):
                network(tf.placeholder(tf.float32, [2, size, size, 3]), *args, **kwargs)
            return (len(graph.get_operations()), len(tf.global_variables()),
                    len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)),
                    len(tf.losses.get_regularization_losses()))

    def test_vgg(self):
        self.assertEqual(self.of(nets.vgg.vgg_arg_scope(), nets.vgg.vgg_16, 224),
                         (380, 32, 0, 16))

    def test_alexnet(self):
        self.assertEqual(self.of(nets.alexnet.alexnet_v2_arg_scope(), nets.alexnet.alexnet_v2,
                                 224, 10), (201, 16, 0, 8))

    def test_resnet(self):
        scope = nets.resnet_utils.resnet_arg_scope()
        self.assertEqual(self.of(scope, nets.resnet_v2.resnet_v2_50, 224, 10)[:2], (2515, 272))


class HParams(unittest.TestCase):

    def test_parse(self):
        h = tf.contrib.training.HParams(a=1, b=.5, c='x', d=[1, 2], e=True)
        h.parse('a=3,b=1e-2,c=hello,d=[3, 4,5],e=false')
        self.assertEqual(h.values(), {'a': 3, 'b': .01, 'c': 'hello', 'd': [3, 4, 5],
                                      'e': False})
        self.assertEqual(str(h), 'a=3,b=0.01,c=hello,d=[3, 4, 5],e=False')
        self.assertIn('a', h)
        for text, message in (('z=1', 'Unknown hyperparameter type for z'),
                              ('a=1.5', 'Could not parse hparam \'a\' of type \'int\''),
                              ('a=1,a=2', 'Multiple assignments to variable \'a\''),
                              ('a', 'Malformed hyperparameter value: a')):
            with self.assertRaisesRegex(ValueError, message):
                h.parse(text)
        with self.assertRaisesRegex(ValueError, 'Must pass a list for multi-valued'):
            h.set_hparam('d', 3)
        with self.assertRaisesRegex(ValueError, 'is reserved: a'):
            h.add_hparam('a', 1)


if __name__ == '__main__':
    unittest.main()
