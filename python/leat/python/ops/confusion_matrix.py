# SPDX-License-Identifier: Apache-2.0
"""How often each class is taken for each other."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import sparse_ops


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """Both, the one whose last dim of 1 is too much without it."""
    from leat.python.ops import control_flow_ops
    with ops.name_scope(name, 'remove_squeezable_dimensions', [labels, predictions]):
        predictions = ops.convert_to_tensor(predictions)
        labels = ops.convert_to_tensor(labels)
        p_rank, l_rank = predictions.get_shape().ndims, labels.get_shape().ndims
        if p_rank is not None and l_rank is not None:
            diff = p_rank - l_rank
            if diff == expected_rank_diff + 1:
                predictions = array_ops.squeeze(predictions, [-1])
            elif diff == expected_rank_diff - 1:
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        diff = array_ops.rank(predictions) - array_ops.rank(labels)
        if p_rank is None or predictions.get_shape().dims[-1].is_compatible_with(1):
            whole_p = predictions
            predictions = control_flow_ops.cond(
                math_ops.equal(expected_rank_diff + 1, diff),
                lambda: array_ops.squeeze(whole_p, [-1]), lambda: whole_p)
        if l_rank is None or labels.get_shape().dims[-1].is_compatible_with(1):
            whole_l = labels
            labels = control_flow_ops.cond(
                math_ops.equal(expected_rank_diff - 1, diff),
                lambda: array_ops.squeeze(whole_l, [-1]), lambda: whole_l)
        return labels, predictions


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=dtypes.int32,
                     name=None):
    """A matrix of counts: the labels' classes are rows, the predictions' columns."""
    from leat.python.ops import control_flow_ops
    with ops.name_scope(name, 'confusion_matrix', (predictions, labels, num_classes, weights)):
        labels, predictions = remove_squeezable_dimensions(
            ops.convert_to_tensor(labels, name='labels'),
            ops.convert_to_tensor(predictions, name='predictions'))
        predictions = math_ops.cast(predictions, dtypes.int64)
        labels = math_ops.cast(labels, dtypes.int64)
        labels = control_flow_ops.with_dependencies([check_ops.assert_non_negative(
            labels, message='`labels` contains negative values')], labels)
        predictions = control_flow_ops.with_dependencies([check_ops.assert_non_negative(
            predictions, message='`predictions` contains negative values')], predictions)
        if num_classes is None:
            num_classes = math_ops.maximum(math_ops.reduce_max(predictions),
                                           math_ops.reduce_max(labels)) + 1
        else:
            classes = math_ops.cast(num_classes, dtypes.int64)
            labels = control_flow_ops.with_dependencies([check_ops.assert_less(
                labels, classes, message='`labels` out of bound')], labels)
            predictions = control_flow_ops.with_dependencies([check_ops.assert_less(
                predictions, classes, message='`predictions` out of bound')], predictions)
        if weights is not None:
            weights = ops.convert_to_tensor(weights, name='weights')
            predictions.get_shape().assert_is_compatible_with(weights.get_shape())
            weights = math_ops.cast(weights, dtype)
        shape = array_ops.stack([num_classes, num_classes])
        indices = array_ops.stack([labels, predictions], axis=1)
        values = array_ops.ones_like(predictions, dtype) if weights is None else weights
        counts = sparse_tensor.SparseTensor(indices=indices, values=values,
                                            dense_shape=math_ops.cast(shape, dtypes.int64))
        zeros = array_ops.zeros(math_ops.cast(shape, dtypes.int32), dtype)
        return sparse_ops.sparse_add(zeros, counts)


def confusion_matrix_v1(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None,
                        weights=None):
    return confusion_matrix(labels, predictions, num_classes, weights, dtype, name)
