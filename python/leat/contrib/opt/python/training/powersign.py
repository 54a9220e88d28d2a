# SPDX-License-Identifier: Apache-2.0
"""PowerSign: base ** (decay * agreement) times the gradient."""
import math

from leat.contrib.opt.python.training import sign_optimizers
from leat.python.framework import ops
from leat.python.ops import math_ops
from leat.python.training import training_ops


class PowerSignOptimizer(sign_optimizers.SignOptimizer):
    """Longer steps where gradient and momentum agree."""

    def __init__(self, learning_rate=0.1, base=math.e, beta=0.9, sign_decay_fn=None,
                 use_locking=False, name='PowerSignOptimizer'):
        super(PowerSignOptimizer, self).__init__(learning_rate, beta, sign_decay_fn, use_locking,
                                                 name)
        self._logbase = math.log(base)

    def _prepare(self):
        self._lr_t = ops.convert_to_tensor(self._lr, name='learning_rate')
        self._beta_t = ops.convert_to_tensor(self._beta, name='beta')
        self._logbase_t = ops.convert_to_tensor(self._logbase, name='logbase')
        if self._sign_decay_fn is None:
            self._sign_decay_t = ops.convert_to_tensor(1.0, name='sign_decay')

    def _length(self, agree, dtype):
        return math_ops.pow(math.e, self._cast(self._logbase_t, dtype) *
                            self._cast(self._sign_decay_t, dtype) * agree)

    def _numbers(self, dtype):
        return [math_ops.cast(x, dtype) for x in (self._lr_t, self._logbase_t,
                                                  self._sign_decay_t, self._beta_t)]

    def _apply_dense(self, grad, var):
        return training_ops.apply_power_sign(
            var, self.get_slot(var, 'm'), *self._numbers(var.dtype.base_dtype), grad=grad,
            use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return training_ops.resource_apply_power_sign(
            var.handle, self.get_slot(var, 'm').handle, *self._numbers(var.dtype.base_dtype),
            grad=grad, use_locking=self._use_locking)
