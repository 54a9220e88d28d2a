# SPDX-License-Identifier: Apache-2.0
"""Families of a place and a width: Cauchy, Logistic, HalfNormal."""
import math

import numpy as np

from leat.contrib.distributions.python.ops import _scalar
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import kullback_leibler
from leat.python.ops.distributions import special_math


class _LocScale(_scalar.ScalarDistribution):
    """loc + scale * X; a subclass has X."""

    def _set_up(self, loc, scale, validate_args, allow_nan_stats, name, parameters):
        with ops.name_scope(name, values=[loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(scale)]
                                          if validate_args else []):
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_ops.assert_same_float_dtype([self._loc, self._scale])
        self._begin([self._loc, self._scale], parameters, name, validate_args, allow_nan_stats,
                    reparameterized=True, dtype=self._scale.dtype)

    _param_shapes = _scalar.param_shapes('loc', 'scale')

    @property
    def loc(self):
        return self._loc

    @property
    def scale(self):
        return self._scale

    def _z(self, x):
        with ops.name_scope('standardize', values=[x]):
            return (x - self.loc) / self.scale

    def _inside_unit(self, n, seed):
        """Uniform samples between 0 and 1, neither of which they are."""
        return random_ops.random_uniform(
            shape=self._shape_of_samples(n), minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1., dtype=self.dtype, seed=seed)


class Cauchy(_LocScale):
    """1 / (pi scale (1 + z^2))"""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Cauchy'):
        self._set_up(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n, seed=None):
        probs = random_ops.random_uniform(shape=self._shape_of_samples(n), minval=0., maxval=1.,
                                          dtype=self.dtype, seed=seed)
        return self._quantile(probs)

    def _log_prob(self, x):
        return -math_ops.log1p(math_ops.square(self._z(x))) - (
            np.log(np.pi) + math_ops.log(self.scale))

    def _cdf(self, x):
        return math_ops.atan(self._z(x)) / np.pi + 0.5

    def _log_cdf(self, x):
        return math_ops.log1p(2 / np.pi * math_ops.atan(self._z(x))) - np.log(2)

    def _entropy(self):
        return math.log(4 * math.pi) + math_ops.log(self._spread(self.scale))

    def _quantile(self, p):
        return self.loc + self.scale * math_ops.tan(np.pi * (p - 0.5))

    def _mode(self):
        return self._spread(self.loc)

    def _undefined(self, what):
        if not self.allow_nan_stats:
            raise ValueError('`%s` is undefined for Cauchy distribution.' % what)
        return array_ops.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))

    def _mean(self):
        return self._undefined('mean')

    def _stddev(self):
        return self._undefined('stddev')


class Logistic(_LocScale):
    """exp(-z) / (scale (1 + exp(-z))^2)"""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Logistic'):
        self._set_up(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n, seed=None):
        uniform = self._inside_unit(n, seed)
        return (math_ops.log(uniform) - math_ops.log1p(-1. * uniform)) * self.scale + self.loc

    def _log_prob(self, x):
        z = self._z(x)
        return -z - 2. * nn_ops.softplus(-z) - math_ops.log(self.scale)

    def _log_cdf(self, x):
        return -nn_ops.softplus(-self._z(x))

    def _cdf(self, x):
        return math_ops.sigmoid(self._z(x))

    def _log_survival_function(self, x):
        return -nn_ops.softplus(self._z(x))

    def _survival_function(self, x):
        return math_ops.sigmoid(-self._z(x))

    def _entropy(self):
        return 2 + math_ops.log(self._spread(self.scale))

    def _mean(self):
        return self._spread(self.loc)

    def _stddev(self):
        return self._spread(self.scale) * constant_op.constant(math.pi / math.sqrt(3),
                                                               dtype=self.dtype)

    def _mode(self):
        return self._mean()


class HalfNormal(_scalar.ScalarDistribution):
    """|X| of a normal X about 0."""

    def __init__(self, scale, validate_args=False, allow_nan_stats=True, name='HalfNormal'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale]) as name:
            self._scale = _scalar.positive(scale, 'scale', validate_args)
        self._begin([self._scale], parameters, name, validate_args, allow_nan_stats,
                    reparameterized=True)

    _param_shapes = _scalar.param_shapes('scale')

    @property
    def scale(self):
        return self._scale

    def _sample_n(self, n, seed=None):
        sampled = random_ops.random_normal(shape=self._shape_of_samples(n), mean=0., stddev=1.,
                                           dtype=self.dtype, seed=seed)
        return math_ops.abs(sampled * self.scale)

    def _prob(self, x):
        coeff = np.sqrt(2) / self.scale / np.sqrt(np.pi)
        pdf = coeff * math_ops.exp(-0.5 * (x / self.scale) ** 2)
        return pdf * math_ops.cast(x >= 0, self.dtype)

    def _cdf(self, x):
        truncated = nn_ops.relu(x)
        return math_ops.erf(truncated / self.scale / np.sqrt(2.0))

    def _entropy(self):
        return 0.5 * math_ops.log(np.pi * self.scale ** 2.0 / 2.0) + 0.5

    def _mean(self):
        return self.scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _quantile(self, p):
        return np.sqrt(2.0) * self.scale * special_math.erfinv(p)

    def _mode(self):
        return array_ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _variance(self):
        return self.scale ** 2.0 * (1.0 - 2.0 / np.pi)


@kullback_leibler.RegisterKL(HalfNormal, HalfNormal)
def _kl_half_normal_half_normal(a, b, name=None):
    with ops.name_scope(name, 'kl_half_normal_half_normal', [a.scale, b.scale]):
        return (math_ops.log(b.scale) - math_ops.log(a.scale) +
                (a.scale ** 2 - b.scale ** 2) / (2 * b.scale ** 2))
