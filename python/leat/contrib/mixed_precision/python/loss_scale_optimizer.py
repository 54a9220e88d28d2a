# SPDX-License-Identifier: Apache-2.0
"""An optimizer of a loss made large, whose gradients are made small again."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_control_flow_ops
from leat.python.ops import math_ops
from leat.python.training import optimizer


class LossScaleOptimizer(optimizer.Optimizer):
    """Steps whose gradients are not finite are left out."""

    def __init__(self, opt, loss_scale_manager):
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(self, loss, var_list=None, gate_gradients=optimizer.Optimizer.GATE_OP,
                          aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        scale = self._loss_scale_manager.get_loss_scale()
        if callable(loss):
            def scaled():
                value = loss()
                return value * math_ops.cast(scale, value.dtype.base_dtype)
        else:
            scaled = loss * math_ops.cast(scale, loss.dtype.base_dtype)
        pairs = self._opt.compute_gradients(
            scaled, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        return self._down_scale(pairs, scale)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        checks = []
        for grad, _ in grads_and_vars:
            if grad is not None:
                values = grad.values if isinstance(grad, ops.IndexedSlices) else grad
                checks.append(math_ops.reduce_all(math_ops.is_finite(values)))
        is_overall_finite = math_ops.reduce_all(checks)

        def true_apply_grads_fn():
            return self._opt.apply_gradients(grads_and_vars, global_step, name)
        update_vars = control_flow_ops.cond(is_overall_finite, true_apply_grads_fn,
                                            gen_control_flow_ops.no_op)
        return control_flow_ops.group(
            update_vars, self._loss_scale_manager.update_loss_scale(is_overall_finite))

    @staticmethod
    def _down_scale(grads_vars, loss_scale):
        pairs = []
        inverse = math_ops.reciprocal(loss_scale)
        for grad, variable in grads_vars:
            if grad is not None:
                if isinstance(grad, ops.IndexedSlices):
                    grad = ops.IndexedSlices(
                        grad.values * math_ops.cast(inverse, grad.values.dtype.base_dtype),
                        grad.indices, dense_shape=grad.dense_shape)
                else:
                    grad *= math_ops.cast(inverse, grad.dtype.base_dtype)
            pairs.append((grad, variable))
        return pairs
