# SPDX-License-Identifier: Apache-2.0
"""Variables: the class that programs name, slices of partitioned ones, sets of variables.

tf.Variable(...) is a call of the class VariableV1, which asks the creators in scope and at last
makes a RefVariable (ref_variable.py) or a ResourceVariable (resource_variable_ops.py).
"""
import enum

from leat.python.framework import ops
from leat.python.ops.variable_sets import (  # noqa: F401
    _all_saveable_objects, all_variables, assert_variables_initialized, global_variables,
    global_variables_initializer, initialize_all_variables, initialize_local_variables,
    initialize_variables, is_variable_initialized, local_variables, local_variables_initializer,
    model_variables, moving_average_variables, report_uninitialized_variables,
    trainable_variables, variables_initializer)


def default_variable_creator(_, **kwds):
    del kwds
    raise NotImplementedError('variable_scope needs to be imported')


default_variable_creator_v2 = default_variable_creator


def _make_getter(captured_getter, captured_previous):
    """A creator that hands the one below it to the captured one."""
    def getter(**kwargs):
        return captured_getter(captured_previous, **kwargs)
    return getter


def _has_cycle(op, state):
    from leat.python.ops import variable_guard
    del state
    return variable_guard._has_cycle(op)


class VariableSynchronization(enum.Enum):
    """When the copies of a distributed variable are put together."""
    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """How the copies of a distributed variable are put together (tf.compat.v2)."""
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        if self is other:
            return True
        if isinstance(other, (VariableAggregationV2, VariableAggregation)):
            return int(self.value) == int(other.value)
        return False


class VariableAggregation(enum.Enum):
    """How the copies of a distributed variable are put together."""
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        if self is other:
            return True
        if isinstance(other, (VariableAggregationV2, VariableAggregation)):
            return int(self.value) == int(other.value)
        return False


def validate_synchronization_aggregation_trainable(synchronization, aggregation, trainable, name):
    """The three, with defaults in the place of None and of AUTO; ValueError for none of the enums.
    """
    if aggregation is None:
        aggregation = VariableAggregation.NONE
    elif not isinstance(aggregation, (VariableAggregation, VariableAggregationV2)):
        try:
            aggregation = VariableAggregationV2(aggregation)
        except ValueError:
            raise ValueError('Invalid variable aggregation mode: {} for variable: {}'
                             .format(aggregation, name)) from None
    if synchronization is None:
        synchronization = VariableSynchronization.AUTO
    else:
        try:
            synchronization = VariableSynchronization(synchronization)
        except ValueError:
            raise ValueError('Invalid variable synchronization mode: {} for variable: {}'
                             .format(synchronization, name)) from None
    if trainable is None:
        trainable = synchronization != VariableSynchronization.ON_READ
    return synchronization, aggregation, trainable


class VariableMetaclass(type):
    """Makes a call of Variable or VariableV1 one of the creators in scope."""

    def _variable_v1_call(cls, initial_value=None, trainable=None, collections=None,
                          validate_shape=True, caching_device=None, name=None, variable_def=None,
                          dtype=None, expected_shape=None, import_scope=None, constraint=None,
                          use_resource=None, synchronization=VariableSynchronization.AUTO,
                          aggregation=VariableAggregation.NONE, shape=None):
        from leat.python.ops import variable_scope
        return _by_creators(
            variable_scope.default_variable_creator, initial_value=initial_value,
            trainable=trainable, collections=collections, validate_shape=validate_shape,
            caching_device=caching_device, name=name, variable_def=variable_def, dtype=dtype,
            expected_shape=expected_shape, import_scope=import_scope, constraint=constraint,
            use_resource=use_resource, synchronization=synchronization, aggregation=aggregation,
            shape=shape)

    def _variable_v2_call(cls, initial_value=None, trainable=None, validate_shape=True,
                          caching_device=None, name=None, variable_def=None, dtype=None,
                          import_scope=None, constraint=None,
                          synchronization=VariableSynchronization.AUTO,
                          aggregation=VariableAggregation.NONE, shape=None):
        from leat.python.ops import variable_scope
        return _by_creators(
            variable_scope.default_variable_creator_v2, initial_value=initial_value,
            trainable=trainable, validate_shape=validate_shape, caching_device=caching_device,
            name=name, variable_def=variable_def, dtype=dtype, import_scope=import_scope,
            constraint=constraint, synchronization=synchronization, aggregation=aggregation,
            shape=shape)

    def __call__(cls, *args, **kwargs):
        if cls is VariableV1:
            return cls._variable_v1_call(*args, **kwargs)
        if cls is Variable:
            return cls._variable_v2_call(*args, **kwargs)
        return super(VariableMetaclass, cls).__call__(*args, **kwargs)


def _by_creators(last, **kwargs):
    def previous_getter(**kwds):
        return last(None, **kwds)
    for _, getter in ops.get_default_graph()._variable_creator_stack:
        previous_getter = _make_getter(getter, previous_getter)
    aggregation = kwargs['aggregation']
    if aggregation is None:
        kwargs['aggregation'] = VariableAggregation.NONE
    return previous_getter(**kwargs)


