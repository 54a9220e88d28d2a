# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.graph_editor: views, copies, edges moved. Names are TensorFlow 1.15's."""
import unittest

import leat as tf
from leat.contrib import graph_editor as ge


def nodes():
    return {op.name: ([t.name for t in op.inputs], [c.name for c in op.control_inputs])
            for op in tf.get_default_graph().get_operations()}


class Editor(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        self.x = tf.placeholder(tf.float32, [2, 3], name='sc/x')
        self.y = tf.square(self.x, name='sc/y')
        with tf.control_dependencies([tf.no_op(name='gate')]):
            self.z = tf.add(self.y, self.x, name='sc/z')
        self.w = tf.exp(self.z, name='w')

    def names(self, items):
        return [item.name for item in items]

    def test_view(self):
        view = ge.sgv([self.y.op, self.z.op])
        self.assertEqual(self.names(view.inputs), ['sc/x:0'])
        self.assertEqual(self.names(view.outputs), ['sc/z:0'])
        self.assertEqual(self.names(view.consumers()), ['w'])
        self.assertEqual(self.names(ge.compute_boundary_ts(view.ops)[2]), ['sc/y:0'])
        with self.assertRaisesRegex(ValueError, r'Out of \[0, 1\[ range: 5'):
            view.remap_inputs([5])
        graph = tf.get_default_graph()
        self.assertEqual(self.names(ge.select_ops('sc/.*', graph=graph)),
                         ['sc/x', 'sc/y', 'sc/z'])
        with self.assertRaisesRegex(ValueError, "Use the keyword argument 'graph'"):
            ge.select_ops('sc/.*')
        self.assertEqual(self.names(ge.get_walks_intersection_ops([self.y.op], [self.z.op])),
                         ['sc/y', 'sc/z'])

    def test_copy(self):
        copied, info = ge.copy(ge.sgv([self.y.op, self.z.op]), dst_scope='cp')
        self.assertEqual(info.transformed(self.z).name, 'cp/sc/z:0')
        self.assertEqual(info.original(copied.outputs[0]).name, 'sc/z:0')
        self.assertEqual(nodes()['cp/sc/z'], (['cp/sc/y:0', 'cp/geph__x_0_1:0'], ['gate']))

    def test_replace(self):
        made = ge.graph_replace(self.w, {self.x: tf.fill([2, 3], 2.)}, dst_scope='r')
        with tf.Session() as session:
            self.assertAlmostEqual(float(session.run(made)[0, 0]), 403.4288, places=3)
        with self.assertRaisesRegex(ValueError, 'not connected'):
            ge.graph_replace(self.x, {self.w: self.y})

    def test_detach(self):
        ge.detach(ge.sgv(self.z.op), control_inputs=True)
        self.assertEqual(nodes()['sc/z'], (['sc/geph__y_0:0', 'sc/geph__x_0:0'], []))
        self.assertEqual(nodes()['w'], (['sc/geph__z_0:0'], []))

    def test_reroute(self):
        other = tf.ones([2, 3])
        self.assertEqual(ge.reroute_ts(other, self.x, can_modify=[self.z.op]), 1)
        self.assertEqual(nodes()['sc/z'], (['sc/y:0', 'ones:0'], ['gate']))
        ge.bypass(ge.sgv(self.y.op))
        self.assertEqual(nodes()['sc/z'][0], ['sc/x:0', 'ones:0'])
        with self.assertRaisesRegex(ValueError, 'different sizes: 1 != 2'):
            ge.reroute_ts([other], [self.x, self.y])

    def test_controls(self):
        first, gate = tf.no_op(name='first'), tf.get_default_graph().get_operation_by_name('gate')
        ge.add_control_inputs(self.z.op, first)
        ge.remove_control_inputs(self.z.op, gate)
        self.assertEqual(nodes()['sc/z'][1], ['first'])
        with self.assertRaisesRegex(ValueError, 'is not a control_input'):
            ge.remove_control_inputs(self.z.op, gate)
        with tf.Session() as session:
            session.run(self.w, {self.x: [[1, 2, 3], [4, 5, 6]]})
        with self.assertRaisesRegex(Exception, 'after it was run by a session'):
            ge.remove_control_inputs(self.z.op, first)

    def test_loop(self):
        graph = tf.Graph()
        with graph.as_default():
            last = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
        other = tf.Graph()
        _, info = ge.copy(graph, other)
        with tf.Session(graph=other) as session:
            self.assertEqual(session.run(info.transformed(last)), 5)


if __name__ == '__main__':
    unittest.main()
