# SPDX-License-Identifier: Apache-2.0
"""Momentum whose rate is in proportion to each variable's norm over its gradient's (You et al.,
2017)."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class LARSOptimizer(optimizer.Optimizer):
    """Layers whose names hold a word of skip_list take the plain rate and no decay."""

    def __init__(self, learning_rate, momentum=0.9, weight_decay=0.0001, eeta=0.001, epsilon=0.0,
                 name='LARSOptimizer', skip_list=None, use_nesterov=False):
        if momentum < 0.0:
            raise ValueError('momentum should be positive: %s' % momentum)
        if weight_decay < 0.0:
            raise ValueError('weight_decay should be positive: %s' % weight_decay)
        super(LARSOptimizer, self).__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._name = name
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'momentum', self._name)

    def compute_lr(self, grad, var):
        """(the rate, the gradient with the decay)"""
        scaled_lr = self._learning_rate
        if self._skip_list is None or not any(v in var.name for v in self._skip_list):
            w_norm = linalg_ops.norm(var, ord=2)
            g_norm = linalg_ops.norm(grad, ord=2)
            trust_ratio = array_ops.where(
                math_ops.greater(w_norm, 0),
                array_ops.where(
                    math_ops.greater(g_norm, 0),
                    (self._eeta * w_norm /
                     (g_norm + self._weight_decay * w_norm + self._epsilon)), 1.0), 1.0)
            scaled_lr = self._learning_rate * trust_ratio
            grad = grad + self._weight_decay * var
        return scaled_lr, grad

    def _apply_dense(self, grad, var):
        scaled_lr, grad = self.compute_lr(grad, var)
        mom = self.get_slot(var, 'momentum')
        return training_ops.apply_momentum(
            var, mom, math_ops.cast(1.0, var.dtype.base_dtype), grad * scaled_lr, self._momentum,
            use_locking=False, use_nesterov=self._use_nesterov)

    def _resource_apply_dense(self, grad, var):
        scaled_lr, grad = self.compute_lr(grad, var)
        mom = self.get_slot(var, 'momentum')
        return training_ops.resource_apply_momentum(
            var.handle, mom.handle, math_ops.cast(1.0, var.dtype.base_dtype), grad * scaled_lr,
            self._momentum, use_locking=False, use_nesterov=self._use_nesterov)

    def _numbers(self, dtype):
        return (math_ops.cast(self._learning_rate_tensor, dtype),
                math_ops.cast(self._momentum_tensor, dtype))

    def _apply_sparse(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._numbers(var.dtype.base_dtype)
        return training_ops.sparse_apply_momentum(
            var, mom, rate, grad.values, grad.indices, momentum, use_locking=False,
            use_nesterov=self._use_nesterov)

    def _resource_apply_sparse(self, grad, var, indices):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._numbers(grad.dtype)
        return training_ops.resource_sparse_apply_momentum(
            var.handle, mom.handle, rate, grad, indices, momentum, use_locking=False,
            use_nesterov=self._use_nesterov)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')
        self._momentum_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._momentum), name='momentum')
