# SPDX-License-Identifier: Apache-2.0
"""The base class of tf.layers: a layer whose variables come from get_variable.

A layer takes a variable scope at its first use and keeps it: the variables' names begin with it,
and ops of each call are in its first scope of names.
"""
import contextlib
import copy

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.keras.engine import base_layer
from leat.python.keras.engine import base_layer_utils
from leat.python.keras.engine.input_spec import InputSpec  # noqa: F401
from leat.python.ops import variable_scope as vs
from leat.python.ops import variables as tf_variables

_KERAS_STYLE_SCOPE = False


@contextlib.contextmanager
def keras_style_scope():
    """Layers made in the block own their variables and share none by name."""
    global _KERAS_STYLE_SCOPE
    stack, _KERAS_STYLE_SCOPE = _KERAS_STYLE_SCOPE, True
    try:
        yield
    finally:
        _KERAS_STYLE_SCOPE = stack


def set_keras_style():
    global _KERAS_STYLE_SCOPE
    _KERAS_STYLE_SCOPE = True


class Layer(base_layer.Layer):
    """A layer with a variable scope; reuse is by the scope's name."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self._use_resource_variables = False
        scope = kwargs.pop('_scope', None)
        self._reuse = kwargs.pop('_reuse', None)
        self._scope = None
        self._current_scope = None
        self._always_reuse_variable_scope = None
        super(Layer, self).__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._keras_style = _KERAS_STYLE_SCOPE
        if self._keras_style:
            self._check_keras_style(scope)
        self._call_has_scope_arg = 'scope' in self._call_fn_args
        if scope:
            with vs.variable_scope(scope) as captured_scope:
                self._scope = captured_scope

    def _check_keras_style(self, scope):
        if scope is not None:
            raise ValueError('scope argument not allowed when keras style layers are enabled, but '
                             'saw: {}'.format(scope))
        if self._reuse is not None:
            raise ValueError('reuse argument not allowed when keras style layers are enabled, but '
                             'saw: {}'.format(self._reuse))
        self._use_resource_variables = True

    @property
    def graph(self):
        return None

    @property
    def scope_name(self):
        if not self._scope:
            raise ValueError('No name available for layer scope because the layer "' + self._name +
                             '" has not been used yet. The scope name  is determined the first '
                             'time the layer instance is called. You must therefore call the layer '
                             'before querying `scope_name`.')
        return self._scope.name

    def _init_set_name(self, name, zero_based=None):
        del zero_based
        base_name = name
        if isinstance(name, vs.VariableScope):
            base_name = name.name
            self._name, _ = self._make_unique_name()
        elif name:
            self._name = name
        else:
            self._name, base_name = self._make_unique_name()
        self._base_name = base_name

    def _make_unique_name(self, name_uid_map=None, avoid_names=None, namespace='',
                          zero_based=False):
        base_name = base_layer_utils.to_snake_case(type(self).__name__)
        return base_layer_utils.unique_layer_name(
            base_name, name_uid_map=name_uid_map, avoid_names=avoid_names, namespace=namespace,
            zero_based=zero_based), base_name

    def _name_scope(self):
        if self._keras_style:
            return super(Layer, self)._name_scope()
        return self._current_scope.original_name_scope

    def _set_scope(self, scope=None):
        """Takes the layer's variable scope, where it has none."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = vs.variable_scope(scope if scope is not None else self._base_name)
        else:
            opened = vs.variable_scope(scope, default_name=self._base_name)
        with opened as captured_scope:
            self._scope = captured_scope

    def add_loss(self, losses, inputs=None):
        """As the base class; the collection of regularization losses gets them too."""
        num, num_callable = len(self._losses), len(self._callable_losses)
        super(Layer, self).add_loss(losses, inputs=inputs)
        new = self._losses[num:]
        made = [loss() for loss in self._callable_losses[num_callable:]]
        _add_elements_to_collection(new + [loss for loss in made if loss is not None],
                                    GraphKeys.REGULARIZATION_LOSSES)

    def add_weight(self, name, shape, dtype=None, initializer=None, regularizer=None,
                   trainable=None, constraint=None, use_resource=None,
                   synchronization=vs.VariableSynchronization.AUTO,
                   aggregation=vs.VariableAggregation.NONE, partitioner=None, **kwargs):
        """The variable of this name in the layer's scope."""
        for keyword in kwargs:
            if keyword != 'experimental_autocast':
                raise TypeError('Unknown keyword argument:', keyword)
        if self._keras_style:
            return super(Layer, self).add_weight(
                name=name, shape=shape, dtype=dtype, initializer=initializer,
                regularizer=regularizer, trainable=bool(trainable) and self.trainable,
                constraint=constraint, use_resource=use_resource, partitioner=partitioner,
                synchronization=synchronization, aggregation=aggregation, **kwargs)
        trainable = base_layer._trainable_or_default(trainable, synchronization)
        if dtype is None:
            dtype = self.dtype or dtypes.float32
        self._set_scope(None)
        reuse = self.built or self._reuse
        num_trainable = len(self._trainable_weights)
        there = {id(v) for v in tf_variables.global_variables()} if regularizer else set()
        with vs.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with ops.name_scope(self._name_scope()):
                variable = super(Layer, self).add_weight(
                    name, shape, dtype=dtypes.as_dtype(dtype),
                    initializer=initializer if initializer is not None else scope.initializer,
                    trainable=trainable and self.trainable, constraint=constraint,
                    partitioner=partitioner,
                    use_resource=(use_resource or self._use_resource_variables
                                  or scope.use_resource),
                    synchronization=synchronization, aggregation=aggregation,
                    getter=vs.get_variable, **kwargs)
                if regularizer and _is_new(variable, there):
                    self._handle_weight_regularization(name, variable, regularizer)
                if trainable and self.trainable:
                    self._heed_getters(variable, num_trainable)
        return variable

    def _heed_getters(self, variable, num_trainable):
        """A custom getter or a scope may have made a variable that is not trained."""
        if not any(v is variable for v in tf_variables.trainable_variables()):
            self._non_trainable_weights += self._trainable_weights[num_trainable:]
            self._trainable_weights = self._trainable_weights[:num_trainable]

    def __call__(self, inputs, *args, **kwargs):
        """As the base class, in the layer's variable scope; updates go into their collection."""
        scope = kwargs.pop('scope', None)
        if self._keras_style:
            if scope is not None:
                raise ValueError('scope argument not allowed when keras style layers are enabled, '
                                 'but saw: {}'.format(scope))
            return super(Layer, self).__call__(inputs, *args, **kwargs)
        self._set_scope(scope)
        if self.built:
            if self._always_reuse_variable_scope is None:
                self._always_reuse_variable_scope = vs.variable_scope(
                    self._scope, reuse=True, auxiliary_name_scope=False)
            entered = self._always_reuse_variable_scope
        else:
            entered = vs.variable_scope(self._scope, reuse=self._reuse,
                                        auxiliary_name_scope=False)
        with entered as opened:
            self._current_scope = opened
            if self._call_has_scope_arg:
                kwargs['scope'] = opened
            outputs = super(Layer, self).__call__(inputs, *args, **kwargs)
        _add_elements_to_collection(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def __deepcopy__(self, memo):
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            if key in ('_scope', '_always_reuse_variable_scope'):
                value = copy.copy(value)
            else:
                value = copy.deepcopy(value, memo)
            result.__dict__[key] = value
        return result


def _is_new(variable, there):
    if isinstance(variable, tf_variables.PartitionedVariable):
        return any(id(part) not in there for part in variable)
    return id(variable) not in there


def _add_elements_to_collection(elements, collection_list):
    """Adds what is not there yet; a collection that is named comes to be."""
    for name in base_layer.to_list(collection_list):
        collection = ops.get_collection_ref(name)
        there = {id(x) for x in collection}
        for element in base_layer.to_list(elements):
            if id(element) not in there:
                collection.append(element)
