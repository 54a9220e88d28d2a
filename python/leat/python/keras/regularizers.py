# SPDX-License-Identifier: Apache-2.0
"""Losses of the size of weights, as layers take them."""


class L1L2(object):
    """l1 times the sum of sizes, and l2 times the sum of squares."""

    def __init__(self, l1=0., l2=0.):
        self.l1 = float(l1)
        self.l2 = float(l2)

    def __call__(self, x):
        from leat.python.framework import constant_op
        from leat.python.ops import math_ops
        if not self.l1 and not self.l2:
            return constant_op.constant(0.)
        loss = 0.
        if self.l1:
            loss += math_ops.reduce_sum(self.l1 * math_ops.abs(x))
        if self.l2:
            loss += math_ops.reduce_sum(self.l2 * math_ops.square(x))
        return loss

    def get_config(self):
        return {'l1': float(self.l1), 'l2': float(self.l2)}


def l1(l=0.01):
    return L1L2(l1=l)


def l2(l=0.01):
    return L1L2(l2=l)


def l1_l2(l1=0.01, l2=0.01):
    return L1L2(l1=l1, l2=l2)


def get(identifier):
    """The function: a name stands for one of the above."""
    if identifier is None or callable(identifier):
        return identifier
    named = {'l1': l1, 'l2': l2, 'l1_l2': l1_l2}
    if isinstance(identifier, str) and identifier in named:
        return named[identifier]()
    raise ValueError('Could not interpret regularizer identifier:', identifier)
