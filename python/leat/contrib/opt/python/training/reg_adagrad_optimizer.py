# SPDX-License-Identifier: Apache-2.0
"""Adagrad some of whose gradients do not count for later rates."""
import contextlib

from leat.python.ops import math_ops
from leat.python.training import adagrad
from leat.python.training import training_ops


class RegAdagradOptimizer(adagrad.AdagradOptimizer):
    """Gradients applied within avoid_updating_slots() leave the accumulators alone."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False,
                 name='RegAdagrad'):
        super(RegAdagradOptimizer, self).__init__(
            learning_rate, initial_accumulator_value=initial_accumulator_value,
            use_locking=use_locking, name=name)
        self._should_update_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self):
        old, self._should_update_slots = self._should_update_slots, False
        try:
            yield
        finally:
            self._should_update_slots = old

    def _options(self):
        return dict(use_locking=self._use_locking, update_slots=self._should_update_slots)

    def _rate(self, dtype):
        return math_ops.cast(self._learning_rate_tensor, dtype)

    def _apply_dense(self, grad, var):
        return training_ops.apply_adagrad(
            var, self.get_slot(var, 'accumulator'), self._rate(var.dtype.base_dtype), grad,
            **self._options())

    def _resource_apply_dense(self, grad, var):
        return training_ops.resource_apply_adagrad(
            var.handle, self.get_slot(var, 'accumulator').handle,
            self._rate(grad.dtype.base_dtype), grad, **self._options())

    def _apply_sparse(self, grad, var):
        return training_ops.sparse_apply_adagrad(
            var, self.get_slot(var, 'accumulator'), self._rate(var.dtype.base_dtype),
            grad.values, grad.indices, **self._options())

    def _resource_apply_sparse(self, grad, var, indices):
        return training_ops.resource_sparse_apply_adagrad(
            var.handle, self.get_slot(var, 'accumulator').handle, self._rate(grad.dtype), grad,
            indices, **self._options())
