# SPDX-License-Identifier: Apache-2.0
"""How much of one batch's predictions is right; the best F1 of all batches."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import metrics_common
from leat.python.ops import metrics_thresholds
from leat.python.ops import variable_scope


def accuracy(predictions, labels, weights=None, name=None):
    """The share of predictions that are equal to labels of the same type."""
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError('Labels should have bool, integer, or string dtype, not %r'
                         % labels.dtype)
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError('Dtypes of predictions and labels should match. Given: predictions (%r) '
                         'and labels (%r)' % (predictions.dtype, labels.dtype))
    with ops.name_scope(name, 'accuracy', values=[predictions, labels]):
        is_correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            is_correct = math_ops.multiply(is_correct, weights)
            ones = array_ops.ones_like(is_correct)
            num_values = math_ops.multiply(weights, ones)
            return math_ops.div(math_ops.reduce_sum(is_correct), math_ops.reduce_sum(num_values))
        return math_ops.reduce_mean(is_correct)


def f1_score(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None,
             updates_collections=None, name=None):
    """(the best F1 of evenly spaced thresholds, op that adds a batch)"""
    with variable_scope.variable_scope(name, 'f1', (labels, predictions, weights)):
        predictions, labels, weights = metrics_common._remove_squeezable_dimensions(
            predictions=predictions, labels=labels, weights=weights)
        values, updates = metrics_thresholds._confusion_matrix_at_thresholds(
            labels, predictions, metrics_thresholds._thresholds(num_thresholds), weights,
            includes=('tp', 'fp', 'fn'))
        epsilon = metrics_thresholds._EPSILON

        def best(counts, name):
            tp = counts['tp']
            precision = math_ops.div(tp, epsilon + tp + counts['fp'], name='precision_' + name)
            recall = math_ops.div(tp, epsilon + tp + counts['fn'], name='recall_' + name)
            return math_ops.reduce_max(2.0 * precision * recall / (precision + recall + epsilon))
        best_f1, update_op = best(values, 'value'), best(updates, 'update')
    metrics_common.collect(best_f1, update_op, metrics_collections, updates_collections)
    return best_f1, update_op
