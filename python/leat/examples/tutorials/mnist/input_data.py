# SPDX-License-Identifier: Apache-2.0
"""MNIST from its four idx files (.gz) in a folder: training, validation and test sets that give batches.

Nothing is fetched from anywhere: where a file is missing the error says what to put where. Batches come in
the order of numpy's global generator, seeded as TensorFlow 1.15 seeds it."""
import collections
import gzip
import os

import numpy

from leat.python.framework import dtypes
from leat.python.framework import random_seed

DEFAULT_SOURCE_URL = 'https://storage.googleapis.com/cvdf-datasets/mnist/'
FILES = ('train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz',
         't10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz')

Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])
_Datasets = Datasets


def _read_idx(f, magic, rank):
    """The bytes of an idx file as an array of that rank."""
    name = getattr(f, 'name', f)
    print('Extracting', name)
    with gzip.GzipFile(fileobj=f) as unpacked:
        data = unpacked.read()
    head = numpy.frombuffer(data[:4 * (1 + rank)], '>u4')
    if len(head) != 1 + rank or head[0] != magic:
        raise ValueError('Invalid magic number %s in MNIST file: %s'
                         % (head[0] if len(head) else 'none', name))
    shape = [int(n) for n in head[1:]]
    values = numpy.frombuffer(data, numpy.uint8, offset=4 * (1 + rank))
    expected = 1
    for n in shape:
        expected *= n
    if values.size < expected:
        raise ValueError('MNIST file %s is cut short: %d bytes of %d' % (name, values.size, expected))
    return values[:expected].reshape(shape).copy()


def extract_images(f):
    """Images [index, y, x, depth] of uint8 from the open file."""
    return _read_idx(f, 2051, 3)[..., numpy.newaxis]


def dense_to_one_hot(labels_dense, num_classes):
    """A row with a single one for each label."""
    labels_dense = numpy.asarray(labels_dense)
    one_hot = numpy.zeros((labels_dense.shape[0], num_classes))
    one_hot[numpy.arange(labels_dense.shape[0]), labels_dense.ravel()] = 1
    return one_hot


def extract_labels(f, one_hot=False, num_classes=10):
    """Labels [index] of uint8 from the open file, or rows of zeros and a one."""
    labels = _read_idx(f, 2049, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet(object):
    """Images with their labels, in batches."""

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=dtypes.float32,
                 reshape=True, seed=None):
        seed1, seed2 = random_seed.get_seed(seed)
        numpy.random.seed(seed1 if seed is None else seed2)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError('Invalid image dtype %r, expected uint8 or float32' % dtype)
        self.one_hot = one_hot
        self._fake = fake_data
        if fake_data:
            self._num_examples = 10000
        else:
            if images.shape[0] != labels.shape[0]:
                raise AssertionError('images.shape: %s labels.shape: %s' % (images.shape, labels.shape))
            self._num_examples = images.shape[0]
            if reshape:
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == dtypes.float32:
                images = numpy.multiply(images.astype(numpy.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self):
        return self._images

    @property
    def labels(self):
        return self._labels

    @property
    def num_examples(self):
        return self._num_examples

    @property
    def epochs_completed(self):
        return self._epochs_completed

    def _shuffle(self, images, labels):
        order = numpy.arange(self._num_examples)
        numpy.random.shuffle(order)
        self._images, self._labels = images[order], labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next batch_size images and labels; shuffled anew when all have been given."""
        if fake_data:
            image, label = [1] * 784, [1] + [0] * 9 if self.one_hot else 0
            return [image for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle(self.images, self.labels)
        if start + batch_size <= self._num_examples:
            self._index_in_epoch = start + batch_size
            return self._images[start:start + batch_size], self._labels[start:start + batch_size]
        self._epochs_completed += 1  # what is left, and the first of the next round
        left_images, left_labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle(self.images, self.labels)
        self._index_in_epoch = end = batch_size - len(left_images)
        return (numpy.concatenate((left_images, self._images[:end])),
                numpy.concatenate((left_labels, self._labels[:end])))


_DataSet = DataSet


def _open(folder, name):
    path = os.path.join(folder, name)
    for candidate in (path, path.replace('-idx', '.idx')):
        if os.path.exists(candidate):
            return open(candidate, 'rb')
    raise FileNotFoundError(
        '%s is not there: put the four files of MNIST (%s; published at %s) into that folder. Leat '
        'fetches nothing.' % (path, ', '.join(FILES), DEFAULT_SOURCE_URL))


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=dtypes.float32, reshape=True,
                   validation_size=5000, seed=None, source_url=DEFAULT_SOURCE_URL):
    """Datasets(train, validation, test): the first validation_size images are those of validation."""
    del source_url
    options = dict(dtype=dtype, reshape=reshape, seed=seed)
    if fake_data:
        return Datasets(*[DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)
                          for _ in Datasets._fields])
    arrays = []
    for i, name in enumerate(FILES):
        with _open(train_dir, name) as f:
            arrays.append(extract_labels(f, one_hot=one_hot) if i % 2 else extract_images(f))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError('Validation size should be between 0 and {}. Received: {}.'.format(
            len(images), validation_size))
    n = validation_size
    return Datasets(train=DataSet(images[n:], labels[n:], **options),
                    validation=DataSet(images[:n], labels[:n], **options),
                    test=DataSet(test_images, test_labels, **options))
