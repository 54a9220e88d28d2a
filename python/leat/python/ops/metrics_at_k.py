# SPDX-License-Identifier: Apache-2.0
"""Metrics of the best k predictions: recall_at_k, precision_at_k, average_precision_at_k.

Labels are the true classes of each example, dense or sparse; sets of ids are compared.
"""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import sets
from leat.python.ops import sparse_ops
from leat.python.ops import state_ops
from leat.python.ops import weights_broadcast_ops
from leat.python.ops.metrics_common import _safe_scalar_div, collect, metric_variable
from leat.python.util import deprecation


def _at_k_name(name, k=None, class_id=None):
    name = '%s_at_%d' % (name, k) if k is not None else '%s_at_k' % name
    return '%s_class%d' % (name, class_id) if class_id is not None else name


def _either(x):
    return sparse_tensor.convert_to_tensor_or_sparse_tensor(x)


def _maybe_expand_labels(labels, predictions):
    """Labels with a last dim, where predictions have one more than they."""
    with ops.name_scope(None, 'expand_labels', (labels, predictions)) as scope:
        labels = _either(labels)
        if isinstance(labels, sparse_tensor.SparseTensor):
            return control_flow_ops.cond(
                math_ops.equal(array_ops.rank(predictions),
                               array_ops.size(labels.dense_shape) + 1),
                lambda: sparse_ops.sparse_reshape(
                    labels, shape=array_ops.concat((labels.dense_shape, (1,)), 0), name=scope),
                lambda: labels)
        labels_rank, predictions_rank = labels.get_shape().ndims, predictions.get_shape().ndims
        if labels_rank is not None and predictions_rank is not None:
            if predictions_rank == labels_rank + 1:
                return array_ops.expand_dims(labels, -1, name=scope)
            if predictions_rank == labels_rank:
                return labels
            raise ValueError('Unexpected labels shape %s for predictions shape %s.'
                             % (labels.get_shape(), predictions.get_shape()))
        return control_flow_ops.cond(
            math_ops.equal(array_ops.rank(predictions), array_ops.rank(labels) + 1),
            lambda: array_ops.expand_dims(labels, -1, name=scope), lambda: labels)


def _select_class_id(ids, selected_id):
    """Of the ids only the selected one, as a SparseTensor."""
    ids = _either(ids)
    if isinstance(ids, sparse_tensor.SparseTensor):
        return sparse_ops.sparse_retain(ids, math_ops.equal(ids.values, selected_id))
    shape = array_ops.shape(ids, out_type=dtypes.int64)
    last_dim = array_ops.size(shape) - 1
    filled_shape = math_ops.reduced_shape(shape, array_ops.reshape(last_dim, [1]))
    filled = array_ops.fill(filled_shape, math_ops.cast(selected_id, dtypes.int64))
    result = sets.set_intersection(filled, ids)
    return sparse_tensor.SparseTensor(indices=result.indices, values=result.values,
                                      dense_shape=shape)


def _maybe_select_class_id(labels, predictions_idx, selected_id=None):
    if selected_id is None:
        return labels, predictions_idx
    return (_select_class_id(labels, selected_id),
            _select_class_id(predictions_idx, selected_id))


def _clean_out_of_range_indices(labels, num_classes):
    """Labels with -1 in the place of what is no class."""
    def cleaned(values):
        return array_ops.where_v2(math_ops.greater_equal(values, num_classes),
                                  -1 * array_ops.ones_like(values), values)
    labels = _either(labels)
    values = labels.values if isinstance(labels, sparse_tensor.SparseTensor) else labels
    any_outside = math_ops.greater_equal(math_ops.reduce_max(values), num_classes)
    given = values
    values = control_flow_ops.cond(any_outside, lambda: cleaned(given), lambda: given)
    if isinstance(labels, sparse_tensor.SparseTensor):
        return sparse_tensor.SparseTensor(indices=labels.indices, values=values,
                                          dense_shape=labels.dense_shape)
    return values