def _not_here(name):
    def method(self, *args, **kwargs):
        raise NotImplementedError('%s has no %s' % (type(self).__name__, name))
    method.__name__ = name
    return method


class Variable(metaclass=VariableMetaclass):
    """A value that stays from run to run of a session. What kinds of variables share."""

    __array_priority__ = 100

    def __init__(self, initial_value=None, trainable=None, validate_shape=True,
                 caching_device=None, name=None, variable_def=None, dtype=None, import_scope=None,
                 constraint=None, synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE, shape=None):
        raise NotImplementedError('Variable is made by calling it')

    def __repr__(self):
        return "<tf.Variable '%s' shape=%s dtype=%s>" % (self.name, self.shape, self.dtype.name)

    for _name in ('value', 'read_value', 'set_shape', 'eval', 'initialized_value', 'assign',
                  'assign_add', 'assign_sub', 'scatter_sub', 'scatter_add', 'scatter_max',
                  'scatter_min', 'scatter_mul', 'scatter_div', 'scatter_update',
                  'batch_scatter_update', 'scatter_nd_sub', 'scatter_nd_add', 'scatter_nd_update',
                  'count_up_to', 'load', 'to_proto'):
        locals()[_name] = _not_here(_name)
    for _name in ('name', 'initializer', 'device', 'dtype', 'op', 'graph', 'shape', 'trainable',
                  'synchronization', 'aggregation', 'initial_value', 'constraint', '_shared_name'):
        locals()[_name] = property(_not_here(_name))
    del _name

    @staticmethod
    def _TensorConversionFunction(v, dtype=None, name=None, as_ref=False):
        """The variable as a tensor: the reference where that is wanted, else the value."""
        del name
        if dtype and not dtype.is_compatible_with(v.dtype):
            raise ValueError('Incompatible type conversion requested to type \'%s\' for variable '
                             'of type \'%s\'' % (dtype.name, v.dtype.name))
        return v._ref() if as_ref else v.value()

    @classmethod
    def _OverloadAllOperators(cls):
        for operator in ops.Tensor.OVERLOADABLE_OPERATORS - {'__getitem__', '__eq__', '__ne__'}:
            cls._OverloadOperator(operator)

    @classmethod
    def _OverloadOperator(cls, operator):
        def run(a, *args, **kwargs):
            from leat.python.ops import math_ops  # noqa: F401  (gives tensors their operators)
            return getattr(ops.Tensor, operator)(a.value(), *args, **kwargs)
        run.__name__ = operator
        setattr(cls, operator, run)

    def __getitem__(self, slice_spec):
        from leat.python.ops import array_ops
        return array_ops._SliceHelperVar(self, slice_spec)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    def get_shape(self):
        return self.shape

    def experimental_ref(self):
        return ops._Reference(self)

    def _gather_saveables_for_checkpoint(self):
        return {'VARIABLE_VALUE': self}

    def _try_guard_against_uninitialized_dependencies(self, initial_value):
        """initial_value with the variables that it reads guarded (variable_guard.py)."""
        from leat.python.ops import variable_guard
        return variable_guard.guarded(self.op.name, initial_value)

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        from leat.python.ops import ref_variable
        return ref_variable.RefVariable(variable_def=variable_def, import_scope=import_scope)

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def sparse_read(self, indices, name=None):
        """Rows of the value: of resource variables."""
        raise AttributeError

    def gather_nd(self, indices, name=None):
        """Parts of the value: of resource variables."""
        raise AttributeError

    class SaveSliceInfo(object):
        """Which part of a whole variable, in its checkpoint, this one is."""

        def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None,
                     save_slice_info_def=None, import_scope=None):
            if save_slice_info_def:
                self.full_name = ops.prepend_name_scope(save_slice_info_def.full_name,
                                                        import_scope=import_scope)
                self.full_shape = list(save_slice_info_def.full_shape)
                self.var_offset = list(save_slice_info_def.var_offset)
                self.var_shape = list(save_slice_info_def.var_shape)
            else:
                self.full_name = full_name
                self.full_shape = full_shape
                self.var_offset = var_offset
                self.var_shape = var_shape

        @property
        def spec(self):
            """The text that checkpoints have: full shape, and start,length a dim."""
            full = ' '.join('%d' % d for d in self.full_shape) + ' '
            return full + ':'.join('%d,%d' % (o, s)
                                   for o, s in zip(self.var_offset, self.var_shape))

        def to_proto(self, export_scope=None):
            from leat.core.framework import variable_pb2
            if export_scope is not None and not self.full_name.startswith(export_scope):
                return None
            info = variable_pb2.SaveSliceInfoDef()
            info.full_name = ops.strip_name_scope(self.full_name, export_scope=export_scope)
            info.full_shape.extend(self.full_shape)
            info.var_offset.extend(self.var_offset)
            info.var_shape.extend(self.var_shape)
            return info


