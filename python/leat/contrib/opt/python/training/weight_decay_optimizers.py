# SPDX-License-Identifier: Apache-2.0
"""Weight decay apart from the gradient: var -= weight_decay * var beside each step."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import resource_variable_ops
from leat.python.ops import state_ops
from leat.python.training import adam
from leat.python.training import momentum as momentum_opt
from leat.python.training import optimizer


class DecoupledWeightDecayExtension(object):
    """What an optimizer inherits from, before its own base, to decay weights."""

    def __init__(self, weight_decay, **kwargs):
        self._decay_var_list = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor = None
        super(DecoupledWeightDecayExtension, self).__init__(**kwargs)

    def minimize(self, loss, global_step=None, var_list=None,
                 gate_gradients=optimizer.Optimizer.GATE_OP, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None,
                 decay_var_list=None):
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super(DecoupledWeightDecayExtension, self).minimize(
            loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, name=name,
            grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        if decay_var_list:
            self._decay_var_list = set(decay_var_list)
        return super(DecoupledWeightDecayExtension, self).apply_gradients(
            grads_and_vars, global_step=global_step, name=name)

    def _prepare(self):
        weight_decay = self._weight_decay
        if callable(weight_decay):
            weight_decay = weight_decay()
        self._weight_decay_tensor = ops.convert_to_tensor(weight_decay, name='weight_decay')
        super(DecoupledWeightDecayExtension, self)._prepare()

    def _decay_weights_op(self, var):
        if not self._decay_var_list or var in self._decay_var_list:
            return var.assign_sub(self._weight_decay * var, self._use_locking)
        return control_flow_ops.no_op()

    def _decay_weights_sparse_op(self, var, indices, scatter_add):
        if not self._decay_var_list or var in self._decay_var_list:
            from leat.python.ops import array_ops
            update = -self._weight_decay * array_ops.gather(var, indices)
            return scatter_add(var, indices, update, self._use_locking)
        return control_flow_ops.no_op()

    def _apply_dense(self, grad, var):
        with ops.control_dependencies([self._decay_weights_op(var)]):
            return super(DecoupledWeightDecayExtension, self)._apply_dense(grad, var)

    def _resource_apply_dense(self, grad, var):
        with ops.control_dependencies([self._decay_weights_op(var)]):
            return super(DecoupledWeightDecayExtension, self)._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        decay_op = self._decay_weights_sparse_op(var, grad.indices, state_ops.scatter_add)
        with ops.control_dependencies([decay_op]):
            return super(DecoupledWeightDecayExtension, self)._apply_sparse(grad, var)

    def _resource_scatter_add(self, x, i, v, _=None):
        with ops.control_dependencies([
                resource_variable_ops.resource_scatter_add(x.handle, i, v)]):
            return x.value()

    def _resource_apply_sparse(self, grad, var, indices):
        decay_op = self._decay_weights_sparse_op(var, indices, self._resource_scatter_add)
        with ops.control_dependencies([decay_op]):
            return super(DecoupledWeightDecayExtension, self)._resource_apply_sparse(
                grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer):
    """A class that is the optimizer with weight decay."""
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """The base, with weight_decay as the first argument."""

        def __init__(self, weight_decay, *args, **kwargs):
            self._decay_var_list = None
            self._weight_decay = weight_decay
            self._weight_decay_tensor = None
            base_optimizer.__init__(self, *args, **kwargs)
    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, momentum_opt.MomentumOptimizer):
    """Momentum with weight decay."""

    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False,
                 name='MomentumW', use_nesterov=False):
        super(MomentumWOptimizer, self).__init__(
            weight_decay, learning_rate=learning_rate, momentum=momentum,
            use_locking=use_locking, name=name, use_nesterov=use_nesterov)


class AdamWOptimizer(DecoupledWeightDecayExtension, adam.AdamOptimizer):
    """Adam with weight decay."""

    def __init__(self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdamW'):
        super(AdamWOptimizer, self).__init__(
            weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon,
            use_locking=use_locking, name=name)
