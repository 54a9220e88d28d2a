# SPDX-License-Identifier: Apache-2.0
"""Tables: what stands under a key, of a file or of tensors, and tables that change. How to fill
them is in lookup_initializers.py, hash buckets and tables of vocabularies in lookup_vocabulary.py.
"""
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_lookup_ops
from leat.python.ops.lookup_initializers import (  # noqa: F401
    KeyValueTensorInitializer, TableInitializerBase, TextFileIdTableInitializer, TextFileIndex,
    TextFileInitializer, TextFileStringTableInitializer)
from leat.python.training import saveable_object
from leat.python.util.tf_export import tf_export


def __getattr__(name):
    return getattr(gen_lookup_ops, name)  # the ops' own functions


@tf_export(v1=['initialize_all_tables'])
def initialize_all_tables(name='init_all_tables'):
    return tables_initializer(name)


@tf_export(v1=['initializers.tables_initializer', 'tables_initializer'])
def tables_initializer(name='init_all_tables'):
    """An op that fills all tables of the graph."""
    initializers = ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS)
    if initializers:
        return control_flow_ops.group(*initializers, name=name)
    return control_flow_ops.no_op(name=name)


def _check_table_dtypes(table, key_dtype, value_dtype):
    """The table takes such keys and gives such values."""
    if key_dtype.base_dtype != table.key_dtype:
        raise TypeError('Invalid key dtype, expected %s but got %s.' % (table.key_dtype, key_dtype))
    if value_dtype.base_dtype != table.value_dtype:
        raise TypeError('Invalid value dtype, expected %s but got %s.'
                        % (table.value_dtype, value_dtype))


def _key_tensor(keys):
    return keys.values if hasattr(keys, 'values') and not isinstance(keys, ops.Tensor) else keys


def _like_keys(keys, values):
    """The values in the structure of the keys."""
    if isinstance(keys, sparse_tensor.SparseTensor):
        return sparse_tensor.SparseTensor(keys.indices, values, keys.dense_shape)
    if hasattr(keys, 'with_values'):
        return keys.with_values(values)
    return values


def _check_key_dtype(table, keys):
    if keys.dtype.base_dtype != table._key_dtype:
        raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.'
                        % (table._key_dtype, keys.dtype))


class LookupInterface(object):
    """A table that may change between steps."""

    def __init__(self, key_dtype, value_dtype):
        from leat.python.framework import dtypes
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)
        self._handle = None

    def _create_resource(self):
        raise NotImplementedError

    @property
    def resource_handle(self):
        if self._handle is None:
            self._handle = self._create_resource()
        return self._handle

    @property
    def key_dtype(self):
        return self._key_dtype

    @property
    def value_dtype(self):
        return self._value_dtype

    @property
    def name(self):
        return NotImplementedError

    def size(self, name=None):
        raise NotImplementedError

    def lookup(self, keys, name=None):
        raise NotImplementedError


