# SPDX-License-Identifier: Apache-2.0
"""Readers side by side over one list of files."""
from leat.python.framework import dtypes as tf_dtypes
from leat.python.framework import ops
from leat.python.ops import data_flow_ops
from leat.python.ops import io_ops
from leat.python.ops import math_ops
from leat.python.platform import gfile
from leat.python.summary import summary
from leat.python.training import input as tf_input
from leat.python.training import queue_runner


class ParallelReader(io_ops.ReaderBase):
    """Several readers that put what they read into one queue."""

    def __init__(self, reader_class, common_queue, num_readers=4, reader_kwargs=None):
        if len(common_queue.dtypes) != 2:
            raise TypeError('common_queue.dtypes must be of length 2')
        for dtype in common_queue.dtypes:
            if not dtype.is_compatible_with(tf_dtypes.string):
                raise TypeError('common_queue.dtypes must be [tf.string, tf.string]')
        reader_kwargs = reader_kwargs or {}
        self._readers = [reader_class(**reader_kwargs) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self):
        return len(self._readers)

    @property
    def common_queue(self):
        return self._common_queue

    def read(self, queue, name=None):
        """(key, value) from the common queue, which the readers fill."""
        self._configure_readers_by(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue, num_records, name=None):
        self._configure_readers_by(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _configure_readers_by(self, queue):
        enqueue_ops = [self._common_queue.enqueue(reader.read(queue))
                       for reader in self._readers]
        queue_runner.add_queue_runner(queue_runner.QueueRunner(
            self._common_queue, enqueue_ops,
            queue_closed_exception_types=_closed_exceptions()))

    def num_records_produced(self, name=None):
        return math_ops.add_n([r.num_records_produced() for r in self._readers], name=name)

    def num_work_units_completed(self, name=None):
        return math_ops.add_n([r.num_work_units_completed() for r in self._readers], name=name)


def _closed_exceptions():
    from leat.python.framework import errors
    return (errors.OutOfRangeError, errors.CancelledError)


def parallel_read(data_sources, reader_class, num_epochs=None, num_readers=4, reader_kwargs=None,
                  shuffle=True, dtypes=None, capacity=256, min_after_dequeue=128, seed=None,
                  scope=None):
    """(key, value) of all files, by several readers."""
    data_files = get_data_files(data_sources)
    with ops.name_scope(scope, 'parallel_read'):
        filename_queue = tf_input.string_input_producer(
            data_files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name='filenames')
        dtypes = dtypes or [tf_dtypes.string, tf_dtypes.string]
        if shuffle:
            common_queue = data_flow_ops.RandomShuffleQueue(
                capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed,
                name='common_queue')
        else:
            common_queue = data_flow_ops.FIFOQueue(capacity=capacity, dtypes=dtypes,
                                                   name='common_queue')
        summary.scalar('fraction_of_%d_full' % capacity,
                       math_ops.cast(common_queue.size(), tf_dtypes.float32) * (1. / capacity))
        return ParallelReader(reader_class, common_queue, num_readers=num_readers,
                              reader_kwargs=reader_kwargs).read(filename_queue)


def single_pass_read(data_sources, reader_class, reader_kwargs=None, scope=None):
    """(key, value) of all files, once, by one reader."""
    data_files = get_data_files(data_sources)
    with ops.name_scope(scope, 'single_pass_read'):
        filename_queue = tf_input.string_input_producer(
            data_files, num_epochs=1, shuffle=False, capacity=1, name='filenames')
        reader = reader_class(**(reader_kwargs or {}))
        return reader.read(filename_queue)


def get_data_files(data_sources):
    """The files of a pattern, or of several."""
    if isinstance(data_sources, (list, tuple)):
        data_files = []
        for source in data_sources:
            data_files += get_data_files(source)
    elif any(c in data_sources for c in '*?['):
        data_files = gfile.Glob(data_sources)
    else:
        data_files = [data_sources]
    if not data_files:
        raise ValueError('No data files found in %s' % (data_sources,))
    return data_files
