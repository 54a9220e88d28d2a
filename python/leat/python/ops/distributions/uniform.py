# SPDX-License-Identifier: Apache-2.0
"""The uniform distribution between low and high."""
import math

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution

__all__ = ['Uniform']


class Uniform(distribution.Distribution):
    """1 / (high - low) from low up to, not with, high."""

    def __init__(self, low=0., high=1., validate_args=False, allow_nan_stats=True,
                 name='Uniform'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[low, high]) as name:
            with ops.control_dependencies([check_ops.assert_less(
                    low, high, message='uniform not defined when low >= high.')]
                    if validate_args else []):
                self._low = array_ops.identity(low, name='low')
                self._high = array_ops.identity(high, name='high')
                check_ops.assert_same_float_dtype([self._low, self._high])
        super(Uniform, self).__init__(
            dtype=self._low.dtype, reparameterization_type=distribution.FULLY_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._low, self._high], name=name)

    @property
    def low(self):
        return self._low

    @property
    def high(self):
        return self._high

    def range(self, name='range'):
        with self._name_scope(name):
            return self.high - self.low

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(array_ops.shape(self.low),
                                                 array_ops.shape(self.high))

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(self.low.get_shape(), self.high.get_shape())

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        samples = random_ops.random_uniform(shape=shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, x):
        broadcasted_x = x * array_ops.ones(self.batch_shape_tensor(), dtype=x.dtype)
        return array_ops.where_v2(
            math_ops.is_nan(broadcasted_x), broadcasted_x,
            array_ops.where_v2(
                math_ops.logical_or(broadcasted_x < self.low, broadcasted_x >= self.high),
                array_ops.zeros_like(broadcasted_x),
                array_ops.ones_like(broadcasted_x) / self.range()))

    def _cdf(self, x):
        broadcast_shape = array_ops.broadcast_dynamic_shape(array_ops.shape(x),
                                                            self.batch_shape_tensor())
        zeros = array_ops.zeros(broadcast_shape, dtype=self.dtype)
        ones = array_ops.ones(broadcast_shape, dtype=self.dtype)
        broadcasted_x = x * ones
        result = array_ops.where_v2(x < self.low, zeros, (broadcasted_x - self.low) / self.range())
        return array_ops.where_v2(x >= self.high, ones, result)

    def _entropy(self):
        return math_ops.log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.

    def _variance(self):
        return math_ops.square(self.range()) / 12.

    def _stddev(self):
        return self.range() / math.sqrt(12.)
