# SPDX-License-Identifier: Apache-2.0
"""Variables by name, scope and collection; the global step; values from checkpoints."""
import functools
import re

from leat.contrib.framework.python.ops.arg_scope import add_arg_scope
from leat.python.framework import device as tf_device
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_state_ops
from leat.python.ops import resource_variable_ops
from leat.python.ops import variable_scope
from leat.python.platform import tf_logging as logging
from leat.python.training import training_util
from leat.python.util import deprecation


__all__ = ['add_model_variable', 'assert_global_step', 'assert_or_get_global_step',
           'assign_from_checkpoint', 'assign_from_checkpoint_fn', 'assign_from_values',
           'assign_from_values_fn', 'create_global_step', 'filter_variables', 'get_global_step',
           'get_or_create_global_step', 'get_local_variables', 'get_model_variables',
           'get_trainable_variables', 'get_unique_variable', 'get_variables_by_name',
           'get_variables_by_suffix', 'get_variable_full_name', 'get_variables_to_restore',
           'get_variables', 'global_variable', 'local_variable', 'model_variable', 'variable',
           'VariableDeviceChooser', 'zero_initializer']
_AUTO = variable_scope.VariableSynchronization.AUTO
_NONE = variable_scope.VariableAggregation.NONE


def zero_initializer(ref, use_locking=True, name='zero_initializer'):
    """An op that sets the variable to zeros where it is."""
    del use_locking
    if resource_variable_ops.is_resource_variable(ref):
        return ref.assign(array_ops.zeros(ref.get_shape(), ref.dtype.base_dtype)).op
    return gen_state_ops.assign(ref, array_ops.zeros(ref.get_shape(), ref.dtype.base_dtype),
                                name=name)


@deprecation.deprecated(None, 'Please switch to tf.train.assert_global_step')
def assert_global_step(global_step_tensor):
    training_util.assert_global_step(global_step_tensor)


def assert_or_get_global_step(graph=None, global_step_tensor=None):
    """The tensor, which is a global step; default: the graph's."""
    if global_step_tensor is None:
        global_step_tensor = training_util.get_global_step(graph)
    else:
        training_util.assert_global_step(global_step_tensor)
    return global_step_tensor


@deprecation.deprecated(None, 'Please switch to tf.train.get_global_step')
def get_global_step(graph=None):
    return training_util.get_global_step(graph)


@deprecation.deprecated(None, 'Please switch to tf.train.create_global_step')
def create_global_step(graph=None):
    return training_util.create_global_step(graph)


@deprecation.deprecated(None, 'Please switch to tf.train.get_or_create_global_step')
def get_or_create_global_step(graph=None):
    return training_util.get_or_create_global_step(graph)


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that is neither trained nor saved."""
    return variable_scope.variable(
        initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape, use_resource=use_resource, name=name)


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that is saved but not trained."""
    return variable_scope.variable(
        initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape, use_resource=use_resource, name=name)


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True,
             collections=None, caching_device=None, device=None, partitioner=None,
             custom_getter=None, use_resource=None, synchronization=_AUTO, aggregation=_NONE):
    """get_variable, on a device."""
    collections = list(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES])
    collections = sorted(set(collections), key=collections.index)
    getter = variable_scope.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter,
                                   reuse=variable_scope.get_variable_scope().reuse)
    with ops.device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer,
                      regularizer=regularizer, trainable=trainable, collections=collections,
                      caching_device=caching_device, partitioner=partitioner,
                      use_resource=use_resource, synchronization=synchronization,
                      aggregation=aggregation)


@add_arg_scope
def model_variable(name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None,
                   trainable=True, collections=None, caching_device=None, device=None,
                   partitioner=None, custom_getter=None, use_resource=None,
                   synchronization=_AUTO, aggregation=_NONE):
    """A variable of the model: variable(), in the collection of them too."""
    collections = list(collections or [])
    collections += [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape=shape, dtype=dtype, initializer=initializer,
                    regularizer=regularizer, trainable=trainable, collections=collections,
                    caching_device=caching_device, device=device, partitioner=partitioner,
                    custom_getter=custom_getter, use_resource=use_resource,
                    synchronization=synchronization, aggregation=aggregation)


def add_model_variable(var):
    if var not in ops.get_collection(GraphKeys.MODEL_VARIABLES):
        ops.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    """Those of the collection in the scope whose names end so."""
    if isinstance(scope, variable_scope.VariableScope):
        scope = scope.name
    if suffix is not None:
        if ':' not in suffix:
            suffix += ':'
        scope = (scope or '') + '.*' + suffix
    return ops.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include=None, exclude=None):
    """Those in the scopes of include, but not in those of exclude."""
    if include is None:
        found = get_variables()
    else:
        if not isinstance(include, (list, tuple)):
            raise TypeError('include is provided but is not a list or a tuple.')
        found = [v for scope in include for v in get_variables(scope)]
    excluded = set()
    if exclude is not None:
        if not isinstance(exclude, (list, tuple)):
            raise TypeError('exclude is provided but is not a list or a tuple.')
        for scope in exclude:
            excluded |= {id(v) for v in get_variables(scope)}
    return [v for v in found if id(v) not in excluded]


