# SPDX-License-Identifier: Apache-2.0
"""tf.losses: a number to make small, of labels, predictions and weights.

Each makes a tensor of losses and hands it to compute_weighted_loss, which weighs and reduces it and
puts it into the collection of losses.
"""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import nn_ops
from leat.python.ops import weights_broadcast_ops
from leat.python.ops.losses import util
from leat.python.util import deprecation


class Reduction(object):
    """How losses become one number."""

    NONE = 'none'
    SUM = 'weighted_sum'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    MEAN = 'weighted_mean'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError('Invalid Reduction Key %s.' % key)


_LOSSES = GraphKeys.LOSSES
_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _safe_mean(losses, num_present):
    """The sum over the number of those that count; 0 where none does."""
    return math_ops.div_no_nan(math_ops.reduce_sum(losses), num_present, name='value')


def _num_present(losses, weights, per_batch=False):
    """How many of the losses have a weight that is not 0."""
    if isinstance(weights, float) and weights != 0.0:
        return _num_elements(losses)
    with ops.name_scope(None, 'num_present', (losses, weights)) as scope:
        weights = math_ops.cast(weights, dtype=dtypes.float32)
        present = array_ops.where(math_ops.equal(weights, 0.0), array_ops.zeros_like(weights),
                                  array_ops.ones_like(weights))
        present = weights_broadcast_ops.broadcast_weights(present, losses)
        if per_batch:
            return math_ops.reduce_sum(
                present, axis=math_ops.range(1, array_ops.rank(present)), keepdims=True,
                name=scope)
        return math_ops.reduce_sum(present, name=scope)


def _num_elements(losses):
    with ops.name_scope(None, 'num_elements', values=[losses]) as scope:
        return math_ops.cast(array_ops.size(losses, name=scope), dtype=losses.dtype)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES,
                          reduction=_MEAN):
    """Losses times weights, reduced."""
    Reduction.validate(reduction)
    with ops.name_scope(scope, 'weighted_loss', (losses, weights)):
        ops.get_default_graph()._last_loss_reduction = reduction
        with ops.control_dependencies(
                (weights_broadcast_ops.assert_broadcastable(weights, losses),)):
            losses = ops.convert_to_tensor(losses)
            input_dtype = losses.dtype
            losses = math_ops.cast(losses, dtype=dtypes.float32)
            weights = math_ops.cast(weights, dtype=dtypes.float32)
            loss = math_ops.multiply(losses, weights)
            if reduction != Reduction.NONE:
                loss = _reduced(loss, losses, weights, reduction)
            loss = math_ops.cast(loss, input_dtype)
            util.add_loss(loss, loss_collection)
            return loss


