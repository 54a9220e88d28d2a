# SPDX-License-Identifier: Apache-2.0
"""RMSProp."""
from leat.python.framework import ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class RMSPropOptimizer(optimizer.Optimizer):
    """Steps by the gradient over the root of the mean of squares (or of the variance)."""

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, name='RMSProp'):
        super(RMSPropOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._learning_rate_tensor = None
        self._decay_tensor = None
        self._momentum_tensor = None
        self._epsilon_tensor = None

    def _create_slots(self, var_list):
        for v in var_list:
            if v.get_shape().is_fully_defined():
                init_rms = init_ops.ones_initializer(dtype=v.dtype.base_dtype)
            else:
                from leat.python.ops import array_ops
                init_rms = array_ops.ones_like(v)
            self._get_or_make_slot_with_initializer(
                v, init_rms, v.get_shape(), v.dtype.base_dtype, 'rms', self._name)
            if self._centered:
                self._zeros_slot(v, 'mg', self._name)
            self._zeros_slot(v, 'momentum', self._name)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')
        self._decay_tensor = ops.convert_to_tensor(self._call_if_callable(self._decay),
                                                   name='decay')
        self._momentum_tensor = ops.convert_to_tensor(self._call_if_callable(self._momentum),
                                                      name='momentum')
        self._epsilon_tensor = ops.convert_to_tensor(self._call_if_callable(self._epsilon),
                                                     name='epsilon')

    def _slots_of(self, var):
        names = ('mg', 'rms', 'momentum') if self._centered else ('rms', 'momentum')
        return [self.get_slot(var, n) for n in names]

    def _numbers(self, dtype):
        return [math_ops.cast(x, dtype) for x in (
            self._learning_rate_tensor, self._decay_tensor, self._momentum_tensor,
            self._epsilon_tensor)]

    def _op(self, prefix):
        return getattr(training_ops,
                       prefix + ('centered_rms_prop' if self._centered else 'rms_prop'))

    def _apply_dense(self, grad, var):
        return self._op('apply_')(var, *self._slots_of(var),
                                  *self._numbers(var.dtype.base_dtype), grad=grad,
                                  use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        slots = [s.handle for s in self._slots_of(var)]
        return self._op('resource_apply_')(var.handle, *slots,
                                           *self._numbers(grad.dtype.base_dtype), grad=grad,
                                           use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return self._op('sparse_apply_')(var, *self._slots_of(var),
                                         *self._numbers(var.dtype.base_dtype), grad=grad.values,
                                         indices=grad.indices, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        slots = [s.handle for s in self._slots_of(var)]
        return self._op('resource_sparse_apply_')(var.handle, *slots,
                                                  *self._numbers(grad.dtype), grad=grad,
                                                  indices=indices, use_locking=self._use_locking)
