# SPDX-License-Identifier: Apache-2.0
"""The columns: numbers, categories, and what makes categories dense.

A column has _transform_feature(inputs); a dense one _get_dense_tensor, a categorical one
_get_sparse_tensors. input_layer and linear_model (feature_column.py) ask for these."""
import collections
import math

from leat.python.feature_column import categorical
from leat.python.feature_column.categorical import (  # noqa: F401
    BucketizedColumn, CategoricalColumn, HashedCategoricalColumn, IdSparse,
    IdentityCategoricalColumn, VocabularyFileCategoricalColumn, VocabularyListCategoricalColumn,
    WeightedCategoricalColumn, bucketized_column, categorical_column_with_hash_bucket,
    categorical_column_with_identity, categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list, weighted_categorical_column)
from leat.python.feature_column.crossed import CrossedColumn, crossed_column  # noqa: F401
from leat.python.feature_column.numeric import DenseColumn, FeatureColumn, NumericColumn
from leat.python.feature_column.numeric import numeric_column  # noqa: F401
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import sparse_ops
from leat.python.ops import variable_scope
from leat.python.training import checkpoint_utils


class IndicatorColumn(DenseColumn, collections.namedtuple('IndicatorColumn',
                                                          ('categorical_column',))):
    """How often each category is there, as a vector."""

    @property
    def name(self):
        return '{}_indicator'.format(self.categorical_column.name)

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape([1, self.categorical_column.num_buckets])

    def _transform_feature(self, inputs):
        ids, weights = self.categorical_column._get_sparse_tensors(inputs)
        depth = self.variable_shape.as_list()[-1]
        if weights is not None:
            weighted = sparse_ops.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=depth)
            # The merge gives categories that are not there the number depth, say.
            weighted = sparse_ops.sparse_slice(weighted, [0, 0], weighted.dense_shape)
            return array_ops.scatter_nd(weighted.indices, weighted.values, weighted.dense_shape)
        dense = sparse_ops.sparse_tensor_to_dense(ids, default_value=-1)
        one_hot = array_ops.one_hot(dense, depth=depth, on_value=1., off_value=0.)
        return math_ops.reduce_sum(one_hot, axis=[-2])

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        if isinstance(self.categorical_column, categorical.SequenceCategoricalColumn):
            raise ValueError(categorical.SEQUENCE_IN_DENSE.format(
                self.name, self.categorical_column))
        return inputs.get(self)


def indicator_column(categorical_column):
    """Categories as vectors of how often each is there."""
    return IndicatorColumn(categorical_column)


def _embeddings(column, found, weights):
    """The rows of the categories that each example has, combined."""
    ids, id_weights = found
    if column.ckpt_to_load_from is not None:
        checkpoint_utils.init_from_checkpoint(column.ckpt_to_load_from,
                                              {column.tensor_name_in_ckpt: weights})
    return embedding_ops.safe_embedding_lookup_sparse(
        embedding_weights=weights, sparse_ids=ids, sparse_weights=id_weights,
        combiner=column.combiner, name='%s_weights' % column.name, max_norm=column.max_norm)


_Embedding = collections.namedtuple('EmbeddingColumn', (
    'categorical_column', 'dimension', 'combiner', 'initializer', 'ckpt_to_load_from',
    'tensor_name_in_ckpt', 'max_norm', 'trainable'))


class EmbeddingColumn(DenseColumn, _Embedding):
    """Each category as a vector that is trained."""

    @property
    def name(self):
        return '{}_embedding'.format(self.categorical_column.name)

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape([self.dimension])

    def _transform_feature(self, inputs):
        return inputs.get(self.categorical_column)

    def _variable(self, weight_collections, trainable):
        if weight_collections and ops.GraphKeys.GLOBAL_VARIABLES not in weight_collections:
            weight_collections.append(ops.GraphKeys.GLOBAL_VARIABLES)
        return variable_scope.get_variable(
            name='embedding_weights',
            shape=(self.categorical_column.num_buckets, self.dimension), dtype='float32',
            initializer=self.initializer, trainable=self.trainable and trainable,
            collections=weight_collections)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=True):
        if isinstance(self.categorical_column, categorical.SequenceCategoricalColumn):
            raise ValueError(categorical.SEQUENCE_IN_DENSE.format(
                self.name, self.categorical_column))
        # The ids' nodes come before the variable's.
        found = self.categorical_column._get_sparse_tensors(inputs)
        return _embeddings(self, found, self._variable(weight_collections, trainable))


_Shared = collections.namedtuple('_SharedEmbeddingColumn', _Embedding._fields[:4] + (
    'shared_embedding_collection_name',) + _Embedding._fields[4:])


