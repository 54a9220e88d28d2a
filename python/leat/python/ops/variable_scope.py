# SPDX-License-Identifier: Apache-2.0
"""Variable scopes and get_variable: names, reuse and defaults of variables.

A graph keeps its store of variables and its current scope as collections; scopes are objects that
may be entered again.
"""
import contextlib
import copy
import enum
import functools
import threading

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import variables
from leat.python.ops.variable_store import (  # noqa: F401
    _PartitionInfo, _VariableStore, _get_slice_dim_and_num_slices, _iter_slices)
from leat.python.util import deprecation

AUTO = variables.VariableSynchronization.AUTO
NONE = variables.VariableAggregation.NONE


class _ReuseMode(enum.Enum):
    """Whether variables that are there are taken; AUTO_REUSE: made where they are not."""
    AUTO_REUSE = 1


VariableSynchronization = variables.VariableSynchronization
VariableAggregation = variables.VariableAggregation
AUTO_REUSE = _ReuseMode.AUTO_REUSE
_VARSTORE_KEY = ('__variable_store',)
_VARSCOPESTORE_KEY = ('__varscope',)
_DEFAULT_USE_RESOURCE = False


def enable_resource_variables():
    """From now on variables are resources where nothing else is said."""
    global _DEFAULT_USE_RESOURCE
    _DEFAULT_USE_RESOURCE = True


def resource_variables_enabled():
    return _DEFAULT_USE_RESOURCE


@deprecation.deprecated(
    None, 'non-resource variables are not supported in the long term')
def disable_resource_variables():
    global _DEFAULT_USE_RESOURCE
    _DEFAULT_USE_RESOURCE = False


def no_regularizer(_):
    """For variables that the scope's regularizer is not for."""
    return None



class VariableScope(object):
    """A prefix of names, and defaults for get_variable."""

    def __init__(self, reuse, name='', initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, name_scope='', dtype=dtypes.float32,
                 use_resource=None, constraint=None):
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self):
        return self._name

    @property
    def original_name_scope(self):
        return self._name_scope

    @property
    def reuse(self):
        return self._reuse

    @property
    def initializer(self):
        return self._initializer

    @property
    def dtype(self):
        return self._dtype

    @property
    def use_resource(self):
        return self._use_resource

    @property
    def regularizer(self):
        return self._regularizer

    @property
    def caching_device(self):
        return self._caching_device

    @property
    def partitioner(self):
        return self._partitioner

    @property
    def custom_getter(self):
        return self._custom_getter

    @property
    def constraint(self):
        return self._constraint

    def reuse_variables(self):
        self._reuse = True

    def set_initializer(self, initializer):
        self._initializer = initializer

    def set_dtype(self, dtype):
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        self._use_resource = use_resource

    def set_regularizer(self, regularizer):
        self._regularizer = regularizer

    def set_caching_device(self, caching_device):
        self._caching_device = caching_device

    def set_partitioner(self, partitioner):
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter):
        self._custom_getter = custom_getter

    def get_collection(self, name):
        """What of the collection is below this scope."""
        return ops.get_collection(name, self._name + '/' if self._name else '')

    def trainable_variables(self):
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, var_store, name, shape=None, dtype=None, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True,
                     use_resource=None, custom_getter=None, constraint=None, synchronization=AUTO,
                     aggregation=NONE):
        """The variable of this name below the scope, with the scope's defaults."""
        def default(value, own):
            return own if value is None else value
        full_name = self.name + '/' + name if self.name else name
        with ops.name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                init_dtype = ops.convert_to_tensor(initializer).dtype.base_dtype
                if init_dtype != dtype:
                    raise ValueError('Initializer type \'%s\' and explicit dtype \'%s\' don\'t '
                                     'match.' % (init_dtype, dtype))
            return var_store.get_variable(
                full_name, shape=shape, dtype=default(dtype, self._dtype),
                initializer=default(initializer, self._initializer),
                regularizer=default(regularizer, self._regularizer),
                reuse=default(reuse, self._reuse), trainable=trainable, collections=collections,
                caching_device=default(caching_device, self._caching_device),
                partitioner=default(partitioner, self._partitioner),
                validate_shape=validate_shape,
                use_resource=default(use_resource, self._use_resource),
                custom_getter=default(custom_getter, self._custom_getter),
                constraint=default(constraint, self._constraint),
                synchronization=synchronization, aggregation=aggregation)

    def _get_partitioned_variable(self, var_store, name, shape=None, dtype=None, initializer=None,
                                  regularizer=None, trainable=None, collections=None,
                                  caching_device=None, partitioner=None, validate_shape=True,
                                  use_resource=None, constraint=None, synchronization=AUTO,
                                  aggregation=NONE):
        partitioner = partitioner or self._partitioner
        if not partitioner:
            raise ValueError('No partitioner was specified')
        full_name = '/'.join(part for part in (self.name, name) if part)
        with ops.name_scope(None):
            return var_store._get_partitioned_variable(
                full_name, partitioner, shape=shape,
                dtype=self._dtype if dtype is None else dtype,
                initializer=self._initializer if initializer is None else initializer,
                regularizer=self._regularizer if regularizer is None else regularizer,
                reuse=self.reuse, trainable=trainable, collections=collections,
                caching_device=self._caching_device if caching_device is None else caching_device,
                validate_shape=validate_shape,
                use_resource=self._use_resource if use_resource is None else use_resource,
                constraint=self._constraint if constraint is None else constraint,
                synchronization=synchronization, aggregation=aggregation)


