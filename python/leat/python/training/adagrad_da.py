# SPDX-License-Identifier: Apache-2.0
"""Adagrad with dual averaging."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.framework import constant_op
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class AdagradDAOptimizer(optimizer.Optimizer):
    """Follows the sums of the gradients and of their squares since the first step."""

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='AdagradDA'):
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError('initial_gradient_squared_accumulator_value must be positive: %s'
                             % initial_gradient_squared_accumulator_value)
        super(AdagradDAOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value)
        self._learning_rate_tensor = None
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._global_step_on_worker = None

    def _create_slots(self, var_list):
        for v in var_list:
            with ops.colocate_with(v):
                g_val = constant_op.constant(0.0, shape=v.get_shape(), dtype=v.dtype.base_dtype)
                gg_val = constant_op.constant(self._initial_gradient_squared_accumulator_value,
                                              shape=v.get_shape(), dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, g_val, 'gradient_accumulator', self._name)
            self._get_or_make_slot(v, gg_val, 'gradient_squared_accumulator', self._name)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(self._learning_rate,
                                                           name='learning_rate')
        with ops.colocate_with(self._learning_rate_tensor):
            self._global_step_on_worker = array_ops.identity(self._global_step) + 1

    def _slots_of(self, var):
        return (self.get_slot(var, 'gradient_accumulator'),
                self.get_slot(var, 'gradient_squared_accumulator'))

    def _step_on(self, var):
        with ops.device(var.device):
            return array_ops.identity(self._global_step_on_worker)

    def _numbers(self, dtype):
        return [math_ops.cast(x, dtype) for x in (
            self._learning_rate_tensor, self._l1_regularization_strength,
            self._l2_regularization_strength)]

    def _apply_dense(self, grad, var):
        g_acc, gg_acc = self._slots_of(var)
        step = self._step_on(var)
        return training_ops.apply_adagrad_da(
            var, g_acc, gg_acc, grad, *self._numbers(var.dtype.base_dtype), global_step=step,
            use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        g_acc, gg_acc = self._slots_of(var)
        step = self._step_on(var)
        return training_ops.resource_apply_adagrad_da(
            var.handle, g_acc.handle, gg_acc.handle, grad, *self._numbers(grad.dtype.base_dtype),
            global_step=step, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        g_acc, gg_acc = self._slots_of(var)
        step = self._step_on(var)
        return training_ops.sparse_apply_adagrad_da(
            var, g_acc, gg_acc, grad.values, grad.indices, *self._numbers(var.dtype.base_dtype),
            global_step=step, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        g_acc, gg_acc = self._slots_of(var)
        step = self._step_on(var)
        return training_ops.resource_sparse_apply_adagrad_da(
            var.handle, g_acc.handle, gg_acc.handle, grad, indices, *self._numbers(grad.dtype),
            global_step=step, use_locking=self._use_locking)
