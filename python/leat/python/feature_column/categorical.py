# SPDX-License-Identifier: Apache-2.0
"""Columns of categories: of numbers in ranges, of words, of hashes."""
import collections

import numpy as np

from leat.python.feature_column import _inputs
from leat.python.feature_column import numeric
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor as sparse_tensor_lib
from leat.python.framework import tensor_shape
from leat.python.lib.io import file_io
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import lookup_ops
from leat.python.ops import math_ops
from leat.python.ops import parsing_ops
from leat.python.ops import string_ops

SEQUENCE_IN_DENSE = (
    'In embedding_column or indicator_column: {}. categorical_column must not be of type '
    '_SequenceCategoricalColumn. Suggested fix A: If you wish to use input_layer, use a '
    'non-sequence categorical_column_with_*. Suggested fix B: If you wish to create sequence '
    'input, use sequence_input_layer instead of input_layer. Given (type '
    '_SequenceCategoricalColumn): {}')

IdSparse = collections.namedtuple('IdWeightPair', ('id_tensor', 'weight_tensor'))


class CategoricalColumn(numeric.FeatureColumn):
    """A column of ids below num_buckets; -1 for none."""

    __slots__ = ()
    IdWeightPair = IdSparse

    @property
    def _num_buckets(self):
        return self.num_buckets

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return IdSparse(inputs.get(self), None)


_Bucketized = collections.namedtuple('BucketizedColumn', ('source_column', 'boundaries'))


class BucketizedColumn(numeric.DenseColumn, CategoricalColumn, _Bucketized):
    """Which range each number lies in."""

    @property
    def name(self):
        return '{}_bucketized'.format(self.source_column.name)

    @property
    def parse_example_spec(self):
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape(tuple(self.source_column.shape) + (
            len(self.boundaries) + 1,))

    @property
    def num_buckets(self):
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def _transform_feature(self, inputs):
        return math_ops._bucketize(inputs.get(self.source_column), boundaries=self.boundaries)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return array_ops.one_hot(indices=math_ops.cast(inputs.get(self), dtypes.int64),
                                 depth=len(self.boundaries) + 1, on_value=1., off_value=0.)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        """Each of a feature's numbers has ids of its own."""
        tensor = inputs.get(self)
        batch_size = array_ops.shape(tensor)[0]
        count = self.source_column.shape[0]
        i1 = array_ops.reshape(array_ops.tile(
            array_ops.expand_dims(math_ops.range(0, batch_size), 1), [1, count]), (-1,))
        i2 = array_ops.tile(math_ops.range(0, count), [batch_size])
        bucket_indices = (array_ops.reshape(tensor, (-1,)) +
                          (len(self.boundaries) + 1) * i2)
        indices = math_ops.cast(array_ops.transpose(array_ops.stack((i1, i2))), dtypes.int64)
        dense_shape = math_ops.cast(array_ops.stack([batch_size, count]), dtypes.int64)
        return IdSparse(sparse_tensor_lib.SparseTensor(
            indices=indices, values=bucket_indices, dense_shape=dense_shape), None)


def bucketized_column(source_column, boundaries):
    """The ranges between boundaries, of which each counts to the range above it."""
    if not isinstance(source_column, numeric.NumericColumn):
        raise ValueError('source_column must be a column generated with numeric_column(). Given: {}'
                         .format(source_column))
    if len(source_column.shape) > 1:
        raise ValueError('source_column must be one-dimensional column. Given: {}'.format(
            source_column))
    if not boundaries or not isinstance(boundaries, (list, tuple)):
        raise ValueError('boundaries must be a sorted list.')
    if any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError('boundaries must be a sorted list.')
    return BucketizedColumn(source_column, tuple(boundaries))


class _OfFeature(CategoricalColumn):
    """The categories of one feature."""

    __slots__ = ()

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: parsing_ops.VarLenFeature(self.dtype)}

    def _transform_feature(self, inputs):
        return self._transform_input_tensor(_inputs.to_sparse(inputs.get(self.key)))


