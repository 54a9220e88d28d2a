# SPDX-License-Identifier: Apache-2.0
"""Columns of features combined: a hash of one category of each."""
import collections

from leat.python.feature_column import categorical
from leat.python.framework import dtypes
from leat.python.ops import parsing_ops
from leat.python.ops import sparse_ops


class CrossedColumn(categorical.CategoricalColumn, collections.namedtuple(
        'CrossedColumn', ('keys', 'hash_bucket_size', 'hash_key'))):
    """All combinations of the categories of several features or columns."""

    __slots__ = ()

    @property
    def name(self):
        return '_X_'.join(sorted(key if isinstance(key, str) else key.name
                                 for key in _leaves(self)))

    @property
    def parse_example_spec(self):
        spec = {}
        for key in self.keys:
            spec.update({key: parsing_ops.VarLenFeature(dtypes.string)} if isinstance(key, str)
                        else key.parse_example_spec)
        return spec

    @property
    def num_buckets(self):
        return self.hash_bucket_size

    def _transform_feature(self, inputs):
        return sparse_ops.sparse_cross_hashed(
            inputs=[_categories(key, inputs) for key in _leaves(self)],
            num_buckets=self.hash_bucket_size, hash_key=self.hash_key)


def _categories(key, inputs):
    """The feature or the ids of a column."""
    if isinstance(key, str):
        return inputs.get(key)
    if not isinstance(key, categorical.CategoricalColumn):
        raise ValueError('Unsupported column type. Given: {}'.format(key))
    ids, weights = key._get_sparse_tensors(inputs)
    if weights is not None:
        raise ValueError('crossed_column does not support weight_tensor, but the given column '
                         'populates weight_tensor. Given column: {}'.format(key.name))
    return ids


def _leaves(cross):
    """The keys, and in the place of a crossed column its own."""
    leaves = []
    for key in cross.keys:
        leaves.extend(_leaves(key) if isinstance(key, CrossedColumn) else [key])
    return leaves


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """A column of the combinations of features' or columns' categories, by their hashes."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError('hash_bucket_size must be > 1. hash_bucket_size: {}'.format(
            hash_bucket_size))
    if not keys or len(keys) < 2:
        raise ValueError('keys must be a list with length > 1. Given: {}'.format(keys))
    for key in keys:
        if not isinstance(key, (str, categorical.CategoricalColumn)):
            raise ValueError('Unsupported key type. All keys must be either string, or '
                             'categorical column except HashedCategoricalColumn. Given: '
                             '{}'.format(key))
        if isinstance(key, categorical.HashedCategoricalColumn):
            raise ValueError(
                'categorical_column_with_hash_bucket is not supported for crossing. Hashing '
                'before crossing will increase probability of collision. Instead, use the '
                'feature name as a string. Given: {}'.format(key))
    return CrossedColumn(keys=tuple(keys), hash_bucket_size=hash_bucket_size, hash_key=hash_key)
