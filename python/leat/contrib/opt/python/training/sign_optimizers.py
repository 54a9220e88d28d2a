# SPDX-License-Identifier: Apache-2.0
"""Steps that depend on whether gradient and momentum agree. Imported by addsign and powersign."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.training import optimizer
from leat.python.training import training_util


class SignOptimizer(optimizer.Optimizer):
    """Keeps the moving average m of the gradients; derived classes say how long a step is."""

    def __init__(self, learning_rate, beta, sign_decay_fn, use_locking, name):
        super(SignOptimizer, self).__init__(use_locking, name)
        self._lr = learning_rate
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        if self._sign_decay_fn is not None:
            self._sign_decay_t = ops.convert_to_tensor(
                self._sign_decay_fn(global_step if global_step is not None
                                    else training_util.get_or_create_global_step()),
                name='sign_decay')
        return super(SignOptimizer, self).apply_gradients(grads_and_vars,
                                                          global_step=global_step, name=name)

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)

    def _prepare(self):
        self._lr_t = ops.convert_to_tensor(self._lr, name='learning_rate')
        self._beta_t = ops.convert_to_tensor(self._beta, name='beta')
        if self._sign_decay_fn is None:
            self._sign_decay_t = ops.convert_to_tensor(1.0, name='sign_decay')

    def _length(self, agree, dtype):
        """How much of the gradient the step is, of sign(grad) * sign(m)."""
        raise NotImplementedError()

    def _cast(self, x, dtype):
        return math_ops.cast(x, dtype)

    def _apply_sparse(self, grad, var):
        dtype = var.dtype.base_dtype
        beta_t = self._cast(self._beta_t, dtype)
        m = self.get_slot(var, 'm')
        m_t = state_ops.assign(m, m * beta_t, use_locking=self._use_locking)
        with ops.control_dependencies([m_t]):
            m_t = state_ops.scatter_add(m, grad.indices, grad.values * (1 - beta_t),
                                        use_locking=self._use_locking)
        from leat.python.ops import array_ops
        m_gathered = array_ops.gather(m_t, grad.indices)
        agree = math_ops.sign(grad.values) * math_ops.sign(m_gathered)
        update = -self._cast(self._lr_t, dtype) * grad.values * self._length(agree, dtype)
        var_update = state_ops.scatter_add(var, grad.indices, update,
                                           use_locking=self._use_locking)
        return control_flow_ops.group(*[var_update, m_t])
