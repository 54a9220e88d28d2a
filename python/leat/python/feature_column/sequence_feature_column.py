# SPDX-License-Identifier: Apache-2.0
"""Columns of sequences; input_layer refuses them, as they have no single value for an example."""
import collections

from leat.python.feature_column import categorical
from leat.python.feature_column import numeric
from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import parsing_ops

__all__ = ['sequence_categorical_column_with_hash_bucket',
           'sequence_categorical_column_with_identity',
           'sequence_categorical_column_with_vocabulary_file',
           'sequence_categorical_column_with_vocabulary_list', 'sequence_numeric_column']


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    return categorical.SequenceCategoricalColumn(categorical.categorical_column_with_identity(
        key=key, num_buckets=num_buckets, default_value=default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    return categorical.SequenceCategoricalColumn(categorical.categorical_column_with_hash_bucket(
        key=key, hash_bucket_size=hash_bucket_size, dtype=dtype))


def sequence_categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None,
        dtype=dtypes.string):
    return categorical.SequenceCategoricalColumn(
        categorical.categorical_column_with_vocabulary_file(
            key=key, vocabulary_file=vocabulary_file, vocabulary_size=vocabulary_size,
            num_oov_buckets=num_oov_buckets, default_value=default_value, dtype=dtype))


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None,
                                                     default_value=-1, num_oov_buckets=0):
    return categorical.SequenceCategoricalColumn(
        categorical.categorical_column_with_vocabulary_list(
            key=key, vocabulary_list=vocabulary_list, dtype=dtype, default_value=default_value,
            num_oov_buckets=num_oov_buckets))


class SequenceNumericColumn(numeric.FeatureColumn, collections.namedtuple(
        'SequenceNumericColumn', ('key', 'shape', 'default_value', 'dtype', 'normalizer_fn'))):
    """The numbers of each step."""

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: parsing_ops.VarLenFeature(self.dtype)}

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape(self.shape)


def sequence_numeric_column(key, shape=(1,), default_value=0., dtype=dtypes.float32,
                            normalizer_fn=None):
    shape = numeric.checked_shape(shape=shape, key=key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError('dtype must be convertible to float. dtype: {}, key: {}'.format(
            dtype, key))
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError('normalizer_fn must be a callable. Given: {}'.format(normalizer_fn))
    return SequenceNumericColumn(key, shape=shape, default_value=default_value, dtype=dtype,
                                 normalizer_fn=normalizer_fn)
