# SPDX-License-Identifier: Apache-2.0
"""Tables of vocabularies: ids of words, buckets for the words that are not there, words of ids.
Names of lookup_ops."""
import collections
import functools

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_string_ops
from leat.python.ops import lookup_ops
from leat.python.ops import math_ops
from leat.python.ops.lookup_initializers import (
    KeyValueTensorInitializer, TextFileIdTableInitializer, TextFileIndex,
    TextFileStringTableInitializer)
from leat.python.util.tf_export import tf_export


class HasherSpec(collections.namedtuple('HasherSpec', ['hasher', 'key'])):
    """How words are put into buckets."""

    __slots__ = ()


FastHashSpec = HasherSpec('fasthash', None)


class StrongHashSpec(HasherSpec):
    """By a hash that two numbers key."""

    __slots__ = ()

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError('key must have size 2, got %s.' % len(key))
        if not isinstance(key[0], int) or not isinstance(key[1], int):
            raise TypeError('Invalid key %s. Must be unsigned integer values.' % key)
        return super(StrongHashSpec, cls).__new__(cls, 'stronghash', key)


def _as_string(tensor):
    if dtypes.string == tensor.dtype.base_dtype:
        return tensor
    return gen_string_ops.as_string(tensor)


def _bucket_function(hasher_spec):
    """A function of texts and a number of buckets."""
    if not isinstance(hasher_spec, HasherSpec):
        raise TypeError('hasher_spec must be of type HasherSpec %s' % hasher_spec)
    if hasher_spec.hasher == 'fasthash':
        return gen_string_ops.string_to_hash_bucket_fast
    if hasher_spec.hasher == 'legacy':
        return gen_string_ops.string_to_hash_bucket
    if hasher_spec.hasher == 'stronghash':
        return functools.partial(gen_string_ops.string_to_hash_bucket_strong, key=hasher_spec.key)
    raise ValueError('Unknown hasher %s' % hasher_spec.hasher)


class _WithBuckets(lookup_ops.LookupInterface):
    """Ids of a table, and of buckets behind them for what the table has not."""

    def _bucketed(self, keys, hash_buckets, name):
        values = lookup_ops._key_tensor(keys)
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.'
                            % (self._key_dtype, keys.dtype))
        if self._table and self._table.key_dtype.base_dtype == dtypes.int64:
            if values.dtype.base_dtype != dtypes.int64:
                values = math_ops.cast(values, dtypes.int64)
        if self._num_oov_buckets == 0:
            ids = self._table.lookup(values, name=name)
        else:
            with ops.name_scope(name, '%s_Lookup' % self.name):
                buckets = hash_buckets()(_as_string(values), num_buckets=self._num_oov_buckets,
                                         name='hash_bucket')
                ids = buckets
                if self._table:
                    ids = self._table.lookup(values)
                    buckets = math_ops.add(buckets, self._table.size())
                    known = math_ops.not_equal(ids, self._table.default_value)
                    ids = array_ops.where_v2(known, ids, buckets)
        return lookup_ops._like_keys(keys, ids)

    def size(self, name=None):
        """How many ids there are."""
        with ops.name_scope(name, '%s_Size' % self.name):
            if self._table:
                table_size = self._table.size()
            else:
                table_size = constant_op.constant(0, dtype=dtypes.int64)
            return table_size + self._num_oov_buckets

    @property
    def initializer(self):
        return self._init_op

    def _initialize(self):
        from leat.python.ops import control_flow_ops
        if self._table is not None:
            return self._table._init_op
        with ops.name_scope(None, 'init'):
            return control_flow_ops.no_op()


