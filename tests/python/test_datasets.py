# SPDX-License-Identifier: Apache-2.0
"""The MNIST reader and its batches, tables of csv files, numpy's older names."""
import contextlib
import gzip
import io
import os
import struct
import unittest

import numpy as np

from leat._stand_ins import numpy_names
from leat.contrib.learn.python.learn.datasets import base, mnist
from leat.examples.tutorials.mnist import input_data
from leat.python.framework import dtypes
from leat.python.platform import test


class MnistTest(test.TestCase):
    def _write(self, packed):
        folder = self.get_temp_dir()
        rng = np.random.RandomState(0)
        for name, size in (('train', 60), ('t10k', 20)):
            for what, magic, head, count in (
                    ('images-idx3', 2051, struct.pack('>III', size, 28, 28), size * 784),
                    ('labels-idx1', 2049, struct.pack('>I', size), size)):
                data = struct.pack('>I', magic) + head + rng.randint(
                    0, 256 if magic == 2051 else 10, count).astype('u1').tobytes()
                path = os.path.join(folder, '%s-%s-ubyte' % (name, what))
                with gzip.open(path + '.gz', 'wb') if packed else open(path, 'wb') as file:
                    file.write(data)
        return folder

    def _read(self, *args, **kwargs):
        with contextlib.redirect_stdout(io.StringIO()):
            return input_data.read_data_sets(*args, **kwargs)

    def testBatches(self):
        sets = self._read(self._write(True), one_hot=True, validation_size=10, seed=42)
        self.assertEqual([s.num_examples for s in sets], [50, 10, 20])
        self.assertEqual(sets.train.images.dtype, np.float32)
        sums, first = [], []
        for _ in range(4):
            images, labels = sets.train.next_batch(20)
            self.assertEqual((images.shape, labels.shape), ((20, 784), (20, 10)))
            sums.append(images.sum())
            first.append(labels.argmax(1)[:3].tolist())
        # as TensorFlow's, whose shuffles these are
        self.assertEqual(first, [[4, 8, 5], [6, 7, 6], [6, 9, 4], [9, 0, 0]])
        self.assertAllClose(sums, [7880.522, 7834.2637, 7893.432, 7896.8906], rtol=1e-4)
        self.assertEqual(sets.train.epochs_completed, 1)

    def testPlainFilesAndErrors(self):
        folder = self._write(False)
        sets = self._read(folder, reshape=False, validation_size=0, dtype=dtypes.uint8)
        self.assertEqual(sets.train.images.shape, (60, 28, 28, 1))
        with self.assertRaisesRegex(ValueError, 'Validation size should be between 0 and 60'):
            self._read(folder)
        with self.assertRaisesRegex(TypeError, 'expected uint8 or float32'):
            self._read(folder, dtype=dtypes.int32, validation_size=1)
        with self.assertRaisesRegex(FileNotFoundError, 'put the four files of MNIST'):
            self._read(os.path.join(folder, 'none'))
        path = os.path.join(folder, 't10k-labels-idx1-ubyte')
        with contextlib.redirect_stdout(io.StringIO()), open(path, 'rb') as file, \
                self.assertRaisesRegex(ValueError, 'Invalid magic number 2049'):
            mnist.extract_images(file)
        with open(path, 'rb+') as file:
            file.truncate(12)
        with self.assertRaisesRegex(ValueError, 'cut short: 4 bytes of 20'):
            self._read(folder, validation_size=0)

    def testFake(self):
        sets = self._read('', fake_data=True, one_hot=True)
        images, labels = sets.train.next_batch(2, fake_data=True)
        self.assertEqual((len(images), labels[0]), (2, [1] + [0] * 9))


class TablesTest(test.TestCase):
    def testCsv(self):
        path = os.path.join(self.get_temp_dir(), 'a.csv')
        with open(path, 'w') as file:
            file.write('2,2,x,y\n1.5,2.5,0\n3.5,4.5,1\n')
        found = base.load_csv_with_header(path, int, float)
        self.assertAllEqual(found.data, [[1.5, 2.5], [3.5, 4.5]])
        self.assertAllEqual(found.target, [0, 1])


class NumpyNamesTest(unittest.TestCase):
    def test_names(self):
        numpy_names.install()
        self.assertEqual(np.zeros(1, np.float).dtype, np.float64)
        self.assertEqual(np.array([1], np.bool).dtype, np.bool_)
        self.assertTrue(np.isnan(np.NaN))


if __name__ == '__main__':
    unittest.main()
