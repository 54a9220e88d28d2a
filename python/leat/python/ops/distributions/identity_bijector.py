# SPDX-License-Identifier: Apache-2.0
"""The bijector that changes nothing."""
from leat.python.framework import constant_op
from leat.python.ops.distributions import bijector

__all__ = ['Identity']


class Identity(bijector.Bijector):
    """y = x"""

    def __init__(self, validate_args=False, name='identity'):
        super(Identity, self).__init__(forward_min_event_ndims=0, is_constant_jacobian=True,
                                       validate_args=validate_args, name=name)

    def _forward(self, x):
        return x

    def _inverse(self, y):
        return y

    def _inverse_log_det_jacobian(self, y):
        return constant_op.constant(0., dtype=y.dtype)

    def _forward_log_det_jacobian(self, x):
        return constant_op.constant(0., dtype=x.dtype)
