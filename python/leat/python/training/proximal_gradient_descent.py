# SPDX-License-Identifier: Apache-2.0
"""Gradient descent, proximal."""
from leat.python.framework import ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class ProximalGradientDescentOptimizer(optimizer.Optimizer):
    """A step of gradient descent, then the nearest point that l1 and l2 allow."""

    def __init__(self, learning_rate, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False,
                 name='ProximalGradientDescent'):
        super(ProximalGradientDescentOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l1_regularization_strength_tensor = None
        self._l2_regularization_strength_tensor = None
        self._learning_rate_tensor = None

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(self._learning_rate,
                                                           name='learning_rate')
        self._l1_regularization_strength_tensor = ops.convert_to_tensor(
            self._l1_regularization_strength, name='l1_regularization_strength')
        self._l2_regularization_strength_tensor = ops.convert_to_tensor(
            self._l2_regularization_strength, name='l2_regularization_strength')

    def _numbers(self, dtype=None):
        numbers = (self._learning_rate_tensor, self._l1_regularization_strength_tensor,
                   self._l2_regularization_strength_tensor)
        return numbers if dtype is None else [math_ops.cast(x, dtype) for x in numbers]

    def _apply_dense(self, grad, var):
        return training_ops.apply_proximal_gradient_descent(
            var, *self._numbers(), delta=grad, use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return training_ops.resource_apply_proximal_gradient_descent(
            var.handle, *self._numbers(), delta=grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return training_ops.sparse_apply_proximal_gradient_descent(
            var, *self._numbers(var.dtype.base_dtype), grad=grad.values, indices=grad.indices,
            use_locking=self._use_locking).op

    def _resource_apply_sparse(self, grad, var, indices):
        return training_ops.resource_sparse_apply_proximal_gradient_descent(
            var.handle, *self._numbers(grad.dtype), grad=grad, indices=indices,
            use_locking=self._use_locking)
