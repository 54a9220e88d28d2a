# SPDX-License-Identifier: Apache-2.0
"""Gradient descent."""
from leat.python.framework import ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class GradientDescentOptimizer(optimizer.Optimizer):
    """var -= learning_rate * grad."""

    def __init__(self, learning_rate, use_locking=False, name='GradientDescent'):
        super(GradientDescentOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor = None

    def _apply_dense(self, grad, var):
        return training_ops.apply_gradient_descent(
            var, math_ops.cast(self._learning_rate_tensor, var.dtype.base_dtype), grad,
            use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, handle):
        return training_ops.resource_apply_gradient_descent(
            handle.handle, math_ops.cast(self._learning_rate_tensor, grad.dtype.base_dtype), grad,
            use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        return gen_resource_variable_ops.resource_scatter_add(
            handle.handle, indices, -grad * self._learning_rate)

    def _apply_sparse_duplicate_indices(self, grad, var):
        delta = ops.IndexedSlices(
            grad.values * math_ops.cast(self._learning_rate_tensor, var.dtype.base_dtype),
            grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking)

    def _prepare(self):
        learning_rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = ops.convert_to_tensor(learning_rate, name='learning_rate')
