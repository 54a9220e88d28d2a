# SPDX-License-Identifier: Apache-2.0
"""Metrics of predictions between 0 and 1 that are cut at thresholds: auc and its kind."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import weights_broadcast_ops
from leat.python.ops.metrics_common import (_remove_squeezable_dimensions, collect,
                                            metric_variable)

_EPSILON = 1e-7  # how far the outer thresholds lie beyond 0 and 1


def _thresholds(num_thresholds):
    """Evenly from 0 to 1, both ends a bit further out."""
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - _EPSILON] + inner + [1.0 + _EPSILON]


def _checks(predictions):
    return [check_ops.assert_greater_equal(predictions, math_ops.cast(0.0, predictions.dtype),
                                           message='predictions must be in [0, 1]'),
            check_ops.assert_less_equal(predictions, math_ops.cast(1.0, predictions.dtype),
                                        message='predictions must be in [0, 1]')]


def _confusion_matrix_at_thresholds(labels, predictions, thresholds, weights=None, includes=None,
                                    check=True):
    """({what: counts at each threshold}, {what: ops that add to them}), for those of includes."""
    all_includes = ('tp', 'fn', 'tn', 'fp')
    includes = all_includes if includes is None else includes
    for include in includes:
        if include not in all_includes:
            raise ValueError('Invalid key: %s.' % include)
    with ops.control_dependencies(_checks(predictions) if check else []):
        predictions, labels, weights = _remove_squeezable_dimensions(
            predictions=math_ops.cast(predictions, dtypes.float32),
            labels=math_ops.cast(labels, dtype=dtypes.bool), weights=weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    num_thresholds = len(thresholds)
    predictions_2d = array_ops.reshape(predictions, [-1, 1])
    labels_2d = array_ops.reshape(math_ops.cast(labels, dtype=dtypes.bool), [1, -1])
    num_predictions = predictions_2d.get_shape().as_list()[0]
    if num_predictions is None:
        num_predictions = array_ops.shape(predictions_2d)[0]
    tiled = array_ops.tile(array_ops.expand_dims(constant_op.constant(thresholds), [1]),
                           array_ops.stack([1, num_predictions]))
    is_pos = math_ops.greater(
        array_ops.tile(array_ops.transpose(predictions_2d), [num_thresholds, 1]), tiled)
    is_neg = math_ops.logical_not(is_pos) if 'fn' in includes or 'tn' in includes else None
    label_pos = array_ops.tile(labels_2d, [num_thresholds, 1])
    label_neg = (math_ops.logical_not(label_pos) if 'fp' in includes or 'tn' in includes
                 else None)
    tiled_weights = None
    if weights is not None:
        weights = weights_broadcast_ops.broadcast_weights(
            math_ops.cast(weights, dtypes.float32), predictions)
        tiled_weights = array_ops.tile(array_ops.reshape(weights, [1, -1]), [num_thresholds, 1])
        this_shape = tiled_weights.get_shape()
        this_shape.assert_is_compatible_with(label_pos.get_shape())
    kinds = {'tp': ('true_positives', label_pos, is_pos),
             'fn': ('false_negatives', label_pos, is_neg),
             'tn': ('true_negatives', label_neg, is_neg),
             'fp': ('false_positives', label_neg, is_pos)}
    values, update_ops = {}, {}
    for key in all_includes:
        if key in includes:
            name, label, pred = kinds[key]
            counts = metric_variable([num_thresholds], dtypes.float32, name=name)
            hits = math_ops.cast(math_ops.logical_and(label, pred), dtypes.float32)
            if tiled_weights is not None:
                hits *= tiled_weights
            update_ops[key] = state_ops.assign_add(counts, math_ops.reduce_sum(hits, 1))
            values[key] = counts
    return values, update_ops


def _interpolate_pr_auc(tp, fp, fn, num_thresholds):
    """The area under precision by recall, interpolated by the counts themselves."""
    last = num_thresholds - 1
    dtp = tp[:last] - tp[1:]
    p = tp + fp
    prec_slope = math_ops.div_no_nan(dtp, math_ops.maximum(p[:last] - p[1:], 0),
                                     name='prec_slope')
    intercept = tp[1:] - math_ops.multiply(prec_slope, p[1:])
    safe_p_ratio = array_ops.where(
        math_ops.logical_and(p[:last] > 0, p[1:] > 0),
        math_ops.div_no_nan(p[:last], math_ops.maximum(p[1:], 0), name='recall_relative_ratio'),
        array_ops.ones_like(p[1:]))
    return math_ops.reduce_sum(
        math_ops.div_no_nan(prec_slope * (dtp + intercept * math_ops.log(safe_p_ratio)),
                            math_ops.maximum(tp[1:] + fn[1:], 0), name='pr_auc_increment'),
        name='interpolate_pr_auc')


def _area(tp, fn, tn, fp, name, curve, method, num_thresholds):
    """The area under the curve of these counts."""
    epsilon = 1.0e-6
    last = num_thresholds - 1
    if curve == 'PR':
        if method == 'careful_interpolation':
            return _interpolate_pr_auc(tp, fp, fn, num_thresholds)
    rec = math_ops.div(tp + epsilon, tp + fn + epsilon)
    if curve == 'ROC':
        x, y = math_ops.div(fp, fp + tn + epsilon), rec
    else:
        x, y = rec, math_ops.div(tp + epsilon, tp + fp + epsilon)
    if method in ('trapezoidal', 'careful_interpolation'):
        return math_ops.reduce_sum(
            math_ops.multiply(x[:last] - x[1:], (y[:last] + y[1:]) / 2.), name=name)
    if method not in ('minoring', 'majoring'):
        raise ValueError('Invalid summation_method: %s' % method)
    pick = math_ops.minimum if method == 'minoring' else math_ops.maximum
    return math_ops.reduce_sum(
        math_ops.multiply(x[:last] - x[1:], pick(y[:last], y[1:])), name=name)


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None,
        updates_collections=None, curve='ROC', name=None, summation_method='trapezoidal',
        thresholds=None):
    """The area under the ROC curve, or that of precision by recall, from its thresholds."""
    with variable_scope.variable_scope(name, 'auc', (labels, predictions, weights)):
        if curve != 'ROC' and curve != 'PR':
            raise ValueError('curve must be either ROC or PR, %s unknown' % curve)
        if thresholds is None:
            thresholds = _thresholds(num_thresholds)
        else:
            thresholds = [0.0 - _EPSILON] + list(thresholds) + [1.0 + _EPSILON]
            num_thresholds = len(thresholds)
        values, update_ops = _confusion_matrix_at_thresholds(labels, predictions, thresholds,
                                                             weights)

        def area(counts, name):
            return _area(counts['tp'], counts['fn'], counts['tn'], counts['fp'], name, curve,
                         summation_method, num_thresholds)
        return collect(area(values, 'value'), area(update_ops, 'update_op'),
                       metrics_collections, updates_collections)


def _share_at_thresholds(default_name, other, kind, arguments):
    """true positives / (true positives + the other) at each threshold."""
    labels, predictions, thresholds, weights, collections, updates, name = arguments
    with variable_scope.variable_scope(name, default_name, (predictions, labels, weights)):
        values, update_ops = _confusion_matrix_at_thresholds(
            labels, predictions, thresholds, weights, includes=('tp', other))

        def share(counts, name):
            return math_ops.div(counts['tp'], _EPSILON + counts['tp'] + counts[other],
                                name=kind + '_' + name)
        return collect(share(values, 'value'), share(update_ops, 'update_op'), collections,
                       updates)


def precision_at_thresholds(labels, predictions, thresholds, weights=None,
                            metrics_collections=None, updates_collections=None, name=None):
    """precision() of predictions above each threshold."""
    return _share_at_thresholds(
        'precision_at_thresholds', 'fp', 'precision',
        (labels, predictions, thresholds, weights, metrics_collections, updates_collections,
         name))


def recall_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """recall() of predictions above each threshold."""
    return _share_at_thresholds(
        'recall_at_thresholds', 'fn', 'recall',
        (labels, predictions, thresholds, weights, metrics_collections, updates_collections,
         name))


def _counted_at(key, scope_name, doc):
    """The metric that counts one kind at each threshold."""
    def counts(labels, predictions, thresholds, weights=None, metrics_collections=None,
               updates_collections=None, name=None):
        with variable_scope.variable_scope(name, scope_name, (predictions, labels, weights)):
            values, update_ops = _confusion_matrix_at_thresholds(
                labels, predictions, thresholds, weights=weights, includes=(key,))
            return collect(array_ops.identity(values[key]), update_ops[key],
                           metrics_collections, updates_collections)
    counts.__name__ = counts.__qualname__ = scope_name + '_at_thresholds'
    counts.__doc__ = doc
    return counts


true_positives_at_thresholds = _counted_at('tp', 'true_positives',
                                           'true_positives() above each threshold.')
false_positives_at_thresholds = _counted_at('fp', 'false_positives',
                                            'false_positives() above each threshold.')
false_negatives_at_thresholds = _counted_at('fn', 'false_negatives',
                                            'false_negatives() above each threshold.')
true_negatives_at_thresholds = _counted_at('tn', 'true_negatives',
                                           'true_negatives() above each threshold.')


def sensitivity_at_specificity(labels, predictions, specificity, weights=None,
                               num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """recall at the threshold whose specificity comes nearest to the one asked for."""
    if specificity < 0 or specificity > 1:
        raise ValueError('`specificity` must be in the range [0, 1].')
    with variable_scope.variable_scope(name, 'sensitivity_at_specificity',
                                       (predictions, labels, weights)):
        values, update_ops = _confusion_matrix_at_thresholds(
            labels, predictions, _thresholds(num_thresholds), weights)

        def sensitivity(counts, name):
            found = math_ops.div(counts['tn'], counts['tn'] + counts['fp'] + _EPSILON)
            index = math_ops.argmin(math_ops.abs(found - specificity), 0)
            index = math_ops.cast(index, dtypes.int32)
            return math_ops.div(counts['tp'][index],
                                counts['tp'][index] + counts['fn'][index] + _EPSILON, name)
        return collect(sensitivity(values, 'value'), sensitivity(update_ops, 'update_op'),
                       metrics_collections, updates_collections)


def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None,
                               num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """Specificity at the last threshold whose sensitivity comes nearest to the one asked for."""
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError('`sensitivity` must be in the range [0, 1].')
    with variable_scope.variable_scope(name, 'specificity_at_sensitivity',
                                       (predictions, labels, weights)):
        thresholds = _thresholds(num_thresholds)
        thresholds[-1] = 1.0 - _EPSILON
        values, update_ops = _confusion_matrix_at_thresholds(labels, predictions, thresholds,
                                                             weights)

        def specificity(counts, name):
            found = math_ops.div(counts['tp'], counts['tp'] + counts['fn'] + _EPSILON)
            nearest = math_ops.reduce_min(math_ops.abs(found - sensitivity))
            is_nearest = math_ops.equal(math_ops.abs(found - sensitivity), nearest)
            order = math_ops.cumsum(math_ops.cast(is_nearest, dtypes.int64))
            index = math_ops.cast(math_ops.argmax(order, 0), dtypes.int32)
            return math_ops.div(counts['tn'][index],
                                counts['tn'][index] + counts['fp'][index] + _EPSILON, name)
        return collect(specificity(values, 'value'), specificity(update_ops, 'update_op'),
                       metrics_collections, updates_collections)