Variable._OverloadAllOperators()


class VariableV1(Variable):
    """tf.Variable: a call of it gives a RefVariable or a ResourceVariable."""

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, variable_def=None, dtype=None,
                 expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                 synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE, shape=None):
        raise NotImplementedError('VariableV1 is made by calling it')

    SaveSliceInfo = Variable.SaveSliceInfo


class PartitionedVariable(object):
    """A variable cut into slices, which are variables."""

    def __init__(self, name, shape, dtype, variable_list, partitions):
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError('variable_list is not a list or tuple: %s' % variable_list)
        if not isinstance(partitions, (list, tuple)):
            raise TypeError('partitions is not a list or tuple: %s' % partitions)
        if not all(p >= 1 for p in partitions):
            raise ValueError('partition values must be positive: %s' % partitions)
        if not variable_list:
            raise ValueError('variable_list may not be empty')
        for v in variable_list:
            if not all(v._get_save_slice_info() is not None for v in variable_list):
                raise ValueError('All variables must have a save_slice_info available: %s'
                                 % [v.name for v in variable_list])
        if len(shape) != len(partitions):
            raise ValueError('len(shape) != len(partitions): %s vs. %s' % (shape, partitions))
        if v._get_save_slice_info().full_shape != shape:
            raise ValueError('All variables\' full shapes must match shape: %s; but full shapes '
                             'were: %s' % (shape, str([v._get_save_slice_info().full_shape])))
        self._variable_list = sorted(variable_list,
                                     key=lambda v: v._get_save_slice_info().var_offset)
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._partitions = partitions
        self._as_tensor = None

    def __iter__(self):
        return iter(self._variable_list)

    def __len__(self):
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError('Cannot get a length for %d > 1 partition axes' % len(axes))
        return len(self._variable_list)

    def _partition_axes(self):
        if all(p == 1 for p in self._partitions):
            return [0]
        return [i for i, p in enumerate(self._partitions) if p > 1]

    def _concat(self):
        """The slices as one tensor, under the whole's name."""
        from leat.python.ops import array_ops
        if len(self._variable_list) == 1:
            with ops.name_scope(None):
                return array_ops.identity(self._variable_list[0], name=self._name)
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError('Cannot concatenate along more than one dimension: %s.  '
                                      'Multi-axis partition concat is not supported'
                                      % str(axes))
        with ops.name_scope(self._name + '/ConcatPartitions/'):
            concatenated = array_ops.concat(self._variable_list, axes[0])
        with ops.name_scope(None):
            return array_ops.identity(concatenated, name=self._name)

    def as_tensor(self):
        with ops.control_dependencies(None):
            return self._concat()

    @staticmethod
    def _TensorConversionFunction(v, dtype=None, name=None, as_ref=False):
        del name
        if dtype is not None and not dtype.is_compatible_with(v.dtype):
            raise ValueError('Incompatible type conversion requested to type \'%s\' for variable '
                             'of type \'%s\'' % (dtype.name, v.dtype.name))
        if as_ref:
            raise NotImplementedError(
                'PartitionedVariable doesn\'t support being used as a reference.')
        return v.as_tensor()

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    def get_shape(self):
        return self._shape

    @property
    def _distribute_strategy(self):
        return None

    def _get_variable_list(self):
        return self._variable_list

    def _get_partitions(self):
        return self._partitions

    def _apply_assign_fn(self, assign_fn, value):
        from leat.python.ops import array_ops
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError('Cannot do assign action along more than one dimension: %s.'
                                      '  Multi-axis partition assign action is not supported '
                                      % str(axes))
        if isinstance(value, list):
            assert len(value) == len(self._variable_list)
            parts = value
        elif isinstance(value, PartitionedVariable):
            parts = list(value)
        else:
            sizes = [v.shape[axes[0]] for v in self._variable_list]
            parts = array_ops.split(value, sizes, axis=axes[0])
        return [assign_fn(self._variable_list[i], part) for i, part in enumerate(parts)]

    def _assign(self, method, value, use_locking, name, read_value):
        made = self._apply_assign_fn(
            lambda var, part: getattr(var, method)(part, use_locking=use_locking, name=name,
                                                   read_value=read_value), value)
        return made if read_value else [getattr(assign, 'op', assign) for assign in made]

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return self._assign('assign', value, use_locking, name, read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        return self._assign('assign_add', value, use_locking, name, read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        return self._assign('assign_sub', value, use_locking, name, read_value)


ops.register_tensor_conversion_function(PartitionedVariable,
                                        PartitionedVariable._TensorConversionFunction)


def __getattr__(name):
    if name != 'RefVariable':
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    from leat.python.ops import ref_variable
    globals()[name] = ref_variable.RefVariable
    return ref_variable.RefVariable


from leat.python.ops import variable_protos  # noqa: E402,F401  (registers what MetaGraphs have)
