# SPDX-License-Identifier: Apache-2.0
"""Metrics of classes: mean_iou, mean_per_class_accuracy."""
from leat.python.framework import dtypes
from leat.python.ops import array_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops.metrics_common import collect, metric_variable, safe_mean


def _streaming_confusion_matrix(labels, predictions, num_classes, weights=None):
    """(the matrix of all so far, the op that adds to it)"""
    total = metric_variable([num_classes, num_classes], dtypes.float64,
                            name='total_confusion_matrix')
    predictions = math_ops.cast(predictions, dtypes.int64)
    labels = math_ops.cast(labels, dtypes.int64)
    num_classes = math_ops.cast(num_classes, dtypes.int64)
    if predictions.get_shape().ndims > 1:
        predictions = array_ops.reshape(predictions, [-1])
    if labels.get_shape().ndims > 1:
        labels = array_ops.reshape(labels, [-1])
    if weights is not None and weights.get_shape().ndims > 1:
        weights = array_ops.reshape(weights, [-1])
    current = confusion_matrix.confusion_matrix(labels, predictions, num_classes,
                                                weights=weights, dtype=dtypes.float64)
    return total, state_ops.assign_add(total, current)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """Of each class what is both, over what is either; the mean over classes that were seen."""
    with variable_scope.variable_scope(name, 'mean_iou', (predictions, labels, weights)):
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total, update_op = _streaming_confusion_matrix(labels, predictions, num_classes, weights)
        over_row = math_ops.cast(math_ops.reduce_sum(total, 0), dtypes.float32)
        over_col = math_ops.cast(math_ops.reduce_sum(total, 1), dtypes.float32)
        diagonal = math_ops.cast(array_ops.diag_part(total), dtypes.float32)
        denominator = over_row + over_col - diagonal
        valid = math_ops.reduce_sum(
            math_ops.cast(math_ops.not_equal(denominator, 0), dtype=dtypes.float32))
        denominator = array_ops.where(math_ops.greater(denominator, 0), denominator,
                                      array_ops.ones_like(denominator))
        iou = math_ops.div(diagonal, denominator)
        value = array_ops.where(math_ops.greater(valid, 0),
                                math_ops.reduce_sum(iou, name='mean_iou') / valid, 0)
        return collect(value, update_op, metrics_collections, updates_collections)


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None,
                            metrics_collections=None, updates_collections=None, name=None):
    """The mean over classes of how much of each was taken for it."""
    with variable_scope.variable_scope(name, 'mean_accuracy', (predictions, labels, weights)):
        labels = math_ops.cast(labels, dtypes.int64)
        if labels.get_shape().ndims > 1:
            labels = array_ops.reshape(labels, [-1])
        if predictions.get_shape().ndims > 1:
            predictions = array_ops.reshape(predictions, [-1])
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = metric_variable([num_classes], dtypes.float32, name='total')
        count = metric_variable([num_classes], dtypes.float32, name='count')
        ones = array_ops.ones([array_ops.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = math_ops.cast(predictions, labels.dtype)
        is_correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            if weights.get_shape().ndims > 1:
                weights = array_ops.reshape(weights, [-1])
            weights = math_ops.cast(weights, dtypes.float32)
            is_correct *= weights
            ones *= weights
        update_total = state_ops.scatter_add(total, labels, ones)
        update_count = state_ops.scatter_add(count, labels, is_correct)
        per_class = safe_mean(count, total, None)
        value = math_ops.reduce_mean(per_class, name='mean_accuracy')
        update_op = safe_mean(update_count, update_total, 'update_op')
        return collect(value, update_op, metrics_collections, updates_collections)
