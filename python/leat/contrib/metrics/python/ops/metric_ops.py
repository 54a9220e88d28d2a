# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.metrics: tf.metrics with predictions first and longer names, and a few more.

Not there: curve points, dynamic auc, concat, intervals.
"""
from leat.contrib.metrics.python.ops._statistics import (  # noqa: F401
    cohen_kappa, precision_at_recall, recall_at_precision, streaming_covariance,
    streaming_pearson_correlation)
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import metrics_impl as metrics
from leat.python.ops import nn
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.util import deprecation


def _instead(name):
    return deprecation.deprecated(
        None, 'Please switch to tf.metrics.%s. Note that the order of the labels and predictions '
        'arguments has been switched.' % name)


@_instead('accuracy')
def streaming_accuracy(predictions, labels, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    return metrics.accuracy(predictions=predictions, labels=labels, weights=weights,
                            metrics_collections=metrics_collections,
                            updates_collections=updates_collections, name=name)


@_instead('mean_absolute_error')
def streaming_mean_absolute_error(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    return metrics.mean_absolute_error(predictions=predictions, labels=labels,
                                       weights=weights,
                                       metrics_collections=metrics_collections,
                                       updates_collections=updates_collections, name=name)


@_instead('mean_squared_error')
def streaming_mean_squared_error(predictions, labels, weights=None, metrics_collections=None,
                                 updates_collections=None, name=None):
    return metrics.mean_squared_error(predictions=predictions, labels=labels, weights=weights,
                                      metrics_collections=metrics_collections,
                                      updates_collections=updates_collections, name=name)


@_instead('root_mean_squared_error')
def streaming_root_mean_squared_error(predictions, labels, weights=None, metrics_collections=None,
                                      updates_collections=None, name=None):
    return metrics.root_mean_squared_error(predictions=predictions, labels=labels,
                                           weights=weights,
                                           metrics_collections=metrics_collections,
                                           updates_collections=updates_collections, name=name)


@_instead('precision')
def streaming_precision(predictions, labels, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    return metrics.precision(predictions=predictions, labels=labels, weights=weights,
                             metrics_collections=metrics_collections,
                             updates_collections=updates_collections, name=name)


@_instead('recall')
def streaming_recall(predictions, labels, weights=None, metrics_collections=None,
                     updates_collections=None, name=None):
    return metrics.recall(predictions=predictions, labels=labels, weights=weights,
                          metrics_collections=metrics_collections,
                          updates_collections=updates_collections, name=name)


@_instead('true_positives')
def streaming_true_positives(predictions, labels, weights=None, metrics_collections=None,
                             updates_collections=None, name=None):
    return metrics.true_positives(predictions=predictions, labels=labels, weights=weights,
                                  metrics_collections=metrics_collections,
                                  updates_collections=updates_collections, name=name)


@_instead('true_negatives')
def streaming_true_negatives(predictions, labels, weights=None, metrics_collections=None,
                             updates_collections=None, name=None):
    return metrics.true_negatives(predictions=predictions, labels=labels, weights=weights,
                                  metrics_collections=metrics_collections,
                                  updates_collections=updates_collections, name=name)


@_instead('false_positives')
def streaming_false_positives(predictions, labels, weights=None, metrics_collections=None,
                              updates_collections=None, name=None):
    return metrics.false_positives(predictions=predictions, labels=labels, weights=weights,
                                   metrics_collections=metrics_collections,
                                   updates_collections=updates_collections, name=name)


@_instead('false_negatives')
def streaming_false_negatives(predictions, labels, weights=None, metrics_collections=None,
                              updates_collections=None, name=None):
    return metrics.false_negatives(predictions=predictions, labels=labels, weights=weights,
                                   metrics_collections=metrics_collections,
                                   updates_collections=updates_collections, name=name)


@_instead('mean_cosine_distance')
def streaming_mean_cosine_distance(predictions, labels, dim, weights=None,
                                   metrics_collections=None, updates_collections=None, name=None):
    return metrics.mean_cosine_distance(predictions=predictions, labels=labels, dim=dim,
                                        weights=weights,
                                        metrics_collections=metrics_collections,
                                        updates_collections=updates_collections, name=name)


@_instead('mean_relative_error')
def streaming_mean_relative_error(predictions, labels, normalizer, weights=None,
                                  metrics_collections=None, updates_collections=None, name=None):
    return metrics.mean_relative_error(predictions=predictions, labels=labels,
                                       normalizer=normalizer, weights=weights,
                                       metrics_collections=metrics_collections,
                                       updates_collections=updates_collections, name=name)


@_instead('mean_iou')
def streaming_mean_iou(predictions, labels, num_classes, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    return metrics.mean_iou(predictions=predictions, labels=labels, num_classes=num_classes,
                            weights=weights, metrics_collections=metrics_collections,
                            updates_collections=updates_collections, name=name)


@_instead('precision_at_thresholds')
def streaming_precision_at_thresholds(predictions, labels, thresholds, weights=None,
                                      metrics_collections=None, updates_collections=None,
                                      name=None):
    return metrics.precision_at_thresholds(predictions=predictions, labels=labels,
                                           thresholds=thresholds, weights=weights,
                                           metrics_collections=metrics_collections,
                                           updates_collections=updates_collections, name=name)


@_instead('recall_at_thresholds')
def streaming_recall_at_thresholds(predictions, labels, thresholds, weights=None,
                                   metrics_collections=None, updates_collections=None, name=None):
    return metrics.recall_at_thresholds(predictions=predictions, labels=labels,
                                        thresholds=thresholds, weights=weights,
                                        metrics_collections=metrics_collections,
                                        updates_collections=updates_collections, name=name)


@_instead('average_precision_at_k')
def streaming_sparse_average_precision_at_k(predictions, labels, k, weights=None,
                                            metrics_collections=None, updates_collections=None,
                                            name=None):
    return metrics.average_precision_at_k(predictions=predictions, labels=labels, k=k,
                                          weights=weights,
                                          metrics_collections=metrics_collections,
                                          updates_collections=updates_collections, name=name)


@_instead('mean')
def streaming_mean(values, weights=None, metrics_collections=None, updates_collections=None,
                   name=None):
    return metrics.mean(values=values, weights=weights,
                        metrics_collections=metrics_collections,
                        updates_collections=updates_collections, name=name)


@_instead('mean_tensor')
def streaming_mean_tensor(values, weights=None, metrics_collections=None,
                          updates_collections=None, name=None):
    return metrics.mean_tensor(values=values, weights=weights,
                               metrics_collections=metrics_collections,
                               updates_collections=updates_collections, name=name)


@_instead('percentage_below')
def streaming_percentage_less(values, threshold, weights=None, metrics_collections=None,
                              updates_collections=None, name=None):
    return metrics.percentage_below(values=values, threshold=threshold, weights=weights,
                                    metrics_collections=metrics_collections,
                                    updates_collections=updates_collections, name=name)


@_instead('true_positives_at_thresholds')
def streaming_true_positives_at_thresholds(predictions, labels, thresholds, weights=None):
    return metrics.true_positives_at_thresholds(predictions=predictions, labels=labels,
                                                thresholds=thresholds, weights=weights)


@_instead('true_negatives_at_thresholds')
def streaming_true_negatives_at_thresholds(predictions, labels, thresholds, weights=None):
    return metrics.true_negatives_at_thresholds(predictions=predictions, labels=labels,
                                                thresholds=thresholds, weights=weights)


@_instead('false_positives_at_thresholds')
def streaming_false_positives_at_thresholds(predictions, labels, thresholds, weights=None):
    return metrics.false_positives_at_thresholds(predictions=predictions, labels=labels,
                                                 thresholds=thresholds, weights=weights)


@_instead('false_negatives_at_thresholds')
def streaming_false_negatives_at_thresholds(predictions, labels, thresholds, weights=None):
    return metrics.false_negatives_at_thresholds(predictions=predictions, labels=labels,
                                                 thresholds=thresholds, weights=weights)


@_instead('auc')
def streaming_auc(predictions, labels, weights=None, num_thresholds=200, metrics_collections=None,
                  updates_collections=None, curve='ROC', name=None):
    return metrics.auc(predictions=predictions, labels=labels, weights=weights,
                       num_thresholds=num_thresholds, curve=curve,
                       metrics_collections=metrics_collections,
                       updates_collections=updates_collections, name=name)


@_instead('sensitivity_at_specificity')
def streaming_sensitivity_at_specificity(predictions, labels, specificity, weights=None,
                                         num_thresholds=200, metrics_collections=None,
                                         updates_collections=None, name=None):
    return metrics.sensitivity_at_specificity(predictions=predictions, labels=labels,
                                              specificity=specificity, weights=weights,
                                              num_thresholds=num_thresholds,
                                              metrics_collections=metrics_collections,
                                              updates_collections=updates_collections,
                                              name=name)


@_instead('specificity_at_sensitivity')
def streaming_specificity_at_sensitivity(predictions, labels, sensitivity, weights=None,
                                         num_thresholds=200, metrics_collections=None,
                                         updates_collections=None, name=None):
    return metrics.specificity_at_sensitivity(predictions=predictions, labels=labels,
                                              sensitivity=sensitivity, weights=weights,
                                              num_thresholds=num_thresholds,
                                              metrics_collections=metrics_collections,
                                              updates_collections=updates_collections,
                                              name=name)


@_instead('precision_at_k')
def streaming_sparse_precision_at_k(predictions, labels, k, class_id=None, weights=None,
                                    metrics_collections=None, updates_collections=None,
                                    name=None):
    return metrics.precision_at_k(predictions=predictions, labels=labels, k=k,
                                  class_id=class_id, weights=weights,
                                  metrics_collections=metrics_collections,
                                  updates_collections=updates_collections, name=name)


@_instead('recall_at_k')
def streaming_sparse_recall_at_k(predictions, labels, k, class_id=None, weights=None,
                                 metrics_collections=None, updates_collections=None, name=None):
    return metrics.recall_at_k(predictions=predictions, labels=labels, k=k, class_id=class_id,
                               weights=weights, metrics_collections=metrics_collections,
                               updates_collections=updates_collections, name=name)


@_instead('precision_at_top_k')
def streaming_sparse_precision_at_top_k(top_k_predictions, labels, class_id=None, weights=None,
                                        metrics_collections=None, updates_collections=None,
                                        name=None):
    return metrics.precision_at_top_k(labels=labels, predictions_idx=top_k_predictions,
                                      class_id=class_id, weights=weights,
                                      metrics_collections=metrics_collections,
                                      updates_collections=updates_collections, name=name)


@_instead('_streaming_sparse_average_precision_at_top_k')
def streaming_sparse_average_precision_at_top_k(top_k_predictions, labels, weights=None,
                                                metrics_collections=None,
                                                updates_collections=None, name=None):
    return metrics._streaming_sparse_average_precision_at_top_k(
        labels=labels, predictions_idx=top_k_predictions, weights=weights,
        metrics_collections=metrics_collections, updates_collections=updates_collections,
        name=name)


@deprecation.deprecated(None, 'Please use `streaming_sparse_recall_at_k`, and reshape labels from '
                        '[batch_size] to [batch_size, 1].')
def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None,
                          updates_collections=None, name=None):
    """How often the label is among the k largest."""
    in_top_k = math_ops.cast(nn.in_top_k(predictions, labels, k), dtypes.float32)
    return metrics.mean(in_top_k, weights, metrics_collections, updates_collections,
                        name or ('recall_at_%d' % k if not isinstance(k, ops.Tensor)
                                 else 'recall_at_k'))


def sparse_recall_at_top_k(labels, top_k_predictions, class_id=None, weights=None,
                           metrics_collections=None, updates_collections=None, name=None):
    return metrics.recall_at_top_k(labels=labels, predictions_idx=top_k_predictions,
                                   class_id=class_id, weights=weights,
                                   metrics_collections=metrics_collections,
                                   updates_collections=updates_collections, name=name)


def _rate(default_name, wrong, right, predictions, labels, weights, metrics_collections,
          updates_collections, name):
    """wrong / (wrong + right), 0 where there is neither."""
    with variable_scope.variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = metrics._remove_squeezable_dimensions(
            predictions=math_ops.cast(predictions, dtype=dtypes.bool),
            labels=math_ops.cast(labels, dtype=dtypes.bool), weights=weights)
        a, a_update = wrong(labels, predictions, weights)
        b, b_update = right(labels, predictions, weights)

        def rate(a, b, name):
            return array_ops.where(math_ops.greater(a + b, 0), math_ops.div(a, a + b), 0, name)
        return metrics.collect(rate(a, b, 'value'), rate(a_update, b_update, 'update_op'),
                               metrics_collections, updates_collections)


def streaming_false_positive_rate(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """How much of what is false was taken as true."""
    return _rate('false_positive_rate', metrics.false_positives, metrics.true_negatives,
                 predictions, labels, weights, metrics_collections, updates_collections, name)


def streaming_false_negative_rate(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """How much of what is true was taken as false."""
    return _rate('false_negative_rate', metrics.false_negatives, metrics.true_positives,
                 predictions, labels, weights, metrics_collections, updates_collections, name)


def count(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many values, or how much weight, so far."""
    with variable_scope.variable_scope(name, 'count', (values, weights)):
        count_ = metrics.metric_variable([], dtypes.float32, name='count')
        if weights is None:
            num_values = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            values = math_ops.cast(values, dtypes.float32)
            values, _, weights = metrics._remove_squeezable_dimensions(
                predictions=values, labels=None, weights=weights)
            from leat.python.ops import weights_broadcast_ops
            weights = weights_broadcast_ops.broadcast_weights(
                math_ops.cast(weights, dtypes.float32), values)
            num_values = math_ops.reduce_sum(weights)
        with ops.control_dependencies([values]):
            update_op = state_ops.assign_add(count_, num_values)
        return metrics.collect(array_ops.identity(count_), update_op, metrics_collections,
                               updates_collections)


def aggregate_metrics(*value_update_tuples):
    """([values], [update ops]) of pairs."""
    if not value_update_tuples:
        raise ValueError('Expected at least one value_tensor/update_op pair')
    values, update_ops = zip(*value_update_tuples)
    return list(values), list(update_ops)


def aggregate_metric_map(names_to_tuples):
    """({name: value}, {name: update op}) of {name: pair}."""
    names = names_to_tuples.keys()
    value_ops, update_ops = zip(*names_to_tuples.values())
    return dict(zip(names, value_ops)), dict(zip(names, update_ops))
