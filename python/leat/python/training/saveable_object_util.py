# SPDX-License-Identifier: Apache-2.0
"""Variables as SaveableObjects."""
from leat.python.framework import device as pydev
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import state_ops
from leat.python.ops import variables
from leat.python.training import saveable_object
from leat.python.util import nest

_VARIABLE_OPS = frozenset(['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp',
                           'ReadVariableOp'])
_REF_VARIABLE_OPS = frozenset(['Variable', 'VariableV2', 'AutoReloadVariable'])


def set_cpu0(device_string):
    """The first CPU of the task of a device."""
    parsed = pydev.DeviceSpec.from_string(device_string or '')
    parsed.device_type = 'CPU'
    parsed.device_index = 0
    return parsed.to_string()


def _is_resource(var):
    return isinstance(var, variables.Variable) and getattr(var, 'handle', None) is not None


class ReferenceVariableSaveable(saveable_object.SaveableObject):
    """A variable that is a reference."""

    def __init__(self, var, slice_spec, name):
        spec = saveable_object.SaveSpec(var, slice_spec, name, dtype=var.dtype)
        super(ReferenceVariableSaveable, self).__init__(var, [spec], name)

    def restore(self, restored_tensors, restored_shapes):
        restored = restored_tensors[0]
        if restored_shapes is not None:
            restored = array_ops.reshape(restored, restored_shapes[0])
        return state_ops.assign(
            self.op, restored, validate_shape=restored_shapes is None and
            self.op.get_shape().is_fully_defined())


class ResourceVariableSaveable(saveable_object.SaveableObject):
    """A variable behind a handle, or a read of one."""

    def __init__(self, var, slice_spec, name):
        self._var_device = var.device
        self._var_shape = var.shape
        if isinstance(var, ops.Tensor):
            self.handle_op = var.op.inputs[0]
            tensor = var
        elif _is_resource(var):
            self.handle_op = var.handle

            def tensor():
                with ops.device(var.device):
                    value = var.read_value()
                with ops.device('/device:CPU:0'):
                    return array_ops.identity(value)
        else:
            raise ValueError('Saveable is neither a resource variable nor a read operation. Got: '
                             '{}'.format(repr(var)))
        spec = saveable_object.SaveSpec(tensor, slice_spec, name, dtype=var.dtype,
                                        device=var.device)
        super(ResourceVariableSaveable, self).__init__(var, [spec], name)

    def restore(self, restored_tensors, restored_shapes):
        restored = restored_tensors[0]
        if restored_shapes is not None:
            restored = array_ops.reshape(restored, restored_shapes[0])
        with ops.device(self._var_device):
            restored = array_ops.identity(restored)
            self._var_shape.assert_is_compatible_with(restored.shape)
            return gen_resource_variable_ops.assign_variable_op(self.handle_op, restored)


def _tensor_comes_from_variable(v):
    return isinstance(v, ops.Tensor) and v.op.type in _VARIABLE_OPS


def _slices(op, name):
    """The saveables of the slices of one variable."""
    slice_name = None
    for variable in op:
        if not isinstance(variable, variables.Variable):
            raise ValueError('Slices must all be Variables: %s' % variable)
        if not variable._save_slice_info:
            raise ValueError('Slices must all be slices: %s' % variable)
        full_name = variable._save_slice_info.full_name
        if slice_name is None:
            slice_name = full_name
        elif slice_name != full_name:
            raise ValueError('Slices must all be from the same tensor: %s != %s'
                             % (slice_name, full_name))
        kind = (ReferenceVariableSaveable if variable.op.type in _REF_VARIABLE_OPS
                else ResourceVariableSaveable)
        yield kind(variable, variable._save_slice_info.spec, name)


def _gathered(op):
    """The saveables by local name of an object that has several, or None."""
    if isinstance(op, (variables.Variable, ops.Tensor)):
        return None
    gather = getattr(op, '_gather_saveables_for_checkpoint', None)
    return gather() if gather else None


