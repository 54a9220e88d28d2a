# SPDX-License-Identifier: Apache-2.0
"""Variables that are resources: a handle, and ops that read and change what it stands for."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import gen_state_ops
from leat.python.ops import ref_variable
from leat.python.ops import state_ops
from leat.python.ops import variables
from leat.python.util import deprecation


def __getattr__(name):
    """The plain functions of the ops on resources."""
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_resource_variable_ops, name)


def is_resource_variable(var):
    return isinstance(var, BaseResourceVariable) or hasattr(
        var, '_should_act_as_resource_variable')


def get_resource_handle_data(graph_op):
    """Shape and type of what a handle stands for, as far as its variable's node tells."""
    op = graph_op.op
    return op.get_attr('shape'), op.get_attr('dtype')


def variable_handle_from_shape_and_dtype(shape, dtype, shared_name, name, graph_mode,
                                         initial_value=None):
    del graph_mode, initial_value
    return gen_resource_variable_ops.var_handle_op(
        shape=shape, dtype=dtype, shared_name=shared_name, name=name, container='')


def eager_safe_variable_handle(initial_value, shape, shared_name, name, graph_mode):
    return variable_handle_from_shape_and_dtype(shape, initial_value.dtype.base_dtype,
                                                shared_name, name, graph_mode, initial_value)


def shape_safe_assign_variable_handle(handle, shape, value, name=None):
    value_tensor = ops.convert_to_tensor(value)
    tensor_shape.as_shape(shape).assert_is_compatible_with(value_tensor.shape)
    return gen_resource_variable_ops.assign_variable_op(handle, value_tensor, name=name)


def variable_shape(handle, out_type=dtypes.int32):
    """The shape of what the handle stands for: a constant where it is known."""
    from leat.python.framework import constant_op
    if handle.op.type == 'VarHandleOp':
        shape = tensor_shape.TensorShape(handle.op.get_attr('shape'))
        if shape.is_fully_defined():
            return constant_op.constant(shape.as_list(), dtype=out_type)
    return gen_resource_variable_ops.variable_shape(handle, out_type=out_type)


