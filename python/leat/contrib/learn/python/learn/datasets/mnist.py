# SPDX-License-Identifier: Apache-2.0
"""The MNIST digits, from the files in which they are given out (gzipped or not).

Nothing is downloaded: what is missing is said, with the folder to put it in.
"""
import gzip
import os

import numpy

from leat.contrib.learn.python.learn.datasets import base
from leat.python.framework import dtypes
from leat.python.framework import random_seed
from leat.python.platform import gfile  # noqa: F401

DEFAULT_SOURCE_URL = 'https://storage.googleapis.com/cvdf-datasets/mnist/'
_IMAGES, _LABELS = 2051, 2049
FILES = ('train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz',
          't10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz')


def _read32(bytestream):
    dt = numpy.dtype(numpy.uint32).newbyteorder('>')
    data = bytestream.read(4)
    if len(data) != 4:
        raise ValueError('MNIST file ends in its head: %s' % getattr(bytestream, 'name', ''))
    return int(numpy.frombuffer(data, dtype=dt)[0])


class _Stream(object):
    """The unpacked bytes of an open file, packed or not."""

    def __init__(self, f):
        self._name = f.name
        start = f.read(2)
        f.seek(0)
        self._stream = gzip.GzipFile(fileobj=f) if start == b'\x1f\x8b' else f
        self._ours = self._stream is not f

    def __enter__(self):
        return self

    def __exit__(self, *info):
        if self._ours:
            self._stream.close()

    def read(self, size):
        return self._stream.read(size)

    def numbers(self, count):
        """The next bytes, as many as the head of the file said."""
        data = self._stream.read(count)
        if len(data) != count:
            raise ValueError('MNIST file %s is cut short: %d bytes of %d'
                             % (self._name, len(data), count))
        return numpy.frombuffer(data, dtype=numpy.uint8)


def extract_images(f):
    """The images of an open file: [number, rows, columns, 1] of uint8."""
    print('Extracting', f.name)
    with _Stream(f) as stream:
        magic = _read32(stream)
        if magic != _IMAGES:
            raise ValueError('Invalid magic number %d in MNIST image file: %s' % (magic, f.name))
        count, rows, columns = _read32(stream), _read32(stream), _read32(stream)
        return stream.numbers(rows * columns * count).reshape(count, rows, columns, 1)


def dense_to_one_hot(labels_dense, num_classes):
    """A row for each label, with a one at its place."""
    count = labels_dense.shape[0]
    one_hot = numpy.zeros((count, num_classes))
    one_hot[numpy.arange(count), labels_dense.ravel()] = 1
    return one_hot


def extract_labels(f, one_hot=False, num_classes=10):
    """The labels of an open file, as numbers or as rows."""
    print('Extracting', f.name)
    with _Stream(f) as stream:
        magic = _read32(stream)
        if magic != _LABELS:
            raise ValueError('Invalid magic number %d in MNIST label file: %s' % (magic, f.name))
        labels = stream.numbers(_read32(stream))
        return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet(object):
    """Images and labels, given out in batches, shuffled anew each time they begin."""

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=dtypes.float32,
                 reshape=True, seed=None):
        seed1, seed2 = random_seed.get_seed(seed)
        numpy.random.seed(seed1 if seed is None else seed2)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError('Invalid image dtype %r, expected uint8 or float32' % dtype)
        if fake_data:
            self._num_examples = 10000
            self.one_hot = one_hot
        else:
            assert images.shape[0] == labels.shape[0], (
                'images.shape: %s labels.shape: %s' % (images.shape, labels.shape))
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == dtypes.float32:
                images = numpy.multiply(images.astype(numpy.float32), 1.0 / 255.0,
                                        dtype=numpy.float32)
        self._images = images
        self._labels = labels
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

    def _shuffle(self):
        order = numpy.arange(self._num_examples)
        numpy.random.shuffle(order)
        self._images = self.images[order]
        self._labels = self.labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next images and labels; where the epoch ends, the next one's first go with them."""
        if fake_data:
            image = [1] * 784
            label = [1] + [0] * 9 if self.one_hot else 0
            return [image for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch += batch_size
            end = self._index_in_epoch
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        rest = self._num_examples - start
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - rest
        end = self._index_in_epoch
        return (numpy.concatenate((images, self._images[:end]), axis=0),
                numpy.concatenate((labels, self._labels[:end]), axis=0))


def _find(name, train_dir, source_url):
    """The path of a file, packed or unpacked."""
    plain = name[:-len('.gz')]
    for candidate in (name, plain, plain.replace('-idx', '.idx')):
        path = os.path.join(str(train_dir), candidate)
        if os.path.exists(path):
            return path
    try:
        return base.maybe_download(name, train_dir, source_url + name)
    except FileNotFoundError as error:
        raise FileNotFoundError('%s: put the four files of MNIST there (%s)'
                                % (error, ', '.join(FILES))) from None


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=dtypes.float32, reshape=True,
                   validation_size=5000, seed=None, source_url=DEFAULT_SOURCE_URL):
    """The training, validation and test images of the four files in train_dir."""
    if fake_data:
        sets = [DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)
                for _ in range(3)]
        return base.Datasets(*sets)
    source_url = source_url or DEFAULT_SOURCE_URL
    arrays = []
    for name in FILES:
        with open(_find(name, train_dir, source_url), 'rb') as f:
            arrays.append(extract_images(f) if 'images' in name
                          else extract_labels(f, one_hot=one_hot))
    train_images, train_labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(train_images):
        raise ValueError('Validation size should be between 0 and {}. Received: {}.'.format(
            len(train_images), validation_size))
    options = dict(dtype=dtype, reshape=reshape, seed=seed)
    train = DataSet(train_images[validation_size:], train_labels[validation_size:], **options)
    validation = DataSet(train_images[:validation_size], train_labels[:validation_size],
                         **options)
    test = DataSet(test_images, test_labels, **options)
    return base.Datasets(train=train, validation=validation, test=test)


def load_mnist(train_dir='MNIST-data'):
    return read_data_sets(train_dir)
