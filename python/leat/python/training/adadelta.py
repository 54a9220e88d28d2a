# SPDX-License-Identifier: Apache-2.0
"""Adadelta."""
from leat.python.framework import ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class AdadeltaOptimizer(optimizer.Optimizer):
    """Steps by the gradient times root of mean squared steps over root of mean squares."""

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False,
                 name='Adadelta'):
        super(AdadeltaOptimizer, self).__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t = None
        self._rho_t = None
        self._epsilon_t = None

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'accum', self._name)
            self._zeros_slot(v, 'accum_update', self._name)

    def _prepare(self):
        self._lr_t = ops.convert_to_tensor(self._call_if_callable(self._lr), name='lr')
        self._rho_t = ops.convert_to_tensor(self._call_if_callable(self._rho), name='rho')
        self._epsilon_t = ops.convert_to_tensor(self._call_if_callable(self._epsilon),
                                                name='epsilon')

    def _slots_of(self, var):
        return self.get_slot(var, 'accum'), self.get_slot(var, 'accum_update')

    def _numbers(self, dtype):
        return [math_ops.cast(x, dtype) for x in (self._lr_t, self._rho_t, self._epsilon_t)]

    def _apply_dense(self, grad, var):
        accum, accum_update = self._slots_of(var)
        return training_ops.apply_adadelta(
            var, accum, accum_update, *self._numbers(var.dtype.base_dtype), grad=grad,
            use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        accum, accum_update = self._slots_of(var)
        return training_ops.resource_apply_adadelta(
            var.handle, accum.handle, accum_update.handle, *self._numbers(grad.dtype.base_dtype),
            grad=grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        accum, accum_update = self._slots_of(var)
        return training_ops.sparse_apply_adadelta(
            var, accum, accum_update, *self._numbers(var.dtype.base_dtype), grad=grad.values,
            indices=grad.indices, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        accum, accum_update = self._slots_of(var)
        return training_ops.resource_sparse_apply_adadelta(
            var.handle, accum.handle, accum_update.handle, *self._numbers(grad.dtype), grad=grad,
            indices=indices, use_locking=self._use_locking)
