# SPDX-License-Identifier: Apache-2.0
"""Losses that draw the embeddings of a class together and push the others away."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import logging_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import sparse_ops


def _float(mask):
    return math_ops.cast(mask, dtype=dtypes.float32)


def pairwise_distance(feature, squared=False):
    """The matrix of distances between rows, none of which is negative."""
    distances = math_ops.add(
        math_ops.reduce_sum(math_ops.square(feature), axis=[1], keepdims=True),
        math_ops.reduce_sum(math_ops.square(array_ops.transpose(feature)), axis=[0],
                            keepdims=True)) - 2.0 * math_ops.matmul(
                                feature, array_ops.transpose(feature))
    distances = math_ops.maximum(distances, 0.0)
    zeros = math_ops.less_equal(distances, 0.0)
    if not squared:
        distances = math_ops.sqrt(distances + _float(zeros) * 1e-16)
    distances = math_ops.multiply(distances, _float(math_ops.logical_not(zeros)))
    num_data = array_ops.shape(feature)[0]
    off_diagonal = array_ops.ones_like(distances) - array_ops.diag(array_ops.ones([num_data]))
    return math_ops.multiply(distances, off_diagonal)


def contrastive_loss(labels, embeddings_anchor, embeddings_positive, margin=1.0):
    """Squared distances of like pairs; what others lack of the margin (Hadsell et al. 2006)."""
    distances = math_ops.sqrt(math_ops.reduce_sum(
        math_ops.squared_difference(embeddings_anchor, embeddings_positive), 1))
    return math_ops.reduce_mean(
        math_ops.cast(labels, distances.dtype) * math_ops.square(distances) +
        (1. - math_ops.cast(labels, distances.dtype)) *
        math_ops.square(math_ops.maximum(margin - distances, 0.)), name='contrastive_loss')


def masked_maximum(data, mask, dim=1):
    """The largest of the elements whose mask is 1."""
    smallest = math_ops.reduce_min(data, dim, keepdims=True)
    return math_ops.reduce_max(math_ops.multiply(data - smallest, mask), dim,
                               keepdims=True) + smallest


def masked_minimum(data, mask, dim=1):
    """The smallest of the elements whose mask is 1."""
    largest = math_ops.reduce_max(data, dim, keepdims=True)
    return math_ops.reduce_min(math_ops.multiply(data - largest, mask), dim,
                               keepdims=True) + largest


def _column(labels):
    shape = array_ops.shape(labels)
    if shape.shape != 1:
        raise AssertionError('labels have rank %s, not 1' % shape.shape)
    return array_ops.reshape(labels, [shape[0], 1])


def _adjacency(labels):
    """(whether rows have the same label, the opposite, how many rows)"""
    same = math_ops.equal(labels, array_ops.transpose(labels))
    return same, math_ops.logical_not(same), array_ops.size(labels)


def triplet_semihard_loss(labels, embeddings, margin=1.0):
    """Of each pair of a class, the nearest stranger farther away than it (Schroff et al. 2015)."""
    labels = _column(labels)
    distances = pairwise_distance(embeddings, squared=True)
    same, other, batch = _adjacency(labels)
    tiled = array_ops.tile(distances, [batch, 1])
    mask = math_ops.logical_and(
        array_ops.tile(other, [batch, 1]),
        math_ops.greater(tiled, array_ops.reshape(array_ops.transpose(distances), [-1, 1])))
    found = array_ops.reshape(
        math_ops.greater(math_ops.reduce_sum(_float(mask), 1, keepdims=True), 0.0),
        [batch, batch])
    found = array_ops.transpose(found)
    other, mask = _float(other), _float(mask)
    outside = array_ops.transpose(array_ops.reshape(masked_minimum(tiled, mask), [batch, batch]))
    inside = array_ops.tile(masked_maximum(distances, other), [1, batch])
    negatives = array_ops.where(found, outside, inside)
    losses = math_ops.add(margin, distances - negatives)
    positives = _float(same) - array_ops.diag(array_ops.ones([batch]))
    num_positives = math_ops.reduce_sum(positives)
    return math_ops.truediv(
        math_ops.reduce_sum(math_ops.maximum(math_ops.multiply(losses, positives), 0.0)),
        num_positives, name='triplet_semihard_loss')


def _l2loss(embeddings_anchor, embeddings_positive, reg_lambda):
    anchor = math_ops.reduce_mean(math_ops.reduce_sum(math_ops.square(embeddings_anchor), 1))
    positive = math_ops.reduce_mean(math_ops.reduce_sum(math_ops.square(embeddings_positive), 1))
    return math_ops.multiply(0.25 * reg_lambda, anchor + positive, name='l2loss')


def _cross_entropy(similarity, labels, l2loss, print_losses):
    labels /= math_ops.reduce_sum(labels, 1, keepdims=True)
    xent_loss = math_ops.reduce_mean(
        nn.softmax_cross_entropy_with_logits(logits=similarity, labels=labels), name='xentropy')
    if print_losses:
        xent_loss = logging_ops.Print(xent_loss, ['cross entropy:', xent_loss, 'l2loss:', l2loss])
    return l2loss + xent_loss


def npairs_loss(labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002,
                print_losses=False):
    """The cross-entropy of which positive is each anchor's (Sohn 2016)."""
    l2loss = _l2loss(embeddings_anchor, embeddings_positive, reg_lambda)
    similarity = math_ops.matmul(embeddings_anchor, embeddings_positive, transpose_a=False,
                                 transpose_b=True)
    labels = _column(labels)
    same = math_ops.cast(math_ops.equal(labels, array_ops.transpose(labels)), dtypes.float32)
    return _cross_entropy(similarity, same, l2loss, print_losses)