def _reduced(weighted, losses, weights, reduction):
    loss = math_ops.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        return _safe_mean(loss, math_ops.reduce_sum(array_ops.ones_like(losses) * weights))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _safe_mean(loss, _num_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _safe_mean(loss, _num_elements(losses))
    return loss


def _check(labels, predictions, labels_name='labels', predictions_name='predictions'):
    if labels is None:
        raise ValueError('%s must not be None.' % labels_name)
    if predictions is None:
        raise ValueError('%s must not be None.' % predictions_name)


def _floats(labels, predictions):
    """Both as float32, of shapes that agree."""
    predictions = math_ops.cast(predictions, dtype=dtypes.float32)
    labels = math_ops.cast(labels, dtype=dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                        reduction=_MEAN):
    """|predictions - labels|"""
    _check(labels, predictions)
    with ops.name_scope(scope, 'absolute_difference', (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


@deprecation.deprecated_args(None, 'dim is deprecated, use axis instead', 'dim')
def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None,
                    loss_collection=_LOSSES, reduction=_MEAN, dim=None):
    """1 less the inner product along axis of vectors, which are of length 1."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('You must specify \'axis\'.')
    _check(labels, predictions)
    with ops.name_scope(scope, 'cosine_distance_loss', (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        products = math_ops.multiply(predictions, labels)
        losses = 1 - math_ops.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
               reduction=_MEAN):
    """max(0, 1 - (2 labels - 1) logits), labels 0 or 1"""
    _check(labels, logits, predictions_name='logits')
    with ops.name_scope(scope, 'hinge_loss', (logits, labels, weights)) as scope:
        labels, logits = _floats(labels, logits)
        all_ones = array_ops.ones_like(labels)
        labels = math_ops.subtract(2 * labels, all_ones)
        losses = nn_ops.relu(math_ops.subtract(all_ones, math_ops.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES,
               reduction=_MEAN):
    """error^2 / 2 up to delta, from there on a straight line."""
    _check(labels, predictions)
    with ops.name_scope(scope, 'huber_loss', (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        error = math_ops.abs(math_ops.subtract(predictions, labels))
        quadratic = math_ops.minimum(error, delta)
        linear = math_ops.subtract(error, quadratic)
        losses = math_ops.add(
            math_ops.multiply(ops.convert_to_tensor(0.5, dtype=quadratic.dtype),
                              math_ops.multiply(quadratic, quadratic)),
            math_ops.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES,
             reduction=_MEAN):
    """-labels log(predictions + epsilon) - (1 - labels) log(1 - predictions + epsilon)"""
    _check(labels, predictions)
    with ops.name_scope(scope, 'log_loss', (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = -math_ops.multiply(labels, math_ops.log(predictions + epsilon))
        losses = losses - math_ops.multiply((1 - labels), math_ops.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None,
                                loss_collection=_LOSSES):
    """How differences of pairs of predictions differ from those of labels, squared."""
    _check(labels, predictions)
    with ops.name_scope(scope, 'mean_pairwise_squared_error',
                        (predictions, labels, weights)) as scope:
        weights = math_ops.cast(weights, dtype=dtypes.float32)
        labels = math_ops.cast(labels, dtype=dtypes.float32)
        with ops.control_dependencies(
                (weights_broadcast_ops.assert_broadcastable(weights, labels),)):
            predictions = math_ops.cast(predictions, dtype=dtypes.float32)
            predictions.get_shape().assert_is_compatible_with(labels.get_shape())
            diffs = math_ops.subtract(predictions, labels)
            axis = math_ops.range(1, array_ops.rank(diffs))
            squares = math_ops.reduce_sum(math_ops.square(diffs), axis=axis, keepdims=True)
            present = _num_present(diffs, weights, per_batch=True)
            term1 = 2.0 * math_ops.div_no_nan(squares, math_ops.maximum(present - 1, 0),
                                              name='value')
            total = math_ops.reduce_sum(diffs, axis=axis, keepdims=True)
            term2 = 2.0 * math_ops.div_no_nan(
                math_ops.square(total),
                math_ops.maximum(math_ops.multiply(present, present - 1), 0), name='value')
            weighted = math_ops.multiply(term1 - term2, weights)
            loss = math_ops.reduce_sum(weighted)
            mean_loss = array_ops.where(math_ops.reduce_sum(present) > 0, loss,
                                        array_ops.zeros_like(loss), name='value')
            util.add_loss(mean_loss, loss_collection)
            return mean_loss


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                       reduction=_MEAN):
    """(predictions - labels)^2"""
    _check(labels, predictions)
    with ops.name_scope(scope, 'mean_squared_error', (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=_LOSSES, reduction=_MEAN):
    """Cross entropy of classes that exclude none of the others."""
    _check(multi_class_labels, logits, 'multi_class_labels', 'logits')
    with ops.name_scope(scope, 'sigmoid_cross_entropy_loss',
                        (logits, multi_class_labels, weights)) as scope:
        logits = ops.convert_to_tensor(logits)
        multi_class_labels = math_ops.cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        if label_smoothing > 0:
            multi_class_labels = (multi_class_labels * (1 - label_smoothing) +
                                  0.5 * label_smoothing)
        losses = nn.sigmoid_cross_entropy_with_logits(labels=multi_class_labels, logits=logits,
                                                      name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=_LOSSES, reduction=_MEAN):
    """Cross entropy of classes of which one holds."""
    _check(onehot_labels, logits, 'onehot_labels', 'logits')
    with ops.name_scope(scope, 'softmax_cross_entropy_loss',
                        (logits, onehot_labels, weights)) as scope:
        logits = ops.convert_to_tensor(logits)
        onehot_labels = math_ops.cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        if label_smoothing > 0:
            num_classes = math_ops.cast(array_ops.shape(onehot_labels)[-1], logits.dtype)
            smooth_positives = 1.0 - label_smoothing
            smooth_negatives = label_smoothing / num_classes
            onehot_labels = onehot_labels * smooth_positives + smooth_negatives
        onehot_labels = array_ops.stop_gradient(onehot_labels, name='labels_stop_gradient')
        losses = nn.softmax_cross_entropy_with_logits_v2(labels=onehot_labels, logits=logits,
                                                         name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def _remove_squeezable_dimensions(labels, predictions, weights=None, expected_rank_diff=0):
    """Without a last dim of size 1 where the ranks tell that it is one too many."""
    labels, predictions = confusion_matrix.remove_squeezable_dimensions(
        labels, predictions, expected_rank_diff=expected_rank_diff)
    if weights is None:
        return labels, predictions, weights
    weights = ops.convert_to_tensor(weights)
    labels_rank, shape = labels.get_shape().ndims, weights.get_shape()
    weights_rank = shape.ndims
    if labels_rank is not None and weights_rank is not None:
        if weights_rank - labels_rank == 1:
            weights = array_ops.squeeze(weights, [-1])
        return labels, predictions, weights
    rank_diff = array_ops.rank(weights) - array_ops.rank(labels)
    if weights_rank is None or (weights_rank > 0 and shape.dims[-1].is_compatible_with(1)):
        original = weights
        weights = control_flow_ops.cond(
            math_ops.equal(1, rank_diff), lambda: array_ops.squeeze(original, [-1]),
            lambda: original)
    return labels, predictions, weights


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
                                 reduction=_MEAN):
    """Cross entropy of classes of which one holds, which the label says."""
    _check(labels, logits, predictions_name='logits')
    with ops.name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                        (logits, labels, weights)) as scope:
        labels, logits, weights = _remove_squeezable_dimensions(labels, logits, weights,
                                                                expected_rank_diff=1)
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits,
                                                             name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)
