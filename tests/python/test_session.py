# SPDX-License-Identifier: Apache-2.0
"""Sessions: structures of fetches, feeds, errors, threads. Texts are TensorFlow 1.15's."""
import collections
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy as np

from leat._load import core
from leat.core.protobuf import config_pb2
from leat.python.client import device_lib, session, timeline
from leat.python.framework import constant_op, dtypes, errors, ops
from leat.python.framework.op_def_library import apply_op
from leat.python.ops import session_ops

Pair = collections.namedtuple('Pair', 'a b')


def placeholder(shape=None, dtype=dtypes.float32, name=None):
    if shape is None:
        return apply_op('Placeholder', dtype=dtype, name=name)
    return apply_op('Placeholder', dtype=dtype, shape=shape, name=name)


def empty_queue():
    """Something that waits for ever."""
    queue = apply_op('FIFOQueueV2', component_types=[dtypes.float32])
    got = apply_op('QueueDequeueV2', handle=queue, component_types=[dtypes.float32], name='deq')
    return got[0] if isinstance(got, (list, tuple)) else got


class Base(unittest.TestCase):
    """A graph and a session a test."""

    def setUp(self):
        ops.reset_default_graph()
        self.s = session.Session()

    def tearDown(self):
        self.s.close()


class FetchTest(Base):
    """What a run gives."""

    def test_structures(self):
        c, d = constant_op.constant(1., name='c'), constant_op.constant([2, 3])
        op = c.op
        for _ in range(2):  # resolved, and known
            self.assertEqual(self.s.run(c), 1)
            self.assertIs(type(self.s.run(c)), np.float32)
            self.assertIsNone(self.s.run(op))
            self.assertEqual(self.s.run([c, op, c]), [1, None, 1])
            self.assertEqual(self.s.run((c, c)), (1, 1))
            self.assertEqual(self.s.run(Pair(c, op)), Pair(1, None))
            self.assertIs(type(self.s.run(Pair(c, op))), Pair)
            self.assertEqual(self.s.run((op, c)), (None, 1))
            self.assertEqual(self.s.run({'k': c, 'l': (c, [op])}), {'k': 1, 'l': (1, [None])})
            got = self.s.run(collections.OrderedDict([('b', c), ('a', op)]))
            self.assertEqual(list(got.items()), [('b', 1), ('a', None)])
            self.assertEqual(self.s.run([]), [])
            self.assertEqual(self.s.run({}), {})
            self.assertEqual(self.s.run('c:0'), 1)
            self.assertIsNone(self.s.run('c'))
            self.assertEqual(self.s.run([Pair(c, c), (c, c)]), [Pair(1, 1), (1, 1)])
        self.assertEqual(self.s.run(d).tolist(), [2, 3])

    def test_slices(self):
        values, indices = constant_op.constant([[1.]]), constant_op.constant([4])
        got = self.s.run(ops.IndexedSlices(values, indices))
        self.assertEqual((got.values.tolist(), got.indices.tolist(), got.dense_shape),
                         ([[1]], [4], None))

    def test_bad_fetches(self):
        c = constant_op.constant(1., name='c')
        cases = [
            (None, TypeError, "Fetch argument None has invalid type <class 'NoneType'>"),
            ([c, None], TypeError, "Fetch argument None has invalid type <class 'NoneType'>"),
            (3, TypeError, "Fetch argument 3 has invalid type <class 'int'>, must be a string or "
                           "Tensor. (Can not convert a int into a Tensor or Operation.)"),
            ('nosuch:0', ValueError, "Fetch argument 'nosuch:0' cannot be interpreted as a Tensor. "
             "(\"The name 'nosuch:0' refers to a Tensor which does not exist. The operation, "
             "'nosuch', does not exist in the graph.\")"),
            ('c:5', ValueError, "Fetch argument 'c:5' cannot be interpreted as a Tensor. (\"The "
             "name 'c:5' refers to a Tensor which does not exist. The operation, 'c', exists but "
             "only has 1 outputs.\")"),
        ]
        with ops.Graph().as_default():
            q = constant_op.constant(2., name='q')
        cases.append((q, ValueError, "Fetch argument <tf.Tensor 'q:0' shape=() dtype=float32> "
                      'cannot be interpreted as a Tensor. (Tensor Tensor("q:0", shape=(), '
                      'dtype=float32) is not an element of this graph.)'))
        for fetch, kind, text in cases:
            with self.assertRaises(kind) as raised:
                self.s.run(fetch)
            self.assertEqual(str(raised.exception), text)

    def test_empty_graph(self):
        with self.assertRaisesRegex(RuntimeError, 'The Session graph is empty.  Add operations'):
            session.Session(graph=ops.Graph()).run('x:0')

    def test_registered_types(self):
        class Squared:
            """Fetched as the square of its tensor, fed as its root."""

            def __init__(self, t):
                self.t = t

        session.register_session_run_conversion_functions(
            Squared, lambda q: ([q.t], lambda v: v[0] ** 2), lambda q, v: [(q.t, v ** 0.5)],
            lambda q: [q.t])
        x = placeholder()
        y = apply_op('Identity', input=x)
        self.assertEqual(self.s.run(Squared(y), {x: 3.}), 9)
        self.assertEqual(self.s.run(y, {Squared(x): 16.}), 4)
        with self.assertRaisesRegex(ValueError, 'has already been registered'):
            session.register_session_run_conversion_functions(Squared, None)


