# SPDX-License-Identifier: Apache-2.0
"""TensorFlowTestCase: its sessions, its checks, the decorators, what absl's tests have."""
import unittest

import numpy as np

from leat._stand_ins.absl.testing import parameterized
from leat.core.framework import graph_pb2
from leat.python.eager import context
from leat.python.framework import constant_op, dtypes, errors, ops, test_util
from leat.python.ops import array_ops
from leat.python.platform import test


@test_util.run_all_in_graph_and_eager_modes
class InModesTest(test.TestCase, parameterized.TestCase):
    @parameterized.parameters(1, 2)
    def testParameters(self, v):
        self.assertAllEqual(constant_op.constant(v), v)
        self.assertIs(ops.get_default_graph(), ops.get_default_session().graph)

    @parameterized.named_parameters(('_a', 1, [1]), ('_b', 2, [2]))
    def testNamed(self, v, w):
        self.assertAllClose(self.evaluate([constant_op.constant(v)]), w)


class SessionsTest(test.TestCase):
    @test_util.run_deprecated_v1
    def testSession(self):
        self.assertEqual(ops.get_default_graph().seed, 87654321)
        with self.cached_session() as sess:
            x = constant_op.constant([1., 2.])
            self.assertEqual(x.op.device, '/device:CPU:0')
            self.assertShapeEqual(np.zeros([2]), x)
            self.assertAllClose([1., 2.], x.eval())
            with self.cached_session() as again:
                self.assertIs(sess, again)
            with self.assertRaisesRegex(ValueError, 'The config used to get the cached session'):
                with self.cached_session(config=sess._config):
                    pass
        with self.session(graph=ops.Graph(), use_gpu=True) as sess:
            p = array_ops.placeholder(dtypes.float32)
            self.assertEqual(p.op.device, '')
            with test.mock.patch.object(test_util.logging, 'error'), \
                    self.assertRaisesOpError('must feed a value'):
                sess.run(p)

    def testThreads(self):
        seen = []
        thread = self.checkedThread(target=seen.append, args=(1,))
        thread.start()
        thread.join()
        self.assertEqual(seen, [1])
        bad = self.checkedThread(target=lambda: 1 // 0)
        bad.start()
        with self.assertRaisesRegex(AssertionError, 'checkedThread: integer division'):
            bad.join()

    def testEagerIsSkipped(self):
        with self.assertRaises(unittest.SkipTest):
            with context.eager_mode():
                pass
        with self.assertRaises(errors.UnimplementedError):
            context.eager_mode()
        with context.graph_mode():
            self.assertFalse(context.executing_eagerly())


class ChecksTest(test.TestCase):
    def _fails(self, text, check, *args, **kwargs):
        with self.assertRaisesRegex(AssertionError, text):
            check(*args, **kwargs)

    def testArrays(self):
        self._fails('not close where', self.assertAllClose, [1, 2], [1, 3])
        self._fails(r'Shape mismatch: expected \(2,\), got \(3,\) with contents',
                    self.assertAllClose, [1, 2], [1, 2, 3])
        self._fails(r'a\[k\] is different from b\[k\]', self.assertAllClose, {'k': 1}, {'k': 2})
        self._fails('mismatched keys', self.assertAllClose, {'a': 1}, {'b': 1})
        self._fails(r'a\[1\] is different', self.assertAllClose, [[1, 2], [3]], [[1, 2], [4]])
        self._fails('not equal lhs', self.assertAllEqual, [1, 2], [1, 3])
        self._fails('not equal', self.assertAllEqual, [b'a'], [b'b'])
        self.assertAllEqual([np.nan], [np.nan])
        self._fails('close at all elements', self.assertNotAllClose, [1], [1])
        self._fails('equal at all elements', self.assertNotAllEqual, [1], [1])
        self.assertAllCloseAccordingToType(np.float16(1), np.float16(1.0009))
        self._fails('not close', self.assertAllCloseAccordingToType, 1., 1.0009)
        self._fails('outside the range', self.assertAllInRange, [1, 5], 1, 3)
        self._fails(r'not in the set \{1\}', self.assertAllInSet, [1, 4], {1})
        self._fails('not greater', self.assertAllGreater, [1, 2], 1)
        self._fails('1.000000 != 2.000000', self.assertNear, 1, 2, 0.1)
        self._fails('Devices /device:CPU:0 and', self.assertDeviceEqual, '/cpu:0', '/gpu:0')
        self._fails('node', self.assertProtoEquals, 'node { name: "a" }', graph_pb2.GraphDef())
        self.assertProtoEquals('node { name: "a" }', graph_pb2.GraphDef.FromString(b'\n\3\n\1a'))

    def testGraphs(self):
        graphs = []
        for value in (1, 2):
            with ops.Graph().as_default() as graph:
                constant_op.constant(value, name='x')
            graphs.append(graph.as_graph_def())
        test_util.assert_equal_graph_def(graphs[0], graphs[0])
        self._fails("Node named 'x' has attr 'value' with value",
                    test_util.assert_equal_graph_def, *graphs)
        with self.assertRaisesRegex(ValueError, 'Not all expected ops are present'):
            test_util.assert_ops_in_graph({'x': 'Const', 'z': 'Add'}, graph)

    def testLayouts(self):
        self.assertEqual(test_util.NHWCToNCHW([1, 2, 3, 4]), [1, 4, 2, 3])
        self.assertEqual(test_util.NCHWToNHWC([1, 4, 2, 3]), [1, 2, 3, 4])
        self.assertEqual(test_util.NHWCToNCHW_VECT_C([1, 2, 3, 8]), [1, 2, 2, 3, 4])
        self.assertEqual(test_util.NCHW_VECT_CToNHWC([1, 2, 2, 3, 4]), [1, 2, 3, 8])

    def testOthers(self):
        from leat.contrib.testing.python.framework import fake_summary_writer
        from leat.core.framework import summary_pb2
        from leat.python.framework import device_spec, error_interpolation
        from leat.python.summary.writer import writer_cache
        from leat.python.util.protobuf import compare
        fake_summary_writer.FakeSummaryWriter.install()
        self.addCleanup(writer_cache.FileWriterCache.clear)
        writer = writer_cache.FileWriterCache.get('/nowhere')
        fake_summary_writer.FakeSummaryWriter.uninstall()
        value = summary_pb2.Summary.Value(tag='t', simple_value=2.)
        writer.add_summary(summary_pb2.Summary(value=[value]), 3)
        writer.assert_summaries(self, '/nowhere', expected_summaries={3: {'t': 2.}})
        self._fails('', writer.assert_summaries, self, expected_summaries={3: {'t': 1.}})
        compare.assertProtoEqual(self, 'tag: "t" simple_value: 2', value)
        self._fails('differ', compare.assertProtoEqual, self, 'tag: "u"', value)
        spec = device_spec.DeviceSpecV2.from_string('/job:a')
        self.assertEqual(spec.replace(task=3).to_string(), '/job:a/task:3')
        with self.assertRaisesRegex(AttributeError, "can't set attribute"):
            spec.job = 'b'
        constant_op.constant(1, name='one')
        self.assertIn('node one (defined at %s:' % __file__, error_interpolation.interpolate(
            'x {{node one}} y {{node two}}', ops.get_default_graph()))

    def testOfAbsl(self):
        self._fails('has length of 2, expected 3', self.assertLen, [1, 2], 3)
        self._fails('is not a|has length', self.assertEmpty, [1])
        self._fails('not between', self.assertBetween, 3, 1, 2)
        self._fails('does not start', self.assertStartsWith, 'abc', 'b')
        self.assertItemsEqual([1, 2], [2, 1])
        self.assertEquals(1, 1)
        self.assertContainsSubset({1}, {1, 2})


if __name__ == '__main__':
    unittest.main()