class _VariableScopeStore(threading.local):
    """The current scope, of the thread, and how often scopes of each name were opened."""

    def __init__(self):
        super(_VariableScopeStore, self).__init__()
        self.variable_scopes_count = {}
        self.current_scope = VariableScope(False)

    def open_variable_scope(self, scope_name):
        self.variable_scopes_count[scope_name] = self.variable_scope_count(scope_name) + 1

    def close_variable_subscopes(self, scope_name):
        for k in self.variable_scopes_count:
            if scope_name is None or k.startswith(scope_name + '/'):
                self.variable_scopes_count[k] = 0

    def variable_scope_count(self, scope_name):
        return self.variable_scopes_count.get(scope_name, 0)


def _of_graph(key, make):
    collection = ops.get_collection_ref(key)
    if not collection:
        collection.append(make())
    return collection[0]


def get_variable_scope_store():
    return _of_graph(_VARSCOPESTORE_KEY, _VariableScopeStore)


def get_variable_scope():
    return get_variable_scope_store().current_scope


def _get_default_variable_store():
    return _of_graph(_VARSTORE_KEY, _VariableStore)


@contextlib.contextmanager
def with_variable_store(store):
    """get_variable looks into this store while the block runs."""
    collection = ops.get_collection_ref(_VARSTORE_KEY)
    old = list(collection)
    collection[:] = [store]
    try:
        yield
    finally:
        collection[:] = old


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True,
                 use_resource=None, custom_getter=None, constraint=None, synchronization=AUTO,
                 aggregation=NONE):
    """The variable of this name in the current scope: made, or, with reuse, found."""
    return get_variable_scope().get_variable(
        _get_default_variable_store(), name, shape=shape, dtype=dtype, initializer=initializer,
        regularizer=regularizer, trainable=trainable, collections=collections,
        caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, custom_getter=custom_getter, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation)


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None,
                       trainable=False, collections=None, caching_device=None, partitioner=None,
                       validate_shape=True, use_resource=None, custom_getter=None, constraint=None,
                       synchronization=AUTO, aggregation=NONE):
    """get_variable of a local variable, which is not trained and not saved."""
    if collections:
        collections = list(collections) + [GraphKeys.LOCAL_VARIABLES]
    else:
        collections = [GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        trainable=False, collections=collections, caching_device=caching_device,
        partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
        synchronization=synchronization, aggregation=aggregation, custom_getter=custom_getter,
        constraint=constraint)


def _get_partitioned_variable(name, shape=None, dtype=None, initializer=None, regularizer=None,
                              trainable=True, collections=None, caching_device=None,
                              partitioner=None, validate_shape=True, use_resource=None,
                              constraint=None, synchronization=AUTO, aggregation=NONE):
    """The PartitionedVariable itself; custom getters are not asked."""
    scope = get_variable_scope()
    if scope.custom_getter is not None:
        raise ValueError('Private access to _get_partitioned_variable is not allowed when a custom '
                         'getter is set.  Current custom getter: %s.  It is likely that you\'re '
                         'using create_partitioned_variables.  If so, consider instead using '
                         'get_variable with a non-empty partitioner parameter instead.'
                         % scope.custom_getter)
    return scope._get_partitioned_variable(
        _get_default_variable_store(), name, shape=shape, dtype=dtype, initializer=initializer,
        regularizer=regularizer, trainable=trainable, collections=collections,
        caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation)