class HashedCategoricalColumn(_OfFeature, collections.namedtuple(
        'HashedCategoricalColumn', ('key', 'hash_bucket_size', 'dtype'))):
    """Words by a hash of theirs; different ones may share an id."""

    @property
    def num_buckets(self):
        return self.hash_bucket_size

    def _transform_input_tensor(self, tensor):
        _inputs.check_string_or_int(tensor.dtype,
                                    'column_name: {} input_tensor'.format(self.key))
        _inputs.check_same_kind(self, tensor)
        values = tensor.values if self.dtype == dtypes.string else string_ops.as_string(
            tensor.values)
        ids = string_ops.string_to_hash_bucket_fast(values, self.hash_bucket_size, name='lookup')
        return sparse_tensor_lib.SparseTensor(tensor.indices, ids, tensor.dense_shape)


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Categories by hashes of words or integers."""
    if hash_bucket_size is None:
        raise ValueError('hash_bucket_size must be set. key: {}'.format(key))
    if hash_bucket_size < 1:
        raise ValueError('hash_bucket_size must be at least 1. hash_bucket_size: {}, key: {}'
                         .format(hash_bucket_size, key))
    numeric.check_key(key)
    _inputs.check_string_or_int(dtype, 'column_name: {}'.format(key))
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class _OfVocabulary(_OfFeature):
    """Words by a table."""

    __slots__ = ()

    def _transform_input_tensor(self, tensor):
        _inputs.check_same_kind(self, tensor)
        _inputs.check_string_or_int(tensor.dtype,
                                    'column_name: {} input_tensor'.format(self.key))
        if self.dtype.is_integer:
            tensor = math_ops.cast(tensor, dtypes.int64)
        return self._table(tensor).lookup(tensor)


class VocabularyListCategoricalColumn(_OfVocabulary, collections.namedtuple(
        'VocabularyListCategoricalColumn',
        ('key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets'))):
    """Words of a list."""

    @property
    def num_buckets(self):
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, tensor):
        return lookup_ops.index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list), default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=tensor.dtype if self.dtype.is_integer else self.dtype,
            name='{}_lookup'.format(self.key))


def _check_oov(default_value, num_oov_buckets, key, none=(None, -1)):
    if num_oov_buckets:
        if default_value not in none:
            raise ValueError('Can\'t specify both num_oov_buckets and default_value in {}.'.format(
                key))
        if num_oov_buckets < 0:
            raise ValueError('Invalid num_oov_buckets {} in {}.'.format(num_oov_buckets, key))


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1,
                                            num_oov_buckets=0):
    """Categories by their places in a list."""
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError('vocabulary_list {} must be non-empty, column_name: {}'.format(
            vocabulary_list, key))
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError('Duplicate keys in vocabulary_list {}, column_name: {}'.format(
            vocabulary_list, key))
    vocabulary_dtype = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_oov(default_value, num_oov_buckets, key)
    _inputs.check_string_or_int(vocabulary_dtype,
                                'column_name: {} vocabulary'.format(key))
    if dtype is None:
        dtype = vocabulary_dtype
    elif dtype.is_integer != vocabulary_dtype.is_integer:
        raise ValueError('dtype {} and vocabulary dtype {} do not match, column_name: {}'.format(
            dtype, vocabulary_dtype, key))
    _inputs.check_string_or_int(dtype, 'column_name: {}'.format(key))
    numeric.check_key(key)
    return VocabularyListCategoricalColumn(
        key=key, vocabulary_list=tuple(vocabulary_list), dtype=dtype, default_value=default_value,
        num_oov_buckets=num_oov_buckets)


class VocabularyFileCategoricalColumn(_OfVocabulary, collections.namedtuple(
        'VocabularyFileCategoricalColumn',
        ('key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype',
         'default_value'))):
    """Words of a file, one a line."""

    @property
    def num_buckets(self):
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, tensor):
        return lookup_ops.index_table_from_file(
            vocabulary_file=self.vocabulary_file, num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size, default_value=self.default_value,
            key_dtype=tensor.dtype if self.dtype.is_integer else self.dtype,
            name='{}_lookup'.format(self.key))


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None,
                                            num_oov_buckets=0, default_value=None,
                                            dtype=dtypes.string):
    """Categories by their lines in a file."""
    if not vocabulary_file:
        raise ValueError('Missing vocabulary_file in {}.'.format(key))
    if vocabulary_size is None:
        if not file_io.file_exists(vocabulary_file):
            raise ValueError('vocabulary_file in {} does not exist.'.format(key))
        with file_io.FileIO(vocabulary_file, mode='rb') as f:
            vocabulary_size = sum(1 for _ in f)
    if vocabulary_size < 1:
        raise ValueError('Invalid vocabulary_size in {}.'.format(key))
    _check_oov(default_value, num_oov_buckets, key, none=(None,))
    _inputs.check_string_or_int(dtype, 'column_name: {}'.format(key))
    numeric.check_key(key)
    return VocabularyFileCategoricalColumn(
        key=key, vocabulary_file=vocabulary_file, vocabulary_size=vocabulary_size,
        num_oov_buckets=num_oov_buckets or 0,
        default_value=-1 if default_value is None else default_value, dtype=dtype)


class IdentityCategoricalColumn(_OfFeature, collections.namedtuple(
        'IdentityCategoricalColumn', ('key', 'number_buckets', 'default_value'))):
    """Integers that are ids."""

    @property
    def num_buckets(self):
        return self.number_buckets

    @property
    def dtype(self):
        return dtypes.int64

    def _transform_input_tensor(self, tensor):
        if not tensor.dtype.is_integer:
            raise ValueError('Invalid input, not integer. key: {} dtype: {}'.format(
                self.key, tensor.dtype))
        values = tensor.values
        if values.dtype != dtypes.int64:
            values = math_ops.cast(values, dtypes.int64, name='values')
        num_buckets = math_ops.cast(self.num_buckets, dtypes.int64, name='num_buckets')
        zero = math_ops.cast(0, dtypes.int64, name='zero')
        if self.default_value is None:
            # A wrong id is an error where the program says no other.
            assert_less = check_ops.assert_less(
                values, num_buckets, data=(values, num_buckets),
                name='assert_less_than_num_buckets',
                message='Bucket index for categorical column "{}" exceeds number of buckets'.format(
                    self.name))
            assert_greater = check_ops.assert_greater_equal(
                values, zero, data=(values,), name='assert_greater_or_equal_0',
                message='Negative bucket index for categorical column "{}"'.format(self.name))
            with ops.control_dependencies((assert_less, assert_greater)):
                values = array_ops.identity(values)
        else:
            values = array_ops.where_v2(
                math_ops.logical_or(values < zero, values >= num_buckets, name='out_of_range'),
                array_ops.fill(dims=array_ops.shape(values),
                               value=math_ops.cast(self.default_value, dtypes.int64),
                               name='default_values'), values)
        return sparse_tensor_lib.SparseTensor(indices=tensor.indices, values=values,
                                              dense_shape=tensor.dense_shape)


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Categories whose ids are the feature's integers."""
    if num_buckets < 1:
        raise ValueError('num_buckets {} < 1, column_name {}'.format(num_buckets, key))
    if default_value is not None and (default_value < 0 or default_value >= num_buckets):
        raise ValueError('default_value {} not in range [0, {}), column_name {}'.format(
            default_value, num_buckets, key))
    numeric.check_key(key)
    return IdentityCategoricalColumn(key=key, number_buckets=num_buckets,
                                     default_value=default_value)


class WeightedCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'WeightedCategoricalColumn', ('categorical_column', 'weight_feature_key', 'dtype'))):
    """Categories, each with a weight of another feature."""

    @property
    def name(self):
        return '{}_weighted_by_{}'.format(self.categorical_column.name, self.weight_feature_key)

    @property
    def parse_example_spec(self):
        config = self.categorical_column.parse_example_spec
        if self.weight_feature_key in config:
            raise ValueError('Parse config {} already exists for {}.'.format(
                config[self.weight_feature_key], self.weight_feature_key))
        config[self.weight_feature_key] = parsing_ops.VarLenFeature(self.dtype)
        return config

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def _transform_feature(self, inputs):
        weights = inputs.get(self.weight_feature_key)
        if weights is None:
            raise ValueError('Missing weights {}.'.format(self.weight_feature_key))
        weights = sparse_tensor_lib.convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError('Bad dtype, expected {}, but got {}.'.format(self.dtype,
                                                                          weights.dtype))
        if not isinstance(weights, sparse_tensor_lib.SparseTensor):
            # A weight of 0 is one too.
            weights = _inputs.to_sparse(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = math_ops.cast(weights, dtypes.float32)
        return inputs.get(self.categorical_column), weights

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return IdSparse(*inputs.get(self))


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """Categories with weights."""
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError('dtype {} is not convertible to float.'.format(dtype))
    return WeightedCategoricalColumn(categorical_column=categorical_column,
                                     weight_feature_key=weight_feature_key, dtype=dtype)


class SequenceCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'SequenceCategoricalColumn', ('categorical_column',))):
    """The categories of each step of a sequence."""

    @property
    def name(self):
        return self.categorical_column.name

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def _transform_feature(self, inputs):
        return self.categorical_column._transform_feature(inputs)
