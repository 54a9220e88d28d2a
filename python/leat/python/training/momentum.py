# SPDX-License-Identifier: Apache-2.0
"""Momentum."""
from leat.python.framework import ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class MomentumOptimizer(optimizer.Optimizer):
    """accum = momentum * accum + grad; var -= learning_rate * accum (or Nesterov's form)."""

    def __init__(self, learning_rate, momentum, use_locking=False, name='Momentum',
                 use_nesterov=False):
        super(MomentumOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'momentum', self._name)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')
        self._momentum_tensor = ops.convert_to_tensor(self._call_if_callable(self._momentum),
                                                      name='momentum')

    def _rate(self, dtype):
        return math_ops.cast(self._learning_rate_tensor, dtype)

    def _mass(self, dtype):
        return math_ops.cast(self._momentum_tensor, dtype)

    def _apply_dense(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        dtype = var.dtype.base_dtype
        return training_ops.apply_momentum(
            var, mom, self._rate(dtype), grad, self._mass(dtype), use_locking=self._use_locking,
            use_nesterov=self._use_nesterov).op

    def _resource_apply_dense(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        dtype = grad.dtype.base_dtype
        return training_ops.resource_apply_momentum(
            var.handle, mom.handle, self._rate(dtype), grad, self._mass(dtype),
            use_locking=self._use_locking, use_nesterov=self._use_nesterov)

    def _apply_sparse(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        dtype = var.dtype.base_dtype
        return training_ops.sparse_apply_momentum(
            var, mom, self._rate(dtype), grad.values, grad.indices, self._mass(dtype),
            use_locking=self._use_locking, use_nesterov=self._use_nesterov).op

    def _resource_apply_sparse(self, grad, var, indices):
        mom = self.get_slot(var, 'momentum')
        dtype = grad.dtype
        return training_ops.resource_sparse_apply_momentum(
            var.handle, mom.handle, self._rate(dtype), grad, indices, self._mass(dtype),
            use_locking=self._use_locking, use_nesterov=self._use_nesterov)
