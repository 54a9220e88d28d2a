# SPDX-License-Identifier: Apache-2.0
"""The Dirichlet distribution over probabilities of classes."""
import numpy as np

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import special_math_ops
from leat.python.ops.distributions import distribution

__all__ = ['Dirichlet']


class Dirichlet(distribution.Distribution):
    """prod x^(concentration - 1) / B(concentration), over the last dim."""

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True,
                 name='Dirichlet'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration]) as name:
            concentration = ops.convert_to_tensor(concentration, name='concentration')
            if validate_args:
                concentration = control_flow_ops.with_dependencies([
                    check_ops.assert_positive(
                        concentration, message='Concentration parameter must be positive.'),
                    check_ops.assert_rank_at_least(
                        concentration, 1,
                        message='Concentration parameter must have >=1 dimensions.')],
                    concentration)
            self._concentration = concentration
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
        super(Dirichlet, self).__init__(
            dtype=self._concentration.dtype, validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED, parameters=parameters,
            graph_parents=[self._concentration, self._total_concentration], name=name)

    @property
    def concentration(self):
        return self._concentration

    @property
    def total_concentration(self):
        return self._total_concentration

    def _batch_shape_tensor(self):
        return array_ops.shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.get_shape()

    def _event_shape_tensor(self):
        return array_ops.shape(self.concentration)[-1:]

    def _event_shape(self):
        return self.concentration.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        gamma_sample = random_ops.random_gamma(shape=[n], alpha=self.concentration,
                                               dtype=self.dtype, seed=seed)
        return gamma_sample / math_ops.reduce_sum(gamma_sample, -1, keepdims=True)

    def _log_prob(self, x):
        return (math_ops.reduce_sum(math_ops.xlogy(self.concentration - 1., x), -1) -
                special_math_ops.lbeta(self.concentration))

    def _entropy(self):
        k = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        return (special_math_ops.lbeta(self.concentration) +
                ((self.total_concentration - k) * math_ops.digamma(self.total_concentration)) -
                math_ops.reduce_sum((self.concentration - 1.) *
                                    math_ops.digamma(self.concentration), axis=-1))

    def _mean(self):
        return self.concentration / self.total_concentration[..., array_ops.newaxis]

    def _variance(self):
        x = self._mean()
        return x * (1. - x) / (1. + self.total_concentration)[..., array_ops.newaxis]

    def _covariance(self):
        x = self._variance_scale_term() * self._mean()
        return array_ops.matrix_set_diag(
            -math_ops.matmul(x[..., array_ops.newaxis], x[..., array_ops.newaxis, :]),
            self._variance())

    def _variance_scale_term(self):
        return math_ops.rsqrt(1. + self.total_concentration[..., array_ops.newaxis])

    def _mode(self):
        k = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1.) / (self.total_concentration[..., array_ops.newaxis] - k)
        nan = array_ops.fill(array_ops.shape(mode),
                             np.array(np.nan, dtype=self.dtype.as_numpy_dtype()), name='nan')
        return array_ops.where_v2(math_ops.reduce_all(self.concentration > 1., axis=-1), mode, nan)