class FeedTest(Base):
    """What a run takes."""

    def setUp(self):
        super().setUp()
        self.x = placeholder([2], name='x')
        self.z = apply_op('Identity', input=self.x)

    def test_feeds(self):
        for _ in range(2):
            for value in ([1, 2], (1., 2.), np.array([1, 2]), np.array([1, 2], np.float32)):
                self.assertEqual(self.s.run(self.z, {self.x: value}).tolist(), [1, 2])
                self.assertEqual(self.s.run(self.z, {'x:0': value}).tolist(), [1, 2])
                self.assertEqual(self.s.run(self.x, {self.x: value}).tolist(), [1, 2])
        with self.s.as_default():
            self.assertEqual(self.z.eval({self.x: [3, 4]}).tolist(), [3, 4])

    def test_bad_feeds(self):
        x, z = self.x, self.z
        i8 = placeholder([], dtypes.int8, 'i8')
        c = constant_op.constant(1., name='c')
        self.s.run(z, {x: [1, 2]})  # known from here on
        cases = [
            ({x: [1, 2, 3]}, ValueError,
             "Cannot feed value of shape (3,) for Tensor 'x:0', which has shape '(2,)'"),
            ({x: np.zeros(3, np.float32)}, ValueError,
             "Cannot feed value of shape (3,) for Tensor 'x:0', which has shape '(2,)'"),
            ({x: None}, ValueError,
             "Cannot feed value of shape () for Tensor 'x:0', which has shape '(2,)'"),
            ({x: 'abc'}, ValueError, "could not convert string to float: 'abc'"),
            ({3: 1}, TypeError, 'Cannot interpret feed_dict key as Tensor: Can not convert a int '
                                'into a Tensor.'),
            ({x.op: 1}, TypeError, 'Cannot interpret feed_dict key as Tensor: Can not convert a '
                                   'Operation into a Tensor.'),
            ([1, 2], TypeError, 'input must be a dictionary'),
            ({i8: 300}, TypeError, 'Type of feed value 300 with type <class \'int\'> is not '
             "compatible with Tensor type <class 'numpy.int8'>. Try explicitly setting the type of "
             'the feed tensor to a larger type (e.g. int64).'),
            ({x: c}, TypeError, 'The value of a feed cannot be a tf.Tensor object. Acceptable feed '
             'values include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For '
             'reference, the tensor object was Tensor("c:0", shape=(), dtype=float32) which was '
             'passed to the feed with key Tensor("x:0", shape=(2,), dtype=float32).'),
        ]
        for feeds, kind, text in cases:
            with self.assertRaises(kind) as raised:
                self.s.run(z, feeds)
            self.assertEqual(str(raised.exception), text)
        with self.assertRaises(ValueError):
            self.s.run(z, {x: [[1], [2, 3]]})
        ops.get_default_graph().prevent_feeding(x)
        with self.assertRaisesRegex(ValueError, 'may not be fed.'):
            self.s.run([z], {x: [1, 2]})

    def test_unfed(self):
        with self.assertRaises(errors.InvalidArgumentError) as raised:
            self.s.run(self.z)
        text = str(raised.exception)
        self.assertIn("You must feed a value for placeholder tensor 'x' with dtype float and shape "
                      '[2]\n\t [[node x (defined at %s:' % __file__, text)
        self.assertIn("Original stack trace for 'x':", text)
        self.assertIs(raised.exception.op, self.x.op)
        self.assertEqual(raised.exception.node_def.name, 'x')
        self.assertEqual(raised.exception.error_code, 3)

    def test_callables(self):
        run = self.s.make_callable([self.z, {'a': self.x.op}], [self.x])
        with self.assertRaises(errors.InvalidArgumentError):
            run()
        c = constant_op.constant(2.)
        self.assertEqual(self.s.make_callable(c)(), 2)
        with self.assertRaisesRegex(TypeError, '`feed_list` must be a list or tuple.'):
            self.s.make_callable(c, 3)
        run = self.s.make_callable(self.z, [self.x], accept_options=True)
        self.assertEqual(run([3, 4], options=config_pb2.RunOptions()).tolist(), [3, 4])

    def test_partial_runs(self):
        y = placeholder([], name='y')
        w = apply_op('Add', x=y, y=constant_op.constant(1.))
        h = self.s.partial_run_setup([self.z, w], [self.x, y])
        self.assertEqual(self.s.partial_run(h, self.z, {self.x: [1, 2]}).tolist(), [1, 2])
        self.assertEqual(self.s.partial_run(h, w, {y: 4}), 5)
        with self.assertRaisesRegex(errors.InvalidArgumentError,
                                    "Must run 'setup' before performing partial runs!"):
            self.s.partial_run(h, w, {y: 4})


