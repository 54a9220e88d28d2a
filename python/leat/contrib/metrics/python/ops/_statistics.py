# SPDX-License-Identifier: Apache-2.0
"""Metrics of two streams together: covariance, correlation, agreement; and a rate at another's
threshold."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import metrics_common
from leat.python.ops import metrics_thresholds
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import weights_broadcast_ops

_NAN = float('nan')


def _same_shape(predictions, labels, weights):
    predictions, labels, weights = metrics_common._remove_squeezable_dimensions(
        predictions=predictions, labels=labels, weights=weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels, weights


class _Mean(object):
    """A running mean: after[A and B] from before[A] and a batch's."""

    def __init__(self, name):
        self.mean = metrics_common.metric_variable([], dtypes.float32, name=name)

    def add(self, weighted, batch_count, update_count):
        """Sets batch_mean and previous_mean."""
        self.batch_mean = math_ops.div_no_nan(math_ops.reduce_sum(weighted), batch_count)
        delta = math_ops.div_no_nan((self.batch_mean - self.mean) * batch_count, update_count)
        self.previous_mean = state_ops.assign_add(self.mean, delta) - delta


def streaming_covariance(predictions, labels, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """(the unbiased covariance, op that adds a batch), by Chan's update."""
    with variable_scope.variable_scope(name, 'covariance', (predictions, labels, weights)):
        predictions, labels, weights = _same_shape(predictions, labels, weights)
        count = metrics_common.metric_variable([], dtypes.float32, name='count')
        of_predictions, of_labels = _Mean('mean_prediction'), _Mean('mean_label')
        comoment = metrics_common.metric_variable([], dtypes.float32, name='comoment')
        if weights is None:
            batch_count = math_ops.cast(array_ops.size(labels), dtypes.float32)
            weighted = predictions, labels
        else:
            weights = weights_broadcast_ops.broadcast_weights(weights, labels)
            batch_count = math_ops.reduce_sum(weights)
            weighted = (math_ops.multiply(predictions, weights),
                        math_ops.multiply(labels, weights))
        update_count = state_ops.assign_add(count, batch_count)
        prev_count = update_count - batch_count
        of_predictions.add(weighted[0], batch_count, update_count)
        of_labels.add(weighted[1], batch_count, update_count)
        residuals = (predictions - of_predictions.batch_mean) * (labels - of_labels.batch_mean)
        batch_comoment = math_ops.reduce_sum(residuals if weights is None
                                             else residuals * weights)
        delta = (batch_comoment + (of_predictions.previous_mean - of_predictions.batch_mean) *
                 (of_labels.previous_mean - of_labels.batch_mean) *
                 (prev_count * batch_count / update_count))
        update_comoment = state_ops.assign_add(comoment, delta)

        def covariance(comoment, count, name):
            return array_ops.where(math_ops.less_equal(count, 1.), _NAN,
                                   math_ops.truediv(comoment, count - 1), name=name)
        value = covariance(comoment, count, 'covariance')
        with ops.control_dependencies([update_comoment]):
            update_op = covariance(update_comoment, update_count, 'update_op')
    metrics_common.collect(value, update_op, metrics_collections, updates_collections)
    return value, update_op


def streaming_pearson_correlation(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """(Pearson's correlation, op that adds a batch)"""
    with variable_scope.variable_scope(name, 'pearson_r', (predictions, labels, weights)):
        predictions, labels, weights = _same_shape(predictions, labels, weights)
        if weights is not None:
            weights = weights_broadcast_ops.broadcast_weights(weights, labels)

        def covariance(a, b, name):
            return streaming_covariance(a, b, weights=weights, name=name)
        pairs = zip(covariance(predictions, labels, 'covariance'),
                    covariance(predictions, predictions, 'variance_predictions'),
                    covariance(labels, labels, 'variance_labels'))
        value, update_op = [
            math_ops.truediv(both, math_ops.multiply(math_ops.sqrt(one), math_ops.sqrt(other)),
                             name=own)
            for (both, one, other), own in zip(pairs, ('pearson_r', 'update_op'))]
    metrics_common.collect(value, update_op, metrics_collections, updates_collections)
    return value, update_op


def _kappa(po, pe_row, pe_col, name):
    po_sum = math_ops.reduce_sum(po)
    total = math_ops.reduce_sum(pe_row)
    pe_sum = math_ops.reduce_sum(math_ops.div_no_nan(
        math_ops.cast(pe_row * pe_col, dtypes.float64), math_ops.cast(total, dtypes.float64)))
    po_sum, total = (math_ops.cast(x, dtypes.float64) for x in (po_sum, total))
    return math_ops.div_no_nan(po_sum - pe_sum, total - pe_sum, name=name)


def cohen_kappa(labels, predictions_idx, num_classes, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """(Cohen's kappa, op that adds a batch): agreement beyond chance."""
    if num_classes < 2:
        raise ValueError('`num_classes` must be >= 2.Found: {}'.format(num_classes))
    with variable_scope.variable_scope(name, 'cohen_kappa', (labels, predictions_idx, weights)):
        labels.get_shape().with_rank_at_most(2)
        if labels.get_shape().ndims == 2:
            labels = array_ops.squeeze(labels, axis=[-1])
        predictions_idx, labels, weights = _same_shape(predictions_idx, labels, weights)
        dtype = (dtypes.int64 if weights is None or weights.dtype.is_integer
                 else dtypes.float32)
        sums = [metrics_common.metric_variable((num_classes,), dtype, name=own)
                for own in ('po', 'pe_row', 'pe_col')]
        table = confusion_matrix.confusion_matrix(
            labels, predictions_idx, num_classes=num_classes, weights=weights, dtype=dtype,
            name='counts_in_table')
        parts = (array_ops.diag_part(table), math_ops.reduce_sum(table, axis=0),
                 math_ops.reduce_sum(table, axis=1))
        updates = [state_ops.assign_add(s, part) for s, part in zip(sums, parts)]
        value = _kappa(*sums, name='value')
        update_op = _kappa(*updates, name='update_op')
    metrics_common.collect(value, update_op, metrics_collections, updates_collections)
    return value, update_op


def precision_at_recall(labels, predictions, target_recall, weights=None, num_thresholds=200,
                        metrics_collections=None, updates_collections=None, name=None):
    """(precision at the highest threshold whose recall is enough, op that adds a batch)"""
    if target_recall < 0 or target_recall > 1:
        raise ValueError('`target_recall` must be in the range [0, 1].')
    epsilon = metrics_thresholds._EPSILON
    with variable_scope.variable_scope(name, 'precision_at_recall',
                                       (predictions, labels, weights)):
        values, updates = metrics_thresholds._confusion_matrix_at_thresholds(
            labels, predictions, metrics_thresholds._thresholds(num_thresholds), weights,
            check=False)

        def precision(counts, name):
            tp, fp, fn = counts['tp'], counts['fp'], counts['fn']
            recalls = math_ops.div(tp, tp + fn + epsilon)
            enough = math_ops.cast(recalls >= target_recall, dtypes.int64)
            last = math_ops.reduce_sum(enough) - 1
            return math_ops.div(tp[last] + epsilon, tp[last] + fp[last] + epsilon, name)
        value, update_op = precision(values, 'value'), precision(updates, 'update_op')
    metrics_common.collect(value, update_op, metrics_collections, updates_collections)
    return value, update_op


def recall_at_precision(labels, predictions, precision, weights=None, num_thresholds=200,
                        metrics_collections=None, updates_collections=None, name=None,
                        strict_mode=False):
    """(recall where the precision is nearest to the wanted one, op that adds a batch); strict: at
    the least precision that is enough, 0 where none is."""
    if not 0 <= precision <= 1:
        raise ValueError('`precision` must be in the range [0, 1].')
    epsilon = metrics_thresholds._EPSILON
    with variable_scope.variable_scope(name, 'recall_at_precision',
                                       (predictions, labels, weights)):
        values, updates = metrics_thresholds._confusion_matrix_at_thresholds(
            labels, predictions, metrics_thresholds._thresholds(num_thresholds), weights,
            check=False)

        def recall(counts, name):
            tp, fp, fn = counts['tp'], counts['fp'], counts['fn']
            precisions = math_ops.div(tp, tp + fp + epsilon)

            def at(place):
                return math_ops.div(tp[place], tp[place] + fn[place] + epsilon, name)
            if not strict_mode:
                return at(math_ops.argmin(math_ops.abs(precisions - precision), 0,
                                          output_type=dtypes.int32))
            closeness = math_ops.div(1.0, precisions - precision + epsilon)
            place = math_ops.argmax(closeness, 0, output_type=dtypes.int32)
            return control_flow_ops.cond(precisions[place] >= precision, lambda: at(place),
                                         lambda: .0)
        value, update_op = recall(values, 'value'), recall(updates, 'update_op')
    metrics_common.collect(value, update_op, metrics_collections, updates_collections)
    return value, update_op
