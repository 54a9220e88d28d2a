# SPDX-License-Identifier: Apache-2.0
"""The Penn Treebank as word ids: files ptb.train.txt, ptb.valid.txt and ptb.test.txt, a sentence a
line, words parted by blanks. The files are local and the program's own; nothing is fetched."""
import collections
import os

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.training import input as input_lib


def _read_words(filename):
    return file_io.read_file_to_string(filename).replace('\n', '<eos>').split()


def _build_vocab(filename):
    """{word: id}, the most frequent first, equals by the alphabet."""
    counts = collections.Counter(_read_words(filename))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: i for i, word in enumerate(ordered)}


def _file_to_word_ids(filename, word_to_id):
    return [word_to_id[word] for word in _read_words(filename) if word in word_to_id]


def ptb_raw_data(data_path=None):
    """(train, valid, test, size of the vocabulary), each a list of ids."""
    paths = [os.path.join(data_path or '', 'ptb.%s.txt' % part)
             for part in ('train', 'valid', 'test')]
    word_to_id = _build_vocab(paths[0])
    return tuple(_file_to_word_ids(path, word_to_id) for path in paths) + (len(word_to_id),)


def ptb_iterator(raw_data, batch_size, num_steps):
    """Pairs of arrays [batch_size, num_steps]: inputs, and the words after them."""
    raw_data = np.array(raw_data, dtype=np.int32)
    batch_len = len(raw_data) // batch_size
    data = raw_data[:batch_size * batch_len].reshape([batch_size, batch_len])
    epoch_size = (batch_len - 1) // num_steps
    if epoch_size == 0:
        raise ValueError('epoch_size == 0, decrease batch_size or num_steps')
    for i in range(epoch_size):
        at = i * num_steps
        yield data[:, at:at + num_steps], data[:, at + 1:at + num_steps + 1]


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    """A pair of tensors [batch_size, num_steps], the next ones each time (a queue of places)."""
    with ops.name_scope(name, 'PTBProducer', [raw_data, batch_size, num_steps]):
        raw_data = ops.convert_to_tensor(raw_data, name='raw_data', dtype=dtypes.int32)
        batch_len = array_ops.size(raw_data) // batch_size
        data = array_ops.reshape(raw_data[:batch_size * batch_len], [batch_size, batch_len])
        epoch_size = (batch_len - 1) // num_steps
        assertion = check_ops.assert_positive(
            epoch_size, message='epoch_size == 0, decrease batch_size or num_steps')
        with ops.control_dependencies([assertion]):
            epoch_size = array_ops.identity(epoch_size, name='epoch_size')
        i = input_lib.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = _columns(data, i * num_steps, batch_size, num_steps)
        y = _columns(data, i * num_steps + 1, batch_size, num_steps)
        return x, y


def _columns(data, begin, batch_size, num_steps):
    part = array_ops.strided_slice(data, [0, begin], [batch_size, begin + num_steps])
    part.set_shape([batch_size, num_steps])
    return part
