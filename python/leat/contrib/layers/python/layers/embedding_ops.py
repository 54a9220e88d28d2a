# SPDX-License-Identifier: Apache-2.0
"""Lookups of embeddings that heed empty rows and ids that are none, or look each id up once."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import sparse_ops

__all__ = ['safe_embedding_lookup_sparse', 'embedding_lookup_unique']


def dense_to_sparse_tensor(dense_tensor, ignore_value=None):
    """What is not ignore_value (zero, or the empty string) as a SparseTensor."""
    with ops.name_scope('DenseToSparseTensor'):
        dense_tensor = ops.convert_to_tensor(dense_tensor)
        if ignore_value is None:
            ignore_value = '' if dense_tensor.dtype == dtypes.string else (
                dense_tensor.dtype.as_numpy_dtype())
        value = ops.convert_to_tensor(ignore_value, dense_tensor.dtype, name='ignore_value/x')
        indices = array_ops.where(math_ops.not_equal(dense_tensor, value), name='indices')
        return sparse_tensor.SparseTensor(
            indices=indices,
            values=array_ops.gather_nd(dense_tensor, indices, name='values'),
            dense_shape=array_ops.shape(dense_tensor, out_type=dtypes.int64,
                                        name='dense_shape'))


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,
                                 combiner=None, default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """Rows combined; negative ids and weights that are not positive do not count."""
    if combiner is None:
        combiner = 'mean'
    if embedding_weights is None:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    from leat.python.ops import variables
    if isinstance(embedding_weights, variables.PartitionedVariable):
        embedding_weights = list(embedding_weights)
    if not isinstance(embedding_weights, list):
        embedding_weights = [embedding_weights]
    if len(embedding_weights) < 1:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    dtype = sparse_weights.dtype if sparse_weights is not None else None
    if dtype is not None:
        embedding_weights = [ops.convert_to_tensor(w, dtype=dtype) for w in embedding_weights]
    with ops.name_scope(name, 'embedding_lookup',
                        embedding_weights + [sparse_ids, sparse_weights]) as scope:
        original_shape = sparse_ids.dense_shape
        rank_dim = sparse_ids.dense_shape.get_shape().dims[0].value
        original_rank = array_ops.size(original_shape) if rank_dim is None else rank_dim
        sparse_ids = sparse_ops.sparse_reshape(sparse_ids, [
            math_ops.reduce_prod(array_ops.slice(original_shape, [0], [original_rank - 1])),
            array_ops.gather(original_shape, original_rank - 1)])
        if sparse_weights is not None:
            sparse_weights = sparse_tensor.SparseTensor(
                sparse_ids.indices, sparse_weights.values, sparse_ids.dense_shape)
        sparse_ids, sparse_weights = _prune_invalid_ids(sparse_ids, sparse_weights)
        if combiner != 'sum':
            sparse_ids, sparse_weights = _prune_invalid_weights(sparse_ids, sparse_weights)
        sparse_ids, is_row_empty = sparse_ops.sparse_fill_empty_rows(sparse_ids, default_id or 0)
        if sparse_weights is not None:
            sparse_weights, _ = sparse_ops.sparse_fill_empty_rows(sparse_weights, 1.0)
        result = embedding_ops.embedding_lookup_sparse(
            embedding_weights, sparse_ids, sparse_weights, combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope, max_norm=max_norm)
        if default_id is None:
            is_row_empty = array_ops.tile(
                array_ops.reshape(is_row_empty, [-1, 1]),
                array_ops.stack([1, array_ops.shape(result)[1]]))
            result = array_ops.where(is_row_empty, array_ops.zeros_like(result), result,
                                     name=scope)
        final = array_ops.reshape(result, array_ops.concat([
            array_ops.slice(math_ops.cast(original_shape, dtypes.int32), [0],
                            [original_rank - 1]),
            array_ops.slice(array_ops.shape(result), [1], [-1])], 0))
        return final


def _prune_invalid_ids(sparse_ids, sparse_weights):
    """Without ids below zero, nor those whose weight is not positive."""
    is_id_valid = math_ops.greater_equal(sparse_ids.values, 0)
    if sparse_weights is not None:
        is_id_valid = math_ops.logical_and(
            is_id_valid, array_ops.ones_like(sparse_weights.values, dtype=dtypes.bool))
    sparse_ids = sparse_ops.sparse_retain(sparse_ids, is_id_valid)
    if sparse_weights is not None:
        sparse_weights = sparse_ops.sparse_retain(sparse_weights, is_id_valid)
    return sparse_ids, sparse_weights


def _prune_invalid_weights(sparse_ids, sparse_weights):
    if sparse_weights is not None:
        is_valid = math_ops.greater(sparse_weights.values, 0)
        sparse_ids = sparse_ops.sparse_retain(sparse_ids, is_valid)
        sparse_weights = sparse_ops.sparse_retain(sparse_weights, is_valid)
    return sparse_ids, sparse_weights


def embedding_lookup_unique(params, ids, partition_strategy='mod', name=None):
    """embedding_lookup that looks each id up once."""
    with ops.name_scope(name, 'EmbeddingLookupUnique', [params, ids]):
        ids = ops.convert_to_tensor(ids)
        shape = array_ops.shape(ids)
        ids_flat = array_ops.reshape(ids, math_ops.reduce_prod(shape, keepdims=True))
        unique_ids, idx = array_ops.unique(ids_flat)
        unique_embeddings = embedding_ops.embedding_lookup(params, unique_ids,
                                                           partition_strategy)
        embeds_flat = array_ops.gather(unique_embeddings, idx)
        embed_shape = array_ops.concat(
            [shape, array_ops.shape(unique_embeddings)[1:]], 0)
        embeds = array_ops.reshape(embeds_flat, embed_shape)
        embeds.set_shape(ids.get_shape().concatenate(unique_embeddings.get_shape()[1:]))
        return embeds
