# SPDX-License-Identifier: Apache-2.0
"""The exponential distribution: a gamma of concentration 1."""
import numpy as np

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops.distributions import gamma

__all__ = ['Exponential', 'ExponentialWithSoftplusRate']


class Exponential(gamma.Gamma):
    """rate exp(-rate x)"""

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name='Exponential'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            self._rate = ops.convert_to_tensor(rate, name='rate')
        super(Exponential, self).__init__(
            concentration=array_ops.ones([], dtype=self._rate.dtype), rate=self._rate,
            allow_nan_stats=allow_nan_stats, validate_args=validate_args, name=name)
        self._set_parameters(parameters)
        self._graph_parents += [self._rate]

    @property
    def rate(self):
        return self._rate

    def _log_survival_function(self, value):
        return self._log_prob(value) - math_ops.log(self._rate)

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], array_ops.shape(self._rate)], 0)
        sampled = random_ops.random_uniform(
            shape, minval=np.finfo(self.dtype.as_numpy_dtype).tiny, maxval=1., seed=seed,
            dtype=self.dtype)
        return -math_ops.log(sampled) / self._rate


class ExponentialWithSoftplusRate(Exponential):
    """Exponential with softplus of the rate."""

    def __init__(self, rate, validate_args=False, allow_nan_stats=True,
                 name='ExponentialWithSoftplusRate'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            super(ExponentialWithSoftplusRate, self).__init__(
                rate=nn.softplus(rate, name='softplus_rate'), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)
        self._set_parameters(parameters)
