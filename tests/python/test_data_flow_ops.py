# SPDX-License-Identifier: Apache-2.0
"""Queues, barriers, accumulators, staging areas: names of nodes, values, errors as TensorFlow's."""
import unittest

from leat.python.framework import constant_op, dtypes, errors, ops
from leat.python.ops import data_flow_ops
from leat.python.platform import test


class QueuesTest(test.TestCase):
    def testNames(self):
        q = data_flow_ops.FIFOQueue(10, dtypes.float32, shapes=[[]])
        self.assertEqual((q.name, q.dtypes, q.names), ('fifo_queue', [dtypes.float32], None))
        op = q.enqueue(3.)
        self.assertEqual([op.name, op.type, op.inputs[1].op.name],
                         ['fifo_queue_enqueue', 'QueueEnqueueV2',
                          'fifo_queue_enqueue/component_0'])
        self.assertEqual(q.enqueue_many([[1.]]).name, 'fifo_queue_EnqueueMany')
        self.assertEqual(q.dequeue().name, 'fifo_queue_Dequeue:0')
        self.assertEqual(q.dequeue_many(3).shape.as_list(), [3])
        self.assertEqual(q.dequeue_up_to(3).shape.as_list(), [None])
        self.assertEqual([q.size().name, q.close().name, q.is_closed().name],
                         ['fifo_queue_Size:0', 'fifo_queue_Close', 'fifo_queue_Is_Closed:0'])
        with ops.name_scope('s'):
            q = data_flow_ops.FIFOQueue(1, dtypes.int32)
            self.assertEqual(q.enqueue(1).name, 's/fifo_queue_enqueue')
        chosen = data_flow_ops.QueueBase.from_list(0, [q, q])
        self.assertEqual(chosen.queue_ref.op.type, 'GatherV2')

    def testValues(self):
        with self.cached_session() as sess:
            q = data_flow_ops.FIFOQueue(10, [dtypes.int32, dtypes.string], [[], []],
                                        names=['i', 's'])
            sess.run(q.enqueue({'i': 1, 's': 'a'}))
            sess.run(q.enqueue_many({'i': [2, 3], 's': ['b', 'c']}))
            self.assertEqual(sess.run(q.size()), 3)
            self.assertEqual(sess.run(q.dequeue()), {'i': 1, 's': b'a'})
            sess.run(q.close())
            self.assertTrue(sess.run(q.is_closed()))
            self.assertAllEqual(sess.run(q.dequeue_up_to(5))['i'], [2, 3])
            with self.assertRaises(errors.OutOfRangeError):
                sess.run(q.dequeue())
            p = data_flow_ops.PriorityQueue(10, [dtypes.string], [[]])
            sess.run(p.enqueue_many(([5, 1], ['five', 'one'])))
            self.assertEqual(sess.run(p.dequeue()), [1, b'one'])
            d = data_flow_ops.PaddingFIFOQueue(10, [dtypes.int32], [[None]])
            sess.run([d.enqueue([[1, 2]])])
            sess.run([d.enqueue([[3]])])
            self.assertAllEqual(sess.run(d.dequeue_many(2)), [[1, 2], [3, 0]])
            r = data_flow_ops.RandomShuffleQueue(10, 0, dtypes.int32, [[]], seed=3)
            sess.run(r.enqueue_many([[1, 2, 3]]))
            self.assertCountEqual(sess.run(r.dequeue_many(3)).tolist(), [1, 2, 3])

    def testErrors(self):
        q = data_flow_ops.FIFOQueue(10, [dtypes.int32], [[2]])
        with self.assertRaisesRegex(ValueError, r'Shapes \(3,\) and \(2,\) are incompatible'):
            q.enqueue([[1, 2, 3]])
        with self.assertRaisesRegex(ValueError, 'Queue must have names to enqueue a dictionary'):
            q.enqueue({'a': 1})
        with self.assertRaisesRegex(ValueError, 'same length as dtypes'):
            data_flow_ops.FIFOQueue(3, [dtypes.int32], [[1], [2]])
        with self.assertRaisesRegex(ValueError, 'All shapes must be fully defined'):
            data_flow_ops.FIFOQueue(3, [dtypes.int32], [[None]])
        with self.assertRaisesRegex(TypeError, 'A list of queues expected'):
            data_flow_ops.QueueBase.from_list(0, [])


class OthersTest(test.TestCase):
    def testBarrier(self):
        with self.cached_session() as sess:
            b = data_flow_ops.Barrier([dtypes.float32] * 2, [[], []], name='B')
            sess.run(b.insert_many(0, ['a', 'b'], [1., 2.]))
            sess.run(b.insert_many(1, ['b'], [20.]))
            self.assertEqual(sess.run([b.ready_size(), b.incomplete_size()]), [1, 1])
            taken = b.take_many(1)
            self.assertEqual(taken.keys.name, 'B_BarrierTakeMany:1')
            found = sess.run(taken)
            self.assertAllEqual(found.keys, [b'b'])
            self.assertAllEqual(found.values, [[2.], [20.]])

    def testAccumulators(self):
        with self.cached_session() as sess:
            a = data_flow_ops.ConditionalAccumulator(dtypes.float32, shape=[2])
            sess.run(a.apply_grad([1., 3.]))
            sess.run(a.apply_grad([3., 5.]))
            self.assertEqual(sess.run(a.num_accumulated()), 2)
            self.assertAllEqual(sess.run(a.take_grad(1)), [2., 4.])
            s = data_flow_ops.SparseConditionalAccumulator(dtypes.float32)
            slices = ops.IndexedSlices(constant_op.constant([[1., 2.]]),
                                       constant_op.constant([3], dtypes.int64))
            sess.run(s.apply_indexed_slices_grad(slices))
            self.assertAllEqual(sess.run(s.take_indexed_slices_grad(1)).indices, [3])

    def testStaging(self):
        with self.cached_session() as sess:
            area = data_flow_ops.StagingArea([dtypes.float32], [[]], names=['x'])
            put = area.put({'x': constant_op.constant(2.)})
            self.assertEqual(put.name, 'StagingArea_put')
            self.assertEqual(put.get_attr('_class'), [b'loc:@StagingArea_root/NoOp'])
            sess.run(put)
            self.assertEqual(sess.run(area.size()), 1)
            self.assertEqual(sess.run(area.get()), {'x': 2.})
            keyed = data_flow_ops.MapStagingArea([dtypes.float32, dtypes.int32], ordered=True)
            key = constant_op.constant(7, dtypes.int64)
            sess.run(keyed.put(key, [constant_op.constant(1.)], [0]))
            self.assertEqual(sess.run(keyed.incomplete_size()), 1)
            sess.run(keyed.put(key, [constant_op.constant(5)], [1]))
            self.assertEqual(sess.run(keyed.get()), (7, [1., 5]))
            with self.assertRaisesRegex(ValueError, 'Indices must be supplied'):
                keyed.put(key, [constant_op.constant(1.)])


if __name__ == '__main__':
    unittest.main()
