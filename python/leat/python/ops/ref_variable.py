# SPDX-License-Identifier: Apache-2.0
"""Variables that are references: VariableV2, its Assign and its read. Imported by variables."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_state_ops
from leat.python.ops import state_ops
from leat.python.ops import variables
from leat.python.util import deprecation


def check_collections(collections, trainable):
    """The collections as a list, with that of the trainable ones where it belongs there."""
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError('collections argument to Variable constructor must be a list, tuple, or '
                         'set. Got %s of type %s' % (collections, type(collections)))
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
        collections = list(collections) + [GraphKeys.TRAINABLE_VARIABLES]
    return collections


def check_initial_value_context(initial_value, name):
    """ValueError for a first value that is made inside of a loop or branch."""
    if initial_value.op._get_control_flow_context() is not None:
        raise ValueError('Initializer for variable %s is from inside a control-flow construct, '
                         'such as a loop or conditional. When creating a variable inside a loop '
                         'or conditional, use a lambda as the initializer.' % name)


def _stands_with(scope):
    """The AttrValue that places a node with the one called as the scope."""
    from leat.core.framework import attr_value_pb2
    value = attr_value_pb2.AttrValue()
    value.list.s.append(b'loc:@' + ops.name_from_scope_name(scope).encode())
    return value


class RefVariable(variables.VariableV1):
    """A variable as programs of TensorFlow 1 have it."""

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, variable_def=None, dtype=None,
                 expected_shape=None, import_scope=None, constraint=None, synchronization=None,
                 aggregation=None, shape=None):
        self._save_slice_info = None
        self._in_graph_mode = True
        if variable_def:
            if initial_value is not None:
                raise ValueError('variable_def and initial_value are mutually exclusive.')
            self._init_from_proto(variable_def, import_scope=import_scope)
            return
        self._synchronization, self._aggregation, self._trainable = (
            variables.validate_synchronization_aggregation_trainable(
                synchronization, aggregation, trainable, name))
        if initial_value is None:
            raise ValueError('initial_value must be specified.')
        collections = check_collections(collections, self._trainable)
        if constraint is not None and not callable(constraint):
            raise ValueError('The `constraint` argument must be a callable.')
        self._constraint = constraint
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype)
        self._update_uid = 0
        with ops.init_scope():
            self._make(initial_value, name, dtype, validate_shape, caching_device, shape)
        ops.add_to_collections(collections, self)

    def _make(self, initial_value, name, dtype, validate_shape, caching_device, shape):
        from_fn = callable(initial_value)
        with ops.name_scope(name, 'Variable', [] if from_fn else [initial_value]) as scope:
            if from_fn:
                self._make_of_function(initial_value, scope, dtype, validate_shape, shape)
            else:
                self._initial_value = ops.convert_to_tensor(initial_value, name='initial_value',
                                                            dtype=dtype)
                check_initial_value_context(self._initial_value, scope)
                self._make_variable(scope, dtype, validate_shape, shape)
            self._finish(validate_shape, caching_device)

    def _make_of_function(self, function, scope, dtype, validate_shape, shape):
        """The value first, placed with the variable that is yet to be made."""
        with ops.get_default_graph()._attr_scope({'_class': _stands_with(scope)}):
            with ops.name_scope('Initializer'), ops.device(None):
                self._initial_value = ops.convert_to_tensor(function(), name='initial_value',
                                                            dtype=dtype)
            self._make_variable(scope, dtype, validate_shape, shape)

    def _make_variable(self, scope, dtype, validate_shape, shape):
        if shape is None:
            shape = (self._initial_value.get_shape() if validate_shape
                     else tensor_shape.unknown_shape())
        self._variable = state_ops.variable_op_v2(
            shape, (dtype or self._initial_value.dtype).base_dtype, name=scope)
        self._name = self._variable.name

    def _finish(self, validate_shape, caching_device):
        """The nodes that give it a value and read it."""
        if validate_shape and not self._initial_value.get_shape().is_fully_defined():
            raise ValueError('initial_value must have a shape specified: %s'
                             % self._initial_value)
        self._initializer_op = state_ops.assign(
            self._variable,
            self._try_guard_against_uninitialized_dependencies(self._initial_value),
            validate_shape=validate_shape).op
        where = (ops.device(caching_device) if caching_device is not None
                 else ops.colocate_with(self._variable.op))
        with where:
            self._snapshot = gen_array_ops.identity(self._variable, name='read')

    def _init_from_proto(self, variable_def, import_scope=None):
        graph = ops.get_default_graph()

        def element(name):
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope=import_scope))
        self._variable = element(variable_def.variable_name)
        self._name = self._variable.name
        self._initializer_op = element(variable_def.initializer_name)
        self._initial_value = (element(variable_def.initial_value_name)
                               if variable_def.initial_value_name else None)
        self._synchronization, self._aggregation, self._trainable = (
            variables.validate_synchronization_aggregation_trainable(
                variable_def.synchronization, variable_def.aggregation, variable_def.trainable,
                variable_def.variable_name))
        self._snapshot = element(variable_def.snapshot_name)
        self._save_slice_info = None
        if variable_def.HasField('save_slice_info_def'):
            self._save_slice_info = variables.Variable.SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope)
        self._caching_device = None
        self._constraint = None
        self._update_uid = 0

    # ---- values ----

    def _as_graph_element(self):
        return self._variable

    def value(self):
        return self._snapshot

    def read_value(self):
        return gen_array_ops.identity(self._variable, name='read')

    def _ref(self):
        return self._variable

    def set_shape(self, shape):
        self._ref().set_shape(shape)
        self.value().set_shape(shape)

    def eval(self, session=None):
        return self._variable.eval(session=session)

    def initialized_value(self):
        from leat.python.ops import control_flow_ops
        with ops.init_scope():
            return control_flow_ops.cond(variables.is_variable_initialized(self), self.read_value,
                                         lambda: self.initial_value)

    @property
    def initial_value(self):
        return self._initial_value

    @property
    def constraint(self):
        return self._constraint

    @deprecation.deprecated(
        None, 'Prefer Variable.assign which has equivalent behavior in 2.X.')
    def load(self, value, session=None):
        session = session or ops.get_default_session()
        if session is None:
            raise ValueError('Either session argument should be provided or default session '
                             'should be established')
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    # ---- updates ----

    def assign(self, value, use_locking=False, name=None, read_value=True):
        made = state_ops.assign(self._variable, value, use_locking=use_locking, name=name)
        return made if read_value else made.op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        made = state_ops.assign_add(self._variable, delta, use_locking=use_locking, name=name)
        return made if read_value else made.op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        made = state_ops.assign_sub(self._variable, delta, use_locking=use_locking, name=name)
        return made if read_value else made.op

    def _scatter(self, op, sparse_delta, use_locking, name):
        if not isinstance(sparse_delta, ops.IndexedSlices):
            raise TypeError('sparse_delta is not IndexedSlices: %s' % sparse_delta)
        return getattr(gen_state_ops, op)(self._variable, sparse_delta.indices,
                                          sparse_delta.values, use_locking=use_locking, name=name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_sub', sparse_delta, use_locking, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_add', sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_max', sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_min', sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_mul', sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_div', sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('scatter_update', sparse_delta, use_locking, name)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        return state_ops.batch_scatter_update(self, sparse_delta.indices, sparse_delta.values,
                                              use_locking=use_locking, name=name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return gen_state_ops.scatter_nd_sub(self._variable, indices, updates, use_locking=True,
                                            name=name)

    def scatter_nd_add(self, indices, updates, name=None):
        return gen_state_ops.scatter_nd_add(self._variable, indices, updates, use_locking=True,
                                            name=name)

    def scatter_nd_update(self, indices, updates, name=None):
        return gen_state_ops.scatter_nd_update(self._variable, indices, updates, use_locking=True,
                                               name=name)

    def _strided_slice_assign(self, begin, end, strides, value, name, begin_mask, end_mask,
                              ellipsis_mask, new_axis_mask, shrink_axis_mask):
        return gen_array_ops.strided_slice_assign(
            ref=self._ref(), begin=begin, end=end, strides=strides, value=value, name=name,
            begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask,
            new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask)

    @deprecation.deprecated(None, 'Prefer Dataset.range instead.')
    def count_up_to(self, limit):
        return state_ops.count_up_to(self._variable, limit=limit)

    # ---- what it is ----

    @property
    def _shared_name(self):
        return self.name[:self.name.index(':')]

    @property
    def name(self):
        return self._name

    @property
    def initializer(self):
        return self._initializer_op

    @property
    def device(self):
        return self._variable.device

    @property
    def dtype(self):
        return self._variable.dtype

    @property
    def op(self):
        return self._variable.op

    @property
    def graph(self):
        return self._variable.graph

    @property
    def _distribute_strategy(self):
        return None

    @property
    def shape(self):
        return self._variable.get_shape()

    @property
    def trainable(self):
        return self._trainable

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    def to_proto(self, export_scope=None):
        """A VariableDef; None where it is not below export_scope."""
        from leat.core.framework import variable_pb2
        if export_scope is not None and not self._variable.name.startswith(export_scope):
            return None
        var_def = variable_pb2.VariableDef()
        var_def.variable_name = ops.strip_name_scope(self._variable.name, export_scope)
        if self._initial_value is not None:
            var_def.initial_value_name = ops.strip_name_scope(self._initial_value.name,
                                                              export_scope)
        var_def.trainable = self.trainable
        var_def.synchronization = self.synchronization.value
        var_def.aggregation = self.aggregation.value
        var_def.initializer_name = ops.strip_name_scope(self.initializer.name, export_scope)
        var_def.snapshot_name = ops.strip_name_scope(self._snapshot.name, export_scope)
        if self._save_slice_info:
            var_def.save_slice_info_def.MergeFrom(
                self._save_slice_info.to_proto(export_scope=export_scope))
        return var_def

    def _in_place(self, symbol, other):
        from leat.python.platform import tf_logging
        tf_logging.log_first_n(
            tf_logging.WARN,
            'Variable %s= will be deprecated. Use `var.assign%s` if you want assignment to the '
            'variable value or `x = x %s y` if you want a new python Tensor object.'
            % (symbol, {'+': '_add', '-': '_sub'}.get(symbol, '(var %s other)' % symbol), symbol),
            1)
        return {'+': lambda: self + other, '-': lambda: self - other, '*': lambda: self * other,
                '/': lambda: self / other, '//': lambda: self // other,
                '**': lambda: self ** other}[symbol]()

    def __iadd__(self, other):
        return self._in_place('+', other)

    def __isub__(self, other):
        return self._in_place('-', other)

    def __imul__(self, other):
        return self._in_place('*', other)

    def __itruediv__(self, other):
        return self._in_place('/', other)

    def __irealdiv__(self, other):
        return self._in_place('//', other)

    def __ipow__(self, other):
        return self._in_place('**', other)


ops.register_tensor_conversion_function(RefVariable, RefVariable._TensorConversionFunction)
ops.register_dense_tensor_like_type(RefVariable)