def get_variables_by_suffix(suffix, scope=None):
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    suffix = '/' + given_name + ':|^' + given_name + ':'
    return get_variables(scope=scope, suffix=suffix)


def get_unique_variable(var_op_name):
    """The one variable of this name."""
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError('Couldn\'t find variable %s' % var_op_name)
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError('Variable %s does not uniquely identify a variable' % var_op_name)


def get_variable_full_name(var):
    """The name that a saver saves it under."""
    if var._save_slice_info:
        return var._save_slice_info.full_name
    return var.op.name


def assign_from_values(var_names_to_values):
    """(an op, its feed dict) that give the variables these values."""
    feed_dict, assign_ops = {}, []
    for var_name, var_value in var_names_to_values.items():
        var = ops.get_collection(GraphKeys.GLOBAL_VARIABLES, var_name)
        if not var:
            raise ValueError('Variable %s wasn\'t found' % var_name)
        if len(var) > 1:
            exact = [v for v in var if v.op.name == var_name]
            if not exact:
                raise ValueError('Multiple matches found for %s' % var_name)
            var = exact
        var = var[0]
        placeholder_name = 'placeholder/' + var.op.name
        placeholder = array_ops.placeholder(dtype=var.dtype.base_dtype, name=placeholder_name,
                                            shape=var.get_shape())
        assign_ops.append(var.assign(placeholder))
        feed_dict[placeholder] = var_value.reshape(var.get_shape().as_list())
    return control_flow_ops.group(*assign_ops), feed_dict


def assign_from_values_fn(var_names_to_values):
    """A function of a session that gives the variables these values."""
    assign_op, feed_dict = assign_from_values(var_names_to_values)

    def callback(session):
        return session.run(assign_op, feed_dict)
    return callback


def _reader(model_path):
    from leat.python.training import checkpoint_utils
    return checkpoint_utils.load_checkpoint(model_path)


def _grouped(var_list):
    """{name in the checkpoint: list of variables}"""
    if isinstance(var_list, dict):
        return {name: list(var) if isinstance(var, (list, tuple)) else [var]
                for name, var in var_list.items()}
    grouped = {}
    for var in var_list:
        grouped.setdefault(get_variable_full_name(var), []).append(var)
    return grouped


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """(an op, its feed dict) that give the variables the values of a checkpoint."""
    reader = _reader(model_path)
    feed_dict, assign_ops = {}, []
    for name, group in _grouped(var_list).items():
        if not reader.has_tensor(name):
            message = ('Checkpoint is missing variable [%s]' % name)
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.warning(message)
            continue
        value = reader.get_tensor(name)
        for var in group:
            placeholder = array_ops.placeholder(dtype=var.dtype.base_dtype,
                                                name='placeholder/' + var.op.name,
                                                shape=var.get_shape())
            assign_ops.append(var.assign(placeholder))
            feed_dict[placeholder] = _value_for(var, value, name)
    return control_flow_ops.group(*assign_ops), feed_dict


def _value_for(var, value, name):
    """The part of the value that the variable holds, in its shape."""
    if not var._save_slice_info:
        if var.get_shape() != value.shape:
            raise ValueError('Total size of new array must be unchanged for %s lh_shape: [%s], '
                             'rh_shape: [%s]' % (name, str(value.shape), str(var.get_shape())))
        return value.reshape(value.shape)
    info = var._save_slice_info
    part = tuple(slice(begin, begin + size)
                 for begin, size in zip(info.var_offset, info.var_shape))
    return value[part].reshape(var.get_shape().as_list())


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False,
                              reshape_variables=False):
    """A function of a session that gives the variables the values of a checkpoint."""
    from leat.python.training import saver as tf_saver
    if not var_list:
        raise ValueError('var_list cannot be empty')
    if ignore_missing_vars:
        reader = _reader(model_path)
        named = var_list if isinstance(var_list, dict) else {
            get_variable_full_name(var): var for var in var_list}
        available = {}
        for name, var in named.items():
            if reader.has_tensor(name):
                available[name] = var
            else:
                logging.warning('Variable %s missing in checkpoint %s', name, model_path)
        var_list = available
    if not var_list:
        logging.warning('No Variables to restore')
        return None
    saver = tf_saver.Saver(var_list, reshape=reshape_variables)

    def callback(session):
        saver.restore(session, model_path)
    return callback


class VariableDeviceChooser(object):
    """Names the device of each variable: the parameter servers in turn."""

    def __init__(self, num_tasks=0, job_name='ps', device_type='CPU', device_index=0,
                 replica=None):
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op):
        del op
        spec = tf_device.DeviceSpec(replica=self._replica, device_type=self._device_type,
                                    device_index=self._device_index)
        if self._num_tasks > 0:
            task_id = self._next_task_id
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
            spec.job, spec.task = self._job_name, task_id
        return spec.to_string()


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """Those whose names match one of include_patterns and none of exclude_patterns."""
    matches = re.search if reg_search else re.match
    if include_patterns is not None:
        var_list = [v for v in var_list
                    if any(matches(p, v.op.name) for p in include_patterns)]
    if exclude_patterns is not None:
        var_list = [v for v in var_list
                    if not any(matches(p, v.op.name) for p in exclude_patterns)]
    return list(var_list)
