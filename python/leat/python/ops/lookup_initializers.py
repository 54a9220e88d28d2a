# SPDX-License-Identifier: Apache-2.0
"""What fills tables: tensors of keys and values, columns of a file. Names of lookup_ops."""
import uuid

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import gen_lookup_ops
from leat.python.util import compat
from leat.python.util.tf_export import tf_export


class TableInitializerBase(object):
    """Fills a table with keys and values of its types."""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        return self._key_dtype

    @property
    def value_dtype(self):
        return self._value_dtype

    def initialize(self, table):
        raise NotImplementedError

    @property
    def _shared_name(self):
        return 'hash_table_' + str(uuid.uuid4())


def _check_types(initializer, table):
    from leat.python.ops import lookup_ops
    lookup_ops._check_table_dtypes(table, initializer.key_dtype, initializer.value_dtype)


@tf_export('lookup.KeyValueTensorInitializer')
class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values are tensors, or lists."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = ops.convert_to_tensor(keys, dtype=key_dtype, name='keys')
        self._values = ops.convert_to_tensor(values, dtype=value_dtype, name='values')
        self._name = name if name is not None else 'key_value_init'
        super(KeyValueTensorInitializer, self).__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        _check_types(self, table)
        with ops.name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
            init_op = gen_lookup_ops.lookup_table_import_v2(table.resource_handle, self._keys,
                                                            self._values)
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, init_op)
        return init_op


@tf_export('lookup.TextFileIndex')
class TextFileIndex(object):
    """What is no column of a file."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@tf_export('lookup.TextFileInitializer')
class TextFileInitializer(TableInitializerBase):
    """Keys and values are columns of a file, its lines, or their numbers."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None,
                 delimiter='\t', name=None):
        if not isinstance(filename, ops.Tensor) and not filename:
            raise ValueError('Filename required for %s.' % name)
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self._check(key_dtype, key_index, value_dtype, value_index)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError('Invalid vocab_size %s.' % vocab_size)
        self._filename_arg = filename
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        with ops.init_scope(), ops.device('CPU'):
            self._filename = ops.convert_to_tensor(filename, dtype=dtypes.string,
                                                   name='asset_path')
        ops.add_to_collection(ops.GraphKeys.ASSET_FILEPATHS, self._filename)
        super(TextFileInitializer, self).__init__(key_dtype, value_dtype)

    @staticmethod
    def _check(key_dtype, key_index, value_dtype, value_index):
        if key_index < -2:
            raise ValueError('Invalid key index %s.' % key_index)
        if key_index == TextFileIndex.LINE_NUMBER and key_dtype != dtypes.int64:
            raise ValueError('Signature mismatch. Keys must be dtype %s, got %s.'
                             % (dtypes.int64, key_dtype))
        if key_index == TextFileIndex.WHOLE_LINE and not key_dtype.is_integer and \
                key_dtype != dtypes.string:
            raise ValueError('Signature mismatch. Keys must be integer or string, got %s.'
                             % key_dtype)
        if value_index < -2:
            raise ValueError('Invalid value index %s.' % value_index)
        if value_index == TextFileIndex.LINE_NUMBER and value_dtype != dtypes.int64:
            raise ValueError('Signature mismatch. Values must be dtype %s, got %s.'
                             % (dtypes.int64, value_dtype))
        if value_index == TextFileIndex.WHOLE_LINE and value_dtype != dtypes.string:
            raise ValueError('Signature mismatch. Values must be dtype %s, got %s.'
                             % (dtypes.string, value_dtype))

    def initialize(self, table):
        _check_types(self, table)
        with ops.name_scope(self._name, 'text_file_init', (table.resource_handle,)):
            init_op = gen_lookup_ops.initialize_table_from_text_file_v2(
                table.resource_handle, self._filename, self._key_index, self._value_index,
                -1 if self._vocab_size is None else self._vocab_size, self._delimiter)
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, init_op)
        return init_op

    @property
    def _shared_name(self):
        filename = self._filename_arg
        if isinstance(filename, ops.Tensor):
            from leat.python.framework import tensor_util
            value = tensor_util.constant_value(filename)
            filename = filename.name if value is None else value.item() \
                if hasattr(value, 'item') else value
        filename = compat.as_str_any(filename)
        if self._vocab_size:
            return 'hash_table_%s_%d_%s_%s' % (filename, self._vocab_size, self._key_index,
                                               self._value_index)
        return 'hash_table_%s_%s_%s' % (filename, self._key_index, self._value_index)


class TextFileStringTableInitializer(TextFileInitializer):
    """From numbers of lines to lines."""

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER,
                 value_column_index=TextFileIndex.WHOLE_LINE, vocab_size=None, delimiter='\t',
                 name='text_file_string_table_init'):
        super(TextFileStringTableInitializer, self).__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index,
            vocab_size=vocab_size, delimiter=delimiter, name=name)


class TextFileIdTableInitializer(TextFileInitializer):
    """From lines to their numbers."""

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE,
                 value_column_index=TextFileIndex.LINE_NUMBER, vocab_size=None, delimiter='\t',
                 name='text_file_id_table_init', key_dtype=dtypes.string):
        super(TextFileIdTableInitializer, self).__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index,
            vocab_size=vocab_size, delimiter=delimiter, name=name)
