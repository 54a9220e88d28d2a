# SPDX-License-Identifier: Apache-2.0
"""tf.summary: names and tags as TensorFlow's; files of events."""
import glob
import os
import unittest

from leat.core.framework import summary_pb2
from leat.core.protobuf import config_pb2
from leat.python.framework import constant_op, ops
from leat.python.summary import summary, summary_iterator
from leat.python.summary.writer import writer, writer_cache
from leat.python.platform import test


def _tag(tensor):
    name = tensor.op.inputs[0].op
    return name.get_attr('value').string_val[0]


class SummaryTest(test.TestCase):
    def testTags(self):
        self.assertEqual(summary.scalar('loss', 1.).op.name, 'loss')
        again = summary.scalar('loss', 1.)
        self.assertEqual((again.op.name, _tag(again)), ('loss_1', b'loss_1'))
        with ops.name_scope('sc'):
            of_family = summary.scalar('l', 1., family='ff')
        self.assertEqual((of_family.op.name, _tag(of_family)), ('sc/ff/l', b'ff/sc/ff/l'))
        self.assertEqual(_tag(summary.histogram('a b:c', [1.])), b'a_b_c')
        self.assertEqual(summary.merge_all().op.name, 'Merge/MergeSummary')
        self.assertEqual(len(summary.merge_all(scope='sc').op.inputs), 1)
        self.assertEqual(summary.merge([again], name='m').op.name, 'm/m')
        self.assertIsNone(summary.merge_all('none'))
        self.assertEqual(len(ops.get_collection(ops.GraphKeys.SUMMARIES)), 4)

    def testText(self):
        t = summary.text('t', constant_op.constant('hi'))
        with self.cached_session():
            value = summary_pb2.Summary.FromString(t.eval()).value[0]
        self.assertEqual((value.tag, value.metadata.plugin_data.plugin_name), ('t', 'text'))
        with self.assertRaisesRegex(ValueError, 'to have dtype string'):
            summary.text('t', constant_op.constant(1))


class WriterTest(test.TestCase):
    def _events(self, folder):
        found = []
        for path in sorted(glob.glob(os.path.join(folder, 'events.out.tfevents.*'))):
            found.extend(summary_iterator.summary_iterator(path))
        return found

    def testEvents(self):
        folder = os.path.join(self.get_temp_dir(), 'a', 'b')
        scalar = summary.scalar('x', 2.)
        text = summary.text('t', constant_op.constant('hi'))
        with writer.FileWriter(folder, ops.get_default_graph(), filename_suffix='.s') as w, \
                self.cached_session() as sess:
            self.assertEqual(w.get_logdir(), folder)
            w.add_summary(sess.run(scalar), 3)
            w.add_summary(sess.run(text))
            w.add_summary(sess.run(text), 4)
            w.add_run_metadata(config_pb2.RunMetadata(), 'tag', 5)
            with self.assertRaisesRegex(ValueError, 'tag was already used'):
                w.add_run_metadata(config_pb2.RunMetadata(), 'tag')
            w.flush()
            self.assertEqual(len(self._events(folder)), 7)
        events = self._events(folder)
        self.assertEqual([e.WhichOneof('what') for e in events],
                         ['file_version', 'graph_def', 'meta_graph_def', 'summary', 'summary',
                          'summary', 'tagged_run_metadata'])
        self.assertEqual([e.step for e in events], [0, 0, 0, 3, 0, 4, 5])
        self.assertEqual(events[0].file_version, 'brain.Event:2')
        self.assertEqual(events[3].summary.value[0].simple_value, 2.)
        self.assertTrue(events[4].summary.value[0].HasField('metadata'))
        self.assertFalse(events[5].summary.value[0].HasField('metadata'))
        self.assertTrue(glob.glob(folder + '/*.s'))

    def testNothingWritten(self):
        folder = self.get_temp_dir()
        writer.FileWriter(folder).close()
        self.assertEqual(os.listdir(folder), [])
        with self.assertRaisesRegex(TypeError, 'must be an instance of `Graph`'):
            writer.FileWriter(folder, 3)

    def testCache(self):
        folder = self.get_temp_dir()
        first = writer_cache.FileWriterCache.get(folder)
        self.assertIs(first, writer_cache.FileWriterCache.get(folder))
        writer_cache.FileWriterCache.clear()
        self.assertIsNot(first, writer_cache.FileWriterCache.get(folder))
        writer_cache.FileWriterCache.clear()


if __name__ == '__main__':
    unittest.main()