class BaseResourceVariable(variables.VariableV1):
    """What reads and changes a handle's value. Kinds say where the handle comes from."""

    def __init__(self, trainable=None, shape=None, dtype=None, handle=None, constraint=None,
                 synchronization=None, aggregation=None, distribute_strategy=None, name=None,
                 unique_id=None, handle_name=None, graph_element=None, initial_value=None,
                 initializer_op=None, is_initialized_op=None, cached_value=None,
                 save_slice_info=None, handle_deleter=None, **unused_kwargs):
        del name, handle_deleter
        self._synchronization, self._aggregation, self._trainable = (
            variables.validate_synchronization_aggregation_trainable(
                synchronization, aggregation, trainable, handle_name))
        self._distribute_strategy = distribute_strategy
        self._in_graph_mode = True
        self._handle = handle
        self._graph_element = graph_element
        self._initial_value = initial_value
        self._initializer_op = initializer_op
        self._is_initialized_op = is_initialized_op
        self._save_slice_info = save_slice_info
        self._cached_value = cached_value
        self._handle_name = handle_name + ':0'
        self._unique_id = unique_id
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._constraint = constraint

    def __repr__(self):
        return '<tf.Variable \'%s\' shape=%s dtype=%s>' % (self.name, self.get_shape(),
                                                           self.dtype.name)

    def __bool__(self):
        return bool(self.read_value())

    __nonzero__ = __bool__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        raise NotImplementedError(
            '__deepcopy__() is only available when eager execution is enabled.')

    # ---- what it is ----

    @property
    def _distribute_strategy(self):
        return self.__dict__.get('_strategy')

    @_distribute_strategy.setter
    def _distribute_strategy(self, strategy):
        self.__dict__['_strategy'] = strategy

    @property
    def dtype(self):
        return self._dtype

    @property
    def device(self):
        return self._handle.device

    @property
    def graph(self):
        return self._handle.graph

    @property
    def name(self):
        return self._handle_name

    @property
    def _shared_name(self):
        return self.name[:-2]

    @property
    def shape(self):
        return self._shape

    def set_shape(self, shape):
        raise NotImplementedError('ResourceVariable does not implement set_shape()')

    def _shape_as_list(self):
        return None if self.shape.ndims is None else [d.value for d in self.shape.dims]

    def _shape_tuple(self):
        shape = self._shape_as_list()
        return None if shape is None else tuple(shape)

    @property
    def create(self):
        return self._initializer_op

    @property
    def handle(self):
        return self._handle

    @property
    def initializer(self):
        return self._initializer_op

    @property
    def initial_value(self):
        return self._initial_value

    @property
    def constraint(self):
        return self._constraint

    @property
    def op(self):
        return self._handle.op

    @property
    def trainable(self):
        return self._trainable

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    # ---- values ----

    def _as_graph_element(self):
        return self._graph_element

    def _ref(self):
        return self.read_value().op.inputs[0]

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        del name
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError('Incompatible type conversion requested to type {!r} for variable of '
                             'type {!r}'.format(dtype.name, self.dtype.name))
        return self._ref() if as_ref else self.value()

    def _read_variable_op(self):
        value = gen_resource_variable_ops.read_variable_op(self._handle, self._dtype)
        if value._shape_dims() is None and self._shape.ndims is not None:
            value.set_shape(self._shape)
        return value

    def value(self):
        if self._cached_value is not None:
            return self._cached_value
        with ops.colocate_with(None, ignore_existing=True):
            with ops.device(self._handle.device):
                return self._read_variable_op()

    def read_value(self):
        with ops.name_scope('Read'):
            with ops.device(self._handle.device):
                value = self._read_variable_op()
        return gen_array_ops.identity(value)

    def sparse_read(self, indices, name=None):
        """Rows of the value, without a read of all of it."""
        with ops.name_scope('Gather' if name is None else name) as name:
            value = gen_resource_variable_ops.resource_gather(
                self._handle, indices, dtype=self._dtype, name=name)
        return gen_array_ops.identity(value)

    def gather_nd(self, indices, name=None):
        with ops.name_scope('GatherNd' if name is None else name) as name:
            value = gen_resource_variable_ops.resource_gather_nd(
                self._handle, indices, dtype=self._dtype, name=name)
        return gen_array_ops.identity(value)

    def eval(self, session=None):
        return self._graph_element.eval(session=session)

    def numpy(self):
        raise NotImplementedError(
            'numpy() is only available when eager execution is enabled.')

    def is_initialized(self, name=None):
        return gen_resource_variable_ops.var_is_initialized_op(self.handle, name)

    def initialized_value(self):
        return ref_variable.RefVariable.initialized_value(self)

    @deprecation.deprecated(
        None, 'Prefer Variable.assign which has equivalent behavior in 2.X.')
    def load(self, value, session=None):
        session = session or ops.get_default_session()
        if session is None:
            raise ValueError('Either session argument should be provided or default session '
                             'should be established')
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    # ---- updates ----

    def _lazy_read(self, op):
        """A variable whose reads wait for the op."""
        return _UnreadVariable(handle=self._handle, dtype=self.dtype, shape=self._shape,
                               in_graph_mode=True, deferred_initializer=None, parent_op=op,
                               unique_id=self._unique_id)

    def _updated(self, op, read_value):
        return self._lazy_read(op) if read_value else op

    def assign(self, value, use_locking=None, name=None, read_value=True):
        del use_locking
        value = ops.convert_to_tensor(value, dtype=self.dtype)
        self._shape.assert_is_compatible_with(value.shape)
        return self._updated(gen_resource_variable_ops.assign_variable_op(
            self.handle, value, name=name), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        del use_locking
        return self._updated(gen_resource_variable_ops.assign_add_variable_op(
            self.handle, ops.convert_to_tensor(delta, dtype=self.dtype), name=name), read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        del use_locking
        return self._updated(gen_resource_variable_ops.assign_sub_variable_op(
            self.handle, ops.convert_to_tensor(delta, dtype=self.dtype), name=name), read_value)

    def _scatter(self, op, sparse_delta, name):
        if not isinstance(sparse_delta, ops.IndexedSlices):
            raise TypeError('sparse_delta is not IndexedSlices: %s' % sparse_delta)
        return self._lazy_read(getattr(gen_resource_variable_ops, op)(
            self.handle, sparse_delta.indices,
            ops.convert_to_tensor(sparse_delta.values, self.dtype), name=name))

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_sub', sparse_delta, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_add', sparse_delta, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_max', sparse_delta, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_min', sparse_delta, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_mul', sparse_delta, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_div', sparse_delta, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('resource_scatter_update', sparse_delta, name)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._lazy_read(state_ops.batch_scatter_update(
            self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name))

    def _scatter_nd(self, op, indices, updates, name):
        return self._lazy_read(getattr(gen_state_ops, op)(
            self.handle, indices, ops.convert_to_tensor(updates, self.dtype), name=name))

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._scatter_nd('resource_scatter_nd_sub', indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return self._scatter_nd('resource_scatter_nd_add', indices, updates, name)

    def scatter_nd_update(self, indices, updates, name=None):
        return self._scatter_nd('resource_scatter_nd_update', indices, updates, name)

    def _strided_slice_assign(self, begin, end, strides, value, name, begin_mask, end_mask,
                              ellipsis_mask, new_axis_mask, shrink_axis_mask):
        return self._lazy_read(gen_array_ops.resource_strided_slice_assign(
            ref=self.handle, begin=begin, end=end, strides=strides,
            value=ops.convert_to_tensor(value, dtype=self.dtype), name=name,
            begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask,
            new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask))

    @deprecation.deprecated(None, 'Prefer Dataset.range instead.')
    def count_up_to(self, limit):
        return gen_state_ops.resource_count_up_to(self.handle, limit=limit, T=self.dtype)

    def _not_in_place(self, symbol, method):
        raise RuntimeError('Variable %s= value not supported. Use %s to modify the variable value '
                           'and variable = variable %s value to get a new Tensor object.'
                           % (symbol, method, symbol))

    def __iadd__(self, other):
        self._not_in_place('+', 'variable.assign_add(value)')

    def __isub__(self, other):
        self._not_in_place('-', 'variable.assign_sub(value)')

    def __imul__(self, other):
        self._not_in_place('*', '`var.assign(var * value)`')

    def __itruediv__(self, other):
        self._not_in_place('/', '`var.assign(var / value)`')

    def __ifloordiv__(self, other):
        self._not_in_place('//', '`var.assign(var // value)`')

    def __ipow__(self, other):
        self._not_in_place('**', '`var.assign(var ** value)`')

    def to_proto(self, export_scope=None):
        """A VariableDef; None where it is not below export_scope."""
        from leat.core.framework import variable_pb2
        if export_scope is not None and not self.handle.name.startswith(export_scope):
            return None
        var_def = variable_pb2.VariableDef()
        var_def.variable_name = ops.strip_name_scope(self.handle.name, export_scope)
        if self._initial_value is not None:
            var_def.initial_value_name = ops.strip_name_scope(self._initial_value.name,
                                                              export_scope)
        var_def.initializer_name = ops.strip_name_scope(self.initializer.name, export_scope)
        snapshot = self._cached_value if self._cached_value is not None else self._graph_element
        var_def.snapshot_name = ops.strip_name_scope(snapshot.name, export_scope)
        var_def.is_resource = True
        var_def.trainable = self.trainable
        var_def.synchronization = self.synchronization.value
        var_def.aggregation = self.aggregation.value
        if self._save_slice_info:
            var_def.save_slice_info_def.MergeFrom(
                self._save_slice_info.to_proto(export_scope=export_scope))
        return var_def

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)


class ResourceVariable(BaseResourceVariable):
    """A variable that is a resource of its own."""

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, dtype=None, variable_def=None, import_scope=None,
                 constraint=None, distribute_strategy=None, synchronization=None,
                 aggregation=None, shape=None):
        if variable_def:
            if initial_value is not None:
                raise ValueError('variable_def and initial_value are mutually exclusive.')
            self._init_from_proto(variable_def, import_scope=import_scope)
            return
        synchronization, aggregation, trainable = (
            variables.validate_synchronization_aggregation_trainable(
                synchronization, aggregation, trainable, name))
        if initial_value is None:
            raise ValueError('initial_value must be specified.')
        if isinstance(initial_value, ops.Tensor):
            ref_variable.check_initial_value_context(initial_value, name)
        collections = ref_variable.check_collections(collections, trainable)
        if constraint is not None and not callable(constraint):
            raise ValueError('The `constraint` argument must be a callable.')
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype)
        with ops.init_scope():
            self._make(initial_value, name, dtype, validate_shape, caching_device, shape,
                       dict(trainable=trainable, constraint=constraint,
                            synchronization=synchronization, aggregation=aggregation,
                            distribute_strategy=distribute_strategy))
        ops.add_to_collections(collections, self)

    def _make(self, initial_value, name, dtype, validate_shape, caching_device, shape, known):
        from_fn = callable(initial_value)
        graph = ops.get_default_graph()
        with ops.name_scope(name, 'Variable', [] if from_fn else [initial_value]) as scope:
            handle_name = ops.name_from_scope_name(scope)
            with graph._attr_scope({'_class': ref_variable._stands_with(scope)}):
                with ops.name_scope('Initializer'), ops.device(None):
                    initial_value = ops.convert_to_tensor(
                        initial_value() if from_fn else initial_value, name='initial_value',
                        dtype=dtype)
                if shape is None:
                    shape = (initial_value.get_shape() if validate_shape
                             else tensor_shape.unknown_shape())
                handle = eager_safe_variable_handle(initial_value, shape, handle_name, scope, True)
            self._handle = handle
            self._handle_name = handle_name + ':0'
            super(ResourceVariable, self).__init__(
                shape=shape, dtype=initial_value.dtype.base_dtype, handle=handle,
                unique_id=handle_name, handle_name=handle_name, initial_value=initial_value,
                **known, **self._nodes(handle, initial_value, caching_device))

    def _nodes(self, handle, initial_value, caching_device):
        """What gives it a value, tells whether it has one, and reads it."""
        made = {}
        with ops.name_scope('IsInitialized'):
            made['is_initialized_op'] = gen_resource_variable_ops.var_is_initialized_op(handle)
        with ops.name_scope('Assign') as n, ops.colocate_with(None, ignore_existing=True), \
                ops.device(handle.device):
            made['initializer_op'] = gen_resource_variable_ops.assign_variable_op(
                handle, self._try_guard_against_uninitialized_dependencies(initial_value), name=n)
        with ops.name_scope('Read'):
            with ops.device(handle.device):
                value = gen_resource_variable_ops.read_variable_op(
                    handle, initial_value.dtype.base_dtype)
            made['graph_element'] = value
            if caching_device is not None:
                with ops.colocate_with(None, ignore_existing=True), ops.device(caching_device):
                    made['cached_value'] = gen_array_ops.identity(value)
        return made

    def _init_from_proto(self, variable_def, import_scope=None):
        if not variable_def.is_resource:
            raise ValueError('Trying to restore Variable as ResourceVariable.')
        graph = ops.get_default_graph()

        def element(name):
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope=import_scope))
        handle = element(variable_def.variable_name)
        cached_value = None
        if variable_def.snapshot_name:
            snapshot = element(variable_def.snapshot_name)
            if snapshot.op.type != 'ReadVariableOp':
                cached_value = snapshot
        graph_element = graph.get_tensor_by_name(handle.op.name + '/Read/ReadVariableOp:0')
        slice_info = None
        if variable_def.HasField('save_slice_info_def'):
            slice_info = variables.Variable.SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope)
        synchronization, aggregation, trainable = (
            variables.validate_synchronization_aggregation_trainable(
                variable_def.synchronization, variable_def.aggregation, variable_def.trainable,
                variable_def.variable_name))
        super(ResourceVariable, self).__init__(
            trainable=trainable, synchronization=synchronization, aggregation=aggregation,
            shape=tensor_shape.TensorShape(handle.op.get_attr('shape')),
            dtype=handle.op.get_attr('dtype'), handle=handle, unique_id=handle.op.name,
            handle_name=handle.op.name, graph_element=graph_element, cached_value=cached_value,
            initial_value=(element(variable_def.initial_value_name)
                           if variable_def.initial_value_name else None),
            initializer_op=element(variable_def.initializer_name), save_slice_info=slice_info)


