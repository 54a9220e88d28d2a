# SPDX-License-Identifier: Apache-2.0
"""The beta distribution."""
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
from leat.python.ops.distributions import util as distribution_util

__all__ = ['Beta', 'BetaWithSoftplusConcentration']


class Beta(distribution.Distribution):
    """x^(concentration1 - 1) (1 - x)^(concentration0 - 1) / B(concentration1, concentration0)"""

    def __init__(self, concentration1=None, concentration0=None, validate_args=False,
                 allow_nan_stats=True, name='Beta'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = self._checked(
                ops.convert_to_tensor(concentration1, name='concentration1'), validate_args)
            self._concentration0 = self._checked(
                ops.convert_to_tensor(concentration0, name='concentration0'), validate_args)
            check_ops.assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        super(Beta, self).__init__(
            dtype=self._total_concentration.dtype, validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED, parameters=parameters,
            graph_parents=[self._concentration1, self._concentration0,
                           self._total_concentration], name=name)

    @staticmethod
    def _checked(concentration, validate_args):
        if not validate_args:
            return concentration
        return control_flow_ops.with_dependencies([check_ops.assert_positive(
            concentration, message='Concentration parameter must be positive.')], concentration)

    @property
    def concentration1(self):
        return self._concentration1

    @property
    def concentration0(self):
        return self._concentration0

    @property
    def total_concentration(self):
        return self._total_concentration

    def _batch_shape_tensor(self):
        return array_ops.shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.get_shape()

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        expanded1 = array_ops.ones_like(self.total_concentration,
                                        dtype=self.dtype) * self.concentration1
        expanded0 = array_ops.ones_like(self.total_concentration,
                                        dtype=self.dtype) * self.concentration0
        gamma1 = random_ops.random_gamma(shape=[n], alpha=expanded1, dtype=self.dtype, seed=seed)
        gamma2 = random_ops.random_gamma(shape=[n], alpha=expanded0, dtype=self.dtype,
                                         seed=distribution_util.gen_new_seed(seed, 'beta'))
        return gamma1 / (gamma1 + gamma2)

    def _log_prob(self, x):
        return (math_ops.xlogy(self.concentration1 - 1., x) +
                (self.concentration0 - 1.) * math_ops.log1p(-x)) - self._log_normalization()

    def _log_normalization(self):
        return (math_ops.lgamma(self.concentration1) + math_ops.lgamma(self.concentration0) -
                math_ops.lgamma(self.total_concentration))

    def _cdf(self, x):
        return math_ops.betainc(self.concentration1, self.concentration0, x)

    def _entropy(self):
        return (self._log_normalization() -
                (self.concentration1 - 1.) * math_ops.digamma(self.concentration1) -
                (self.concentration0 - 1.) * math_ops.digamma(self.concentration0) +
                (self.total_concentration - 2.) * math_ops.digamma(self.total_concentration))

    def _mean(self):
        return self._concentration1 / self._total_concentration

    def _variance(self):
        return self._mean() * (1. - self._mean()) / (1. + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.) / (self.total_concentration - 2.)
        is_defined = math_ops.logical_and(self.concentration1 > 1., self.concentration0 > 1.)
        nan = array_ops.fill(self.batch_shape_tensor(),
                             np.array(np.nan, dtype=self.dtype.as_numpy_dtype()), name='nan')
        return array_ops.where_v2(is_defined, mode, nan)


class BetaWithSoftplusConcentration(Beta):
    """Beta with softplus of both concentrations."""

    def __init__(self, concentration1, concentration0, validate_args=False, allow_nan_stats=True,
                 name='BetaWithSoftplusConcentration'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration1, concentration0]) as name:
            super(BetaWithSoftplusConcentration, self).__init__(
                concentration1=nn.softplus(concentration1, name='softplus_concentration1'),
                concentration0=nn.softplus(concentration0, name='softplus_concentration0'),
                validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        self._set_parameters(parameters)


@kullback_leibler.RegisterKL(Beta, Beta)
def _kl_beta_beta(d1, d2, name=None):
    def delta(fn, is_property=False):
        a, b = getattr(d1, fn), getattr(d2, fn)
        return b - a if is_property else b() - a()
    with ops.name_scope(name, 'kl_beta_beta', values=[d1.concentration1, d1.concentration0,
                                                      d1.total_concentration]):
        return (delta('_log_normalization') -
                math_ops.digamma(d1.concentration1) * delta('concentration1', True) -
                math_ops.digamma(d1.concentration0) * delta('concentration0', True) +
                math_ops.digamma(d1.total_concentration) * delta('total_concentration', True))
