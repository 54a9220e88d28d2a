# SPDX-License-Identifier: Apache-2.0
"""Small parts of contrib: predictors, exports of 2016, what projector writes, the PTB reader."""
import os
import tempfile
import unittest

import numpy as np

import leat as tf
from leat.contrib import predictor
from leat.contrib.session_bundle import exporter
from leat.contrib.session_bundle import gc
from leat.core.protobuf import meta_graph_pb2
from leat.models.rnn.ptb import reader


def model():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.Variable(tf.ones([2, 1]), name='w')
    return x, tf.matmul(x, w, name='y')


class Served(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_predictor(self):
        path = os.path.join(self.folder.name, 'model')
        with tf.Session() as sess:
            x, y = model()
            sess.run(tf.global_variables_initializer())
            tf.saved_model.simple_save(sess, path, {'x': x}, {'y': y})
        predict = predictor.from_saved_model(path)
        self.assertEqual(predict({'x': [[1, 2]]})['y'].tolist(), [[3.]])
        with self.assertRaisesRegex(ValueError, r"unexpected keys in input_dict: \{'q'\}"):
            predict({'q': [1]})
        with self.assertRaisesRegex(ValueError, 'Available signatures'):
            predictor.from_saved_model(path, signature_def_key='other')
        with self.assertRaisesRegex(ValueError, 'both be unspecified'):
            predictor.from_saved_model(path, input_names={'a': 'x:0'})
        other = predictor.from_saved_model(path, input_names={'a': 'x:0'},
                                           output_names={'b': 'y:0'})
        self.assertEqual(other({'a': [[2, 2]]})['b'].tolist(), [[4.]])

    def test_exporter(self):
        asset = os.path.join(self.folder.name, 'words.txt')
        with open(asset, 'w') as f:
            f.write('a b')
        x, y = model()
        export = exporter.Exporter(tf.train.Saver())
        with self.assertRaisesRegex(RuntimeError, 'init must be called'):
            export.export(self.folder.name, tf.constant(1), None)
        export.init(tf.get_default_graph().as_graph_def(), init_op=tf.no_op('ready'),
                    named_graph_signatures={'in': exporter.generic_signature({'x': x})},
                    default_graph_signature=exporter.regression_signature(x, y),
                    assets_collection=[tf.constant(asset)])
        base = os.path.join(self.folder.name, 'out')
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in (7, 8, 9):
                path = export.export(base, tf.constant(step), sess,
                                     exports_to_keep=gc.largest_export_versions(2))
        self.assertEqual(path, os.path.join(base, '00000009').encode())
        self.assertEqual(sorted(os.listdir(base)), ['00000008', '00000009'])
        self.assertEqual(sorted(os.listdir(path.decode())), [
            'assets', 'checkpoint', 'export.data-00000-of-00001', 'export.index', 'export.meta'])
        meta = meta_graph_pb2.MetaGraphDef()
        with open(os.path.join(path.decode(), 'export.meta'), 'rb') as f:
            meta.ParseFromString(f.read())
        self.assertEqual(meta.collection_def['serving_init_op'].node_list.value, ['ready'])
        self.assertEqual(meta.collection_def['serving_signatures'].any_list.value[0].type_url,
                         'type.googleapis.com/tensorflow.serving.Signatures')

    def test_projector(self):
        projector = tf.contrib.tensorboard.plugins.projector
        config = projector.ProjectorConfig()
        config.embeddings.add(tensor_name='w', metadata_path='m.tsv')
        projector.visualize_embeddings(tf.summary.FileWriter(self.folder.name), config)
        with open(os.path.join(self.folder.name, 'projector_config.pbtxt')) as f:
            self.assertEqual(f.read(), 'embeddings {\n  tensor_name: "w"\n'
                                       '  metadata_path: "m.tsv"\n}\n')

    def test_ptb(self):
        for part in ('train', 'valid', 'test'):
            with open(os.path.join(self.folder.name, 'ptb.%s.txt' % part), 'w') as f:
                f.write(' b a b \n c b a x \n' if part == 'train' else ' a zz b \n')
        train, valid, test, size = reader.ptb_raw_data(self.folder.name)
        self.assertEqual((train, valid, test, size), (
            [0, 2, 0, 1, 3, 0, 2, 4, 1], [2, 0, 1], [2, 0, 1], 5))
        x, y = reader.ptb_producer(list(range(22)), 2, 3)
        self.assertEqual(x.shape.as_list(), [2, 3])
        with tf.train.MonitoredSession() as sess:
            for at in (0, 3, 6, 0):
                a, b = sess.run([x, y])
                np.testing.assert_array_equal(a, [range(at, at + 3), range(at + 11, at + 14)])
                np.testing.assert_array_equal(b, a + 1)
        pairs = list(reader.ptb_iterator(range(22), 2, 3))
        self.assertEqual(len(pairs), 3)
        np.testing.assert_array_equal(pairs[1][0], [[3, 4, 5], [14, 15, 16]])


if __name__ == '__main__':
    unittest.main()
