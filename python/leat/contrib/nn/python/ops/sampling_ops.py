# SPDX-License-Identifier: Apache-2.0
"""Losses of a sample of the classes."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import nn_sampled


def _rank_resample(weights, biases, inputs, sampled_values, num_resampled, temperature,
                   partition_strategy):
    """Of the samples, num_resampled by their logits, as sampled_values."""
    sampled, true_expected, sampled_expected = (
        array_ops.stop_gradient(value) for value in sampled_values)
    scaled = inputs / temperature

    def of_rows(rows):
        return math_ops.reduce_logsumexp(math_ops.matmul(rows, scaled, transpose_b=True),
                                         axis=1, keepdims=False)
    scores = embedding_ops._embedding_lookup_and_transform(
        weights, sampled, partition_strategy=partition_strategy, transform_fn=of_rows)
    offsets = array_ops.reshape(embedding_ops.embedding_lookup(
        biases, sampled, partition_strategy=partition_strategy), [-1])
    _, indices = nn_ops.top_k(scores + offsets / temperature, k=num_resampled, sorted=False)
    return (array_ops.gather(sampled, indices), true_expected,
            array_ops.gather(sampled_expected, indices))


def rank_sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_resampled,
                              num_classes, num_true, sampled_values, resampling_temperature,
                              remove_accidental_hits, partition_strategy, name=None):
    """sampled_softmax_loss of the num_resampled hardest of num_sampled classes."""
    if num_resampled > num_sampled:
        raise ValueError('num_resampled ({}) should be less than num_sampled ({})'.format(
            num_resampled, num_sampled))
    if partition_strategy not in ('div', 'mod'):
        raise ValueError('unsupported partition_strategy: ' + str(partition_strategy))
    with ops.name_scope(name, 'rank_sampled_softmax_loss',
                        [weights, biases, labels, inputs, sampled_values]) as scope:
        if not sampled_values:
            from leat.python.ops import candidate_sampling_ops
            sampled_values = candidate_sampling_ops.learned_unigram_candidate_sampler(
                true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True,
                range_max=num_classes)
        values = _rank_resample(weights, biases, inputs, sampled_values, num_resampled,
                                resampling_temperature, partition_strategy)
        return nn_sampled.sampled_softmax_loss(
            weights=weights, biases=biases, labels=labels, inputs=inputs,
            num_sampled=num_resampled, num_classes=num_classes, num_true=num_true,
            sampled_values=values, remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy, name=scope)


def sampled_sparse_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes,
                                sampled_values=None, remove_accidental_hits=True,
                                partition_strategy='mod', name='sampled_sparse_softmax_loss'):
    """sampled_softmax_loss of one class for each example."""
    logits, _ = nn_sampled._compute_sampled_logits(
        weights=weights, biases=biases, labels=labels, inputs=inputs, num_sampled=num_sampled,
        num_classes=num_classes, num_true=1, sampled_values=sampled_values,
        subtract_log_q=True, remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy, name=name)
    first = array_ops.squeeze(array_ops.zeros([array_ops.shape(logits)[0], 1],
                                              dtype=dtypes.int64))
    return nn_ops.sparse_softmax_cross_entropy_with_logits(labels=first, logits=logits)
