# SPDX-License-Identifier: Apache-2.0
"""Dropout that keeps mean and variance of what selu gives (Klambauer et al. 2017)."""
import numbers

from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops

# -scale * alpha of selu.
_ALPHA = -1.7580993408473766


def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    with ops.name_scope(name, 'alpha_dropout', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if isinstance(keep_prob, numbers.Real) and not 0 < keep_prob <= 1.:
            raise ValueError('keep_prob must be a scalar tensor or a float in the range (0, 1], '
                             'got %g' % keep_prob)
        keep_prob = ops.convert_to_tensor(keep_prob, dtype=x.dtype, name='keep_prob')
        keep_prob.get_shape().assert_has_rank(0)
        if tensor_util.constant_value(keep_prob) == 1:
            return x
        noise_shape = noise_shape if noise_shape is not None else array_ops.shape(x)
        random = random_ops.random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        kept = math_ops.cast(random >= 1 - keep_prob, x.dtype)
        x = x * kept + _ALPHA * (1 - kept)
        a = (keep_prob + keep_prob * (1 - keep_prob) * _ALPHA ** 2) ** -0.5
        b = -a * _ALPHA * (1 - keep_prob)
        return a * x + b