class HandleTest(Base):
    """Values that stay in the session."""

    def test_handles(self):
        c = constant_op.constant([1., 2.])
        fetch = session_ops.get_session_handle(c)
        self.assertIn(b'loc:@Const', fetch.op.get_attr('_class'))
        handle, same = self.s.run([fetch, c])
        self.assertIsInstance(handle, session_ops.TensorHandle)
        self.assertEqual(same.tolist(), [1, 2])
        self.assertEqual(handle.handle,
                         'GetSessionHandle;0;/job:localhost/replica:0/task:0/device:CPU:0')
        self.assertEqual(handle.eval().tolist(), [1, 2])
        holder, value = session_ops.get_session_tensor(handle.handle, dtypes.float32)
        self.assertEqual(self.s.run(value, {holder: handle.handle}).tolist(), [1, 2])
        x = placeholder()
        y = apply_op('Neg', x=x)
        self.assertEqual(self.s.run(y, {x: handle}).tolist(), [-1, -2])
        handle.delete()
        for call in (handle.eval, handle.delete):
            with self.assertRaisesRegex(TypeError, 'may have already been deleted.'):
                call()
        with self.assertRaises(errors.OpError):
            self.s.run(value, {holder: handle.handle})
        with self.assertRaisesRegex(TypeError, '`data` must be of type Tensor.'):
            session_ops.get_session_handle([1])

    def test_dead_handles_are_forgotten(self):
        fetch = session_ops.get_session_handle(constant_op.constant(1.))
        for _ in range(25):
            self.assertEqual(self.s.run(fetch).eval(), 1)
        self.assertLess(len(self.s._dead_handles), 12)


