# SPDX-License-Identifier: Apache-2.0
"""Adam that touches, of sparse gradients, only the rows that have one."""
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.training import adam


class LazyAdamOptimizer(adam.AdamOptimizer):
    """Adam; means and variables of other rows stay as they are."""

    def _rows(self, grad, var, indices, update, sub):
        beta1_power, beta2_power, lr_t, beta1_t, beta2_t, epsilon_t = self._numbers(
            var.dtype.base_dtype)
        lr = lr_t * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m = self.get_slot(var, 'm')
        m_t_slice = beta1_t * array_ops.gather(m, indices) + (1 - beta1_t) * grad
        m_update = update(m, indices, m_t_slice)
        v = self.get_slot(var, 'v')
        v_t_slice = (beta2_t * array_ops.gather(v, indices) +
                     (1 - beta2_t) * math_ops.square(grad))
        v_update = update(v, indices, v_t_slice)
        delta = lr * m_t_slice / (math_ops.sqrt(v_t_slice) + epsilon_t)
        return control_flow_ops.group(sub(var, indices, delta), m_update, v_update)

    def _apply_sparse(self, grad, var):
        return self._rows(
            grad.values, var, grad.indices,
            lambda x, i, v: state_ops.scatter_update(x, i, v, use_locking=self._use_locking),
            lambda x, i, v: state_ops.scatter_sub(x, i, v, use_locking=self._use_locking))

    def _resource_apply_sparse(self, grad, var, indices):
        def update(x, i, v):
            return gen_resource_variable_ops.resource_scatter_update(x.handle, i, v)

        def sub(x, i, v):
            return gen_resource_variable_ops.resource_scatter_sub(x.handle, i, v)
        return self._rows(grad, var, indices, update, sub)
