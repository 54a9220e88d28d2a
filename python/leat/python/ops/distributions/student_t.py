# SPDX-License-Identifier: Apache-2.0
"""Student's t distribution."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops import special_math_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import util as distribution_util

__all__ = ['StudentT', 'StudentTWithAbsDfSoftplusScale']


class StudentT(distribution.Distribution):
    """(1 + y^2 / df)^(-(df + 1) / 2) over its integral, y = (x - loc) / scale."""

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='StudentT'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[df, loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(df)]
                                          if validate_args else []):
                self._df = array_ops.identity(df, name='df')
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_ops.assert_same_float_dtype((self._df, self._loc, self._scale))
        super(StudentT, self).__init__(
            dtype=self._scale.dtype, validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED, parameters=parameters,
            graph_parents=[self._df, self._loc, self._scale], name=name)

    @property
    def df(self):
        return self._df

    @property
    def loc(self):
        return self._loc

    @property
    def scale(self):
        return self._scale

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(
            array_ops.shape(self.df), array_ops.broadcast_dynamic_shape(
                array_ops.shape(self.loc), array_ops.shape(self.scale)))

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(
            array_ops.broadcast_static_shape(self.df.get_shape(), self.loc.get_shape()),
            self.scale.get_shape())

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        normal_sample = random_ops.random_normal(shape, dtype=self.dtype, seed=seed)
        df = self.df * array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)
        gamma_sample = random_ops.random_gamma(
            [n], 0.5 * df, beta=0.5, dtype=self.dtype,
            seed=distribution_util.gen_new_seed(seed, salt='student_t'))
        samples = normal_sample * math_ops.rsqrt(gamma_sample / df)
        return samples * self.scale + self.loc

    def _log_prob(self, x):
        y = (x - self.loc) / self.scale
        log_unnormalized = -0.5 * (self.df + 1.) * math_ops.log1p(y**2. / self.df)
        log_normalization = (math_ops.log(math_ops.abs(self.scale)) +
                             0.5 * math_ops.log(self.df) + 0.5 * np.log(np.pi) +
                             math_ops.lgamma(0.5 * self.df) -
                             math_ops.lgamma(0.5 * (self.df + 1.)))
        return log_unnormalized - log_normalization

    def _cdf(self, x):
        y = (x - self.loc) / math_ops.abs(self.scale)
        x_t = self.df / (y**2. + self.df)
        neg_cdf = 0.5 * math_ops.betainc(0.5 * self.df, 0.5, x_t)
        return array_ops.where_v2(math_ops.less(y, 0.), neg_cdf, 1. - neg_cdf)

    def _entropy(self):
        v = array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)[..., array_ops.newaxis]
        u = v * self.df[..., array_ops.newaxis]
        beta_arg = array_ops.concat([u, v], -1) / 2.
        return (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) +
                special_math_ops.lbeta(beta_arg) +
                0.5 * (self.df + 1.) * (math_ops.digamma(0.5 * (self.df + 1.)) -
                                        math_ops.digamma(0.5 * self.df)))

    def _undefined(self, value, is_defined):
        nan = np.array(np.nan, dtype=self.dtype.as_numpy_dtype())
        return array_ops.where_v2(is_defined, value,
                               array_ops.fill(self.batch_shape_tensor(), nan, name='nan'))

    def _mean(self):
        mean = self.loc * array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)
        return self._undefined(mean, math_ops.greater(
            self.df, array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)))

    def _variance(self):
        ones = array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)
        denominator = array_ops.where_v2(math_ops.greater(self.df, 2. * ones), self.df - 2. * ones,
                                      ones)
        variance = ones * math_ops.square(self.scale) * self.df / denominator
        inf = array_ops.fill(self.batch_shape_tensor(),
                             np.array(np.inf, dtype=self.dtype.as_numpy_dtype()), name='inf')
        finite = array_ops.where_v2(self.df > 2. * ones, variance, inf)
        return self._undefined(finite, self.df > ones)

    def _mode(self):
        return array_ops.identity(self.loc)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT with floor(|df|) and softplus(scale)."""

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='StudentTWithAbsDfSoftplusScale'):
        with ops.name_scope(name, values=[df, scale]) as name:
            super(StudentTWithAbsDfSoftplusScale, self).__init__(
                df=math_ops.floor(math_ops.abs(df)), loc=loc,
                scale=nn.softplus(scale, name='softplus_scale'), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)
