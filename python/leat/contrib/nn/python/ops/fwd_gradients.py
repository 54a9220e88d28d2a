# SPDX-License-Identifier: Apache-2.0
"""Derivatives forwards: the gradients' gradients."""
from leat.python.ops import array_ops
from leat.python.ops import gradients_impl


def fwd_gradients(ys, xs, grad_xs=None, assert_unused=False):
    """How each y moves when the xs move along grad_xs."""
    us = [array_ops.zeros_like(y) + float('nan') for y in ys]
    dydxs = gradients_impl.gradients(ys, xs, grad_ys=us)
    dydxs = [array_ops.zeros_like(x) if d is None else d for d, x in zip(dydxs, xs)]
    if assert_unused:
        from leat.python.framework import ops
        from leat.python.ops import control_flow_ops
        with ops.control_dependencies([control_flow_ops.Assert(False, [u]) for u in us]):
            dydxs = [array_ops.identity(d) for d in dydxs]
    return gradients_impl.gradients(dydxs, us, grad_ys=grad_xs)
