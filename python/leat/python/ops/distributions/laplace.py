# SPDX-License-Identifier: Apache-2.0
"""The Laplace distribution."""
import math

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution

__all__ = ['Laplace', 'LaplaceWithSoftplusScale']


class Laplace(distribution.Distribution):
    """exp(-|x - loc| / scale) / (2 scale)"""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Laplace'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(scale)]
                                          if validate_args else []):
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_ops.assert_same_float_dtype([self._loc, self._scale])
        super(Laplace, self).__init__(
            dtype=self._loc.dtype, reparameterization_type=distribution.FULLY_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._loc, self._scale], name=name)

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
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        dtype = self.dtype.as_numpy_dtype
        uniform = random_ops.random_uniform(
            shape=shape, minval=np.nextafter(dtype(-1.), dtype(0.)), maxval=1., dtype=self.dtype,
            seed=seed)
        return self.loc - self.scale * math_ops.sign(uniform) * math_ops.log1p(
            -math_ops.abs(uniform))

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _log_prob(self, x):
        return -math_ops.abs(self._z(x)) - (math.log(2.) + math_ops.log(self.scale))

    def _cdf(self, x):
        z = self._z(x)
        return (0.5 + 0.5 * math_ops.sign(z) * (1. - math_ops.exp(-math_ops.abs(z))))

    def _entropy(self):
        scale = self.scale + array_ops.zeros_like(self.loc)
        return math.log(2.) + 1. + math_ops.log(scale)

    def _mean(self):
        return self.loc + array_ops.zeros_like(self.scale)

    def _stddev(self):
        return math.sqrt(2.) * self.scale + array_ops.zeros_like(self.loc)

    def _median(self):
        return self._mean()

    def _mode(self):
        return self._mean()


class LaplaceWithSoftplusScale(Laplace):
    """Laplace with softplus of the scale."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='LaplaceWithSoftplusScale'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[loc, scale]) as name:
            super(LaplaceWithSoftplusScale, self).__init__(
                loc=loc, scale=nn.softplus(scale, name='softplus_scale'),
                validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        self._set_parameters(parameters)