class IdTableWithHashBuckets(_WithBuckets):
    """Ids of a table, or of none, with buckets behind them."""

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None,
                 key_dtype=None):
        if table:
            if key_dtype is None:
                key_dtype = table.key_dtype
            supported = (dtypes.int64, dtypes.string)
            if table.key_dtype not in supported:
                raise TypeError('Invalid key dtype, expected one of %s, but got %s.'
                                % (supported, key_dtype))
            if table.key_dtype.is_integer != key_dtype.is_integer:
                raise TypeError('Invalid key dtype, expected %s but got %s.' % (
                    'integer' if key_dtype.is_integer else 'non-integer', table.key_dtype))
            if table.value_dtype != dtypes.int64:
                raise TypeError('Invalid value dtype, expected %s but got %s.'
                                % (dtypes.int64, table.value_dtype))
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError('oov_buckets must be > 0 if no table is supplied.')
            key_dtype = dtypes.string if key_dtype is None else key_dtype
            name = name or 'hash_bucket'
        self._table = table or None
        if not key_dtype.is_integer and dtypes.string != key_dtype:
            raise TypeError('Invalid key_dtype, expected integer or string, got %s.' % key_dtype)
        self._num_oov_buckets = num_oov_buckets
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError('hasher_spec must be of type HasherSpec, got %s' % hasher_spec)
        self._hasher_spec = hasher_spec
        self._table_name = name.split('/')[-1]
        super(IdTableWithHashBuckets, self).__init__(key_dtype, dtypes.int64)
        self._init_op = self._table.initializer if self._table else self._initialize()

    def _create_resource(self):
        if self._table is not None:
            return self._table._create_resource()
        return None

    @property
    def resource_handle(self):
        return None if self._table is None else self._table.resource_handle

    @property
    def init(self):
        return self.initializer

    @property
    def name(self):
        return self._table_name

    def _get_string_to_hash_bucket_fn(self, hasher_spec):
        return _bucket_function(hasher_spec)

    def lookup(self, keys, name=None):
        """The ids of keys: of the table, or of buckets."""
        return self._bucketed(keys, lambda: self._get_string_to_hash_bucket_fn(self._hasher_spec),
                              name)


