# SPDX-License-Identifier: Apache-2.0
"""An optimizer after whose steps the norms of some variables are cut."""
import contextlib

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import control_flow_ops
from leat.python.platform import tf_logging as logging
from leat.python.training import optimizer


class VariableClippingOptimizer(optimizer.Optimizer):
    """vars_to_clip_dims says for each variable along which dims its norms are."""

    def __init__(self, opt, vars_to_clip_dims, max_norm, use_locking=False,
                 colocate_clip_ops_with_vars=False, name='VariableClipping'):
        super(VariableClippingOptimizer, self).__init__(use_locking, name)
        self._opt = opt
        self._vars_to_clip_dims = {var: dims[:] for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

    def compute_gradients(self, *args, **kwargs):
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        with ops.name_scope(name, self._name) as name:
            update_op = self._opt.apply_gradients(grads_and_vars, global_step=global_step)
            clipped = []
            with ops.control_dependencies([update_op]):
                for grad, var in grads_and_vars:
                    if grad is None or var not in self._vars_to_clip_dims:
                        continue
                    with ops.name_scope('clip_' + var.op.name):
                        clipped.append(self._clip_sparse(grad, var)
                                       if isinstance(grad, ops.IndexedSlices)
                                       else self._clip_dense(var))
            return control_flow_ops.group(*([update_op] + clipped), name=name)

    def _beside(self, var):
        return (ops.colocate_with(var) if self._colocate_clip_ops_with_vars
                else contextlib.nullcontext())

    def _clip_dense(self, var):
        with self._beside(var):
            value = var.read_value()
            delta = value - clip_ops.clip_by_norm(value, self._max_norm,
                                                  self._vars_to_clip_dims[var])
        with ops.colocate_with(var):
            return var.assign_sub(delta, use_locking=self._use_locking)

    def _clip_sparse(self, grad, var):
        dims = self._vars_to_clip_dims[var]
        if 0 in dims:
            logging.warn('Clipping norm across dims %s for %s is inefficient when including '
                         'sparse dimension 0.', dims, var.op.name)
            return self._clip_dense(var)
        with ops.colocate_with(var):
            rows = array_ops.gather(var, grad.indices)
        with self._beside(var):
            delta = ops.IndexedSlices(rows - clip_ops.clip_by_norm(rows, self._max_norm, dims),
                                      grad.indices, grad.dense_shape)
        with ops.colocate_with(var):
            return var.scatter_sub(delta, use_locking=self._use_locking)
