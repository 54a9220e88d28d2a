# SPDX-License-Identifier: Apache-2.0
"""Readers, which take the names of files from a queue and give records; files as a whole; tensors
saved by the oldest ops. The other names of this module are those of gen_io_ops."""
from leat.python.framework import dtypes  # noqa: F401
from leat.python.framework import ops
from leat.python.lib.io import python_io
from leat.python.ops import gen_io_ops
from leat.python.ops.gen_io_ops import matching_files, read_file, write_file  # noqa: F401
from leat.python.util.tf_export import tf_export


def __getattr__(name):
    return getattr(gen_io_ops, name)


def _save(filename, tensor_names, tensors, tensor_slices=None, name='save'):
    """An op that writes tensors, or slices of them, to a file of the first format."""
    if tensor_slices is None:
        return gen_io_ops.save(filename, tensor_names, tensors, name=name)
    return gen_io_ops.save_slices(filename, tensor_names, tensor_slices, tensors, name=name)


def _restore_slice(file_pattern, tensor_name, shape_and_slice, tensor_type, name='restore_slice',
                   preferred_shard=-1):
    """A tensor, or a slice of one, of files of either format."""
    return gen_io_ops.restore_slice(file_pattern, tensor_name, shape_and_slice,
                                    dtypes.as_dtype(tensor_type).base_dtype, preferred_shard,
                                    name=name)


@tf_export(v1=['ReaderBase'])
class ReaderBase(object):
    """What the readers share."""

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self):
        return self._reader_ref

    @property
    def supports_serialize(self):
        return self._supports_serialize

    def read(self, queue, name=None):
        """(key, value) of the next record; a name is taken from the queue where one is needed."""
        queue_ref = queue if isinstance(queue, ops.Tensor) else queue.queue_ref
        if self._reader_ref.dtype == dtypes.resource:
            return gen_io_ops.reader_read_v2(self._reader_ref, queue_ref, name=name)
        return gen_io_ops.reader_read(self._reader_ref, queue_ref, name=name)

    def read_up_to(self, queue, num_records, name=None):
        """(keys, values) of as many records, or of fewer where a file ends."""
        queue_ref = queue if isinstance(queue, ops.Tensor) else queue.queue_ref
        if self._reader_ref.dtype == dtypes.resource:
            return gen_io_ops.reader_read_up_to_v2(self._reader_ref, queue_ref, num_records,
                                                   name=name)
        return gen_io_ops.reader_read_up_to(self._reader_ref, queue_ref, num_records, name=name)

    def _ask(self, what, *args, **kwargs):
        suffix = '_v2' if self._reader_ref.dtype == dtypes.resource else ''
        return getattr(gen_io_ops, what + suffix)(self._reader_ref, *args, **kwargs)

    def num_records_produced(self, name=None):
        return self._ask('reader_num_records_produced', name=name)

    def num_work_units_completed(self, name=None):
        return self._ask('reader_num_work_units_completed', name=name)

    def serialize_state(self, name=None):
        return self._ask('reader_serialize_state', name=name)

    def restore_state(self, state, name=None):
        return self._ask('reader_restore_state', state, name=name)

    def reset(self, name=None):
        return self._ask('reader_reset', name=name)


@tf_export(v1=['WholeFileReader'])
class WholeFileReader(ReaderBase):
    """A record is a file: (its name, what is in it)."""

    def __init__(self, name=None):
        super(WholeFileReader, self).__init__(gen_io_ops.whole_file_reader_v2(name=name),
                                              supports_serialize=True)


@tf_export(v1=['TextLineReader'])
class TextLineReader(ReaderBase):
    """A record is a line."""

    def __init__(self, skip_header_lines=None, name=None):
        super(TextLineReader, self).__init__(gen_io_ops.text_line_reader_v2(
            skip_header_lines=skip_header_lines, name=name))


@tf_export(v1=['FixedLengthRecordReader'])
class FixedLengthRecordReader(ReaderBase):
    """Records of one length."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None,
                 name=None, encoding=None):
        super(FixedLengthRecordReader, self).__init__(gen_io_ops.fixed_length_record_reader_v2(
            record_bytes=record_bytes, header_bytes=header_bytes, footer_bytes=footer_bytes,
            hop_bytes=hop_bytes, encoding=encoding, name=name))


@tf_export(v1=['TFRecordReader'])
class TFRecordReader(ReaderBase):
    """The records of files that a TFRecordWriter wrote."""

    def __init__(self, name=None, options=None):
        super(TFRecordReader, self).__init__(gen_io_ops.tf_record_reader_v2(
            name=name,
            compression_type=python_io.TFRecordOptions.get_compression_type_string(options)))


@tf_export(v1=['LMDBReader'])
class LMDBReader(ReaderBase):
    """Records of an LMDB database: not there."""

    def __init__(self, name=None, options=None):
        from leat.python.framework import errors
        raise errors.UnimplementedError(None, None, 'tf.LMDBReader: Leat reads no LMDB databases')


@tf_export(v1=['IdentityReader'])
class IdentityReader(ReaderBase):
    """A record is a name of the queue: (it, it)."""

    def __init__(self, name=None):
        super(IdentityReader, self).__init__(gen_io_ops.identity_reader_v2(name=name),
                                             supports_serialize=True)