class _SharedEmbeddingColumn(EmbeddingColumn, _Shared):
    """Like EmbeddingColumn, with a variable that several columns use."""

    __new__ = _Shared.__new__
    __repr__ = _Shared.__repr__
    _fields = _Shared._fields
    for _field in _Shared._fields:
        locals()[_field] = _Shared.__dict__[_field]
    del _field

    @property
    def name(self):
        return '{}_shared_embedding'.format(self.categorical_column.name)

    @property
    def _var_scope_name(self):
        return self.shared_embedding_collection_name

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=True):
        with ops.name_scope(None, default_name=self.name):
            found = self.categorical_column._get_sparse_tensors(inputs)
            shape = (self.categorical_column.num_buckets, self.dimension)
            shared = ops.get_collection(self.shared_embedding_collection_name)
            if len(shared) > 1:
                raise ValueError('Collection {} can only contain one variable. Suggested fix A: '
                                 'Choose a unique name for this collection. Suggested fix B: Do '
                                 'not add any variables to this collection.'.format(shared))
            if shared:
                weights = shared[0]
                if weights.get_shape() != shape:
                    raise ValueError('Shared embedding collection {} contains variable {} of '
                                     'unexpected shape {}. Expected shape is {}.'.format(
                                         self.shared_embedding_collection_name, weights.name,
                                         weights.get_shape(), shape))
            else:
                weights = self._variable(weight_collections, trainable)
                ops.add_to_collection(self.shared_embedding_collection_name, weights)
            return _embeddings(self, found, weights)


def _check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt):
    if dimension is None or dimension < 1:
        raise ValueError('Invalid dimension {}.'.format(dimension))
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError('Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none '
                         'of them.')


def _initializer(initializer, dimension, what):
    if initializer is not None and not callable(initializer):
        raise ValueError('initializer must be callable if specified. ' + what)
    if initializer is None:
        initializer = init_ops.truncated_normal_initializer(mean=0.0,
                                                            stddev=1 / math.sqrt(dimension))
    return initializer


def embedding_column(categorical_column, dimension, combiner='mean', initializer=None,
                     ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None,
                     trainable=True):
    """Categories as vectors of a dimension; several in one example are combined."""
    _check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = _initializer(initializer, dimension, 'Embedding of column_name: {}'.format(
        categorical_column.name))
    return EmbeddingColumn(
        categorical_column=categorical_column, dimension=dimension, combiner=combiner,
        initializer=initializer, ckpt_to_load_from=ckpt_to_load_from,
        tensor_name_in_ckpt=tensor_name_in_ckpt, max_norm=max_norm, trainable=trainable)


def shared_embedding_columns(categorical_columns, dimension, combiner='mean', initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None,
                             tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """Columns of categories that share their vectors, in the order given."""
    _check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = _initializer(initializer, dimension, '')
    # The same name whatever the order of the columns.
    by_name = sorted(categorical_columns, key=lambda c: c.name)
    first = by_name[0]
    for c in by_name[1:]:
        if c.num_buckets != first.num_buckets:
            raise ValueError(
                'To use shared_embedding_column, all categorical_columns must have the same number '
                'of buckets. Given column: {} with buckets: {} does not match column: {} with '
                'buckets: {}'.format(first, first.num_buckets, c, c.num_buckets))
    if not shared_embedding_collection_name:
        shared_embedding_collection_name = '_'.join(c.name for c in by_name) + '_shared_embedding'
    return [_SharedEmbeddingColumn(
        categorical_column=column, dimension=dimension, combiner=combiner, initializer=initializer,
        shared_embedding_collection_name=shared_embedding_collection_name,
        ckpt_to_load_from=ckpt_to_load_from, tensor_name_in_ckpt=tensor_name_in_ckpt,
        max_norm=max_norm, trainable=trainable) for column in categorical_columns]


__all__ = ['BucketizedColumn', 'CategoricalColumn', 'DenseColumn', 'EmbeddingColumn',
           'FeatureColumn', 'HashedCategoricalColumn', 'IdentityCategoricalColumn',
           'IndicatorColumn', 'NumericColumn', 'VocabularyFileCategoricalColumn',
           'VocabularyListCategoricalColumn', 'WeightedCategoricalColumn', 'bucketized_column',
           'categorical_column_with_hash_bucket', 'categorical_column_with_identity',
           'categorical_column_with_vocabulary_file', 'categorical_column_with_vocabulary_list',
           'embedding_column', 'indicator_column', 'numeric_column', 'shared_embedding_columns',
           'weighted_categorical_column']
