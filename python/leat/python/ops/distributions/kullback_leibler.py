# SPDX-License-Identifier: Apache-2.0
"""The KL divergence of pairs of distributions, by functions that are registered for the pairs."""
import inspect

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops

__all__ = ['RegisterKL', 'kl_divergence']
_DIVERGENCES = {}


def _registered_kl(type_a, type_b):
    """The function for the nearest pair of base classes."""
    best, best_distance = None, None
    for i, a in enumerate(inspect.getmro(type_a)):
        for j, b in enumerate(inspect.getmro(type_b)):
            found = _DIVERGENCES.get((a, b))
            if found and (best is None or i + j < best_distance):
                best, best_distance = found, i + j
    return best


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """KL(a || b)"""
    kl_fn = _registered_kl(type(distribution_a), type(distribution_b))
    if kl_fn is None:
        raise NotImplementedError(
            'No KL(distribution_a || distribution_b) registered for distribution_a type %s and '
            'distribution_b type %s' % (type(distribution_a).__name__,
                                        type(distribution_b).__name__))
    with ops.name_scope('KullbackLeibler'):
        kl_t = kl_fn(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return kl_t
        kl_t = array_ops.identity(kl_t, name='kl')
        message = ('KL calculation between %s and %s returned NaN values (and was called with '
                   'allow_nan_stats=False). Values:' % (distribution_a.name, distribution_b.name))
        with ops.control_dependencies([control_flow_ops.Assert(
                math_ops.logical_not(math_ops.reduce_any(math_ops.is_nan(kl_t))),
                [message, kl_t])]):
            return array_ops.identity(kl_t, name='checked_kl')


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
    """The entropy of ref, and KL(ref || other)."""
    with ops.name_scope(name, 'cross_entropy'):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL(object):
    """Decorates the function for a pair of classes."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError('kl_fn must be callable, received: %s' % kl_fn)
        if self._key in _DIVERGENCES:
            raise ValueError('KL(%s || %s) has already been registered to: %s'
                             % (self._key[0].__name__, self._key[1].__name__,
                                _DIVERGENCES[self._key]))
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
