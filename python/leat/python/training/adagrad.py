# SPDX-License-Identifier: Apache-2.0
"""Adagrad."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class AdagradOptimizer(optimizer.Optimizer):
    """Steps by the gradient over the root of the sum of all squares."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False,
                 name='Adagrad'):
        if initial_accumulator_value <= 0.0:
            raise ValueError('initial_accumulator_value must be positive: %s'
                             % initial_accumulator_value)
        super(AdagradOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor = None

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            if v.get_shape().is_fully_defined():
                init = init_ops.constant_initializer(self._initial_accumulator_value, dtype=dtype)
            else:
                init = self._init_constant_op(v, dtype)
            self._get_or_make_slot_with_initializer(v, init, v.get_shape(), dtype, 'accumulator',
                                                    self._name)

    def _init_constant_op(self, v, dtype):
        def init():
            constant = gen_array_ops.fill(array_ops.shape(v), self._initial_accumulator_value)
            return math_ops.cast(constant, dtype)
        return init

    def _prepare(self):
        learning_rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = ops.convert_to_tensor(learning_rate, name='learning_rate')

    def _rate(self, dtype):
        return math_ops.cast(self._learning_rate_tensor, dtype)

    def _apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return training_ops.apply_adagrad(var, acc, self._rate(var.dtype.base_dtype), grad,
                                          use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return training_ops.resource_apply_adagrad(
            var.handle, acc.handle, self._rate(grad.dtype.base_dtype), grad,
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return training_ops.sparse_apply_adagrad(
            var, acc, self._rate(var.dtype.base_dtype), grad.values, grad.indices,
            use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        acc = self.get_slot(var, 'accumulator')
        return training_ops.resource_sparse_apply_adagrad(
            var.handle, acc.handle, self._rate(grad.dtype), grad, indices,
            use_locking=self._use_locking)
