# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: numbers over all that a program has seen, as a value and an op that adds to it.

Counts are in local variables. Here are means, errors and counts of right and wrong; thresholds,
classes and the best k have modules of their own.
"""
from leat.python.framework import dtypes
from leat.python.ops import array_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import math_ops
from leat.python.ops import variable_scope
from leat.python.ops.metrics_at_k import (  # noqa: F401
    _at_k_name, _clean_out_of_range_indices, _expand_and_tile, _maybe_expand_labels,
    _maybe_select_class_id, _num_relevant, _select_class_id, _sparse_average_precision_at_top_k,
    _sparse_false_negative_at_k, _sparse_false_positive_at_k, _sparse_true_positive_at_k,
    _streaming_sparse_average_precision_at_top_k, _streaming_sparse_false_negative_at_k,
    _streaming_sparse_false_positive_at_k, _streaming_sparse_true_positive_at_k,
    average_precision_at_k, precision_at_k, precision_at_top_k, recall_at_k, recall_at_top_k,
    sparse_average_precision_at_k, sparse_precision_at_k)
from leat.python.ops.metrics_classes import (  # noqa: F401
    _streaming_confusion_matrix, mean_iou, mean_per_class_accuracy)
from leat.python.ops.metrics_common import (  # noqa: F401
    _count_condition, _remove_squeezable_dimensions, _safe_scalar_div, collect, mean,
    mean_tensor, metric_variable)
from leat.python.ops.metrics_thresholds import (  # noqa: F401
    _confusion_matrix_at_thresholds, auc, false_negatives_at_thresholds,
    false_positives_at_thresholds, precision_at_thresholds, recall_at_thresholds,
    sensitivity_at_specificity, specificity_at_sensitivity, true_negatives_at_thresholds,
    true_positives_at_thresholds)


def accuracy(labels, predictions, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """How much of the predictions is right."""
    predictions, labels, weights = _remove_squeezable_dimensions(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if labels.dtype != predictions.dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    is_correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections,
                name or 'accuracy')


def _errors(labels, predictions, weights):
    predictions, labels, weights = _remove_squeezable_dimensions(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels, weights


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |predictions - labels|."""
    predictions, labels, weights = _errors(labels, predictions, weights)
    errors = math_ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_absolute_error')


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """1 less the mean inner product along dim."""
    predictions, labels, weights = _errors(labels, predictions, weights)
    products = math_ops.multiply(predictions, labels)
    products = math_ops.reduce_sum(products, axis=[dim], keepdims=True)
    value, update_op = mean(products, weights, None, None, name or 'mean_cosine_distance')
    return collect(math_ops.subtract(1.0, value), math_ops.subtract(1.0, update_op),
                   metrics_collections, updates_collections)


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |predictions - labels| / normalizer."""
    predictions, labels, weights = _errors(labels, predictions, weights)
    predictions, normalizer = confusion_matrix.remove_squeezable_dimensions(predictions,
                                                                            normalizer)
    predictions.get_shape().assert_is_compatible_with(normalizer.get_shape())
    errors = array_ops.where(math_ops.equal(normalizer, 0.0), array_ops.zeros_like(labels),
                             math_ops.div(math_ops.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_relative_error')


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """The mean of (predictions - labels)^2."""
    predictions, labels, weights = _errors(labels, predictions, weights)
    errors = math_ops.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_squared_error')


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """The root of mean_squared_error."""
    predictions, labels, weights = _errors(labels, predictions, weights)
    value, update_op = mean_squared_error(labels, predictions, weights, None, None,
                                          name or 'root_mean_squared_error')
    return collect(math_ops.sqrt(value), math_ops.sqrt(update_op), metrics_collections,
                   updates_collections)


def percentage_below(values, threshold, weights=None, metrics_collections=None,
                     updates_collections=None, name=None):
    """How much of the values is below the threshold."""
    is_below = math_ops.cast(math_ops.less(values, threshold), dtypes.float32)
    return mean(is_below, weights, metrics_collections, updates_collections,
                name or 'percentage_below_threshold')


def _counted(default_name, label, prediction, doc):
    """The metric that counts where labels and predictions are these two."""
    def counts(labels, predictions, weights=None, metrics_collections=None,
               updates_collections=None, name=None):
        with variable_scope.variable_scope(name, default_name, (predictions, labels, weights)):
            predictions, labels, weights = _remove_squeezable_dimensions(
                predictions=math_ops.cast(predictions, dtype=dtypes.bool),
                labels=math_ops.cast(labels, dtype=dtypes.bool), weights=weights)
            both = math_ops.logical_and(math_ops.equal(labels, label),
                                        math_ops.equal(predictions, prediction))
            return _count_condition(both, weights, metrics_collections, updates_collections)
    counts.__name__ = counts.__qualname__ = default_name
    counts.__doc__ = doc
    return counts


true_positives = _counted('true_positives', True, True, 'How much was rightly taken as true.')
false_positives = _counted('false_positives', False, True, 'How much was wrongly taken as true.')
false_negatives = _counted('false_negatives', True, False,
                           'How much was wrongly taken as false.')
true_negatives = _counted('true_negatives', False, False, 'How much was rightly taken as false.')


def _share(default_name, other, labels, predictions, weights, metrics_collections,
           updates_collections, name):
    """true positives / (true positives + the other), 0 where there is none."""
    with variable_scope.variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = _remove_squeezable_dimensions(
            predictions=math_ops.cast(predictions, dtype=dtypes.bool),
            labels=math_ops.cast(labels, dtype=dtypes.bool), weights=weights)
        true_p, true_update = true_positives(labels, predictions, weights)
        others, others_update = other(labels, predictions, weights)

        def share(right, wrong, name):
            return array_ops.where(math_ops.greater(right + wrong, 0),
                                   math_ops.div(right, right + wrong), 0, name)
        return collect(share(true_p, others, 'value'),
                       share(true_update, others_update, 'update_op'), metrics_collections,
                       updates_collections)


def precision(labels, predictions, weights=None, metrics_collections=None,
              updates_collections=None, name=None):
    """How much of what was taken as true is."""
    return _share('precision', false_positives, labels, predictions, weights,
                  metrics_collections, updates_collections, name)


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
           name=None):
    """How much of what is true was taken as true."""
    return _share('recall', false_negatives, labels, predictions, weights, metrics_collections,
                  updates_collections, name)
