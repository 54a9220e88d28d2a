# SPDX-License-Identifier: Apache-2.0
"""Tables: names of nodes, values, errors as TensorFlow's; what changes is saved."""
import os
import unittest

from leat.python.framework import constant_op, dtypes, errors, ops, sparse_tensor
from leat.python.ops import lookup_ops
from leat.python.platform import test


class TablesTest(test.TestCase):
    def _file(self):
        path = os.path.join(self.get_temp_dir(), 'v.txt')
        with open(path, 'w') as file:
            file.write('emerson\nlake\npalmer\n')
        return path

    def testFile(self):
        path = self._file()
        with self.cached_session() as sess:
            table = lookup_ops.index_table_from_file(path, num_oov_buckets=2)
            ids = table.lookup(constant_op.constant(['lake', 'x']))
            self.assertEqual(ids.op.name, 'hash_table_Lookup/SelectV2')
            self.assertEqual(table.initializer.name, 'string_to_index/hash_table/table_init/'
                             'InitializeTableFromTextFileV2')
            self.assertEqual([t.op.name for t in
                              ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS)],
                             ['string_to_index/hash_table/asset_path'])
            with self.assertRaises(errors.FailedPreconditionError), \
                    test.mock.patch('leat.python.framework.test_util.logging.error'):
                sess.run(ids)
            words = lookup_ops.index_to_string_table_from_file(path)
            sess.run(lookup_ops.tables_initializer())
            self.assertAllEqual(sess.run(ids), [1, 3])
            self.assertEqual(sess.run(table.size()), 5)
            self.assertAllEqual(sess.run(words.lookup(constant_op.constant([2, 9],
                                                                           dtypes.int64))),
                                [b'palmer', b'UNK'])

    def testTensors(self):
        with self.cached_session() as sess:
            table = lookup_ops.HashTable(
                lookup_ops.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1, name='tab')
            self.assertEqual(table.init.name, 'key_value_init/LookupTableImportV2')
            sess.run(table.init)
            sparse = sparse_tensor.SparseTensor([[0]], constant_op.constant(['b']), [1])
            self.assertAllEqual(sess.run(table.lookup(sparse)).values, [2])
            with self.assertRaisesRegex(TypeError, 'Signature mismatch. Keys must be dtype'):
                table.lookup(constant_op.constant([1]))
            strong = lookup_ops.IdTableWithHashBuckets(
                None, 3, hasher_spec=lookup_ops.StrongHashSpec([5, 6]))
            self.assertAllInRange(sess.run(strong.lookup(constant_op.constant(['a', 'b']))), 0, 2)
            self.assertEqual(sess.run(strong.size()), 3)

    def testMutable(self):
        with self.cached_session() as sess:
            table = lookup_ops.MutableHashTable(dtypes.string, dtypes.int64, -1)
            self.assertEqual([s.name for s in ops.get_collection('saveable_objects')[0].specs],
                             ['MutableHashTable-keys', 'MutableHashTable-values'])
            sess.run(table.insert(constant_op.constant(['a', 'b']),
                                  constant_op.constant([1, 2], dtypes.int64)))
            found = table.lookup(constant_op.constant(['b', 'c']))
            self.assertEqual(found.op.name,
                             'MutableHashTable_lookup_table_find/LookupTableFindV2')
            self.assertAllEqual(sess.run(found), [2, -1])
            sess.run(table.remove(constant_op.constant(['a'])))
            self.assertEqual(sess.run(table.size()), 1)
            keys, values = sess.run(table.export())
            self.assertAllEqual(keys, [b'b'])
            self.assertAllEqual(values, [2])
            dense = lookup_ops.DenseHashTable(dtypes.int64, dtypes.int64, default_value=-1,
                                              empty_key=0, deleted_key=-2)
            sess.run(dense.insert(constant_op.constant([3], dtypes.int64),
                                  constant_op.constant([4], dtypes.int64)))
            self.assertAllEqual(sess.run(dense.lookup(constant_op.constant([3, 5],
                                                                           dtypes.int64))),
                                [4, -1])

    def testSaved(self):
        from leat.python.training import saver
        prefix = os.path.join(self.get_temp_dir(), 'ckpt')
        with self.session(graph=ops.Graph()) as sess:
            table = lookup_ops.MutableHashTable(dtypes.string, dtypes.int64, -1, name='t')
            sess.run(table.insert(constant_op.constant(['a']),
                                  constant_op.constant([7], dtypes.int64)))
            path = saver.Saver().save(sess, prefix)
        with self.session(graph=ops.Graph()) as sess:
            table = lookup_ops.MutableHashTable(dtypes.string, dtypes.int64, -1, name='t')
            saver.Saver().restore(sess, path)
            self.assertAllEqual(sess.run(table.lookup(constant_op.constant(['a']))), [7])

    def testErrors(self):
        for text, call in (
                ('vocabulary_file must be specified', lambda: lookup_ops.index_table_from_file('')),
                ('num_oov_buckets must be greater or equal than 0, got -1',
                 lambda: lookup_ops.index_table_from_tensor(['a'], num_oov_buckets=-1)),
                ('Invalid key index -3', lambda: lookup_ops.TextFileInitializer(
                    'f', dtypes.string, -3, dtypes.int64, 1)),
                ('oov_buckets must be > 0', lambda: lookup_ops.IdTableWithHashBuckets(None, 0))):
            with self.assertRaisesRegex(ValueError, text):
                call()


if __name__ == '__main__':
    unittest.main()