class InitializableLookupTableBase(LookupInterface):
    """A table that an initializer fills once."""

    def __init__(self, default_value, initializer):
        super(InitializableLookupTableBase, self).__init__(initializer.key_dtype,
                                                           initializer.value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().merge_with(tensor_shape.TensorShape([]))
        self._initializer = initializer
        self._handle = self._create_resource()
        self._init_op = self._initialize()

    def _initialize(self):
        return self._initializer.initialize(self)

    @property
    def default_value(self):
        return self._default_value

    def size(self, name=None):
        """How many keys there are."""
        with ops.name_scope(name, '%s_Size' % self.name, [self.resource_handle]):
            return gen_lookup_ops.lookup_table_size_v2(self.resource_handle)

    def lookup(self, keys, name=None):
        """The value of each key; the default value where there is none."""
        key_tensor = _key_tensor(keys)
        _check_key_dtype(self, keys)
        with ops.name_scope(name, '%s_Lookup' % self.name,
                            (self.resource_handle, key_tensor, self._default_value)):
            values = gen_lookup_ops.lookup_table_find_v2(self.resource_handle, key_tensor,
                                                         self._default_value)
        values.set_shape(key_tensor.get_shape())
        return _like_keys(keys, values)


class InitializableLookupTableBaseV1(InitializableLookupTableBase):
    """The same, with an op that fills it."""

    @property
    def initializer(self):
        return self._init_op


@tf_export('lookup.StaticHashTable', v1=[])
class StaticHashTable(InitializableLookupTableBase):
    """A table of keys and values that does not change."""

    def __init__(self, initializer, default_value, name=None):
        self._shared_name = initializer._shared_name
        self._name = name or 'hash_table'
        self._table_name = None
        super(StaticHashTable, self).__init__(default_value, initializer)

    def _create_resource(self):
        handle = gen_lookup_ops.hash_table_v2(
            shared_name=self._shared_name, key_dtype=self._initializer.key_dtype,
            value_dtype=self._initializer.value_dtype, name=self._name)
        self._table_name = handle.op.name.split('/')[-1]
        return handle

    @property
    def name(self):
        return self._table_name

    def export(self, name=None):
        """(keys, values)."""
        with ops.name_scope(name, '%s_Export' % self.name, [self.resource_handle]):
            keys, values = gen_lookup_ops.lookup_table_export_v2(
                self.resource_handle, self._key_dtype, self._value_dtype)
        values.set_shape(keys.get_shape())
        return keys, values


@tf_export(v1=['lookup.StaticHashTable'])
class StaticHashTableV1(StaticHashTable):
    """The same, with an op that fills it."""

    @property
    def initializer(self):
        return self._init_op


class HashTable(StaticHashTableV1):
    """The same, under an older name."""

    @property
    def init(self):
        return self.initializer


class _TableSaveable(saveable_object.SaveableObject):
    """A table's keys and values, for a checkpoint."""

    def __init__(self, table, name, table_name=None):
        keys, values = table.export()
        specs = [saveable_object.SaveSpec(keys, '', name + '-keys'),
                 saveable_object.SaveSpec(values, '', name + '-values')]
        self.table_name = table_name or name
        super(_TableSaveable, self).__init__(table, specs, name)

    def restore(self, restored_tensors, restored_shapes):
        del restored_shapes
        with ops.name_scope('%s_table_restore' % self.table_name):
            with ops.colocate_with(self.op.resource_handle):
                return gen_lookup_ops.lookup_table_import_v2(
                    self.op.resource_handle, restored_tensors[0], restored_tensors[1])


class _MutableTable(LookupInterface):
    """What the tables that change share."""

    def _keep(self, checkpoint):
        """Saved with the graph's variables, if that is asked for."""
        self._handle = self._create_resource()
        if checkpoint:
            saveable = self._Saveable(self, self.name)
            ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, saveable)

    @property
    def name(self):
        return self._table_name

    def _gather_saveables_for_checkpoint(self):
        import functools
        return {'table': functools.partial(self._Saveable, table=self, name=self._name,
                                           table_name=self._name)}

    def size(self, name=None):
        """How many keys there are."""
        with ops.name_scope(name, '%s_Size' % self.name, [self.resource_handle]):
            with ops.colocate_with(self.resource_handle):
                return gen_lookup_ops.lookup_table_size_v2(self.resource_handle)

    def remove(self, keys, name=None):
        """Takes keys away."""
        _check_key_dtype(self, keys)
        with ops.name_scope(name, '%s_lookup_table_remove' % self.name,
                            (self.resource_handle, keys, self._default_value)):
            return gen_lookup_ops.lookup_table_remove_v2(self.resource_handle, keys)

    def lookup(self, keys, name=None):
        """The value of each key; the default value where there is none."""
        with ops.name_scope(name, '%s_lookup_table_find' % self.name,
                            (self.resource_handle, keys, self._default_value)):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype, name='keys')
            with ops.colocate_with(self.resource_handle):
                return gen_lookup_ops.lookup_table_find_v2(self.resource_handle, keys,
                                                           self._default_value)

    def insert(self, keys, values, name=None):
        """Sets the values of keys."""
        with ops.name_scope(name, '%s_lookup_table_insert' % self.name,
                            [self.resource_handle, keys, values]):
            keys = ops.convert_to_tensor(keys, self._key_dtype, name='keys')
            values = ops.convert_to_tensor(values, self._value_dtype, name='values')
            with ops.colocate_with(self.resource_handle):
                return gen_lookup_ops.lookup_table_insert_v2(self.resource_handle, keys, values)

    def export(self, name=None):
        """(keys, values)."""
        with ops.name_scope(name, '%s_lookup_table_export_values' % self.name,
                            [self.resource_handle]):
            with ops.colocate_with(self.resource_handle):
                keys, values = gen_lookup_ops.lookup_table_export_v2(
                    self.resource_handle, self._key_dtype, self._value_dtype)
        return keys, values


