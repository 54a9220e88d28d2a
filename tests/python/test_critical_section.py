# SPDX-License-Identifier: Apache-2.0
"""tf.CriticalSection. Nodes, texts and values are TensorFlow 1.15's."""
import unittest

import leat as tf


class CriticalSectionTest(unittest.TestCase):
    def setUp(self):
        self._graph = tf.Graph().as_default()
        self.graph = self._graph.__enter__()

    def tearDown(self):
        self._graph.__exit__(None, None, None)

    def _count(self, v, by):
        before = v.value()
        with tf.control_dependencies([before]):
            with tf.control_dependencies([v.assign_add(by)]):
                return tf.identity(before)

    def test_nodes_and_value(self):
        section = tf.CriticalSection()
        v = tf.get_variable('v', initializer=0., use_resource=True)
        one = section.execute(lambda: self._count(v, 2.))
        two = section.execute(lambda: [self._count(v, 3.), {'a': tf.constant(1)}], name='two')
        self.assertEqual((section.name, one.name, two[1]['a'].name),
                         ('CriticalSection', 'critical_section_execute/Identity_2:0',
                          'two/Identity_4:0'))
        nodes = {node.name: sorted(node.input) for node in self.graph.as_graph_def().node}
        self.assertEqual(nodes['two/MutexLock'], ['CriticalSection', '^two/group_deps'])
        self.assertEqual(nodes['two/group_deps'], ['^v'])
        self.assertEqual(nodes['two/ConsumeMutexLock'],
                         ['^two/Identity_1', '^two/Identity_2', 'two/MutexLock'])
        self.assertEqual(nodes['two/Identity_4'],
                         ['^two/ConsumeMutexLock', 'two/tuple/control_dependency_1'])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            first, second = sess.run([one, two[0]])
            self.assertIn((first, second), [(0, 2), (3, 0)])
            self.assertEqual(sess.run(v), 5)

    def test_all_are_counted(self):
        section = tf.CriticalSection(shared_name='s')
        v = tf.get_variable('v', initializer=0., use_resource=True)
        counts = [section.execute(lambda: self._count(v, 1.)) for _ in range(20)]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual(sorted(sess.run(counts)), list(range(20)))

    def test_in_loops(self):
        section = tf.CriticalSection()
        x = tf.constant(2.)
        end = tf.while_loop(lambda i: i < 5, lambda i: section.execute(lambda: i + 1), [0])
        each = tf.map_fn(lambda e: section.execute(lambda: e * x), tf.constant([1., 2., 3.]))
        with tf.Session() as sess:
            self.assertEqual(sess.run(end), 5)
            self.assertEqual(sess.run(each).tolist(), [2, 4, 6])

    def test_sections_in_sections(self):
        outer, inner = tf.CriticalSection(name='outer'), tf.CriticalSection(name='inner')
        x = outer.execute(lambda: inner.execute(lambda: tf.constant(3) * 2))
        with tf.Session() as sess:
            self.assertEqual(sess.run(x), 6)
        with self.assertRaisesRegex(ValueError, 'illegal and would cause deadlocks'):
            outer.execute(lambda: outer.execute(lambda: tf.constant(1)))

    def test_exclusive_access(self):
        v = tf.get_variable('v', initializer=0., use_resource=True)
        free = [tf.CriticalSection(name='free') for _ in range(2)]
        for section in free:
            section.execute(v.value, exclusive_resource_access=False)
        with self.assertRaisesRegex(ValueError, 'requested exclusive resource access'):
            tf.CriticalSection(name='own').execute(v.value)

    def test_arguments(self):
        with self.assertRaises(NotImplementedError):
            tf.CriticalSection(critical_section_def=3)
        with self.assertRaisesRegex(ValueError, 'mutually exclusive'):
            tf.CriticalSection(name='a', critical_section_def=3)
        with self.assertRaisesRegex(ValueError, 'None values not supported'):
            tf.CriticalSection().execute(lambda: None)


if __name__ == '__main__':
    unittest.main()
