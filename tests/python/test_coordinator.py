# SPDX-License-Identifier: Apache-2.0
"""Coordinators, queue runners, input by queues. Texts and nodes are TensorFlow 1.15's."""
import threading
import unittest

from leat.python.client import session
from leat.python.framework import constant_op, dtypes, errors, ops
from leat.python.ops import array_ops, data_flow_ops, variables
from leat.python.training import coordinator, input as input_lib, queue_runner_impl


class CoordinatorTest(unittest.TestCase):
    def test_stop(self):
        coord = coordinator.Coordinator()
        self.assertFalse(coord.should_stop())
        thread = threading.Thread(target=coord.wait_for_stop)
        coord.register_thread(thread)
        thread.start()
        coord.request_stop()
        coord.join()
        self.assertTrue(coord.joined and coord.should_stop())
        coord.clear_stop()
        self.assertFalse(coord.joined or coord.should_stop())

    def test_raises_once(self):
        coord = coordinator.Coordinator()

        def work():
            with coord.stop_on_exception():
                raise KeyError('x')
        thread = threading.Thread(target=work)
        thread.start()
        with self.assertRaisesRegex(KeyError, 'x'):
            coord.join([thread])
        with self.assertRaisesRegex(KeyError, 'x'):
            coord.raise_requested_exception()
        with self.assertRaisesRegex(ValueError, 'later'):
            coord.request_stop(ValueError('later'))

    def test_end_of_input_is_no_error(self):
        coord = coordinator.Coordinator()
        coord.request_stop(errors.OutOfRangeError(None, None, 'end'))
        coord.join([])
        coord = coordinator.Coordinator(clean_stop_exception_types=[KeyError])
        coord.request_stop(KeyError('y'))
        coord.join([])

    def test_threads_that_stay(self):
        coord = coordinator.Coordinator()
        release = threading.Event()
        thread = threading.Thread(target=release.wait, name='stays', daemon=True)
        thread.start()
        coord.request_stop()
        with self.assertRaisesRegex(RuntimeError,
                                    'Coordinator stopped with threads still running: stays'):
            coord.join([thread], stop_grace_period_secs=0.01)
        coord.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
        release.set()
        thread.join()

    def test_loops(self):
        coord = coordinator.Coordinator()
        seen = []

        def work(limit):
            seen.append(1)
            if len(seen) == limit:
                coord.request_stop()
        coordinator.LooperThread.loop(coord, None, target=work, args=(3,))
        coord.join()
        self.assertEqual(len(seen), 3)
        with self.assertRaisesRegex(ValueError, "'coord' argument must be a Coordinator: 3"):
            coordinator.LooperThread(3, None)
        with self.assertRaisesRegex(ValueError, "require that you also pass 'target'"):
            coordinator.LooperThread(coord, None, args=[1])


class _GraphCase(unittest.TestCase):
    def setUp(self):
        self.graph = ops.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def run_all(self, fetch, most=20):
        """The values until the end of the input, or the first few."""
        values = []
        with session.Session() as sess:
            sess.run([variables.global_variables_initializer(),
                      variables.local_variables_initializer()])
            coord = coordinator.Coordinator()
            threads = queue_runner_impl.start_queue_runners(sess, coord)
            try:
                while len(values) < most:
                    values.append(sess.run(fetch))
            except errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(threads)
        return values


class QueueRunnerTest(_GraphCase):
    def test_fills_and_closes(self):
        queue = data_flow_ops.FIFOQueue(10, dtypes.int64)
        count = variables.VariableV1(0, dtype=dtypes.int64, trainable=False)
        enqueue = queue.enqueue([count.count_up_to(5)])
        queue_runner_impl.add_queue_runner(queue_runner_impl.QueueRunner(queue, [enqueue]))
        self.assertEqual(self.run_all(queue.dequeue()), [0, 1, 2, 3, 4])

    def test_proto(self):
        queue = data_flow_ops.FIFOQueue(10, dtypes.float32, name='q')
        runner = queue_runner_impl.QueueRunner(queue, [queue.enqueue(1.)] * 2)
        proto = runner.to_proto()
        self.assertEqual(proto.queue_name, 'q')
        self.assertEqual(list(proto.enqueue_op_name), ['q_enqueue'] * 2)
        self.assertEqual((proto.close_op_name, proto.cancel_op_name), ('q_Close', 'q_Close_1'))
        self.assertEqual(list(proto.queue_closed_exception_types), [errors.OUT_OF_RANGE])
        again = queue_runner_impl.QueueRunner.from_proto(proto)
        self.assertEqual(again.close_op, runner.close_op)
        self.assertEqual(again.name, 'q')
        self.assertIsNone(runner.to_proto(export_scope='other'))

    def test_errors_without_a_coordinator(self):
        queue = data_flow_ops.FIFOQueue(10, dtypes.float32)
        fed = array_ops.placeholder(dtypes.float32)
        runner = queue_runner_impl.QueueRunner(queue, [queue.enqueue(fed)])
        with session.Session() as sess:
            hook, threading.excepthook = threading.excepthook, lambda args: None
            try:
                for t in runner.create_threads(sess, start=True):
                    t.join()
            finally:
                threading.excepthook = hook
        self.assertEqual(len(runner.exceptions_raised), 1)
        self.assertIsInstance(runner.exceptions_raised[0], errors.InvalidArgumentError)

    def test_wrong_arguments(self):
        queue = data_flow_ops.FIFOQueue(10, dtypes.float32)
        with self.assertRaisesRegex(ValueError, 'Must provide queue and enqueue_ops.'):
            queue_runner_impl.QueueRunner(queue)
        with self.assertRaisesRegex(TypeError, 'must be a tuple of tf.error types'):
            queue_runner_impl.QueueRunner(queue, [queue.enqueue(1.)],
                                          queue_closed_exception_types=[3])
        with self.assertRaisesRegex(ValueError, 'Cannot start queue runners: No default session'):
            queue_runner_impl.start_queue_runners()
        with self.assertRaisesRegex(TypeError, 'sess must be a `tf.Session` object.'):
            queue_runner_impl.start_queue_runners(sess=3)


