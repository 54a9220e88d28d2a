# SPDX-License-Identifier: Apache-2.0
"""Averages of variables over the steps."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables
from leat.python.training import slot_creator


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable -= (variable - value) * (1 - decay), or what that is without the zeros that it
    began with."""
    with ops.name_scope(name, 'AssignMovingAvg', [variable, value, decay]) as scope:
        decay = ops.convert_to_tensor(1.0 - decay, name='decay')
        if decay.dtype != variable.dtype.base_dtype:
            decay = math_ops.cast(decay, variable.dtype.base_dtype)
        if zero_debias:
            return _zero_debias(scope, variable, value, decay)
        return state_ops.assign_sub(variable, (variable - value) * decay, name=scope)


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """The average of value, each counted by its weight."""
    if collections is None:
        collections = [ops.GraphKeys.GLOBAL_VARIABLES]
    with variable_scope.variable_scope(name, 'WeightedMovingAvg', [value, weight, decay]) as scope:
        value_x_weight = variable_scope.get_variable(
            'value_x_weight', shape=value.get_shape(), dtype=value.dtype,
            initializer=init_ops.zeros_initializer(), trainable=False, collections=collections)
        total = variable_scope.get_variable(
            'weight', shape=weight.get_shape(), dtype=weight.dtype,
            initializer=init_ops.zeros_initializer(), trainable=False, collections=collections)
        numerator = assign_moving_average(value_x_weight, value * weight, decay,
                                          zero_debias=False)
        denominator = assign_moving_average(total, weight, decay, zero_debias=False)
        divide = math_ops.truediv if truediv else math_ops.div
        return divide(numerator, denominator, name=scope.name)


def _zero_debias(scope, unbiased_var, value, decay):
    """The average as if it had begun with the first value: by one that began with zero and the
    number of values so far."""
    with variable_scope.variable_scope(unbiased_var.name[:-2], values=[unbiased_var, value,
                                                                       decay]):
        with ops.init_scope(), ops.colocate_with(unbiased_var):
            biased_var, local_step = _debias_variables(unbiased_var)
    with ops.name_scope(scope):
        biased = state_ops.assign_sub(biased_var, (biased_var - value) * decay, name='AssignSub')
        step = state_ops.assign_add(local_step, 1, name='AssignAdd')
        unbiased = biased / (1 - math_ops.pow(1.0 - decay, step))
        return state_ops.assign(unbiased_var, unbiased, name=scope)


def _debias_variables(unbiased_var):
    dtype = unbiased_var.dtype.base_dtype

    def free(name):
        taken = variable_scope._get_default_variable_store()._vars
        full = variable_scope.get_variable_scope().name + '/' + name
        if full not in taken:
            return name
        i = 1
        while full + '_%d' % i in taken:
            i += 1
        return name + '_%d' % i
    biased = variable_scope.get_variable(
        free('biased'), initializer=init_ops.zeros_initializer(dtype=dtype),
        shape=unbiased_var.get_shape(), dtype=dtype, trainable=False)
    step = variable_scope.get_variable(
        free('local_step'), shape=[], dtype=dtype,
        initializer=init_ops.zeros_initializer(dtype=dtype), trainable=False)
    return biased, step


class ExponentialMovingAverage(object):
    """Keeps averages of variables, each step's value counting less by a factor."""

    def __init__(self, decay, num_updates=None, zero_debias=False,
                 name='ExponentialMovingAverage'):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages = {}

    @property
    def name(self):
        return self._name

    def _make(self, var, zero_debias_true):
        """The average of one variable or tensor, new."""
        if var.dtype.base_dtype not in (dtypes.bfloat16, dtypes.float16, dtypes.float32,
                                        dtypes.float64):
            raise TypeError('The variables must be half, float, or double: %s' % var.name)
        with ops.init_scope():
            if isinstance(var, variables.Variable):
                avg = slot_creator.create_slot(var, var.initialized_value(), self.name,
                                               colocate_with_primary=True)
                ops.add_to_collection(ops.GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            else:
                avg = slot_creator.create_zeros_slot(
                    var, self.name,
                    colocate_with_primary=var.op.type in ['Variable', 'VariableV2',
                                                          'VarHandleOp'])
                if self._zero_debias:
                    zero_debias_true.add(id(avg))
        self._averages[_ref(var)] = avg

    def apply(self, var_list=None):
        """The op that takes the values of now into the averages."""
        if var_list is None:
            var_list = variables.trainable_variables()
        zero_debias_true = set()
        for var in var_list:
            if _ref(var) not in self._averages:
                self._make(var, zero_debias_true)
        with ops.name_scope(self.name) as scope:
            decay = ops.convert_to_tensor(self._decay, name='decay')
            if self._num_updates is not None:
                num_updates = math_ops.cast(self._num_updates, dtypes.float32,
                                            name='num_updates')
                decay = math_ops.minimum(decay, (1.0 + num_updates) / (10.0 + num_updates))
            updates = []
            for var in var_list:
                avg = self._averages[_ref(var)]
                updates.append(assign_moving_average(avg, var, decay,
                                                     zero_debias=id(avg) in zero_debias_true))
            return control_flow_ops.group(*updates, name=scope)

    def average(self, var):
        """The variable that holds var's average; None."""
        return self._averages.get(_ref(var), None)

    def average_name(self, var):
        """The name of the variable that holds, or would hold, var's average."""
        if _ref(var) in self._averages:
            return self._averages[_ref(var)].op.name
        return ops.get_default_graph().unique_name(var.op.name + '/' + self.name,
                                                   mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """{name in a checkpoint: variable}, averages in the place of what they are of."""
        if moving_avg_variables is None:
            moving_avg_variables = variables.trainable_variables()
            moving_avg_variables += variables.moving_average_variables()
        moving_avg_variables = list(dict.fromkeys(moving_avg_variables))
        name_map = {}
        for v in moving_avg_variables:
            name_map[self.average_name(v)] = v
        names = set(v.name for v in moving_avg_variables)
        for v in list(dict.fromkeys(variables.global_variables())):
            if v.name not in names and v.op.name not in name_map:
                name_map[v.op.name] = v
        return name_map


def _ref(var):
    return var.experimental_ref() if hasattr(var, 'experimental_ref') else var
