# SPDX-License-Identifier: Apache-2.0
"""Ids as vectors: each by itself, or the mean of a bag."""
from leat.contrib.framework.python.ops import variables
from leat.contrib.layers.python.layers import embedding_ops as contrib_embedding_ops
from leat.python.framework import sparse_tensor
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import variable_scope

__all__ = ['bow_encoder', 'embed_sequence']


def bow_encoder(ids, vocab_size, embed_dim, sparse_lookup=True, initializer=None,
                regularizer=None, trainable=True, scope=None, reuse=None):
    """The mean of the vectors of each row's ids."""
    with variable_scope.variable_scope(scope, 'bow_encoder', [ids], reuse=reuse):
        embeddings = variables.model_variable(
            'embeddings', shape=[vocab_size, embed_dim], initializer=initializer,
            regularizer=regularizer, trainable=trainable)
        if sparse_lookup:
            if not isinstance(ids, sparse_tensor.SparseTensor):
                ids = contrib_embedding_ops.dense_to_sparse_tensor(ids)
            return contrib_embedding_ops.safe_embedding_lookup_sparse(
                [embeddings], ids, combiner='mean', default_id=0)
        if isinstance(ids, sparse_tensor.SparseTensor):
            raise TypeError('ids are expected to be dense Tensor, got: %s' % ids)
        return math_ops.reduce_mean(embedding_ops.embedding_lookup(embeddings, ids), axis=1)


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None,
                   regularizer=None, trainable=True, scope=None, reuse=None):
    """The vector of each id."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError('Must specify vocab size and embedding dimension when not reusing. Got '
                         'vocab_size=%s and embed_dim=%s' % (vocab_size, embed_dim))
    with variable_scope.variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = [vocab_size, embed_dim]
        if (reuse and vocab_size is None) or (reuse and embed_dim is None):
            shape = None
        embeddings = variables.model_variable(
            'embeddings', shape=shape, initializer=initializer, regularizer=regularizer,
            trainable=trainable)
        if unique:
            return contrib_embedding_ops.embedding_lookup_unique(embeddings, ids)
        return embedding_ops.embedding_lookup(embeddings, ids)
