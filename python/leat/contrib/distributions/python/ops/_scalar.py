# SPDX-License-Identifier: Apache-2.0
"""The base class of contrib's distributions of single numbers: parameters as tensors whose shapes
broadcast to the batch's; and what those by logits or probs share."""
import functools

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import util as distribution_util


class ScalarDistribution(distribution.Distribution):
    """A subclass's _parameter_tensors are in the order of their conversion."""

    def _begin(self, tensors, parameters, name, validate_args, allow_nan_stats, reparameterized,
               dtype=None):
        self._parameter_tensors = tensors
        super(ScalarDistribution, self).__init__(
            dtype=dtype or tensors[0].dtype, validate_args=validate_args,
            reparameterization_type=(distribution.FULLY_REPARAMETERIZED if reparameterized else
                                     distribution.NOT_REPARAMETERIZED),
            allow_nan_stats=allow_nan_stats, parameters=parameters, graph_parents=list(tensors),
            name=name)

    def _batch_shape_tensor(self):
        return functools.reduce(array_ops.broadcast_dynamic_shape,
                                [array_ops.shape(t) for t in self._parameter_tensors])

    def _batch_shape(self):
        return functools.reduce(array_ops.broadcast_static_shape,
                                [t.get_shape() for t in self._parameter_tensors])

    def _event_shape_tensor(self):
        return constant_op.constant([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _shape_of_samples(self, n):
        return array_ops.concat([[n], self.batch_shape_tensor()], 0)

    def _spread(self, x):
        """x in the batch's shape."""
        return x + array_ops.zeros(self.batch_shape_tensor(), dtype=x.dtype)

    def _counts(self, x):
        """x, checked to be whole and not negative if arguments are validated."""
        if not self.validate_args:
            return x
        return distribution_util.embed_check_nonnegative_integer_form(x)

    def _nan_unless(self, condition, x, message):
        """x where the condition holds; NaN elsewhere, or an error if statistics may not be NaN."""
        if self.allow_nan_stats:
            nan = array_ops.fill(array_ops.shape(x), np.array(
                np.nan, dtype=self.dtype.as_numpy_dtype()), name='nan')
            return array_ops.where(condition, x, nan)
        return control_flow_ops.with_dependencies([check_ops.assert_equal(
            condition, array_ops.ones_like(condition), message=message)], x)


def positive(x, name, validate_args):
    """A parameter as a tensor, checked to be positive."""
    with ops.control_dependencies([check_ops.assert_positive(x)] if validate_args else []):
        return array_ops.identity(x, name=name)


def param_shapes(*names):
    """The shapes of parameters are the samples'."""
    def shapes(sample_shape):
        return {name: ops.convert_to_tensor(sample_shape, dtype=dtypes.int32) for name in names}
    return staticmethod(shapes)