class InputTest(_GraphCase):
    def test_strings(self):
        queue = input_lib.string_input_producer(['a', 'b'], num_epochs=2, shuffle=False, name='q')
        self.assertEqual(self.run_all(queue.dequeue()), [b'a', b'b'] * 2)
        self.assertIn('q/fraction_of_32_full',
                      [o.name for o in self.graph.get_operations()])
        with self.assertRaisesRegex(ValueError, 'requires a non-null input tensor'):
            input_lib.string_input_producer([])

    def test_shuffled(self):
        queue = input_lib.range_input_producer(8, num_epochs=1, seed=3)
        values = [int(v) for v in self.run_all(queue.dequeue())]
        self.assertEqual(sorted(values), list(range(8)))
        self.assertNotEqual(values, list(range(8)))

    def test_slices(self):
        rows = input_lib.slice_input_producer(
            [constant_op.constant([1, 2, 3]), constant_op.constant(['a', 'b', 'c'])],
            num_epochs=1, shuffle=False)
        self.assertEqual([r.op.name for r in rows],
                         ['input_producer/GatherV2', 'input_producer/GatherV2_1'])
        self.assertEqual(self.run_all(rows), [[1, b'a'], [2, b'b'], [3, b'c']])

    def test_batches(self):
        queue = input_lib.range_input_producer(5, num_epochs=1, shuffle=False)
        both = input_lib.batch({'x': queue.dequeue(), 'y': constant_op.constant([1., 2.])}, 2,
                               allow_smaller_final_batch=True)
        values = self.run_all(both)
        self.assertEqual([v['x'].tolist() for v in values], [[0, 1], [2, 3], [4]])
        self.assertEqual(values[2]['y'].tolist(), [[1., 2.]])
        self.assertEqual(both['x'].op.name, 'batch')

    def test_padded(self):
        number = input_lib.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        row = array_ops.fill(array_ops.reshape(number, [1]), 7)
        rows = input_lib.batch([row], 4, dynamic_pad=True)
        self.assertEqual(self.run_all(rows)[0].tolist(),
                         [[0, 0, 0], [7, 0, 0], [7, 7, 0], [7, 7, 7]])

    def test_shuffled_batches(self):
        number = input_lib.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
        numbers = input_lib.shuffle_batch([number], 5, capacity=20, min_after_dequeue=10, seed=1)
        values = [v.tolist() for v in self.run_all(numbers)]
        self.assertEqual(sorted(sum(values, [])), list(range(20)))
        with self.assertRaisesRegex(ValueError, 'capacity 2 must be bigger than min_after'):
            input_lib.shuffle_batch([number], 5, capacity=2, min_after_dequeue=2)

    def test_joined(self):
        sources = [[input_lib.limit_epochs(constant_op.constant(i), 2)] for i in (1, 2)]
        self.assertEqual(sorted(self.run_all(input_lib.batch_join(sources, 4))[0].tolist()),
                         [1, 1, 2, 2])
        with self.assertRaisesRegex(TypeError, 'Expected types to be consistent: int32 vs. fl'):
            input_lib.batch_join([[constant_op.constant(1)], [constant_op.constant(1.)]], 2)

    def test_kept(self):
        number = input_lib.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        even = input_lib.maybe_batch([number], number % 2 < 1, 3)
        self.assertEqual([v.tolist() for v in self.run_all(even)], [[0, 2, 4]])

    def test_buckets(self):
        from leat.contrib.training.python.training import bucket_ops
        number = input_lib.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        rows = array_ops.fill(array_ops.reshape(number, [1]), number)
        lengths, both = bucket_ops.bucket_by_sequence_length(
            number, [rows], 2, [4, 7], dynamic_pad=True, allow_smaller_final_batch=True)
        values = sorted((a.tolist(), b[0].tolist()) for a, b in self.run_all([lengths, both]))
        self.assertEqual([a for a, _ in values], [[0, 1], [2, 3], [4, 5], [6], [7, 8], [9]])
        self.assertEqual(values[2][1], [[4, 4, 4, 4, 0], [5] * 5])
        with self.assertRaisesRegex(ValueError, 'bucket_boundaries must not be empty'):
            bucket_ops.bucket_by_sequence_length(number, [rows], 2, [])

    def test_wrong(self):
        with self.assertRaisesRegex(ValueError, r'Expected at least one tensor in batch\(\).'):
            input_lib.batch([], 2)
        with self.assertRaisesRegex(ValueError, "Cannot infer Tensor's rank"):
            input_lib.batch([array_ops.placeholder(dtypes.float32)], 2)
        with self.assertRaisesRegex(ValueError, 'num_epochs must be > 0 not 0.'):
            input_lib.limit_epochs(constant_op.constant(1), 0)

    def test_files(self):
        found = input_lib.match_filenames_once(__file__)
        with session.Session() as sess:
            sess.run(variables.local_variables_initializer())
            self.assertEqual(sess.run(found).tolist(), [__file__.encode()])


if __name__ == '__main__':
    unittest.main()
