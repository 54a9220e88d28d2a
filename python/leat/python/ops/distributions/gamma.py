# SPDX-License-Identifier: Apache-2.0
"""The gamma distribution."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler

__all__ = ['Gamma', 'GammaWithSoftplusConcentrationRate']


class Gamma(distribution.Distribution):
    """rate^concentration x^(concentration - 1) exp(-x rate) / Gamma(concentration)"""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='Gamma'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            with ops.control_dependencies([
                    check_ops.assert_positive(concentration), check_ops.assert_positive(rate)]
                    if validate_args else []):
                self._concentration = array_ops.identity(concentration, name='concentration')
                self._rate = array_ops.identity(rate, name='rate')
                check_ops.assert_same_float_dtype([self._concentration, self._rate])
        super(Gamma, self).__init__(
            dtype=self._concentration.dtype, validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED, parameters=parameters,
            graph_parents=[self._concentration, self._rate], name=name)

    @property
    def concentration(self):
        return self._concentration

    @property
    def rate(self):
        return self._rate

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(array_ops.shape(self.concentration),
                                                 array_ops.shape(self.rate))

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(self.concentration.get_shape(),
                                                self.rate.get_shape())

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        return random_ops.random_gamma(shape=[n], alpha=self.concentration, beta=self.rate,
                                       dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        x = self._maybe_assert_valid_sample(x)
        return (math_ops.xlogy(self.concentration - 1., x) - self.rate * x) - (
            math_ops.lgamma(self.concentration) -
            self.concentration * math_ops.log(self.rate))

    def _cdf(self, x):
        x = self._maybe_assert_valid_sample(x)
        return math_ops.igamma(self.concentration, self.rate * x)

    def _entropy(self):
        return (self.concentration - math_ops.log(self.rate) +
                math_ops.lgamma(self.concentration) +
                ((1. - self.concentration) * math_ops.digamma(self.concentration)))

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / math_ops.square(self.rate)

    def _stddev(self):
        return math_ops.sqrt(self.concentration) / self.rate

    def _mode(self):
        mode = (self.concentration - 1.) / self.rate
        if self.allow_nan_stats:
            nan = array_ops.fill(self.batch_shape_tensor(),
                                 np.array(np.nan, dtype=self.dtype.as_numpy_dtype()), name='nan')
            return array_ops.where_v2(self.concentration > 1., mode, nan)
        return control_flow_ops.with_dependencies([check_ops.assert_less(
            array_ops.ones([], self.dtype), self.concentration,
            message='mode not defined when any concentration <= 1')], mode)

    def _maybe_assert_valid_sample(self, x):
        check_ops.assert_same_float_dtype(tensors=[x], dtype=self.dtype)
        if not self.validate_args:
            return x
        return control_flow_ops.with_dependencies([check_ops.assert_positive(x)], x)


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma with softplus of both."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='GammaWithSoftplusConcentrationRate'):
        with ops.name_scope(name, values=[concentration, rate]) as name:
            super(GammaWithSoftplusConcentrationRate, self).__init__(
                concentration=nn.softplus(concentration, name='softplus_concentration'),
                rate=nn.softplus(rate, name='softplus_rate'), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)


@kullback_leibler.RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(g0, g1, name=None):
    with ops.name_scope(name, 'kl_gamma_gamma',
                        values=[g0.concentration, g0.rate, g1.concentration, g1.rate]):
        return (((g0.concentration - g1.concentration) * math_ops.digamma(g0.concentration)) +
                math_ops.lgamma(g1.concentration) - math_ops.lgamma(g0.concentration) +
                g1.concentration * math_ops.log(g0.rate) -
                g1.concentration * math_ops.log(g1.rate) +
                g0.concentration * (g1.rate / g0.rate - 1.))