@tf_export('lookup.StaticVocabularyTable', v1=[])
class StaticVocabularyTable(_WithBuckets):
    """Ids of a vocabulary, with buckets behind them."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError('oov_buckets must be > 0.')
        if initializer:
            if lookup_key_dtype is None:
                lookup_key_dtype = initializer.key_dtype
            supported = (dtypes.int64, dtypes.string)
            if initializer.key_dtype not in supported:
                raise TypeError('Invalid key dtype, expected one of %s, but got %s.'
                                % (supported, initializer.key_dtype))
            if initializer.key_dtype.is_integer != lookup_key_dtype.is_integer:
                raise TypeError('Invalid key dtype, expected %s but got %s.' % (
                    'integer' if lookup_key_dtype.is_integer else 'non-integer',
                    initializer.key_dtype))
            if initializer.value_dtype != dtypes.int64:
                raise TypeError('Invalid value dtype, expected %s but got %s.'
                                % (dtypes.int64, initializer.value_dtype))
            self._table = lookup_ops.HashTable(initializer, default_value=-1)
            name = name or self._table.name
        else:
            lookup_key_dtype = dtypes.string
            self._table = None
            name = name or 'hash_bucket'
        self._num_oov_buckets = num_oov_buckets
        self._table_name = None if self._table is not None else name.split('/')[-1]
        super(StaticVocabularyTable, self).__init__(lookup_key_dtype, dtypes.int64)
        self._init_op = self._table._init_op if self._table else None

    def _create_resource(self):
        return None if self._table is None else self._table._create_resource()

    @property
    def resource_handle(self):
        return None if self._table is None else self._table.resource_handle

    @property
    def name(self):
        return self._table_name if self._table is None else self._table.name

    def lookup(self, keys, name=None):
        """The ids of keys: of the vocabulary, or of buckets."""
        return self._bucketed(keys, lambda: gen_string_ops.string_to_hash_bucket_fast, name)


@tf_export(v1=['lookup.StaticVocabularyTable'])
class StaticVocabularyTableV1(StaticVocabularyTable):
    """The same, with an op that fills it."""

    @property
    def initializer(self):
        if self._table is not None:
            return self._table.initializer
        return self._initialize()


# ---- tables in one call ----

def _check_file(vocabulary_file):
    if vocabulary_file is None or (isinstance(vocabulary_file, (str, bytes)) and
                                   not vocabulary_file):
        raise ValueError('vocabulary_file must be specified and must not be empty.')


def _check_buckets(num_oov_buckets):
    if num_oov_buckets < 0:
        raise ValueError('num_oov_buckets must be greater or equal than 0, got %d.'
                         % num_oov_buckets)


def _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype):
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec,
                                  key_dtype=key_dtype)


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                          default_value=-1, hasher_spec=FastHashSpec, key_dtype=dtypes.string,
                          name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter='\t'):
    """From the lines of a file to their numbers."""
    _check_file(vocabulary_file)
    _check_buckets(num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        shown = vocabulary_file
        if isinstance(shown, ops.Tensor):
            from leat.python.framework import tensor_util
            shown = tensor_util.constant_value(shown) or '?'
        raise ValueError('vocab_size must be greater than 0, got %d. vocabulary_file: %s'
                         % (vocab_size, shown))
    if not key_dtype.is_integer and dtypes.string != key_dtype.base_dtype:
        raise TypeError('Only integer and string keys are supported.')
    with ops.name_scope(name, 'string_to_index'):
        with ops.name_scope(None, 'hash_table'):
            init = TextFileIdTableInitializer(
                vocabulary_file, vocab_size=vocab_size,
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype, name='table_init',
                key_column_index=key_column_index, value_column_index=value_column_index,
                delimiter=delimiter)
            table = lookup_ops.StaticHashTableV1(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(vocabulary_list, num_oov_buckets=0, default_value=-1,
                            hasher_spec=FastHashSpec, dtype=dtypes.string, name=None):
    """From the elements of a tensor to their places in it."""
    if vocabulary_list is None:
        raise ValueError('vocabulary_list must be specified.')
    _check_buckets(num_oov_buckets)
    if not dtype.is_integer and dtypes.string != dtype.base_dtype:
        raise TypeError('Only integer and string keys are supported.')
    with ops.name_scope(name, 'string_to_index'):
        keys = ops.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            raise ValueError('Expected %s, got %s.'
                             % ('integer' if dtype.is_integer else 'non-integer', keys.dtype))
        if not dtype.is_integer and keys.dtype.base_dtype != dtype.base_dtype:
            raise ValueError('Expected %s, got %s.' % (dtype, keys.dtype))
        values = math_ops.cast(math_ops.range(array_ops.size(keys)), dtypes.int64)
        with ops.name_scope(None, 'hash_table'):
            table_keys = math_ops.cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(table_keys, values, table_keys.dtype.base_dtype,
                                             dtypes.int64, name='table_init')
            table = lookup_ops.StaticHashTableV1(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK',
                                    name=None, key_column_index=TextFileIndex.LINE_NUMBER,
                                    value_column_index=TextFileIndex.WHOLE_LINE, delimiter='\t'):
    """From numbers of lines to the lines of a file."""
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError('vocab_size must be greater than 0, got %d.' % vocab_size)
    with ops.name_scope(name, 'index_to_string'):
        init = TextFileStringTableInitializer(
            vocabulary_file, vocab_size=vocab_size, name='table_init',
            key_column_index=key_column_index, value_column_index=value_column_index,
            delimiter=delimiter)
        return lookup_ops.StaticHashTableV1(init, default_value)


def index_to_string_table_from_tensor(vocabulary_list, default_value='UNK', name=None):
    """From places to the elements of a tensor of texts."""
    if vocabulary_list is None:
        raise ValueError('vocabulary_list must be specified.')
    with ops.name_scope(name, 'index_to_string'):
        vocabulary_list = ops.convert_to_tensor(vocabulary_list, dtypes.string)
        keys = math_ops.cast(math_ops.range(array_ops.size(vocabulary_list)), dtypes.int64)
        init = KeyValueTensorInitializer(keys, vocabulary_list, dtypes.int64, dtypes.string,
                                         name='table_init')
        return lookup_ops.StaticHashTableV1(init, default_value)
