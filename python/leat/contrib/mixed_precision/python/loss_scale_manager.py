# SPDX-License-Identifier: Apache-2.0
"""How large the loss is made before its gradients are."""
import abc

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope


class LossScaleManager(abc.ABC):
    """What a manager of the scale offers."""

    @abc.abstractmethod
    def get_loss_scale(self):
        """The scale of now, a scalar."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads):
        """The op that changes the scale after a step."""


class FixedLossScaleManager(LossScaleManager):
    """One scale."""

    def __init__(self, loss_scale):
        if loss_scale < 1:
            raise ValueError('loss scale must be at least 1.')
        self._loss_scale = ops.convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self):
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        del finite_grads
        return gen_control_flow_ops.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """Larger after some good steps, smaller after some with gradients that are not finite."""

    def __init__(self, init_loss_scale, incr_every_n_steps, decr_every_n_nan_or_inf=2,
                 incr_ratio=2, decr_ratio=0.8):
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = self._local(
            'loss_scale', ops.convert_to_tensor(init_loss_scale, dtypes.float32), dtypes.float32)
        self._num_good_steps = self._local('good_steps', 0, dtypes.int32)
        self._num_bad_steps = self._local('bad_steps', 0, dtypes.int32)

    @staticmethod
    def _local(name, value, dtype):
        return variable_scope.variable(
            name=name, initial_value=value, dtype=dtype,
            trainable=False)

    def get_loss_scale(self):
        return self._loss_scale

    def _reset(self):
        return control_flow_ops.group(state_ops.assign(self._num_good_steps, 0),
                                      state_ops.assign(self._num_bad_steps, 0))

    @staticmethod
    def _count(steps):
        return state_ops.assign_add(steps, 1).op

    def _update_if_finite_grads(self):
        def incr_loss_scale():
            larger = control_flow_ops.cond(
                math_ops.is_finite(self._loss_scale * self._incr_ratio),
                lambda: self._loss_scale * self._incr_ratio, lambda: self._loss_scale)
            return control_flow_ops.group(state_ops.assign(self._loss_scale, larger), self._reset())
        return control_flow_ops.cond(
            self._num_good_steps + 1 >= self._incr_every_n_steps, incr_loss_scale,
            lambda: self._count(self._num_good_steps))

    def _update_if_not_finite_grads(self):
        def decr_loss_scale():
            update = state_ops.assign(self._loss_scale, math_ops.maximum(
                1., self._loss_scale * self._decr_ratio))
            return control_flow_ops.group(update, self._reset())

        def just_update_steps():
            return control_flow_ops.group(state_ops.assign_add(self._num_bad_steps, 1),
                                          state_ops.assign(self._num_good_steps, 0))
        return control_flow_ops.cond(
            self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf, decr_loss_scale,
            just_update_steps)

    def update_loss_scale(self, finite_grads):
        return control_flow_ops.cond(finite_grads, self._update_if_finite_grads,
                                     self._update_if_not_finite_grads)
