# SPDX-License-Identifier: Apache-2.0
"""The collections of variables, and ops over all variables of one: initializers, reports."""
import os

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import gen_control_flow_ops
from leat.python.ops import state_ops
from leat.python.util import deprecation


def global_variables(scope=None):
    return ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@deprecation.deprecated('2017-03-02', 'Please use tf.global_variables instead.')
def all_variables():
    return global_variables()


def _all_saveable_objects(scope=None):
    return (ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope) +
            ops.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope))


def local_variables(scope=None):
    return ops.get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    return ops.get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope=None):
    return ops.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope=None):
    return ops.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list, name='init'):
    """An op that gives each of them its first value; one that does nothing of none."""
    if var_list:
        from leat.python.ops import control_flow_ops
        return control_flow_ops.group(*[v.initializer for v in var_list], name=name)
    return gen_control_flow_ops.no_op(name=name)


@deprecation.deprecated('2017-03-02', 'Use `tf.variables_initializer` instead.')
def initialize_variables(var_list, name='init'):
    return variables_initializer(var_list, name=name)


def global_variables_initializer():
    return variables_initializer(global_variables())


@deprecation.deprecated('2017-03-02', 'Use `tf.global_variables_initializer` instead.')
def initialize_all_variables():
    return global_variables_initializer()


def local_variables_initializer():
    return variables_initializer(local_variables())


@deprecation.deprecated('2017-03-02', 'Use `tf.local_variables_initializer` instead.')
def initialize_local_variables():
    return local_variables_initializer()


def is_variable_initialized(variable):
    return state_ops.is_variable_initialized(variable)


def _variables_or_ops(var_list):
    """The list; where None, the global and local variables, or the ops if there are none."""
    if var_list is None:
        var_list = global_variables() + local_variables()
        if not var_list:
            var_list = [op.outputs[0] for op in ops.get_default_graph().get_operations()
                        if op.type in ('Variable', 'VariableV2', 'AutoReloadVariable')]
    return var_list


def assert_variables_initialized(var_list=None):
    """An op that fails when a variable has no value yet; None when there are none."""
    from leat.python.ops import array_ops
    var_list = _variables_or_ops(var_list)
    if not var_list:
        return None
    ranks = []
    for var in var_list:
        with ops.colocate_with(var.op):
            ranks.append(array_ops.rank_internal(var, optimize=False))
    if len(ranks) == 1:
        return ranks[0]
    return array_ops.stack(ranks)


def report_uninitialized_variables(var_list=None, name='report_uninitialized_variables'):
    """A 1-D string tensor: the names of those without a value."""
    from leat.python.framework import constant_op
    from leat.python.ops import array_ops
    from leat.python.ops import gen_math_ops
    var_list = _variables_or_ops(var_list)
    with ops.name_scope(name):
        init_vars = [state_ops.is_variable_initialized(v) for v in var_list or []]
        local_device = os.environ.get('TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING', '/cpu:0')
        with ops.device(local_device):
            if not var_list:
                return constant_op.constant([], dtype=dtypes.string)
            mask = gen_math_ops.logical_not(array_ops.stack(init_vars))
            names = constant_op.constant([s.op.name for s in var_list])
            return array_ops.boolean_mask(names, mask)