class UninitializedVariable(BaseResourceVariable):
    """A handle without a first value."""

    def __init__(self, trainable=None, caching_device=None, name=None, shape=None, dtype=None,
                 constraint=None, synchronization=None, aggregation=None, extra_handle_data=None,
                 distribute_strategy=None, **unused_kwargs):
        with ops.init_scope():
            with ops.name_scope(name, 'Variable') as scope:
                handle_name = ops.name_from_scope_name(scope)
                handle = variable_handle_from_shape_and_dtype(shape, dtype, handle_name, scope,
                                                              True)
                with ops.name_scope('Read'), ops.device(handle.device):
                    value = gen_resource_variable_ops.read_variable_op(handle, dtype)
        ops.add_to_collection(ops.GraphKeys.GLOBAL_VARIABLES, self)
        super(UninitializedVariable, self).__init__(
            distribute_strategy=distribute_strategy, shape=shape, dtype=dtype,
            unique_id=handle_name, handle_name=handle_name, constraint=constraint, handle=handle,
            graph_element=value, trainable=trainable, synchronization=synchronization,
            aggregation=aggregation)


class _UnreadVariable(BaseResourceVariable):
    """The variable after an update: whoever reads it waits for that."""

    def __init__(self, handle, dtype, shape, in_graph_mode, deferred_initializer, parent_op,
                 unique_id):
        del in_graph_mode, deferred_initializer
        self._parent_op = parent_op
        with ops.control_dependencies([parent_op]):
            graph_element = gen_resource_variable_ops.read_variable_op(handle, dtype)
        if graph_element._shape_dims() is None:
            graph_element.set_shape(shape)
        super(_UnreadVariable, self).__init__(
            handle=handle, shape=shape, handle_name=handle.op.name, unique_id=unique_id,
            dtype=dtype, graph_element=graph_element)

    @property
    def name(self):
        return self._parent_op.name

    def value(self):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self).value()

    def read_value(self):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self).read_value()

    def _read_variable_op(self):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self)._read_variable_op()

    def assign(self, value, use_locking=None, name=None, read_value=True):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self).assign(value, use_locking, name, read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self).assign_add(delta, use_locking, name, read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        with ops.control_dependencies([self._parent_op]):
            return super(_UnreadVariable, self).assign_sub(delta, use_locking, name, read_value)

    @property
    def op(self):
        return self._parent_op


def copy_to_graph_uninitialized(var):
    """A variable of the default graph as var is, without its value."""
    made = UninitializedVariable(
        trainable=var.trainable, constraint=var._constraint, shape=var.shape, dtype=var.dtype,
        name=var._shared_name, synchronization=var.synchronization, aggregation=var.aggregation)
    return made


def _to_tensor(var, dtype=None, name=None, as_ref=False):
    return var._dense_var_to_tensor(dtype=dtype, name=name, as_ref=as_ref)


ops.register_tensor_conversion_function(BaseResourceVariable, _to_tensor)
ops.register_dense_tensor_like_type(BaseResourceVariable)
