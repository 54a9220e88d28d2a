# SPDX-License-Identifier: Apache-2.0
"""The loss whose gradient is sparsemax's error."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops


def sparsemax_loss(logits, sparsemax, labels, name=None):
    with ops.name_scope(name, 'sparsemax_loss', [logits, sparsemax, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        sparsemax = ops.convert_to_tensor(sparsemax, name='sparsemax')
        labels = ops.convert_to_tensor(labels, name='labels')
        z = logits
        of_support = array_ops.where(
            math_ops.logical_or(sparsemax > 0, math_ops.is_nan(sparsemax)),
            sparsemax * (z - 0.5 * sparsemax), array_ops.zeros_like(sparsemax))
        of_labels = labels * (0.5 * labels - z)
        of_labels = array_ops.where(
            math_ops.logical_and(math_ops.equal(labels, 0), math_ops.is_inf(z)),
            array_ops.zeros_like(z), of_labels)
        return math_ops.reduce_sum(of_support + of_labels, axis=1)
