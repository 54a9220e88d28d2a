# SPDX-License-Identifier: Apache-2.0
"""The optimizer that scales the loss, and unscales the gradients before another applies them."""
from leat.python.framework import ops
from leat.python.framework import smart_cond
from leat.python.ops import control_flow_ops
from leat.python.training import optimizer
from leat.python.training.experimental import loss_scale as loss_scale_module
from leat.python.training.tracking import base as trackable


class MixedPrecisionLossScaleOptimizer(optimizer.Optimizer, trackable.Trackable):
    """Wraps an optimizer. With a dynamic scale, a step whose gradients are not finite is left
    out."""

    def __init__(self, opt, loss_scale):
        if not isinstance(opt, optimizer.Optimizer):
            raise ValueError('"opt" must be an instance of Optimizer, but got: %s' % type(opt))
        self._optimizer = opt
        super(MixedPrecisionLossScaleOptimizer, self).__init__(opt._use_locking, opt._name)
        self._loss_scale = loss_scale_module.get(loss_scale)
        if self._loss_scale is None:
            raise ValueError('loss_scale cannot be None')
        self._track_trackable(opt, 'base_optimizer')
        self._track_trackable(self._loss_scale, 'loss_scale')

    def _doing_dynamic_loss_scaling(self):
        return isinstance(self._loss_scale, loss_scale_module.DynamicLossScale)

    def compute_gradients(self, loss, var_list=None, gate_gradients=optimizer.Optimizer.GATE_OP,
                          aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        grads_and_vars = self._optimizer.compute_gradients(
            loss=self._scale_loss(loss), var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        grads = self._unscale_grads([g for g, _ in grads_and_vars])
        return list(zip(grads, [v for _, v in grads_and_vars]))

    def _scale_loss(self, loss):
        scale = self._loss_scale()
        if callable(loss):
            return lambda: loss() * scale
        return loss * scale

    def _unscale_grads(self, grads):
        reciprocal = 1 / self._loss_scale()
        return [None if g is None else self._scale_grad(g, reciprocal) for g in grads]

    def _scale_grad(self, grad, loss_scale_reciprical):
        if isinstance(grad, ops.IndexedSlices):
            return ops.IndexedSlices(grad.values * loss_scale_reciprical, grad.indices,
                                     dense_shape=grad.dense_shape)
        return grad * loss_scale_reciprical

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        if not self._doing_dynamic_loss_scaling():
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        grads_and_vars = tuple(grads_and_vars)
        update_op, should_apply = self._loss_scale.update([g for g, _ in grads_and_vars])
        name = name or self.get_name()

        def apply_fn():
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name + '-wrapped')
        apply_op = smart_cond.smart_cond(should_apply, apply_fn, control_flow_ops.no_op)
        return control_flow_ops.group(apply_op, update_op, name=name)

    def _apply_sparse(self, grad, var):
        raise RuntimeError('This function should never be called')

    _apply_dense = _apply_sparse

    def _resource_apply_sparse(self, grad, handle, indices):
        raise RuntimeError('This function should never be called')

    def _resource_apply_dense(self, grad, handle):
        raise RuntimeError('This function should never be called')
