# SPDX-License-Identifier: Apache-2.0
"""What metrics share: their local variables, counts, and the pair (value, update op)."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import weights_broadcast_ops


def metric_variable(shape, dtype, validate_shape=True, name=None):
    """A variable of zeros that is neither trained nor saved."""
    return variable_scope.variable(
        lambda: array_ops.zeros(shape, dtype), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        synchronization=variable_scope.VariableSynchronization.ON_READ,
        aggregation=variable_scope.VariableAggregation.SUM, name=name)


def collect(value, update_op, metrics_collections, updates_collections):
    """(value, update_op), after they went into their collections."""
    if metrics_collections:
        ops.add_to_collections(metrics_collections, value)
    if updates_collections:
        ops.add_to_collections(updates_collections, update_op)
    return value, update_op


def _remove_squeezable_dimensions(predictions, labels, weights):
    """Without a last dim of size 1 that is one too many."""
    predictions = ops.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = confusion_matrix.remove_squeezable_dimensions(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is None:
        return predictions, labels, None
    weights = ops.convert_to_tensor(weights)
    weights_rank = weights.get_shape().ndims
    if weights_rank == 0:
        return predictions, labels, weights
    predictions_rank = predictions.get_shape().ndims
    if predictions_rank is not None and weights_rank is not None:
        if weights_rank - predictions_rank == 1:
            weights = array_ops.squeeze(weights, [-1])
        elif predictions_rank - weights_rank == 1:
            weights = array_ops.expand_dims(weights, [-1])
        return predictions, labels, weights
    rank = array_ops.rank(weights)
    rank_diff = rank - array_ops.rank(predictions)
    original = weights

    def expanded():
        return control_flow_ops.cond(math_ops.equal(rank_diff, -1),
                                     lambda: array_ops.expand_dims(original, [-1]),
                                     lambda: original)
    adjusted = expanded
    if weights_rank is None or weights.get_shape().dims[-1].is_compatible_with(1):
        def adjusted():
            return control_flow_ops.cond(math_ops.equal(rank_diff, 1),
                                         lambda: array_ops.squeeze(original, [-1]), expanded)
    weights = control_flow_ops.cond(math_ops.equal(rank, 0), lambda: original, adjusted)
    return predictions, labels, weights


def _count_condition(values, weights=None, metrics_collections=None, updates_collections=None):
    """How much weight of the values is true."""
    check_ops.assert_type(values, dtypes.bool)
    count = metric_variable([], dtypes.float32, name='count')
    values = math_ops.cast(values, dtypes.float32)
    if weights is not None:
        with ops.control_dependencies(
                (check_ops.assert_rank_in(weights, (0, array_ops.rank(values))),)):
            weights = math_ops.cast(weights, dtypes.float32)
            values = math_ops.multiply(values, weights)
    value = array_ops.identity(count)
    update_op = state_ops.assign_add(count, math_ops.reduce_sum(values))
    return collect(value, update_op, metrics_collections, updates_collections)


def safe_mean(total, count, name):
    """total / count, 0 where there is no count."""
    return math_ops.div_no_nan(total, math_ops.maximum(count, 0), name=name)


def _safe_scalar_div(numerator, denominator, name):
    """numerator / denominator, 0 where the latter is."""
    numerator.get_shape().with_rank_at_most(1)
    denominator.get_shape().with_rank_at_most(1)
    return math_ops.div_no_nan(numerator, denominator, name=name)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of all values so far."""
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name='total')
        count = metric_variable([], dtypes.float32, name='count')
        if weights is None:
            num_values = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            values, _, weights = _remove_squeezable_dimensions(values, None, weights)
            weights = weights_broadcast_ops.broadcast_weights(
                math_ops.cast(weights, dtypes.float32), values)
            values = math_ops.multiply(values, weights)
            num_values = math_ops.reduce_sum(weights)
        update_total = state_ops.assign_add(total, math_ops.reduce_sum(values))
        with ops.control_dependencies([values]):
            update_count = state_ops.assign_add(count, num_values)
        return collect(safe_mean(total, count, 'value'),
                       safe_mean(update_total, update_count, 'update_op'), metrics_collections,
                       updates_collections)


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None,
                name=None):
    """The mean of each element so far."""
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable(values.get_shape(), dtypes.float32, name='total_tensor')
        count = metric_variable(values.get_shape(), dtypes.float32, name='count_tensor')
        num_values = array_ops.ones_like(values)
        if weights is not None:
            values, _, weights = _remove_squeezable_dimensions(values, None, weights)
            weights = weights_broadcast_ops.broadcast_weights(
                math_ops.cast(weights, dtypes.float32), values)
            values = math_ops.multiply(values, weights)
            num_values = math_ops.multiply(num_values, weights)
        update_total = state_ops.assign_add(total, values)
        with ops.control_dependencies([values]):
            update_count = state_ops.assign_add(count, num_values)
        return collect(safe_mean(total, count, 'value'),
                       safe_mean(update_total, update_count, 'update_op'), metrics_collections,
                       updates_collections)
