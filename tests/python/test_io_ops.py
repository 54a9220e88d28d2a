# SPDX-License-Identifier: Apache-2.0
"""Readers, whole files, and tf.contrib.lookup."""
import os
import unittest

from leat.contrib import lookup
from leat.python.framework import constant_op, dtypes
from leat.python.lib.io import python_io
from leat.python.ops import data_flow_ops, io_ops, lookup_ops
from leat.python.platform import test


class ReadersTest(test.TestCase):
    def _write(self, name, data):
        path = os.path.join(self.get_temp_dir(), name)
        with open(path, 'wb') as file:
            file.write(data)
        return path

    def testReaders(self):
        lines = self._write('lines.txt', b'head\na\nb\n')
        fixed = self._write('fixed', b'HHaabbFF')
        records = os.path.join(self.get_temp_dir(), 'records')
        with python_io.TFRecordWriter(records) as writer:
            writer.write(b'x')
        with self.cached_session() as sess:
            queue = data_flow_ops.FIFOQueue(5, [dtypes.string], [[]])
            reader = io_ops.TextLineReader(skip_header_lines=1)
            self.assertEqual(reader.reader_ref.op.name, 'TextLineReaderV2')
            key, value = reader.read(queue)
            self.assertEqual(key.op.name, 'ReaderReadV2')
            many = reader.read_up_to(queue, 5)
            sess.run(queue.enqueue(lines))
            self.assertEqual(sess.run([key, value]), [lines.encode() + b':2', b'a'])
            self.assertAllEqual(sess.run(many).values, [b'b'])
            self.assertEqual(sess.run(reader.num_records_produced()), 2)
            for made, path, found in (
                    (io_ops.TFRecordReader(), records, (records + ':0', b'x')),
                    (io_ops.FixedLengthRecordReader(2, 2, 2), fixed, (fixed + ':0', b'aa')),
                    (io_ops.WholeFileReader(), fixed, (fixed, b'HHaabbFF')),
                    (io_ops.IdentityReader(), 'q', ('q', b'q'))):
                sess.run(queue.enqueue(path))
                self.assertEqual(tuple(sess.run(made.read(queue))), (found[0].encode(), found[1]))

    def testFiles(self):
        path = os.path.join(self.get_temp_dir(), 'out')
        with self.cached_session() as sess:
            sess.run(io_ops.write_file(path, 'data'))
            self.assertEqual(sess.run(io_ops.read_file(path)), b'data')
            self.assertAllEqual(sess.run(io_ops.matching_files(path[:-1] + '*')), [path.encode()])


class ContribTest(test.TestCase):
    def testTables(self):
        with self.cached_session() as sess:
            table = lookup.HashTable(lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
            self.assertEqual(table.name, 'hash_table')
            places = lookup.string_to_index(constant_op.constant(['q']), ['p', 'q'])
            words = lookup.index_to_string(constant_op.constant([1], dtypes.int64), ['p', 'q'])
            sess.run(lookup_ops.tables_initializer())
            self.assertAllEqual(sess.run(table.lookup(constant_op.constant(['b', 'c']))), [2, -1])
            self.assertAllEqual(sess.run(places), [1])
            self.assertAllEqual(sess.run(words), [b'q'])


if __name__ == '__main__':
    unittest.main()
