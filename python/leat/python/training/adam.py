# SPDX-License-Identifier: Apache-2.0
"""Adam."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class AdamOptimizer(optimizer.Optimizer):
    """Steps by the mean of the gradients over the root of that of their squares."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08,
                 use_locking=False, name='Adam'):
        super(AdamOptimizer, self).__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t = None
        self._beta1_t = None
        self._beta2_t = None
        self._epsilon_t = None

    def _get_beta_accumulators(self):
        graph = ops.get_default_graph()
        return (self._get_non_slot_variable('beta1_power', graph=graph),
                self._get_non_slot_variable('beta2_power', graph=graph))

    def _create_slots(self, var_list):
        first_var = min(var_list, key=lambda x: x.name)
        self._create_non_slot_variable(initial_value=self._beta1, name='beta1_power',
                                       colocate_with=first_var)
        self._create_non_slot_variable(initial_value=self._beta2, name='beta2_power',
                                       colocate_with=first_var)
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)
            self._zeros_slot(v, 'v', self._name)

    def _prepare(self):
        self._lr_t = ops.convert_to_tensor(self._call_if_callable(self._lr), name='learning_rate')
        self._beta1_t = ops.convert_to_tensor(self._call_if_callable(self._beta1), name='beta1')
        self._beta2_t = ops.convert_to_tensor(self._call_if_callable(self._beta2), name='beta2')
        self._epsilon_t = ops.convert_to_tensor(self._call_if_callable(self._epsilon),
                                                name='epsilon')

    def _numbers(self, dtype):
        """The two powers, the rate, the betas and epsilon, of a type."""
        return [math_ops.cast(x, dtype) for x in self._get_beta_accumulators() + (
            self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]

    def _apply_dense(self, grad, var):
        m = self.get_slot(var, 'm')
        v = self.get_slot(var, 'v')
        return training_ops.apply_adam(var, m, v, *self._numbers(var.dtype.base_dtype), grad=grad,
                                       use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        m = self.get_slot(var, 'm')
        v = self.get_slot(var, 'v')
        return training_ops.resource_apply_adam(
            var.handle, m.handle, v.handle, *self._numbers(grad.dtype.base_dtype), grad=grad,
            use_locking=self._use_locking)

    def _apply_sparse_shared(self, grad, var, indices, scatter_add):
        beta1_power, beta2_power, lr_t, beta1_t, beta2_t, epsilon_t = self._numbers(
            var.dtype.base_dtype)
        lr = lr_t * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m = self.get_slot(var, 'm')
        m_new = grad * (1 - beta1_t)
        m_t = state_ops.assign(m, m * beta1_t, use_locking=self._use_locking)
        with ops.control_dependencies([m_t]):
            m_t = scatter_add(m, indices, m_new)
        v = self.get_slot(var, 'v')
        v_new = (grad * grad) * (1 - beta2_t)
        v_t = state_ops.assign(v, v * beta2_t, use_locking=self._use_locking)
        with ops.control_dependencies([v_t]):
            v_t = scatter_add(v, indices, v_new)
        v_sqrt = math_ops.sqrt(v_t)
        var_update = state_ops.assign_sub(var, lr * m_t / (v_sqrt + epsilon_t),
                                          use_locking=self._use_locking)
        return control_flow_ops.group(*[var_update, m_t, v_t])

    def _apply_sparse(self, grad, var):
        return self._apply_sparse_shared(
            grad.values, var, grad.indices,
            lambda x, i, v: state_ops.scatter_add(x, i, v, use_locking=self._use_locking))

    def _resource_scatter_add(self, x, i, v):
        with ops.control_dependencies([
                gen_resource_variable_ops.resource_scatter_add(x.handle, i, v)]):
            return x.value()

    def _resource_apply_sparse(self, grad, var, indices):
        return self._apply_sparse_shared(grad, var, indices, self._resource_scatter_add)

    def _finish(self, update_ops, name_scope):
        with ops.control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with ops.colocate_with(beta1_power):
                update_beta1 = beta1_power.assign(beta1_power * self._beta1_t,
                                                  use_locking=self._use_locking)
                update_beta2 = beta2_power.assign(beta2_power * self._beta2_t,
                                                  use_locking=self._use_locking)
        return control_flow_ops.group(*update_ops + [update_beta1, update_beta2], name=name_scope)