def _build_multilabel_adjacency(sparse_labels):
    """How many labels each pair has in common."""
    num_pairs = len(sparse_labels)
    adjacency = array_ops.zeros([num_pairs, num_pairs])
    for i in range(num_pairs):
        for j in range(num_pairs):
            common = sparse_ops.sparse_minimum(sparse_labels[i], sparse_labels[j])
            count = math_ops.cast(sparse_ops.sparse_reduce_sum(common), dtypes.float32)
            count = array_ops.expand_dims(array_ops.expand_dims(count, 0), 1)
            adjacency += array_ops.pad(count, [[i, num_pairs - i - 1], [j, num_pairs - j - 1]])
    return adjacency


def npairs_loss_multilabel(sparse_labels, embeddings_anchor, embeddings_positive,
                           reg_lambda=0.002, print_losses=False):
    """npairs_loss of examples with several labels each, a SparseTensor for each."""
    if False in [isinstance(label, sparse_tensor.SparseTensor) for label in sparse_labels]:
        raise TypeError('sparse_labels must be a list of SparseTensors, but got %s'
                        % str(sparse_labels))
    with ops.name_scope('NpairsLossMultiLabel'):
        l2loss = _l2loss(embeddings_anchor, embeddings_positive, reg_lambda)
        similarity = math_ops.matmul(embeddings_anchor, embeddings_positive, transpose_a=False,
                                     transpose_b=True)
        return _cross_entropy(similarity, _build_multilabel_adjacency(sparse_labels), l2loss,
                              print_losses)


def lifted_struct_loss(labels, embeddings, margin=1.0):
    """A smooth bound of each pair's hardest strangers (Song et al. 2016)."""
    labels = _column(labels)
    distances = pairwise_distance(embeddings)
    same, other, batch = _adjacency(labels)
    diff = margin - distances
    mask = _float(other)
    hardest = masked_maximum(diff, mask)
    largest = math_ops.maximum(hardest, array_ops.transpose(hardest))
    diff_tiled = array_ops.tile(diff, [batch, 1])
    mask_tiled = array_ops.tile(mask, [batch, 1])
    largest_column = array_ops.reshape(array_ops.transpose(largest), [-1, 1])
    left = array_ops.reshape(math_ops.reduce_sum(
        math_ops.multiply(math_ops.exp(diff_tiled - largest_column), mask_tiled), 1,
        keepdims=True), [batch, batch])
    losses = largest + math_ops.log(left + array_ops.transpose(left))
    losses += distances
    positives = _float(same) - array_ops.diag(array_ops.ones([batch]))
    num_positives = math_ops.reduce_sum(positives) / 2.0
    return math_ops.truediv(
        0.25 * math_ops.reduce_sum(math_ops.square(
            math_ops.maximum(math_ops.multiply(losses, positives), 0.0))),
        num_positives, name='liftedstruct_loss')