class LifeTest(Base):
    """Contexts, options, ends."""

    def test_arguments(self):
        for args, text in (({'target': 3}, "target must be a string, but got <class 'int'>"),
                           ({'graph': 3}, "graph must be a tf.Graph, but got <class 'int'>"),
                           ({'config': 3}, "config must be a tf.ConfigProto, but got "
                                           "<class 'int'>")):
            with self.assertRaises(TypeError) as raised:
                session.Session(**args)
            self.assertEqual(str(raised.exception), text)
        with self.assertRaisesRegex(errors.NotFoundError, 'No session factory registered'):
            session.Session('foo://x')

    def test_closed(self):
        c = constant_op.constant(1.)
        self.s.run(c)
        self.s.close()
        self.s.close()
        for call in (lambda: self.s.run(c), lambda: self.s.partial_run_setup([c]),
                     self.s.list_devices):
            with self.assertRaisesRegex(RuntimeError, 'Attempted to use a closed Session.'):
                call()

    def test_contexts(self):
        graph = ops.Graph()
        with session.Session(graph=graph) as s:
            self.assertIs(ops.get_default_graph(), graph)
            self.assertIs(ops.get_default_session(), s)
            c = constant_op.constant(5.)
            self.assertEqual(c.eval(), 5)
            with self.assertRaisesRegex(RuntimeError, 'are not re-entrant'):
                s.__enter__()
            with s.as_default():
                self.assertEqual(c.eval(), 5)
        self.assertIsNone(ops.get_default_session())
        with self.assertRaises(RuntimeError):
            s.run(c)
        with self.assertRaises(errors.OutOfRangeError):
            with session.Session() as s:
                raise errors.OutOfRangeError(None, None, 'x')
        self.assertTrue(s._closed)

    def test_interactive(self):
        one = session.InteractiveSession()
        self.assertIs(ops.get_default_session(), one)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter('always')
            two = session.InteractiveSession(graph=ops.Graph())
        self.assertIn('An interactive session is already active.', str(seen[0].message))
        self.assertIs(ops.get_default_graph(), two.graph)
        two.close()
        self.assertIs(ops.get_default_session(), one)
        one.close()
        self.assertIsNone(ops.get_default_session())

    def test_devices_and_reset(self):
        config = config_pb2.ConfigProto(device_count={'CPU': 2})
        s = session.Session(config=config)
        devices = s.list_devices()
        self.assertEqual([d.name for d in devices],
                         ['/job:localhost/replica:0/task:0/device:CPU:%d' % i for i in (0, 1)])
        self.assertTrue(repr(devices[0]).startswith(
            '_DeviceAttributes(/job:localhost/replica:0/task:0/device:CPU:0, CPU, '))
        self.assertEqual(device_lib.list_local_devices()[0].name, '/device:CPU:0')
        session.Session.reset('')
        self.assertEqual(s.sess_str, b'')
        c = constant_op.constant(1., name='c')
        del c
        self.assertEqual([n.name for n in s.graph_def.node], ['c'])

    def test_metadata_and_timeline(self):
        a = constant_op.constant([[1., 2.]])
        b = apply_op('MatMul', a=placeholder([1, 2]), b=a, transpose_b=True, name='b')
        c = apply_op('Neg', x=b, name='c')
        metadata = config_pb2.RunMetadata()
        options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        self.s.run(c, {b.op.inputs[0]: [[3., 4.]]}, options, metadata)
        line = timeline.Timeline(metadata.step_stats)
        events = json.loads(line.generate_chrome_trace_format())['traceEvents']
        names = [e['args']['name'] for e in events if e['ph'] == 'X']
        self.assertIn('b', names)
        self.assertIn('/job:localhost/replica:0/task:0/device:CPU:0 Compute',
                      [e['args']['name'] for e in events if e['ph'] == 'M'])
        self.assertIn('cpu', line.analyze_step_stats().allocator_maximums)