def _weighted(counts, weights):
    counts = math_ops.cast(counts, dtypes.float64)
    if weights is not None:
        with ops.control_dependencies(
                (weights_broadcast_ops.assert_broadcastable(weights, counts),)):
            counts = math_ops.multiply(counts, math_ops.cast(weights, dtypes.float64))
    return counts


def _sparse_true_positive_at_k(labels, predictions_idx, class_id=None, weights=None, name=None):
    """How many of the predictions are labels."""
    with ops.name_scope(name, 'true_positives', (predictions_idx, labels, weights)):
        labels, predictions_idx = _maybe_select_class_id(labels, predictions_idx, class_id)
        return _weighted(sets.set_size(sets.set_intersection(predictions_idx, labels)), weights)


def _sparse_false_positive_at_k(labels, predictions_idx, class_id=None, weights=None):
    """How many of the predictions are no labels."""
    with ops.name_scope(None, 'false_positives', (predictions_idx, labels, weights)):
        labels, predictions_idx = _maybe_select_class_id(labels, predictions_idx, class_id)
        return _weighted(
            sets.set_size(sets.set_difference(predictions_idx, labels, aminusb=True)), weights)


def _sparse_false_negative_at_k(labels, predictions_idx, class_id=None, weights=None):
    """How many of the labels are not predicted."""
    with ops.name_scope(None, 'false_negatives', (predictions_idx, labels, weights)):
        labels, predictions_idx = _maybe_select_class_id(labels, predictions_idx, class_id)
        return _weighted(
            sets.set_size(sets.set_difference(predictions_idx, labels, aminusb=False)), weights)


def _streaming(kind, count, labels, predictions_idx, k, class_id, weights, name):
    """(the sum of the counts of all so far, the op that adds to it)"""
    with ops.name_scope(name, _at_k_name(kind, k, class_id=class_id),
                        (predictions_idx, labels, weights)) as scope:
        counts = count(predictions_idx=predictions_idx, labels=labels, class_id=class_id,
                       weights=weights)
        batch_total = math_ops.cast(math_ops.reduce_sum(counts), dtypes.float64)
        var = metric_variable([], dtypes.float64, name=scope)
        return var, state_ops.assign_add(var, batch_total, name='update')


def _streaming_sparse_true_positive_at_k(labels, predictions_idx, k=None, class_id=None,
                                         weights=None, name=None):
    return _streaming('true_positive', _sparse_true_positive_at_k, labels, predictions_idx, k,
                      class_id, weights, name)


def _streaming_sparse_false_positive_at_k(labels, predictions_idx, k=None, class_id=None,
                                          weights=None, name=None):
    return _streaming('false_positive', _sparse_false_positive_at_k, labels, predictions_idx, k,
                      class_id, weights, name)


def _streaming_sparse_false_negative_at_k(labels, predictions_idx, k, class_id=None,
                                          weights=None, name=None):
    return _streaming('false_negative', _sparse_false_negative_at_k, labels, predictions_idx, k,
                      class_id, weights, name)


def _share_at_top_k(kind, other, labels, predictions_idx, k, class_id, weights,
                    metrics_collections, updates_collections, name):
    """true positives / (true positives + the other)"""
    with ops.name_scope(name, _at_k_name(kind, k, class_id=class_id),
                        (predictions_idx, labels, weights)) as scope:
        labels = _maybe_expand_labels(labels, predictions_idx)
        top_k_idx = math_ops.cast(predictions_idx, dtypes.int64)
        right, right_update = _streaming_sparse_true_positive_at_k(
            predictions_idx=top_k_idx, labels=labels, k=k, class_id=class_id, weights=weights)
        wrong, wrong_update = other(predictions_idx=top_k_idx, labels=labels, k=k,
                                    class_id=class_id, weights=weights)
        metric = math_ops.div(right, math_ops.add(right, wrong), name=scope)
        update = math_ops.div(right_update, math_ops.add(right_update, wrong_update),
                              name='update')
        return collect(metric, update, metrics_collections, updates_collections)


