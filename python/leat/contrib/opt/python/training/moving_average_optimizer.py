# SPDX-License-Identifier: Apache-2.0
"""An optimizer that keeps moving averages of the variables, and savers that swap them in."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import variables
from leat.python.training import moving_averages
from leat.python.training import optimizer
from leat.python.training import saver


class MovingAverageOptimizer(optimizer.Optimizer):
    """Another optimizer, and averages after (or beside) its steps."""

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        super(MovingAverageOptimizer, self).__init__(opt._use_locking, opt._name)
        self._optimizer = opt
        self._ema = moving_averages.ExponentialMovingAverage(average_decay,
                                                             num_updates=num_updates)
        self._swapped_variable_name_map = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        train_op = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step,
                                                   name=name)
        var_list = [x[1] for x in grads_and_vars if x[0] is not None]
        self._swapped_variable_name_map = {}
        if self._sequential_update:
            with ops.control_dependencies([train_op]):
                ma_op = self._ema.apply(var_list)
        else:
            ma_op = self._ema.apply(var_list)
        for v in var_list:
            avg = self._ema.average(v)
            self._swapped_variable_name_map[v.op.name] = avg.op.name
            self._swapped_variable_name_map[avg.op.name] = v.op.name
        return control_flow_ops.group(train_op, ma_op, name='train_with_avg')

    def _find_swapped_variable(self, v_name_to_tensor, v_name, tensor):
        swapped = self._swapped_variable_name_map.get(v_name, None)
        if swapped is None:
            return tensor
        if swapped in v_name_to_tensor:
            return v_name_to_tensor[swapped]
        raise ValueError('Variable to swap %s is not part of variables to save. This breaks '
                         'MovingAverageOptimizer.' % swapped)

    def swapping_saver(self, var_list=None, name='swapping_saver', **kwargs):
        """A Saver that saves averages under the variables' names."""
        if self._swapped_variable_name_map is None:
            raise RuntimeError('Must call apply_gradients or minimize before creating the '
                               'swapping_saver')
        if var_list is None:
            var_list = variables.global_variables()
        if not isinstance(var_list, dict):
            var_list = {v.op.name: v for v in var_list}
        swapped = {k: self._find_swapped_variable(var_list, k, v) for k, v in var_list.items()}
        return saver.Saver(swapped, name=name, **kwargs)

    def variables(self):
        return self._optimizer.variables()

    def get_slot(self, var, name):
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self):
        return self._optimizer.get_slot_names()