class _pure_variable_scope(object):
    """A variable scope that opens no scope of names."""

    def __init__(self, name_or_scope, reuse=None, initializer=None, regularizer=None,
                 caching_device=None, partitioner=None, custom_getter=None, old_name_scope=None,
                 dtype=None, use_resource=None, constraint=None):
        self._store = _get_default_variable_store()
        self._scopes = get_variable_scope_store()
        self._is_scope = isinstance(name_or_scope, VariableScope)
        self._old = self._counts = None
        self._last = None
        base = name_or_scope if self._is_scope else self._scopes.current_scope
        if self._is_scope:
            name = name_or_scope.name
            name_scope = (name_or_scope.original_name_scope if old_name_scope is None
                          else old_name_scope)
            reuse = name_or_scope.reuse if not reuse else reuse
        else:
            name = base.name + '/' + name_or_scope if base.name else name_or_scope
            name_scope = old_name_scope or name_or_scope
            reuse = reuse or base.reuse
        scope = VariableScope(
            reuse, name=name, initializer=base.initializer, regularizer=base.regularizer,
            caching_device=base.caching_device, partitioner=base.partitioner,
            custom_getter=base.custom_getter, name_scope=name_scope, dtype=base.dtype,
            use_resource=base.use_resource, constraint=base.constraint)
        for field, value in (('_initializer', initializer), ('_regularizer', regularizer),
                             ('_caching_device', caching_device), ('_partitioner', partitioner),
                             ('_dtype', dtype), ('_use_resource', use_resource),
                             ('_constraint', constraint)):
            if value is not None:
                setattr(scope, field, value)
        if custom_getter is not None:
            scope.set_custom_getter(_maybe_wrap_custom_getter(custom_getter, base.custom_getter))
        self._scope = scope

    def __enter__(self):
        self._old = self._scopes.current_scope
        if self._is_scope:
            self._scopes.open_variable_scope(self._scope.name)
            self._counts = copy.copy(self._scopes.variable_scopes_count)
        else:
            self._scopes.open_variable_scope(self._scope.name)
        # As long as it is open, what is changed in the scope holds for this block alone.
        self._scopes.current_scope = self._scope
        self._last = self._scope
        return self._scope

    def __exit__(self, *info):
        if self._scopes.current_scope is not self._last:
            raise RuntimeError('Improper nesting of variable_scope.')
        self._scopes.close_variable_subscopes(self._scope.name)
        if self._is_scope:
            self._scopes.variable_scopes_count = self._counts
        self._scopes.current_scope = self._old
        return False


def _maybe_wrap_custom_getter(custom_getter, old_getter):
    """The new getter, whose getter is the old one."""
    if old_getter is None:
        return custom_getter

    def wrapped_custom_getter(getter, *args, **kwargs):
        return custom_getter(functools.partial(old_getter, getter), *args, **kwargs)
    return wrapped_custom_getter


def _get_unique_variable_scope(prefix):
    """The prefix, or prefix_1..., that no open scope of this level has had."""
    scopes = get_variable_scope_store()
    current = get_variable_scope()
    name = current.name + '/' + prefix if current.name else prefix
    if scopes.variable_scope_count(name) == 0:
        return prefix
    i = 1
    while scopes.variable_scope_count(name + '_%d' % i) > 0:
        i += 1
    return prefix + '_%d' % i


