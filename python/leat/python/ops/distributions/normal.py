# SPDX-License-Identifier: Apache-2.0
"""The normal distribution."""
import math

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler
from leat.python.ops.distributions import special_math

__all__ = ['Normal', 'NormalWithSoftplusScale']


class Normal(distribution.Distribution):
    """exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi))"""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(scale)]
                                          if validate_args else []):
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_ops.assert_same_float_dtype([self._loc, self._scale])
        super(Normal, self).__init__(
            dtype=self._scale.dtype,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._loc, self._scale], name=name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict(zip(('loc', 'scale'), [ops.convert_to_tensor(
            sample_shape, dtype='int32')] * 2))

    @property
    def loc(self):
        return self._loc

    @property
    def scale(self):
        return self._scale

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(array_ops.shape(self.loc),
                                                 array_ops.shape(self.scale))

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(self.loc.get_shape(), self.scale.get_shape())

    def _event_shape_tensor(self):
        return constant_op.constant([], dtype='int32')

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        sampled = random_ops.random_normal(shape=shape, mean=0., stddev=1., dtype=self.loc.dtype,
                                           seed=seed)
        return sampled * self.scale + self.loc

    def _log_prob(self, x):
        return -0.5 * math_ops.square(self._z(x)) - (
            0.5 * math.log(2. * math.pi) + math_ops.log(self.scale))

    def _log_cdf(self, x):
        return special_math.log_ndtr(self._z(x))

    def _cdf(self, x):
        return special_math.ndtr(self._z(x))

    def _log_survival_function(self, x):
        return special_math.log_ndtr(-self._z(x))

    def _survival_function(self, x):
        return special_math.ndtr(-self._z(x))

    def _entropy(self):
        scale = self.scale * array_ops.ones_like(self.loc)
        return 0.5 * math.log(2. * math.pi * math.e) + math_ops.log(scale)

    def _mean(self):
        return self.loc * array_ops.ones_like(self.scale)

    def _stddev(self):
        return self.scale * array_ops.ones_like(self.loc)

    def _mode(self):
        return self._mean()

    def _quantile(self, p):
        return self._inv_z(special_math.ndtri(p))

    def _inv_z(self, z):
        with ops.name_scope('reconstruct', values=[z]):
            return z * self.scale + self.loc

    def _z(self, x):
        with ops.name_scope('standardize', values=[x]):
            return (x - self.loc) / self.scale


class NormalWithSoftplusScale(Normal):
    """Normal with softplus(scale)."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='NormalWithSoftplusScale'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale]) as name:
            super(NormalWithSoftplusScale, self).__init__(
                loc=loc, scale=nn.softplus(scale, name='softplus_scale'),
                validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        self._set_parameters(parameters)


@kullback_leibler.RegisterKL(Normal, Normal)
def _kl_normal_normal(n_a, n_b, name=None):
    with ops.name_scope(name, 'kl_normal_normal', [n_a.loc, n_b.loc]):
        one = constant_op.constant(1, dtype=n_a.dtype)
        two = constant_op.constant(2, dtype=n_a.dtype)
        half = constant_op.constant(0.5, dtype=n_a.dtype)
        s_a_squared = math_ops.square(n_a.scale)
        s_b_squared = math_ops.square(n_b.scale)
        ratio = s_a_squared / s_b_squared
        return (math_ops.squared_difference(n_a.loc, n_b.loc) / (two * s_b_squared) +
                half * (ratio - one - math_ops.log(ratio)))
