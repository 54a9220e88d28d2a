# SPDX-License-Identifier: Apache-2.0
"""alpha * softplus(x / alpha), whose gradient in alpha is exact."""
from leat.python.framework import ops
from leat.python.ops import custom_gradient
from leat.python.ops import gen_array_ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn


def _reduce_like(grad, own, broadcast):
    """The gradient of a value that was broadcast."""
    axes, _ = gen_array_ops.broadcast_gradient_args(array_ops.shape(own),
                                                    array_ops.shape(broadcast))
    return array_ops.reshape(math_ops.reduce_sum(grad, axes), array_ops.shape(own))


def scaled_softplus(x, alpha, clip=None, name=None):
    """Near max(0, x) for a small alpha; no more than clip where it is said."""
    with ops.name_scope(name, 'scaled_softplus', [x, alpha] + ([] if clip is None else [clip])):
        x = ops.convert_to_tensor(x, name='x')
        alpha = ops.convert_to_tensor(alpha, dtype=x.dtype, name='alpha')
        if clip is not None:
            clip = ops.convert_to_tensor(clip, dtype=x.dtype, name='clip')

        @custom_gradient.custom_gradient
        def compute(x, alpha):
            y = alpha * nn.softplus(x / alpha)
            top = y if clip is None else math_ops.minimum(y, clip)

            def grad(dy):
                if clip is not None:
                    dy = dy * math_ops.cast(y < clip, dy.dtype)
                z = y / alpha
                e = math_ops.exp(-z)
                rising = 1 - e
                da = z * e - rising * math_ops.log(rising + 1e-8)
                return _reduce_like(dy * rising, x, y), _reduce_like(dy * da, alpha, y)
            return top, grad
        return compute(x, alpha)
