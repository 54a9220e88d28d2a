# SPDX-License-Identifier: Apache-2.0
"""Losses over a sample of the classes. Part of nn_impl."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import candidate_sampling_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops


def _sum_rows(x):
    """The sums of rows, as a product with ones: its gradient is quick."""
    cols = array_ops.shape(x)[1]
    ones_shape = array_ops.stack([cols, 1])
    ones = array_ops.ones(ones_shape, x.dtype)
    return array_ops.reshape(math_ops.matmul(x, ones), [-1])


def _true_logits(inputs, true_w, true_b, num_true):
    """The logits of the true classes: a product for each."""
    dim = array_ops.shape(true_w)[1:2]
    new_shape = array_ops.concat([[-1, num_true], dim], 0)
    dots = math_ops.multiply(array_ops.expand_dims(inputs, 1),
                             array_ops.reshape(true_w, new_shape))
    matrix = array_ops.reshape(dots, array_ops.concat([[-1], dim], 0))
    logits = array_ops.reshape(_sum_rows(matrix), [-1, num_true])
    return logits + array_ops.reshape(true_b, [-1, num_true])


def _without_hits(sampled_logits, labels, sampled, num_true, num_sampled):
    """The logits of samples that are true classes made very small."""
    hits = candidate_sampling_ops.compute_accidental_hits(labels, sampled, num_true=num_true)
    rows, ids, weights = hits
    rows_2d = array_ops.reshape(rows, [-1, 1])
    ids_2d = array_ops.reshape(math_ops.cast(ids, dtypes.int32), [-1, 1])
    places = array_ops.concat([rows_2d, ids_2d], 1, 'sparse_indices')
    shape = array_ops.concat([array_ops.shape(labels)[:1],
                              array_ops.expand_dims(num_sampled, 0)], 0)
    if sampled_logits.dtype != weights.dtype:
        weights = math_ops.cast(weights, sampled_logits.dtype)
    from leat.python.ops import sparse_ops
    return sampled_logits + sparse_ops.sparse_to_dense(places, shape, weights, default_value=0.0,
                                                       validate_indices=False)


def _compute_sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                            sampled_values=None, subtract_log_q=True,
                            remove_accidental_hits=False, partition_strategy='mod', name=None,
                            seed=None):
    """(logits of true and sampled classes, their labels)."""
    if hasattr(weights, '_get_partitions'):
        weights = list(weights)
    if not isinstance(weights, list):
        weights = [weights]
    with ops.name_scope(name, 'compute_sampled_logits', weights + [biases, inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = math_ops.cast(labels, dtypes.int64)
        flat = array_ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = candidate_sampling_ops.log_uniform_candidate_sampler(
                true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True,
                range_max=num_classes, seed=seed)
        sampled, true_count, sampled_count = (array_ops.stop_gradient(s) for s in sampled_values)
        sampled = math_ops.cast(sampled, dtypes.int64)
        all_ids = array_ops.concat([flat, sampled], 0)
        all_w = embedding_ops.embedding_lookup(weights, all_ids,
                                               partition_strategy=partition_strategy)
        true_w = array_ops.slice(all_w, [0, 0], array_ops.stack([array_ops.shape(flat)[0], -1]))
        sampled_w = array_ops.slice(all_w, array_ops.stack([array_ops.shape(flat)[0], 0]),
                                    [-1, -1])
        sampled_logits = math_ops.matmul(inputs, sampled_w, transpose_b=True)
        all_b = embedding_ops.embedding_lookup(biases, all_ids,
                                               partition_strategy=partition_strategy)
        true_b = array_ops.slice(all_b, [0], array_ops.shape(flat))
        sampled_b = array_ops.slice(all_b, array_ops.shape(flat), [-1])
        true_logits = _true_logits(inputs, true_w, true_b, num_true)
        sampled_logits += sampled_b
        if remove_accidental_hits:
            sampled_logits = _without_hits(sampled_logits, labels, sampled, num_true, num_sampled)
        if subtract_log_q:
            true_logits -= math_ops.log(true_count)
            sampled_logits -= math_ops.log(sampled_count)
        out_logits = array_ops.concat([true_logits, sampled_logits], 1)
        out_labels = array_ops.concat([array_ops.ones_like(true_logits) / num_true,
                                       array_ops.zeros_like(sampled_logits)], 1)
        return out_logits, out_labels


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
             sampled_values=None, remove_accidental_hits=False, partition_strategy='mod',
             name='nce_loss'):
    """Noise contrastive estimation: each class told from noise by itself."""
    from leat.python.ops import nn_impl
    logits, labels = _compute_sampled_logits(
        weights=weights, biases=biases, labels=labels, inputs=inputs, num_sampled=num_sampled,
        num_classes=num_classes, num_true=num_true, sampled_values=sampled_values,
        subtract_log_q=True, remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy, name=name)
    losses = nn_impl.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits,
                                                       name='sampled_losses')
    return _sum_rows(losses)


def nce_loss_v2(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                sampled_values=None, remove_accidental_hits=False, name='nce_loss'):
    return nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                    sampled_values, remove_accidental_hits, 'div', name)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                         sampled_values=None, remove_accidental_hits=True,
                         partition_strategy='mod', name='sampled_softmax_loss', seed=None):
    """The cross entropy of a softmax over a sample of the classes."""
    logits, labels = _compute_sampled_logits(
        weights=weights, biases=biases, labels=labels, inputs=inputs, num_sampled=num_sampled,
        num_classes=num_classes, num_true=num_true, sampled_values=sampled_values,
        subtract_log_q=True, remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy, name=name, seed=seed)
    labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
    return nn_ops.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)


def sampled_softmax_loss_v2(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                            sampled_values=None, remove_accidental_hits=True, seed=None,
                            name='sampled_softmax_loss'):
    return sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes,
                                num_true, sampled_values, remove_accidental_hits, 'div', name,
                                seed)
