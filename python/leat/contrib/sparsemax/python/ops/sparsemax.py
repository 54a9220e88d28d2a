# SPDX-License-Identifier: Apache-2.0
"""The nearest point of the simplex (Martins and Astudillo 2016)."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn


def sparsemax(logits, name=None):
    """Each row of logits on the simplex; rows that cannot be are NaN."""
    with ops.name_scope(name, 'sparsemax', [logits]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        obs = array_ops.shape(logits)[0]
        dims = array_ops.shape(logits)[1]
        z = logits
        z_sorted, _ = nn.top_k(z, k=dims)
        z_cumsum = math_ops.cumsum(z_sorted, axis=1)
        k = math_ops.range(1, math_ops.cast(dims, logits.dtype) + 1, dtype=logits.dtype)
        in_support = 1 + k * z_sorted > z_cumsum
        k_z = math_ops.reduce_sum(math_ops.cast(in_support, dtypes.int32), axis=1)
        k_safe = math_ops.maximum(k_z, 1)
        indices = array_ops.stack([math_ops.range(0, obs), k_safe - 1], axis=1)
        tau_sum = array_ops.gather_nd(z_cumsum, indices)
        tau = (tau_sum - 1) / math_ops.cast(k_z, logits.dtype)
        p = math_ops.maximum(math_ops.cast(0, logits.dtype), z - tau[:, array_ops.newaxis])
        return array_ops.where(
            math_ops.logical_or(math_ops.equal(k_z, 0), math_ops.is_nan(z_cumsum[:, -1])),
            array_ops.fill([obs, dims], math_ops.cast(np.nan, logits.dtype)), p)
