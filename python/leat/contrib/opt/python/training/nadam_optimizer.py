# SPDX-License-Identifier: Apache-2.0
"""Adam with Nesterov's momentum."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.training import adam
from leat.python.training import training_ops


class NadamOptimizer(adam.AdamOptimizer):
    """Adam's step, with beta1 * m + (1 - beta1) * grad in the place of m."""

    def _apply_dense(self, grad, var):
        return training_ops.apply_adam(
            var, self.get_slot(var, 'm'), self.get_slot(var, 'v'),
            *self._numbers(var.dtype.base_dtype), grad=grad, use_locking=self._use_locking,
            use_nesterov=True).op

    def _resource_apply_dense(self, grad, var):
        return training_ops.resource_apply_adam(
            var.handle, self.get_slot(var, 'm').handle, self.get_slot(var, 'v').handle,
            *self._numbers(grad.dtype.base_dtype), grad=grad, use_locking=self._use_locking,
            use_nesterov=True)

    def _apply_sparse_shared(self, grad, var, indices, scatter_add):
        beta1_power, beta2_power, lr_t, beta1_t, beta2_t, epsilon_t = self._numbers(
            var.dtype.base_dtype)
        lr = lr_t * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m = self.get_slot(var, 'm')
        m_new = grad * (1 - beta1_t)
        m_t = state_ops.assign(m, m * beta1_t, use_locking=self._use_locking)
        with ops.control_dependencies([m_t]):
            m_t = scatter_add(m, indices, m_new)
            # What stands in m's place: those rows once more towards the gradient.
            m_bar = m_new + beta1_t * array_ops.gather(m_t, indices)
        v = self.get_slot(var, 'v')
        v_new = (grad * grad) * (1 - beta2_t)
        v_t = state_ops.assign(v, v * beta2_t, use_locking=self._use_locking)
        with ops.control_dependencies([v_t]):
            v_t = scatter_add(v, indices, v_new)
        v_t_slice = array_ops.gather(v_t, indices)
        var_update = scatter_add(var, indices,
                                 -lr * m_bar / (math_ops.sqrt(v_t_slice) + epsilon_t))
        return control_flow_ops.group(*[var_update, m_bar, v_t])
