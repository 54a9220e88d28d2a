# SPDX-License-Identifier: Apache-2.0
"""Modules of a few functions: rows changed in place, collectives, locks of groups, names.
Values and texts are TensorFlow 1.15's."""
import threading
import unittest

import leat as tf
from leat.python.framework import framework_lib
from leat.python.framework import tensor_like
from leat.python.ops import collective_ops
from leat.python.ops import initializers_ns
from leat.python.ops import inplace_ops
from leat.python.ops import linalg_ops_impl
from leat.python.ops import op_selector
from leat.python.ops.losses import loss_reduction
from leat.python.util import lock_util


class InplaceTest(unittest.TestCase):
    def test_rows(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
            rows = [[1., 1.], [2., 2.]]
            self.assertEqual(sess.run(inplace_ops.inplace_update(x, [0, 2], rows)).tolist(),
                             [[1, 1], [3, 4], [2, 2]])
            self.assertEqual(sess.run(inplace_ops.inplace_add(x, 1, [7., 8.])).tolist(),
                             [[1, 2], [10, 12], [5, 6]])
            self.assertEqual(sess.run(inplace_ops.inplace_sub(x, None, x)).tolist(), [[0, 0]] * 3)
            self.assertEqual(sess.run(inplace_ops.alias_inplace_sub(x + 0, [1], rows[:1])).tolist(),
                             [[1, 2], [2, 3], [5, 6]])
            self.assertEqual(sess.run(inplace_ops.empty_like(x, init=True)).tolist(),
                             [[0, 0]] * 3)


class CollectiveTest(unittest.TestCase):
    def test_arguments(self):
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, 'Device assignment required'):
                collective_ops.all_reduce(tf.constant(1.), 2, 1, 1, 'Add', 'Id')
            with tf.device('/cpu:0'):
                x = tf.constant([1., 2.])
                with self.assertRaisesRegex(ValueError, 'group_size to all_gather must be'):
                    collective_ops.all_gather(x, 1, 1, 1)
                with self.assertRaisesRegex(ValueError, 'Type of broadcast_send'):
                    collective_ops.broadcast_send(x, [2], tf.int32, 2, 1, 1)
                with self.assertRaisesRegex(ValueError, 'Shape of broadcast_send'):
                    collective_ops.broadcast_send(x, [3], tf.float32, 2, 1, 1)
                reduced = collective_ops.all_reduce(x, 2, 1, 1, 'Add', 'Div', (0, 1), 'RING')
                self.assertEqual(reduced.op.get_attr('communication_hint'), b'ring')
                self.assertEqual(reduced.op.get_attr('subdiv_offsets'), [0, 1])
                got = collective_ops.broadcast_recv([2], tf.float32, 2, 1, 1)
                self.assertEqual(got.shape.as_list(), [2])


class NamesTest(unittest.TestCase):
    def test_names(self):
        self.assertIs(initializers_ns.zeros, tf.zeros_initializer)
        self.assertIs(linalg_ops_impl.eye, tf.eye)
        self.assertTrue(issubclass(tf.Tensor, tensor_like._TensorLike))
        self.assertIs(framework_lib.Graph, tf.Graph)
        self.assertIs(framework_lib.float32, tf.float32)
        loss_reduction.ReductionV2.validate('sum')
        with self.assertRaisesRegex(ValueError, 'Invalid Reduction Key q.'):
            loss_reduction.ReductionV2.validate('q')


class SelectorTest(unittest.TestCase):
    def test_walk(self):
        with tf.Graph().as_default() as graph:
            a = tf.placeholder(tf.float32, [], name='a')
            b = tf.multiply(a, 2., name='b')
            c = tf.cast(b, tf.int32, name='c')
            with tf.control_dependencies([b]):
                d = tf.identity(a, name='d')
            e = tf.add(d, b, name='e')

            def walk(*args, **kwargs):
                return sorted(op.name for op in op_selector.get_backward_walk_ops(*args, **kwargs))
            self.assertEqual(walk([e.op]), ['a', 'b', 'b/y', 'd', 'e'])
            self.assertEqual(walk([e], inclusive=False), ['a', 'b', 'b/y', 'd'])
            self.assertEqual(walk(e.op, stop_at_ts=[b]), ['a', 'd', 'e'])
            self.assertEqual(walk(e.op, within_ops=[e.op, d.op]), ['d', 'e'])
            self.assertEqual(walk(d.op), ['a', 'd'])
            self.assertEqual(walk(d.op, control_inputs=True), ['a', 'b', 'b/y', 'd'])
            self.assertEqual(walk(e.op, only_differentiable=True), ['a', 'b', 'b/y', 'd', 'e'])
            self.assertTrue(op_selector.is_differentiable(c.op))
            self.assertEqual([op.name for op in op_selector.get_generating_ops([a, b])],
                             ['a', 'b'])
            self.assertIs(op_selector.get_unique_graph([a, b.op]), graph)
        with tf.Graph().as_default(), self.assertRaisesRegex(ValueError, 'not belong to given'):
            op_selector.get_unique_graph([a, tf.constant(1)])


class GroupLockTest(unittest.TestCase):
    def test_groups(self):
        lock = lock_util.GroupLock(num_groups=2)
        entered = []
        with lock.group(0), lock.group(0):
            other = threading.Thread(target=lambda: [lock.acquire(1), entered.append(1)])
            other.start()
            self.assertEqual((lock._group_member_counts, entered), ([2, 0], []))
        other.join()
        self.assertEqual((lock._group_member_counts, entered), ([0, 1], [1]))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, 'positive integer, got 0'):
            lock_util.GroupLock(num_groups=0)
        with self.assertRaisesRegex(ValueError, 'between 0 and num_groups=2'):
            lock_util.GroupLock().group(3)


if __name__ == '__main__':
    unittest.main()
