# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.lookup's own names, over lookup_ops."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import lookup_ops
from leat.python.ops.lookup_ops import (  # noqa: F401
    FastHashSpec, HasherSpec, IdTableWithHashBuckets, InitializableLookupTableBase,
    InitializableLookupTableBaseV1, KeyValueTensorInitializer, LookupInterface, StrongHashSpec,
    TableInitializerBase, TextFileIdTableInitializer, TextFileIndex, TextFileInitializer,
    TextFileStringTableInitializer, index_table_from_file, index_to_string_table_from_file,
    tables_initializer)
from leat.python.ops.lookup_ops import DenseHashTable as MutableDenseHashTable  # noqa: F401
from leat.python.ops.lookup_ops import MutableHashTable  # noqa: F401


class HashTable(InitializableLookupTableBaseV1):
    """A table of keys and values that does not change."""

    def __init__(self, initializer, default_value, shared_name=None, name=None):
        from leat.python.ops import gen_lookup_ops
        self._initializer = initializer
        self._shared = shared_name
        self._name = name or 'hash_table'
        self._gen = gen_lookup_ops
        super(HashTable, self).__init__(default_value, initializer)
        self._value_shape = self._default_value.get_shape()

    def _create_resource(self):
        handle = self._gen.hash_table_v2(
            shared_name=self._shared, key_dtype=self._initializer.key_dtype,
            value_dtype=self._initializer.value_dtype, name=self._name)
        self._table_name = handle.op.name.split('/')[-1]
        return handle

    @property
    def init(self):
        return self.initializer

    @property
    def name(self):
        return self._table_name

    def export(self, name=None):
        """(keys, values)."""
        with ops.name_scope(name, '%s_Export' % self.name, [self.resource_handle]):
            keys, values = self._gen.lookup_table_export_v2(self.resource_handle, self._key_dtype,
                                                            self._value_dtype)
        values.set_shape(keys.get_shape())
        return keys, values


def string_to_index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                                    default_value=-1, hasher_spec=FastHashSpec, name=None):
    return index_table_from_file(vocabulary_file, num_oov_buckets, vocab_size, default_value,
                                 hasher_spec, key_dtype=dtypes.string, name=name)


def string_to_index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1,
                                      hasher_spec=FastHashSpec, name=None):
    with ops.name_scope(name, 'string_to_index'):
        mapping = ops.convert_to_tensor(mapping)
    return index_table_from_tensor(mapping=mapping, num_oov_buckets=num_oov_buckets,
                                   default_value=default_value, hasher_spec=hasher_spec,
                                   dtype=dtypes.string, name=name)


def index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1,
                            hasher_spec=FastHashSpec, dtype=dtypes.string, name=None):
    if mapping is None:
        raise ValueError('mapping must be specified.')
    return lookup_ops.index_table_from_tensor(
        vocabulary_list=mapping, num_oov_buckets=num_oov_buckets, default_value=default_value,
        hasher_spec=hasher_spec, dtype=dtype, name=name)


def string_to_index(tensor, mapping, default_value=-1, name=None):
    """The places of texts in a list."""
    return index_table_from_tensor(mapping=mapping, default_value=default_value,
                                   name=name).lookup(tensor)


def index_to_string_table_from_tensor(mapping, default_value='UNK', name=None):
    if mapping is None:
        raise ValueError('mapping must be specified.')
    return lookup_ops.index_to_string_table_from_tensor(
        vocabulary_list=mapping, default_value=default_value, name=name)


def index_to_string(tensor, mapping, default_value='UNK', name=None):
    """The texts at places of a list."""
    return index_to_string_table_from_tensor(mapping=mapping, default_value=default_value,
                                             name=name).lookup(tensor)
