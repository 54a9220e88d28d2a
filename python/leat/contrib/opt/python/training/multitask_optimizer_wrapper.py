# SPDX-License-Identifier: Apache-2.0
"""An optimizer that leaves variables alone whose gradients are all zeros: those of other tasks."""
import types

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer


def _is_all_zeros(grad):
    return math_ops.equal(math_ops.count_nonzero(grad), 0)


def _get_wrapper(fn, opt):
    def wrapper(self, grad, *args, **kwargs):
        del self
        values = grad.values if isinstance(grad, ops.IndexedSlices) else grad
        return control_flow_ops.cond(_is_all_zeros(values), control_flow_ops.no_op,
                                     lambda: fn(grad, *args, **kwargs))
    return types.MethodType(wrapper, opt)


class MultitaskOptimizerWrapper(object):
    """The optimizer, whose updates look at the gradient first; all else is the optimizer's."""

    def __init__(self, opt):
        if not isinstance(opt, optimizer.Optimizer):
            raise TypeError('Supplied optimizer must be an instance of tf.train.Optimizer')
        self._opt = opt
        for name in ('_apply_dense', '_resource_apply_dense', '_apply_sparse',
                     '_resource_apply_sparse'):
            setattr(opt, name, _get_wrapper(getattr(opt, name), opt))

    def __getattr__(self, name):
        return getattr(self._opt, name)


def clip_gradients_by_global_norm(gradients_variables, clip_norm=20.):
    """(the pairs clipped, the norm of the gradients that are not all zeros, by which they are)"""
    gradients, variables = zip(*gradients_variables)

    def nonzero(grad):
        if grad is None:
            return grad
        return control_flow_ops.cond(_is_all_zeros(grad),
                                     lambda: array_ops.zeros([], dtype=grad.dtype), lambda: grad)
    norm = clip_ops.global_norm([nonzero(grad) for grad in gradients])
    gradients, _ = clip_ops.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(gradients, variables)), norm