class ThreadsTest(Base):
    """Waits that end early."""

    def test_closing_cancels_runs_of_other_threads(self):
        deq, outcome = empty_queue(), []

        def wait():
            try:
                self.s.run(deq)
            except errors.CancelledError as e:
                outcome.append(e)
        thread = threading.Thread(target=wait)
        thread.start()
        while not thread.is_alive():
            pass
        self.s.close()
        thread.join(30)
        self.assertFalse(thread.is_alive())
        self.assertLessEqual(len(outcome), 1)

    def test_signals_reach_the_main_thread(self):
        deq, seen = empty_queue(), []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))

        def interrupt():
            while not seen:
                time.sleep(0.005)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with self.assertRaises(KeyboardInterrupt):
                self.s.run(deq)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(seen, [1])
        self.assertEqual(self.s.run(constant_op.constant(1.)), 1)  # the session goes on

    def test_the_interpreter_ends_with_threads_in_runs(self):
        text = ('import threading, sys\n'
                'sys.path.insert(0, %r)\n'
                'import test_session as t\n'
                's, deq = t.session.Session(), t.empty_queue()\n'
                'go = threading.Event()\n'
                'def wait():\n'
                '    go.set()\n'
                '    s.run(deq)\n'
                'threading.excepthook = lambda *_: None\n'
                'threading.Thread(target=wait, daemon=True).start()\n'
                'go.wait()\n'
                'print("end")\n' % os.path.dirname(os.path.abspath(__file__)))
        path = os.pathsep.join(p for p in sys.path if p)
        done = subprocess.run([sys.executable, '-c', text], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False,
                              env=dict(os.environ, PYTHONPATH=path))
        self.assertEqual((done.returncode, done.stdout), (0, b'end\n'), done.stderr)

    def test_many_threads_run_one_session(self):
        x = placeholder([])
        y = apply_op('Add', x=x, y=x)
        bad = []

        def work(k):
            for i in range(200):
                if self.s.run(y, {x: float(i + k)}) != 2 * (i + k):
                    bad.append(i)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(bad, [])


class PyFuncTest(Base):
    """Functions of Python in a graph, by their hook."""

    def tearDown(self):
        super().tearDown()
        core.set_py_func(None)

    def call(self, function, kind=dtypes.float32):
        core.set_py_func(function)
        c = constant_op.constant([1., 2.])
        outs = apply_op('PyFunc', input=[c], token='pyfunc_0', Tout=[kind])
        return self.s.run(outs[0] if isinstance(outs, (list, tuple)) else outs)

    def test_values(self):
        seen = []

        def function(token, inputs):
            seen.append(token)
            inputs[0][:] += 1
            return [inputs[0] * 2]
        self.assertEqual(self.call(function).tolist(), [4, 6])
        self.assertEqual(seen, ['pyfunc_0'])

    def test_exceptions(self):
        def failing(error):
            def function(token, inputs):
                raise error
            return function
        for error, kind in ((ValueError('v'), errors.InvalidArgumentError),
                            (TypeError('v'), errors.InvalidArgumentError),
                            (StopIteration('v'), errors.OutOfRangeError),
                            (MemoryError('v'), errors.ResourceExhaustedError),
                            (NotImplementedError('v'), errors.UnimplementedError),
                            (KeyError('v'), errors.UnknownError)):
            with self.assertRaises(kind) as raised:
                self.call(failing(error))
            text = str(raised.exception)
            self.assertTrue(text.startswith('%s: ' % type(error).__name__), text)
            self.assertIn('Traceback (most recent call last):', text)
            self.assertIn('raise error', text)
        with self.assertRaises(KeyboardInterrupt):
            self.call(failing(KeyboardInterrupt()))

    def test_wrong_results(self):
        with self.assertRaisesRegex(errors.InvalidArgumentError,
                                    'pyfunc_0 returns 2 values, but expects to see 1 values.'):
            self.call(lambda token, inputs: [inputs[0], inputs[0]])
        with self.assertRaisesRegex(errors.InvalidArgumentError,
                                    '0-th value returned by pyfunc_0 is int32, but expects float'):
            self.call(lambda token, inputs: [np.int32(3)])
        with self.assertRaises(errors.OpError):
            self.call(lambda token, inputs: [object()])


if __name__ == '__main__':
    unittest.main()