def recall_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None,
                    metrics_collections=None, updates_collections=None, name=None):
    """How many of the labels are among the predictions."""
    return _share_at_top_k('recall', _streaming_sparse_false_negative_at_k, labels,
                           predictions_idx, k, class_id, weights, metrics_collections,
                           updates_collections, name)


def precision_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None,
                       metrics_collections=None, updates_collections=None, name=None):
    """How many of the predictions are labels."""
    return _share_at_top_k('precision', _streaming_sparse_false_positive_at_k, labels,
                           predictions_idx, k, class_id, weights, metrics_collections,
                           updates_collections, name)


def recall_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """recall_at_top_k of the k largest of the predictions."""
    with ops.name_scope(name, _at_k_name('recall', k, class_id=class_id),
                        (predictions, labels, weights)) as scope:
        _, top_k_idx = nn.top_k(predictions, k)
        return recall_at_top_k(labels, top_k_idx, k, class_id, weights, metrics_collections,
                               updates_collections, scope)


def precision_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """precision_at_top_k of the k largest of the predictions."""
    with ops.name_scope(name, _at_k_name('precision', k, class_id=class_id),
                        (predictions, labels, weights)) as scope:
        _, top_k_idx = nn.top_k(predictions, k)
        return precision_at_top_k(labels, top_k_idx, k, class_id, weights, metrics_collections,
                                  updates_collections, scope)


@deprecation.deprecated(None, 'Use precision_at_k instead')
def sparse_precision_at_k(labels, predictions, k, class_id=None, weights=None,
                          metrics_collections=None, updates_collections=None, name=None):
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections,
                          updates_collections, name)


def _expand_and_tile(tensor, multiple, dim=0, name=None):
    """The tensor `multiple` times along a new dim."""
    if multiple < 1:
        raise ValueError('Invalid multiple %s, must be > 0.' % multiple)
    with ops.name_scope(name, 'expand_and_tile', (tensor, multiple, dim)) as scope:
        tensor = _either(tensor)
        if isinstance(tensor, sparse_tensor.SparseTensor):
            if dim < 0:
                expand = array_ops.reshape(array_ops.size(tensor.dense_shape) + dim, [1])
            else:
                expand = [dim]
            expanded_shape = array_ops.concat(
                (array_ops.slice(tensor.dense_shape, [0], expand), [1],
                 array_ops.slice(tensor.dense_shape, expand, [-1])), 0, name='expanded_shape')
            expanded = sparse_ops.sparse_reshape(tensor, shape=expanded_shape, name='expand')
            if multiple == 1:
                return expanded
            return sparse_ops.sparse_concat(dim - 1 if dim < 0 else dim, [expanded] * multiple,
                                            name=scope)
        expanded = array_ops.expand_dims(tensor, dim if dim >= 0 else dim - 1, name='expand')
        if multiple == 1:
            return expanded
        ones = array_ops.ones_like(array_ops.shape(tensor))
        multiples = array_ops.concat((ones[:dim], (multiple,), ones[dim:]), 0, name='multiples')
        return array_ops.tile(expanded, multiples, name=scope)


def _num_relevant(labels, k):
    """How many of the labels could be among k predictions."""
    if k < 1:
        raise ValueError('Invalid k=%s.' % k)
    with ops.name_scope(None, 'num_relevant', (labels,)) as scope:
        labels = _either(labels)
        if isinstance(labels, sparse_tensor.SparseTensor):
            return math_ops.minimum(sets.set_size(labels), k, name=scope)
        num = math_ops.reduce_sum(
            array_ops.where_v2(math_ops.greater_equal(labels, 0), array_ops.ones_like(labels),
                               array_ops.zeros_like(labels)), axis=-1)
        return math_ops.minimum(num, k, name=scope)


