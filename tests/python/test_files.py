# SPDX-License-Identifier: Apache-2.0
"""tf.gfile, tf.python_io and the reader of checkpoints."""
import os
import tempfile
import threading
import unittest

import numpy as np

from leat.python.framework import dtypes, errors
from leat.python import pywrap_tensorflow
from leat.python.lib.io import file_io, tf_record


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, 'a.txt')
        file_io.write_string_to_file(self.path, 'one\ntwo\nthree')

    def test_reading(self):
        with file_io.FileIO(self.path, 'r') as file:
            self.assertEqual(file.readline(), 'one\n')
            self.assertEqual(list(file), ['two\n', 'three'])
            file.seek(-5, 2)
            self.assertEqual(file.read(), 'three')
            with self.assertRaises(errors.OutOfRangeError):
                file.seek(100)
            with self.assertRaises(errors.InvalidArgumentError):
                file.seek(-1)
            with self.assertRaisesRegex(errors.PermissionDeniedError, "isn't open for writing"):
                file.write('x')
            self.assertEqual(file.size(), 13)
        self.assertEqual(file_io.FileIO(self.path, 'rb').read(3), b'one')
        with self.assertRaisesRegex(errors.InvalidArgumentError, "mode is not 'r' or 'w'"):
            file_io.FileIO(self.path, 'zz')

    def test_errors(self):
        missing = os.path.join(self.folder, 'none')
        for call in (lambda: file_io.FileIO(missing, 'r').read(),
                     lambda: file_io.delete_file(missing), lambda: file_io.stat(missing),
                     lambda: file_io.list_directory(missing), lambda: file_io.copy(missing, 'x'),
                     lambda: file_io.delete_recursively(missing)):
            self.assertRaises(errors.NotFoundError, call)
        self.assertRaises(errors.FailedPreconditionError, file_io.delete_file, self.folder)
        copy = self.path + '2'
        file_io.copy(self.path, copy)
        for function in (file_io.copy, file_io.rename):
            with self.assertRaisesRegex(errors.AlreadyExistsError, 'file already exists'):
                function(self.path, copy)
        self.assertRaises(errors.UnimplementedError, file_io.read_file_to_string, 'hdfs://x/y')

    def test_folders(self):
        file_io.recursive_create_dir(os.path.join(self.folder, 'b', 'c'))
        file_io.write_string_to_file(os.path.join(self.folder, 'b', 'd.txt'), 'x')
        self.assertEqual(list(file_io.walk(self.folder)),
                         [(self.folder, ['b'], ['a.txt']),
                          (self.folder + '/b', ['c'], ['d.txt']), (self.folder + '/b/c', [], [])])
        self.assertEqual(file_io.get_matching_files(self.folder + '/*/*.txt'),
                         [self.folder + '/b/d.txt'])
        self.assertEqual(file_io.get_matching_files([self.folder + '/a*', self.path]),
                         [self.path, self.path])


class RecordsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'records')

    def test_forms(self):
        records = [b'', b'one', os.urandom(70000)]
        for form in (None, '', 'ZLIB', 'GZIP', 0, 1, 2, tf_record.TFRecordOptions('GZIP'),
                     tf_record.TFRecordOptions(tf_record.TFRecordCompressionType.ZLIB)):
            with tf_record.TFRecordWriter(self.path, form) as writer:
                for record in records:
                    writer.write(record)
            self.assertEqual(list(tf_record.tf_record_iterator(self.path, form)), records)
        with self.assertRaisesRegex(errors.FailedPreconditionError, 'previously closed'):
            writer.write(b'')
        with self.assertRaisesRegex(ValueError, 'Not a valid compression_type: "ZIP"'):
            tf_record.TFRecordOptions('ZIP')

    def test_damage(self):
        with tf_record.TFRecordWriter(self.path) as writer:
            writer.write(b'aaaa')
            writer.write(b'bbbbbbbb')
        with open(self.path, 'rb') as file:
            whole = file.read()
        for cut, error in ((21, None), (30, None), (32, errors.DataLossError),
                           (43, errors.DataLossError)):
            with open(self.path, 'wb') as file:
                file.write(whole[:cut])
            found = []
            try:
                found.extend(tf_record.tf_record_iterator(self.path))
            except errors.DataLossError:
                self.assertIsNotNone(error)
            else:
                self.assertIsNone(error)
                self.assertEqual(found, [b'aaaa'])
        with self.assertRaises(errors.NotFoundError):
            list(tf_record.tf_record_iterator(self.path + 'none'))

    def test_threads(self):
        """Two threads at one writer: each write is whole, or is refused."""
        writer = tf_record.TFRecordWriter(self.path)
        written = []

        def work():
            for _ in range(200):
                try:
                    writer.write(b'x' * 1000)
                    written.append(1)
                except RuntimeError:
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.close()
        self.assertEqual(len(list(tf_record.tf_record_iterator(self.path))), len(written))


class CheckpointTest(unittest.TestCase):
    def given(self, name):
        shared = os.environ.get('LEAT_SHARED')
        if not shared:
            self.skipTest('no given data')
        return os.path.join(shared, 'models', name)

    def test_v2(self):
        reader = pywrap_tensorflow.NewCheckpointReader(
            self.given('checkpoint_v2_linear_regression/linear-regression'))
        self.assertEqual(reader.get_variable_to_shape_map()['p2s_weights_w'], [1, 1])
        self.assertEqual(reader.get_variable_to_dtype_map()['p2s_weights_w'], dtypes.float64)
        self.assertEqual(reader.get_tensor('p2s_weights_w').shape, (1, 1))
        self.assertIn(b'p2s_weights_w (DT_DOUBLE) [1,1]\n', reader.debug_string())
        self.assertFalse(reader.has_tensor('none'))
        with self.assertRaisesRegex(errors.NotFoundError, 'Key none not found in checkpoint'):
            reader.get_tensor('none')

    def test_v1(self):
        reader = pywrap_tensorflow.NewCheckpointReader(
            self.given('checkpoint_v1_mnist/MNISTWts.ckpt'))
        for name, shape in reader.get_variable_to_shape_map().items():
            self.assertEqual(list(np.shape(reader.get_tensor(name))), shape)

    def test_missing(self):
        with self.assertRaisesRegex(errors.NotFoundError, 'Failed to find any matching files for'):
            pywrap_tensorflow.NewCheckpointReader('/nowhere/model')


if __name__ == '__main__':
    unittest.main()
