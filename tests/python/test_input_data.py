# SPDX-License-Identifier: Apache-2.0
"""tensorflow.examples.tutorials.mnist.input_data on idx files made here: sets, batches, broken
files."""
import contextlib
import gzip
import io
import os
import struct
import tempfile
import unittest

import numpy as np

from leat.contrib.learn.python.learn.datasets import mnist
from leat.examples.tutorials.mnist import input_data
from leat.python.framework import dtypes


def write(folder, name, magic, array):
    with gzip.open(os.path.join(folder, name), 'wb') as f:
        f.write(struct.pack('>%dI' % (1 + array.ndim), magic, *array.shape) + array.tobytes())


class InputDataTest(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for i, (n, kind) in enumerate(((20, 'train'), (6, 't10k'))):
            labels = np.arange(n, dtype=np.uint8) % 10
            images = np.tile(labels.reshape(-1, 1, 1) * 20, [1, 4, 3]).astype(np.uint8)
            write(self.folder, mnist.FILES[2 * i], 2051, images)
            write(self.folder, mnist.FILES[2 * i + 1], 2049, labels)

    def read(self, **options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            sets = input_data.read_data_sets(self.folder, **options)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines, ['Extracting %s' % os.path.join(self.folder, f)
                                 for f in mnist.FILES])
        return sets

    def test_sets(self):
        sets = self.read(validation_size=5)
        self.assertEqual([s.num_examples for s in sets], [15, 5, 6])
        self.assertEqual(sets.train.images.shape, (15, 12))
        self.assertEqual(sets.train.images.dtype, np.float32)
        self.assertEqual(sets.train.labels[0], 5)
        np.testing.assert_allclose(sets.train.images[0], 100 / 255., rtol=1e-6)
        raw = self.read(validation_size=0, reshape=False, dtype=dtypes.uint8, one_hot=True)
        self.assertEqual(raw.train.images.shape, (20, 4, 3, 1))
        self.assertEqual(raw.train.images.dtype, np.uint8)
        np.testing.assert_array_equal(raw.test.labels, np.eye(10)[:6])

    def test_batches(self):
        train = self.read(validation_size=0, seed=3).train  # seeds numpy with 3
        np.random.seed(3)
        order, again = np.arange(20), np.arange(20)
        np.random.shuffle(order)
        np.random.shuffle(again)
        np.random.seed(3)
        first, rest = train.next_batch(15), train.next_batch(15)
        self.assertEqual(train.epochs_completed, 1)
        labels = np.arange(20) % 10
        np.testing.assert_array_equal(first[1], labels[order[:15]])
        np.testing.assert_array_equal(rest[1], np.r_[labels[order[15:]], labels[order][again[:10]]])
        np.testing.assert_allclose(rest[0][:, 0] * 255, rest[1] * 20., rtol=1e-5)
        plain = self.read(validation_size=0).test
        np.testing.assert_array_equal(plain.next_batch(4, shuffle=False)[1], [0, 1, 2, 3])

    def test_fake(self):
        train = input_data.read_data_sets('nowhere', fake_data=True, one_hot=True).train
        images, labels = train.next_batch(2, fake_data=True)
        self.assertEqual((len(images[0]), labels[1]), (784, [1] + [0] * 9))

    def test_wrong(self):
        with self.assertRaisesRegex(ValueError, r'between 0 and 20\. Received: 21'):
            self.read(validation_size=21)
        with self.assertRaisesRegex(TypeError, 'Invalid image dtype tf.int32'):
            self.read(dtype=dtypes.int32, validation_size=0)
        write(self.folder, mnist.FILES[3], 2051, np.zeros(6, np.uint8))
        with self.assertRaisesRegex(ValueError, 'Invalid magic number 2051'):
            self.read()
        with gzip.open(os.path.join(self.folder, mnist.FILES[3]), 'wb') as f:
            f.write(struct.pack('>2I', 2049, 6) + b'abc')
        with self.assertRaisesRegex(ValueError, 'cut short: 3 bytes of 6'):
            self.read()
        os.remove(os.path.join(self.folder, mnist.FILES[0]))
        with self.assertRaisesRegex(Exception, mnist.FILES[0]):
            self.read()


if __name__ == '__main__':
    unittest.main()
