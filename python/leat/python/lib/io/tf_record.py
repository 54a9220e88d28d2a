# SPDX-License-Identifier: Apache-2.0
"""TFRecord files (tf.python_io): written, and read record by record."""
import os

from leat._load import core as _core
from leat.python.framework import errors_impl as errors
from leat.python.util import compat


class TFRecordCompressionType:
    """How the records of a file are packed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a file of records is packed. Files are written with zlib's own settings: the other
    arguments are taken, and change no record."""

    compression_type_map = {
        TFRecordCompressionType.ZLIB: 'ZLIB',
        TFRecordCompressionType.GZIP: 'GZIP',
        TFRecordCompressionType.NONE: '',
    }

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None,
                 output_buffer_size=None, window_bits=None, compression_level=None,
                 compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """'', 'ZLIB' or 'GZIP', of options, a TFRecordCompressionType, such a text, or None."""
        if not options:
            return ''
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, str) and options in cls.compression_type_map.values():
            return options
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        raise ValueError('Not a valid compression_type: "{}"'.format(options))


def _call(function, *args):
    """function(*args), its error as one of tf.errors."""
    try:
        return function(*args)
    except _core.Error as error:
        raise errors._make_specific_exception(None, None, error.args[1], error.args[0]) from None


_HEAD_BYTES = 12


def tf_record_iterator(path, options=None):
    """The records of a file, as bytes. A file that ends within a record's length has ended there:
    somebody may be writing it."""
    compression = TFRecordOptions.get_compression_type_string(options)
    path = compat.as_str_any(compat.path_to_str(path))
    reader = _call(_core.record_reader, path, compression)
    try:
        while True:
            try:
                record = _call(reader.next)
            except errors.DataLossError:
                if compression or os.path.getsize(path) - reader.offset() >= _HEAD_BYTES:
                    raise
                return
            if record is None:
                return
            yield record
    finally:
        reader.close()


class TFRecordWriter:
    """Writes records to a file; a context manager."""

    def __init__(self, path, options=None):
        compression = TFRecordOptions.get_compression_type_string(options)
        self._writer = _call(_core.record_writer, compat.as_str_any(compat.path_to_str(path)),
                             compression)
        self._closed = False

    def __enter__(self):
        return self

    def __exit__(self, unused_type, unused_value, unused_traceback):
        self.close()

    def write(self, record):
        """Adds a record."""
        if self._closed:
            raise errors.FailedPreconditionError(
                None, None, 'Writer not initialized or previously closed')
        _call(self._writer.write, compat.as_bytes(record))

    def flush(self):
        """What was written can be read by others."""
        if not self._closed:
            _call(self._writer.flush)

    def close(self):
        """Ends the file."""
        self._closed = True
        _call(self._writer.close)
