# SPDX-License-Identifier: Apache-2.0
"""How much of one batch's predictions is right."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops


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