def saveable_objects_for_op(op, name):
    """The SaveableObjects of what is to be saved under a name."""
    if not isinstance(name, str):
        raise TypeError('names_to_saveables must be a dict mapping string names to trackable '
                        'operations. Name is not a string: %s' % name)
    if isinstance(op, saveable_object.SaveableObject):
        yield op
        return
    if isinstance(op, (list, tuple, variables.PartitionedVariable)):
        yield from _slices(list(op), name)
        return
    gathered = _gathered(op)
    if gathered is not None:
        for attr, factory in gathered.items():
            full_name = name if attr == 'VARIABLE_VALUE' else name + '_' + attr
            made = factory(full_name) if callable(factory) else factory
            yield from saveable_objects_for_op(made, made.name
                                               if hasattr(made, 'specs') else full_name)
        return
    if _is_resource(op):
        variable = op._graph_element
    else:
        variable = ops.internal_convert_to_tensor(op, as_ref=True)
    if not _tensor_comes_from_variable(variable):
        raise TypeError('names_to_saveables must be a dict mapping string names to '
                        'Tensors/Variables. Not a variable: %s' % variable)
    if variable.op.type in _REF_VARIABLE_OPS:
        yield ReferenceVariableSaveable(variable, '', name)
    else:
        yield ResourceVariableSaveable(variable, '', name)


def _add_slice(var, names):
    name = var._save_slice_info.full_name
    if name not in names:
        names[name] = [var]
    elif not isinstance(names[name], list):
        raise ValueError('Mixing slices and non-slices with the same name: %s' % name)
    else:
        names[name].append(var)


def op_list_to_dict(op_list, convert_variable_to_tensor=True):
    """{name in the checkpoint: variable, list of slices, or saveable} of a list."""
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError('Variables to save should be passed in a dict or a list: %s' % op_list)
    names = {}
    for var in sorted(nest.flatten(list(op_list)), key=lambda x: x.name):
        if isinstance(var, saveable_object.SaveableObject):
            names[var.name] = var
        elif isinstance(var, variables.PartitionedVariable):
            if var.name in names:
                raise ValueError('At least two variables have the same name: %s' % var.name)
            names[var.name] = var
        elif isinstance(var, variables.Variable) and var._save_slice_info:
            _add_slice(var, names)
        elif _gathered(var) is not None:
            if var.name in names:
                raise ValueError('At least two variables have the same name: %s' % var.name)
            names[var.name] = var
        else:
            name, var = _plain(var, convert_variable_to_tensor)
            if name in names:
                raise ValueError('At least two variables have the same name: %s' % name)
            names[name] = var
    return names


def _plain(var, convert):
    """(name, variable or its tensor) of one variable."""
    element = var
    if _is_resource(var):
        element = var._graph_element
    elif convert or not isinstance(var, variables.Variable):
        element = ops.internal_convert_to_tensor(var, as_ref=True)
    if isinstance(element, ops.Tensor) and not _tensor_comes_from_variable(element):
        raise TypeError('Variable to save is not a Variable: %s' % element)
    op = element.op
    name = op.inputs[0].op.name if op.type == 'ReadVariableOp' else op.name
    return name, element if convert else var


def validate_and_slice_inputs(names_to_saveables):
    """The SaveableObjects of a dict or list, by name."""
    if not isinstance(names_to_saveables, dict):
        names_to_saveables = op_list_to_dict(names_to_saveables)
    saveables = []
    seen = set()
    for name, op in sorted(names_to_saveables.items(), key=lambda x: x[0]):
        for saveable in saveable_objects_for_op(op, name):
            if id(saveable.op) in seen:
                raise ValueError('The same saveable will be restored with two names: %s'
                                 % saveable.name)
            saveables.append(saveable)
            seen.add(id(saveable.op))
    return saveables