class variable_scope(object):
    """`with tf.variable_scope(name_or_scope, default_name, values) as scope`."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None,
                 regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                 reuse=None, dtype=None, use_resource=None, constraint=None,
                 auxiliary_name_scope=True):
        if default_name is None and name_or_scope is None:
            raise TypeError('If default_name is None then name_or_scope is required')
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = values
        self._fields = dict(initializer=initializer, regularizer=regularizer,
                            caching_device=caching_device, partitioner=partitioner,
                            custom_getter=custom_getter, dtype=dtype, use_resource=use_resource,
                            constraint=constraint)
        self._reuse = reuse or None
        if self._values is None:
            self._values = []
        self._graph = ops._get_graph_from_inputs(self._values)
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError('The auxiliary_name_scope must be `True` or `False`, while get {}'
                            .format(auxiliary_name_scope))
        self._auxiliary_name_scope = auxiliary_name_scope
        self._stack = []

    def __enter__(self):
        managers = contextlib.ExitStack()
        with managers:
            if not self._graph.building_function and \
                    self._graph is not ops.get_default_graph():
                managers.enter_context(self._graph.as_default())
            scope = self._enter(managers)
            self._stack.append(managers.pop_all())
        return scope

    def __exit__(self, *info):
        return self._stack.pop().__exit__(*info)

    def _enter(self, managers):
        names = None
        if not self._auxiliary_name_scope:
            current = ops.get_name_scope()
            names = ops.name_scope(current + '/' if current else '')
        if self._name_or_scope is None:
            return self._enter_default(managers, names)
        if not isinstance(self._name_or_scope, (VariableScope, str)):
            raise TypeError('VariableScope: name_or_scope must be a string or VariableScope.')
        is_text = isinstance(self._name_or_scope, str)
        name = self._name_or_scope if is_text else self._name_or_scope.name.split('/')[-1]
        old_name_scope = None
        if name or names is not None:
            entered = managers.enter_context(ops.name_scope(name) if names is None else names)
            old_name_scope = entered if is_text else self._name_or_scope.original_name_scope
        return managers.enter_context(_pure_variable_scope(
            self._name_or_scope, reuse=self._reuse, old_name_scope=old_name_scope,
            **self._fields))

    def _enter_default(self, managers, names):
        if self._reuse:
            raise ValueError('reuse=True cannot be used without a name_or_scope')
        entered = managers.enter_context(
            ops.name_scope(self._default_name) if names is None else names)
        return managers.enter_context(_pure_variable_scope(
            _get_unique_variable_scope(self._default_name), old_name_scope=entered,
            **self._fields))


@contextlib.contextmanager
def variable_op_scope(values, name_or_scope, default_name=None, initializer=None, regularizer=None,
                      caching_device=None, partitioner=None, custom_getter=None, reuse=None,
                      dtype=None, use_resource=None, constraint=None):
    """variable_scope with another order of arguments, deprecated."""
    from leat.python.platform import tf_logging
    tf_logging.warn('tf.variable_op_scope(values, name, default_name) is deprecated, use '
                    'tf.variable_scope(name, default_name, values)')
    with variable_scope(name_or_scope, default_name=default_name, values=values,
                        initializer=initializer, regularizer=regularizer,
                        caching_device=caching_device, partitioner=partitioner,
                        custom_getter=custom_getter, reuse=reuse, dtype=dtype,
                        use_resource=use_resource, constraint=constraint) as scope:
        yield scope


def default_variable_creator(next_creator=None, **kwargs):
    """What a call of tf.Variable makes where no creator in scope makes something else."""
    assert next_creator is None
    use_resource = kwargs.pop('use_resource', None)
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = _DEFAULT_USE_RESOURCE
    if use_resource:
        from leat.python.ops import resource_variable_ops
        kwargs.pop('expected_shape', None)
        return resource_variable_ops.ResourceVariable(**kwargs)
    return variables.RefVariable(**kwargs)


def default_variable_creator_v2(next_creator=None, **kwargs):
    assert next_creator is None
    from leat.python.ops import resource_variable_ops
    return resource_variable_ops.ResourceVariable(**kwargs)


variables.default_variable_creator = default_variable_creator
variables.default_variable_creator_v2 = default_variable_creator_v2


@contextlib.contextmanager
def variable_creator_scope_v1(variable_creator):
    """variable_creator(next_creator, **kwargs) makes the variables of the block."""
    graph = ops.get_default_graph()
    old = graph._variable_creator_stack
    graph._variable_creator_stack = old + [(100, variable_creator)]
    try:
        yield
    finally:
        if graph._variable_creator_stack[:-1] != old:
            raise RuntimeError('Exiting variable_creator_scope without proper nesting.')
        graph._variable_creator_stack = old


variable_creator_scope = variable_creator_scope_v1


def variable(initial_value=None, trainable=None, collections=None, validate_shape=True,
             caching_device=None, name=None, dtype=None, constraint=None, use_resource=None,
             synchronization=AUTO, aggregation=NONE, shape=None):
    return variables.VariableV1(
        initial_value=initial_value, trainable=trainable, collections=collections,
        validate_shape=validate_shape, caching_device=caching_device, name=name, dtype=dtype,
        constraint=constraint, use_resource=use_resource, synchronization=synchronization,
        aggregation=aggregation, shape=shape)