class MutableHashTable(_MutableTable):
    """A table that steps change."""

    _Saveable = _TableSaveable

    def __init__(self, key_dtype, value_dtype, default_value, name='MutableHashTable',
                 checkpoint=True):
        super(MutableHashTable, self).__init__(key_dtype, value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._value_shape = self._default_value.get_shape()
        self._name = name
        self._checkpoint = checkpoint
        self._keep(checkpoint)

    def _create_resource(self):
        common = dict(shared_name=None, use_node_name_sharing=True, key_dtype=self._key_dtype,
                      value_dtype=self._value_dtype, name=self._name)
        if self._default_value.get_shape().ndims == 0:
            handle = gen_lookup_ops.mutable_hash_table_v2(**common)
        else:
            handle = gen_lookup_ops.mutable_hash_table_of_tensors_v2(
                value_shape=self._default_value.get_shape(), **common)
        self._table_name = handle.op.name.split('/')[-1]
        return handle


@tf_export('lookup.experimental.DenseHashTable')
class DenseHashTable(_MutableTable):
    """One that keeps its keys in an array: two of them mean that a place is free."""

    _Saveable = _TableSaveable

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key,
                 initial_num_buckets=None, name='MutableDenseHashTable', checkpoint=True):
        super(DenseHashTable, self).__init__(key_dtype, value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype,
                                                    name='default_value')
        self._initial_num_buckets = initial_num_buckets
        self._value_shape = self._default_value.get_shape()
        self._checkpoint = checkpoint
        self._name = name
        self._empty_key = ops.convert_to_tensor(empty_key, dtype=self._key_dtype,
                                                name='empty_key')
        self._deleted_key = ops.convert_to_tensor(deleted_key, dtype=self._key_dtype,
                                                  name='deleted_key')
        self._keep(checkpoint)

    def _create_resource(self):
        handle = gen_lookup_ops.mutable_dense_hash_table_v2(
            empty_key=self._empty_key, deleted_key=self._deleted_key, shared_name=None,
            use_node_name_sharing=True, value_dtype=self._value_dtype,
            value_shape=self._value_shape,
            initial_num_buckets=131072 if self._initial_num_buckets is None
            else self._initial_num_buckets, name=self._name)
        self._table_name = handle.op.name.split('/')[-1]
        return handle

    def insert_or_assign(self, keys, values, name=None):
        return self.insert(keys, values, name)

    def erase(self, keys, name=None):
        return self.remove(keys, name)


from leat.python.ops.lookup_vocabulary import (  # noqa: E402,F401
    FastHashSpec, HasherSpec, IdTableWithHashBuckets, StaticVocabularyTable,
    StaticVocabularyTableV1, StrongHashSpec, _as_string, index_table_from_file,
    index_table_from_tensor, index_to_string_table_from_file, index_to_string_table_from_tensor)
