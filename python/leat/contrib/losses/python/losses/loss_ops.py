# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.losses: losses with predictions first, reduced by the weights that are not 0.

Weights broadcast from the first dim on, as tf.losses' do not.
"""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import nn_ops
from leat.python.util import deprecation

__all__ = ['absolute_difference', 'add_loss', 'cosine_distance', 'compute_weighted_loss',
           'get_losses', 'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'log_loss',
           'mean_pairwise_squared_error', 'mean_squared_error', 'sigmoid_cross_entropy',
           'softmax_cross_entropy', 'sparse_softmax_cross_entropy']


def _instead(name):
    return deprecation.deprecated('2016-12-30', 'Use tf.losses.%s instead.' % name)


def _scale_losses(losses, weights):
    """The sum of losses times weights."""
    weights_rank = weights.get_shape().ndims
    axis = list(range(weights_rank, losses.get_shape().ndims))
    reduced = math_ops.reduce_sum(losses, axis=axis) if axis else losses
    return math_ops.reduce_sum(math_ops.multiply(reduced, weights))


def _safe_mean(losses, num_present):
    total = math_ops.reduce_sum(losses)
    return math_ops.div_no_nan(total, num_present, name='value')


def _num_present(losses, weights, per_batch=False):
    """How many of the losses have a weight that is not 0."""
    if weights.get_shape().ndims == 0:
        batch_size = array_ops.reshape(
            array_ops.slice(array_ops.shape(losses), [0], [1]), [])
        num_per_batch = math_ops.div(math_ops.cast(array_ops.size(losses), dtypes.float32),
                                     math_ops.cast(batch_size, dtypes.float32))
        num_per_batch = array_ops.where(math_ops.equal(weights, 0), 0.0, num_per_batch)
        num_per_batch = math_ops.multiply(
            array_ops.ones(array_ops.reshape(batch_size, [1])), num_per_batch)
        return num_per_batch if per_batch else math_ops.reduce_sum(num_per_batch)
    if weights.get_shape().ndims > 1:
        axes = list(range(1, weights.get_shape().ndims))
        num_nonzero = math_ops.reduce_sum(
            math_ops.cast(math_ops.not_equal(weights, 0), dtypes.float32), axis=axes)
    else:
        num_nonzero = math_ops.cast(math_ops.not_equal(weights, 0), dtypes.float32)
    broadcast_dims = array_ops.slice(array_ops.shape(losses), [weights.get_shape().ndims], [-1])
    num_to_broadcast = math_ops.cast(math_ops.reduce_prod(broadcast_dims), dtypes.float32)
    num_per_batch = math_ops.multiply(num_nonzero, num_to_broadcast)
    return num_per_batch if per_batch else math_ops.reduce_sum(num_per_batch)


@_instead('compute_weighted_loss')
def compute_weighted_loss(losses, weights=1.0, scope=None):
    """The mean of the losses whose weights are not 0."""
    with ops.name_scope(scope, 'weighted_loss', [losses, weights]):
        losses = ops.convert_to_tensor(losses)
        input_dtype = losses.dtype
        losses = math_ops.cast(losses, dtypes.float32)
        weights = math_ops.cast(ops.convert_to_tensor(weights), dtypes.float32)
        if losses.get_shape().ndims is None:
            raise ValueError('losses.get_shape().ndims cannot be None')
        weights_shape = weights.get_shape()
        if weights_shape.ndims is None:
            raise ValueError('weight.get_shape().ndims cannot be None')
        if weights_shape.ndims > 1 and weights_shape.dims[-1].is_compatible_with(1):
            weights = array_ops.squeeze(weights, [-1])
        total = _scale_losses(losses, weights)
        mean = math_ops.cast(_safe_mean(total, _num_present(losses, weights)), input_dtype)
        add_loss(mean)
        return mean


@_instead('add_loss')
def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


@_instead('get_losses')
def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    return ops.get_collection(loss_collection, scope)


@_instead('get_regularization_losses')
def get_regularization_losses(scope=None):
    return ops.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@_instead('get_total_loss')
def get_total_loss(add_regularization_losses=True, name='total_loss'):
    """The sum of all losses."""
    losses = ops.get_collection(GraphKeys.LOSSES)
    if add_regularization_losses:
        losses += ops.get_collection(GraphKeys.REGULARIZATION_LOSSES)
    return math_ops.add_n(losses, name=name)


def _floats(predictions, labels):
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return (math_ops.cast(predictions, dtypes.float32), math_ops.cast(labels, dtypes.float32))


@_instead('absolute_difference')
def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """|predictions - labels|"""
    with ops.name_scope(scope, 'absolute_difference', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope=scope)


@deprecation.deprecated(
    '2016-12-30', 'Use tf.losses.sigmoid_cross_entropy instead. Note that the order of the '
    'predictions and labels arguments has been changed.')
def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """Cross entropy of classes that exclude none of the others."""
    with ops.name_scope(scope, 'sigmoid_cross_entropy_loss',
                        [logits, multi_class_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        multi_class_labels = math_ops.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            multi_class_labels = (multi_class_labels * (1 - label_smoothing) +
                                  0.5 * label_smoothing)
        losses = nn.sigmoid_cross_entropy_with_logits(labels=multi_class_labels, logits=logits,
                                                      name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


@deprecation.deprecated(
    '2016-12-30', 'Use tf.losses.softmax_cross_entropy instead. Note that the order of the '
    'logits and labels arguments has been changed.')
def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """Cross entropy of classes of which one holds."""
    with ops.name_scope(scope, 'softmax_cross_entropy_loss',
                        [logits, onehot_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        onehot_labels = math_ops.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            num_classes = math_ops.cast(array_ops.shape(onehot_labels)[1], logits.dtype)
            onehot_labels = (onehot_labels * (1.0 - label_smoothing) +
                             label_smoothing / num_classes)
        losses = nn.softmax_cross_entropy_with_logits(labels=onehot_labels, logits=logits,
                                                      name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


@deprecation.deprecated(
    '2016-12-30', 'Use tf.losses.sparse_softmax_cross_entropy instead. Note that the order of '
    'the logits and labels arguments has been changed.')
def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """Cross entropy of classes of which one holds, which the label says."""
    with ops.name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                        [logits, labels, weights]) as scope:
        labels = array_ops.reshape(labels, shape=[array_ops.shape(labels)[0]])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits,
                                                             name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


@_instead('log_loss')
def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """-labels log(predictions + epsilon) - (1 - labels) log(1 - predictions + epsilon)"""
    with ops.name_scope(scope, 'log_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -math_ops.multiply(labels, math_ops.log(predictions + epsilon)) - (
            math_ops.multiply(1 - labels, math_ops.log(1 - predictions + epsilon)))
        return compute_weighted_loss(losses, weights, scope=scope)


@_instead('hinge_loss')
def hinge_loss(logits, labels=None, scope=None):
    """max(0, 1 - (2 labels - 1) logits) of each element."""
    with ops.name_scope(scope, 'hinge_loss', [logits, labels]) as scope:
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = math_ops.cast(labels, dtypes.float32)
        all_ones = array_ops.ones_like(labels)
        labels = math_ops.subtract(2 * labels, all_ones)
        return nn_ops.relu(math_ops.subtract(all_ones, math_ops.multiply(labels, logits)))


@_instead('mean_squared_error')
def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """(predictions - labels)^2"""
    with ops.name_scope(scope, 'mean_squared_error', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope=scope)


@_instead('mean_pairwise_squared_error')
def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """How differences of pairs of predictions differ from those of labels, squared."""
    with ops.name_scope(scope, 'mean_pairwise_squared_error',
                        [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        weights = math_ops.cast(ops.convert_to_tensor(weights), dtypes.float32)
        diffs = math_ops.subtract(predictions, labels)
        if diffs.get_shape().ndims is None:
            raise ValueError('diffs.get_shape().ndims cannot be None')
        if weights.get_shape().ndims is None:
            raise ValueError('weights.get_shape().ndims cannot be None')
        axis = list(range(1, diffs.get_shape().ndims))
        squares = math_ops.reduce_sum(math_ops.square(diffs), axis=axis)
        present = _num_present(diffs, weights, per_batch=True)
        term1 = 2.0 * math_ops.div_no_nan(squares, present, name='value')
        total = math_ops.reduce_sum(diffs, axis=axis)
        term2 = 2.0 * math_ops.div_no_nan(math_ops.square(total), math_ops.square(present),
                                          name='value')
        loss = _scale_losses(term1 - term2, weights)
        mean = array_ops.where(math_ops.reduce_sum(present) > 0, loss,
                               array_ops.zeros_like(loss), name='value')
        add_loss(mean)
        return mean


@deprecation.deprecated_args(None, 'dim is deprecated, use axis instead', 'dim')
def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """1 less the inner product along axis of vectors, which are of length 1."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('You must specify \'axis\'.')
    with ops.name_scope(scope, 'cosine_distance_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        products = math_ops.multiply(predictions, labels)
        losses = 1 - math_ops.reduce_sum(products, axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)
