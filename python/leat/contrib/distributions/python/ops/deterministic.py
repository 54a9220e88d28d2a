# SPDX-License-Identifier: Apache-2.0
"""What is always the same: a number (Deterministic) or a vector (VectorDeterministic)."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.distributions import distribution


class _BaseDeterministic(distribution.Distribution):
    """Values as far from loc as atol + rtol |loc| count as loc."""

    def _set_up(self, arguments, is_vector):
        """arguments: the constructor's, by name."""
        loc, atol, rtol = arguments['loc'], arguments['atol'], arguments['rtol']
        validate_args = arguments['validate_args']
        with ops.name_scope(arguments['name'], values=[loc, atol, rtol]) as name:
            loc = ops.convert_to_tensor(loc, name='loc')
            if is_vector and validate_args:
                message = 'Argument loc must be at least rank 1.'
                if loc.get_shape().ndims is None:
                    loc = control_flow_ops.with_dependencies(
                        [check_ops.assert_rank_at_least(loc, 1, message=message)], loc)
                elif loc.get_shape().ndims < 1:
                    raise ValueError(message)
            self._loc = loc
            super(_BaseDeterministic, self).__init__(
                dtype=self._loc.dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
                validate_args=validate_args, allow_nan_stats=arguments['allow_nan_stats'],
                parameters=arguments, graph_parents=[self._loc], name=name)
            self._atol = self._tolerance(atol, 'Argument "atol" must be non-negative')
            self._rtol = self._tolerance(rtol, 'Argument "rtol" must be non-negative')
            self._slack = self.atol + self.rtol * math_ops.abs(self.loc)

    def _tolerance(self, given, message):
        tolerance = ops.convert_to_tensor(0 if given is None else given, dtype=self._loc.dtype)
        if not self.validate_args:
            return tolerance
        return control_flow_ops.with_dependencies(
            [check_ops.assert_non_negative(tolerance, message=message)], tolerance)

    @property
    def loc(self):
        return self._loc

    @property
    def atol(self):
        return self._atol

    @property
    def rtol(self):
        return self._rtol

    def _entropy(self):
        return array_ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self):
        return array_ops.identity(self.loc)

    def _variance(self):
        return array_ops.zeros_like(self.loc)

    def _mode(self):
        return self.mean()

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return array_ops.broadcast_to(self.loc, shape)


class Deterministic(_BaseDeterministic):
    """Always loc, a number for each member of the batch."""

    def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True,
                 name='Deterministic'):
        self._set_up({k: v for k, v in locals().items() if k not in ('self', '__class__')}, False)

    def _batch_shape_tensor(self):
        return array_ops.shape(self.loc)

    def _batch_shape(self):
        return self.loc.get_shape()

    def _event_shape_tensor(self):
        return constant_op.constant([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _prob(self, x):
        return math_ops.cast(math_ops.abs(x - self.loc) <= self._slack, dtype=self.dtype)

    def _cdf(self, x):
        return math_ops.cast(x >= self.loc - self._slack, dtype=self.dtype)


class VectorDeterministic(_BaseDeterministic):
    """Always loc, a vector for each member of the batch."""

    def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True,
                 name='VectorDeterministic'):
        self._set_up({k: v for k, v in locals().items() if k not in ('self', '__class__')}, True)

    def _batch_shape_tensor(self):
        return array_ops.shape(self.loc)[:-1]

    def _batch_shape(self):
        return self.loc.get_shape()[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self.loc)[-1:]

    def _event_shape(self):
        return self.loc.get_shape().with_rank_at_least(1)[-1:]

    def _prob(self, x):
        if self.validate_args:
            message = 'Input vectors `x` should be vectors.'
            x = control_flow_ops.with_dependencies(
                [check_ops.assert_rank_at_least(x, 1, message=message)], x)
        return math_ops.cast(math_ops.reduce_all(
            math_ops.abs(x - self.loc) <= self._slack, axis=-1), dtype=self.dtype)
