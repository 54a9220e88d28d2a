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


class Data(unittest.TestCase):

    def test_examples_from_files(self):
        tf.reset_default_graph()

        def floats(*values):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        with tempfile.TemporaryDirectory() as folder:
            for k in range(2):
                with tf.python_io.TFRecordWriter(os.path.join(folder, 'a_%d.rec' % k)) as writer:
                    for i in range(3):
                        features = {'v': floats(.5, i), 'xmin': floats(.1), 'ymin': floats(.3),
                                    'xmax': floats(.5), 'ymax': floats(.7)}
                        features['label'] = tf.train.Feature(
                            int64_list=tf.train.Int64List(value=[k * 3 + i]))
                        writer.write(tf.train.Example(features=tf.train.Features(
                            feature=features)).SerializeToString())
            keys = {k: tf.VarLenFeature(tf.float32) for k in ('v', 'xmin', 'ymin', 'xmax',
                                                              'ymax')}
            keys['label'] = tf.FixedLenFeature([], tf.int64)
            decoder = slim.tfexample_decoder.TFExampleDecoder(keys, {
                'label': slim.tfexample_decoder.Tensor('label'),
                'v': slim.tfexample_decoder.Tensor('v', shape=[2]),
                'box': slim.tfexample_decoder.BoundingBox()})
            dataset = slim.dataset.Dataset(os.path.join(folder, 'a_*.rec'), tf.TFRecordReader,
                                           decoder, 6, {})
            provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False,
                                                                      num_epochs=1)
            self.assertEqual(sorted(provider.list_items()), ['box', 'label', 'record_key', 'v'])
            with self.assertRaisesRegex(ValueError, r'Item \[z\] is invalid'):
                provider.get(['z'])
            label, v, box = provider.get(['label', 'v', 'box'])
            batch = tf.train.batch([label, tf.reshape(v, [2]), tf.reshape(box, [1, 4])], 2)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                with slim.queues.QueueRunners(session):
                    got = [session.run(batch) for _ in range(3)]
        self.assertEqual([g[0].tolist() for g in got], [[0, 1], [2, 3], [4, 5]])
        np.testing.assert_allclose(got[1][1], [[.5, 2], [.5, 0]])
        np.testing.assert_allclose(got[0][2][0], [[.3, .1, .7, .5]])


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
