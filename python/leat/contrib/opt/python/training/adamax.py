# SPDX-License-Identifier: Apache-2.0
"""AdaMax: Adam with the greatest gradient so far in the place of the mean of squares."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.training import adam
from leat.python.training import training_ops


class AdaMaxOptimizer(adam.AdamOptimizer):
    """v = max(beta2 * v, |grad|); var -= rate / (1 - beta1 ** t) * m / (v + epsilon)."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdaMax'):
        super(AdaMaxOptimizer, self).__init__(learning_rate, beta1, beta2, epsilon, use_locking,
                                              name)

    def _get_beta_accumulators(self):
        return self._get_non_slot_variable('beta1_power', graph=ops.get_default_graph())

    def _create_slots(self, var_list):
        first_var = min(var_list, key=lambda x: x.name)
        self._create_non_slot_variable(initial_value=self._beta1, name='beta1_power',
                                       colocate_with=first_var)
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)
            self._zeros_slot(v, 'v', self._name)

    def _numbers(self, dtype):
        return [math_ops.cast(x, dtype) for x in (
            self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t,
            self._epsilon_t)]

    def _apply_dense(self, grad, var):
        return training_ops.apply_ada_max(
            var, self.get_slot(var, 'm'), self.get_slot(var, 'v'),
            *self._numbers(var.dtype.base_dtype), grad=grad, use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return training_ops.resource_apply_ada_max(
            var.handle, self.get_slot(var, 'm').handle, self.get_slot(var, 'v').handle,
            *self._numbers(grad.dtype), grad=grad, use_locking=self._use_locking)

    def _apply_sparse_shared(self, grad, var, indices, scatter_add, scatter_update):
        beta1_power, lr_t, beta1_t, beta2_t, epsilon_t = self._numbers(var.dtype.base_dtype)
        m = self.get_slot(var, 'm')
        m_slice = array_ops.gather(m, indices)
        m_t_slice = m_slice * beta1_t + grad * (1 - beta1_t)
        with ops.control_dependencies([m_t_slice]):
            m_t = scatter_update(m, indices, m_t_slice)
        v = self.get_slot(var, 'v')
        v_slice = array_ops.gather(v, indices)
        v_t_slice = math_ops.maximum(v_slice * beta2_t, math_ops.abs(grad))
        with ops.control_dependencies([v_t_slice]):
            v_t = scatter_update(v, indices, v_t_slice)
        var_slice = -lr_t / (1 - beta1_power) * (m_t_slice / (v_t_slice + epsilon_t))
        with ops.control_dependencies([var_slice]):
            var_update = scatter_add(var, indices, var_slice)
        return control_flow_ops.group(*[var_update, m_t, v_t])

    def _apply_sparse(self, grad, var):
        return self._apply_sparse_shared(
            grad.values, var, grad.indices,
            lambda x, i, v: state_ops.scatter_add(x, i, v, use_locking=self._use_locking),
            lambda x, i, v: state_ops.scatter_update(x, i, v, use_locking=self._use_locking))

    def _resource_scatter_update(self, x, i, v):
        with ops.control_dependencies([
                gen_resource_variable_ops.resource_scatter_update(x.handle, i, v)]):
            return x.value()

    def _resource_apply_sparse(self, grad, var, indices):
        return self._apply_sparse_shared(grad, var, indices, self._resource_scatter_add,
                                         self._resource_scatter_update)

    def _finish(self, update_ops, name_scope):
        with ops.control_dependencies(update_ops):
            beta1_power = self._get_beta_accumulators()
            with ops.colocate_with(beta1_power):
                update_beta1 = beta1_power.assign(beta1_power * self._beta1_t,
                                                  use_locking=self._use_locking)
        return control_flow_ops.group(*update_ops + [update_beta1], name=name_scope)
