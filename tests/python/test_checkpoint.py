# SPDX-License-Identifier: Apache-2.0
"""tf.train.Checkpoint: keys and messages as TensorFlow 1.15.5 writes them, restorations."""
import os
import tempfile
import unittest

import numpy as np

import leat as tf
from leat.core.protobuf import trackable_object_graph_pb2


class Checkpoints(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = os.path.join(self.folder.name, 'model')

    def model(self):
        v = tf.Variable(1., name='v')
        w = tf.get_variable('scope/w', [2], initializer=tf.ones_initializer(), use_resource=True)
        optimizer, step = tf.train.AdamOptimizer(.1), tf.train.get_or_create_global_step()
        train = optimizer.minimize(v * v + tf.reduce_sum(w), global_step=step)
        return tf.train.Checkpoint(v=v, w=w, optimizer=optimizer, step=step), train

    def saved(self):
        checkpoint, train = self.model()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            return checkpoint.save(self.prefix), sess.run([checkpoint.v, checkpoint.w])

    def test_keys(self):
        path, _ = self.saved()
        self.assertEqual(path, self.prefix + '-1')
        reader = tf.train.NewCheckpointReader(path)
        end = '/.ATTRIBUTES/VARIABLE_VALUE'
        self.assertEqual(sorted(reader.get_variable_to_shape_map()), [
            '_CHECKPOINTABLE_OBJECT_GRAPH'] + [name + end for name in (
                'optimizer/beta1_power', 'optimizer/beta2_power', 'save_counter', 'step', 'v',
                'v/.OPTIMIZER_SLOT/optimizer/m', 'v/.OPTIMIZER_SLOT/optimizer/v', 'w',
                'w/.OPTIMIZER_SLOT/optimizer/m', 'w/.OPTIMIZER_SLOT/optimizer/v')])
        graph = trackable_object_graph_pb2.TrackableObjectGraph()
        graph.ParseFromString(reader.get_tensor('_CHECKPOINTABLE_OBJECT_GRAPH'))
        self.assertEqual([(c.node_id, c.local_name) for c in graph.nodes[0].children], [
            (1, 'optimizer'), (2, 'step'), (3, 'v'), (4, 'w'), (5, 'save_counter')])
        self.assertEqual([(s.original_variable_node_id, s.slot_name, s.slot_variable_node_id)
                          for s in graph.nodes[1].slot_variables],
                         [(3, 'm', 8), (4, 'm', 9), (3, 'v', 10), (4, 'v', 11)])
        self.assertEqual(graph.nodes[4].attributes[0].full_name, 'scope/w')
        self.assertEqual(tf.train.latest_checkpoint(self.folder.name), path)

    def test_restore(self):
        path, (v, w) = self.saved()
        tf.reset_default_graph()
        checkpoint, train = self.model()
        with tf.Session() as sess:
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            np.testing.assert_array_equal(sess.run(checkpoint.w), w)
            self.assertEqual(sess.run([checkpoint.v, checkpoint.step, checkpoint.save_counter]),
                             [v, 1, 1])
            sess.run(train)
            self.assertEqual(checkpoint.save(self.prefix), self.prefix + '-2')
            nodes = len(sess.graph.get_operations())
            checkpoint.save(self.prefix)
            self.assertEqual(len(sess.graph.get_operations()), nodes)

    def test_parts_that_come_later(self):
        path, (v, w) = self.saved()
        tf.reset_default_graph()
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(path)
        with self.assertRaisesRegex(AssertionError, r'Unresolved object in checkpoint \(root\)'):
            status.assert_consumed()
        checkpoint.v, checkpoint.more = tf.Variable(5.), tf.Variable(3.)
        with self.assertRaisesRegex(AssertionError, 'were not bound to checkpointed values'):
            status.assert_existing_objects_matched()
        with tf.Session() as sess:
            status.initialize_or_restore(sess)
            self.assertEqual(sess.run([checkpoint.v, checkpoint.more]), [v, 3.])

    def test_layers_lists(self):
        checkpoint = tf.train.Checkpoint(layer=tf.layers.Dense(3))
        checkpoint.many = [tf.Variable(1.), {'a/b.c': tf.Variable(2.)}]
        checkpoint.layer(tf.zeros([1, 2]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = checkpoint.write(self.prefix)
        found = tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
        self.assertEqual(sorted(found)[1:], [name + '/.ATTRIBUTES/VARIABLE_VALUE' for name in (
            'layer/bias', 'layer/kernel', 'many/0', 'many/1/a.Sb..c')])

    def test_no_checkpoint(self):
        checkpoint = tf.train.Checkpoint(v=tf.Variable(2.))
        status = checkpoint.restore(None)
        with self.assertRaisesRegex(AssertionError, 'No checkpoint specified'):
            status.assert_consumed()
        with tf.Session() as sess:
            status.initialize_or_restore(sess)
            self.assertEqual(sess.run(checkpoint.v), 2.)
        with self.assertRaises(tf.errors.NotFoundError):
            checkpoint.restore(self.prefix + '-none')
        with self.assertRaisesRegex(ValueError, 'expecting a trackable object'):
            tf.train.Checkpoint(a=3)

    def test_beside_savers(self):
        """Savers read checkpoints of objects by variables' names; Checkpoints those of savers."""
        path, (v, w) = self.saved()
        tf.reset_default_graph()
        v1 = tf.Variable(0., name='v')
        saver = tf.train.Saver({'v': v1})
        with tf.Session() as sess:
            saver.restore(sess, path)
            self.assertEqual(sess.run(v1), v)
            named = saver.save(sess, os.path.join(self.folder.name, 'named'))
            sess.run(v1.assign(7.))
            tf.train.Checkpoint(x=v1).restore(named).run_restore_ops()
            self.assertEqual(sess.run(v1), v)

    def test_manager(self):
        checkpoint = tf.train.Checkpoint(v=tf.Variable(2.))
        manager = tf.train.CheckpointManager(checkpoint, self.folder.name, max_to_keep=2)
        with tf.Session() as sess:
            sess.run(checkpoint.v.initializer)
            for _ in range(3):
                manager.save()
        self.assertEqual([os.path.basename(p) for p in manager.checkpoints], ['ckpt-2', 'ckpt-3'])


if __name__ == '__main__':
    unittest.main()