def _sparse_average_precision_at_top_k(labels, predictions_idx):
    """The mean precision over the places where a label stands."""
    with ops.name_scope(None, 'average_precision', (predictions_idx, labels)) as scope:
        predictions_idx = math_ops.cast(predictions_idx, dtypes.int64, name='predictions_idx')
        if predictions_idx.get_shape().ndims == 0:
            raise ValueError('The rank of predictions_idx must be at least 1.')
        k = predictions_idx.get_shape().as_list()[-1]
        if k is None:
            raise ValueError('The last dimension of predictions_idx must be set.')
        labels = _maybe_expand_labels(labels, predictions_idx)
        per_k = array_ops.expand_dims(predictions_idx, -1, name='predictions_idx_per_k')
        labels_per_k = _expand_and_tile(labels, multiple=k, dim=-1, name='labels_per_k')
        relevant = _sparse_true_positive_at_k(predictions_idx=per_k, labels=labels_per_k,
                                              name='relevant_per_k')
        tp_per_k = math_ops.cumsum(relevant, axis=-1, name='tp_per_k')
        retrieved = math_ops.cumsum(array_ops.ones_like(relevant), axis=-1,
                                    name='retrieved_per_k')
        precision = math_ops.div(math_ops.cast(tp_per_k, dtypes.float64),
                                 math_ops.cast(retrieved, dtypes.float64),
                                 name='precision_per_k')
        relevant_precision = math_ops.multiply(
            precision, math_ops.cast(relevant, dtypes.float64), name='relevant_precision_per_k')
        total = math_ops.reduce_sum(relevant_precision, axis=(-1,), name='precision_sum')
        num_relevant = math_ops.cast(_num_relevant(labels, k), dtypes.float64)
        return math_ops.div(total, num_relevant, name=scope)


def _streaming_sparse_average_precision_at_top_k(labels, predictions_idx, weights=None,
                                                 metrics_collections=None,
                                                 updates_collections=None, name=None):
    """The mean of the average precisions of all examples so far."""
    with ops.name_scope(name, 'average_precision_at_top_k',
                        (predictions_idx, labels, weights)) as scope:
        average = _sparse_average_precision_at_top_k(predictions_idx=predictions_idx,
                                                     labels=labels)
        if weights is not None:
            weights = weights_broadcast_ops.broadcast_weights(
                math_ops.cast(weights, dtypes.float64), average)
            average = math_ops.multiply(average, weights)
        with ops.name_scope(None, 'max', (average,)) as max_scope:
            max_var = metric_variable([], dtypes.float64, name=max_scope)
            if weights is None:
                batch_max = math_ops.cast(array_ops.size(average, name='batch_max'),
                                          dtypes.float64)
            else:
                batch_max = math_ops.reduce_sum(weights, name='batch_max')
            max_update = state_ops.assign_add(max_var, batch_max, name='update')
        with ops.name_scope(None, 'total', (average,)) as total_scope:
            total_var = metric_variable([], dtypes.float64, name=total_scope)
            batch_total = math_ops.reduce_sum(average, name='batch_total')
            total_update = state_ops.assign_add(total_var, batch_total, name='update')
        return collect(_safe_scalar_div(total_var, max_var, name='mean'),
                       _safe_scalar_div(total_update, max_update, name=scope),
                       metrics_collections, updates_collections)


def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                           updates_collections=None, name=None):
    """The mean average precision of the k largest of the predictions."""
    if k < 1:
        raise ValueError('Invalid k=%s.' % k)
    with ops.name_scope(name, _at_k_name('average_precision', k),
                        (predictions, labels, weights)) as scope:
        _, predictions_idx = nn.top_k(predictions, k)
        num_classes = math_ops.cast(array_ops.shape(predictions)[-1], dtypes.int64)
        labels = _clean_out_of_range_indices(labels, num_classes)
        return _streaming_sparse_average_precision_at_top_k(
            labels, predictions_idx, weights=weights, metrics_collections=metrics_collections,
            updates_collections=updates_collections, name=scope)


@deprecation.deprecated(None, 'Use average_precision_at_k instead')
def sparse_average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections,
                                  updates_collections, name)
