# SPDX-License-Identifier: Apache-2.0
"""The loss of sequences of logits."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops


def _check(logits, targets, weights, average_t, average_b, sum_t, sum_b):
    for value, rank, text in (
            (logits, 3, 'Logits must be a [batch_size x sequence_length x logits] tensor'),
            (targets, 2, 'Targets must be a [batch_size x sequence_length] tensor'),
            (weights, 2, 'Weights must be a [batch_size x sequence_length] tensor')):
        if len(value.get_shape()) != rank:
            raise ValueError(text)
    if average_t and sum_t:
        raise ValueError('average_across_timesteps and sum_over_timesteps cannot be set to True at '
                         'same time.')
    if average_b and sum_b:
        raise ValueError('average_across_batch and sum_over_batch cannot be set to True at same '
                         'time.')


def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, sum_over_timesteps=False, sum_over_batch=False,
                  softmax_loss_function=None, name=None):
    """The weighted cross-entropy of logits, averaged or added up over time, batch, or both."""
    _check(logits, targets, weights, average_across_timesteps, average_across_batch,
           sum_over_timesteps, sum_over_batch)
    with ops.name_scope(name, 'sequence_loss', [logits, targets, weights]):
        num_classes = array_ops.shape(logits)[2]
        flat = array_ops.reshape(logits, [-1, num_classes])
        targets = array_ops.reshape(targets, [-1])
        if softmax_loss_function is None:
            crossent = nn_ops.sparse_softmax_cross_entropy_with_logits(labels=targets,
                                                                       logits=flat)
        else:
            crossent = softmax_loss_function(labels=targets, logits=flat)
        crossent *= array_ops.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            crossent = math_ops.reduce_sum(crossent)
            return math_ops.div_no_nan(crossent, math_ops.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            crossent = math_ops.reduce_sum(crossent)
            count = math_ops.cast(math_ops.count_nonzero(weights), crossent.dtype)
            return math_ops.div_no_nan(crossent, count)
        crossent = array_ops.reshape(crossent, array_ops.shape(logits)[0:2])
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            crossent = math_ops.reduce_sum(crossent, axis=axis)
            crossent = math_ops.div_no_nan(crossent, math_ops.reduce_sum(weights, axis=axis))
        elif sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            crossent = math_ops.reduce_sum(crossent, axis=axis)
            count = math_ops.cast(math_ops.count_nonzero(weights, axis=axis), crossent.dtype)
            crossent = math_ops.div_no_nan(crossent, count)
        return crossent
