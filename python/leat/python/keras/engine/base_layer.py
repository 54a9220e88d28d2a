# SPDX-License-Identifier: Apache-2.0
"""Layer: variables, losses and updates kept together with the function they belong to.

Graphs only. layers/base.py adds variable scopes; tensors carry no history of layers here, so that
input, output and the like always answer that the layer is not connected.
"""
import functools

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.keras.engine import base_layer_utils
from leat.python.keras.engine import input_spec as input_spec_module
from leat.python.ops import variable_scope as vs
from leat.python.ops import variables
from leat.python.util import nest
from leat.python.util import tf_decorator
from leat.python.util import tf_inspect

InputSpec = input_spec_module.InputSpec
_KNOWN_KEYWORDS = {'input_shape', 'batch_input_shape', 'batch_size', 'weights',
                   'activity_regularizer', 'experimental_autocast'}


def default(method):
    """Marks a method as the base class's own, which need not be called."""
    method._is_default = True
    return method


def serialized(x):
    """An initialiser or the like as its class's name and what it is made from."""
    if hasattr(x, 'get_config'):
        return {'class_name': type(x).__name__, 'config': x.get_config()}
    return x


def to_list(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


class Layer(object):
    """The function call(inputs), with variables that build(input_shape) makes at the first call."""

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        for keyword in kwargs:
            if keyword not in _KNOWN_KEYWORDS:
                raise TypeError('Keyword argument not understood:', keyword)
        self._trainable = trainable
        self.stateful = False
        self.built = False
        self._input_spec = None
        self.supports_masking = False
        self._dynamic = dynamic
        self._init_set_name(name)
        self._activity_regularizer = kwargs.pop('activity_regularizer', None)
        self._trainable_weights = getattr(self, '_trainable_weights', [])
        self._non_trainable_weights = getattr(self, '_non_trainable_weights', [])
        self._checkpoint_names = {}  # of variables, as checkpoints of objects have them
        self._updates = []
        self._losses = []
        self._callable_losses = []
        self._metrics = []
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._initial_weights = kwargs.get('weights')
        self._init_call_fn_args()

    def _init_call_fn_args(self):
        spec = tf_inspect.getfullargspec(self.call)
        self._call_fn_args = [a for a in spec.args if a != 'self']
        self._expects_training_arg = ('training' in spec.args or 'training' in spec.kwonlyargs
                                      or spec.varkw is not None)
        self._expects_mask_arg = ('mask' in spec.args or 'mask' in spec.kwonlyargs
                                  or spec.varkw is not None)

    # ---- what subclasses write ----

    @default
    def build(self, input_shape):
        """Makes the variables."""
        del input_shape
        self.built = True

    @default
    def call(self, inputs, **kwargs):
        """Computes the outputs."""
        del kwargs
        return inputs

    def compute_output_shape(self, input_shape):
        del input_shape
        raise NotImplementedError

    def compute_output_signature(self, input_signature):
        raise NotImplementedError('compute_output_signature of %s' % type(self).__name__)

    def compute_mask(self, inputs, mask=None):
        del inputs
        if self.supports_masking:
            return mask
        if any(m is not None for m in nest.flatten(mask)):
            raise TypeError('Layer ' + self.name + ' does not support masking, but was passed an '
                            'input_mask: ' + str(mask))
        return None

    def get_config(self):
        """What a layer like this one is made from."""
        arguments = tf_inspect.getfullargspec(self.__init__).args
        config = {'name': self.name, 'trainable': self.trainable, 'dtype': self.dtype}
        extra = [a for a in arguments if a not in config]
        if len(extra) > 1 and type(self).get_config is Layer.get_config:
            raise NotImplementedError('Layers with arguments in `__init__` must override '
                                      '`get_config`.')
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    # ---- names and settings ----

    def _init_set_name(self, name, zero_based=True):
        if not name:
            self._name = base_layer_utils.unique_layer_name(
                base_layer_utils.to_snake_case(type(self).__name__), zero_based=zero_based)
        else:
            self._name = name

    def _name_scope(self):
        return self.name

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def dynamic(self):
        return self._dynamic

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value

    @property
    def activity_regularizer(self):
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    @property
    def input_spec(self):
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value):
        self._input_spec = value

    @property
    def submodules(self):
        """The layers that are attributes of this one, and theirs."""
        found, seen = [], {id(self)}
        for _, value in sorted(self.__dict__.items()):
            for x in nest.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]:
                if isinstance(x, Layer) and id(x) not in seen:
                    seen.add(id(x))
                    found.append(x)
                    found.extend(x.submodules)
        return tuple(found)

    # ---- variables ----

    @property
    def trainable_weights(self):
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self):
        if self.trainable:
            return list(self._non_trainable_weights)
        return self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self):
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self):
        return self.weights

    @property
    def trainable_variables(self):
        return self.trainable_weights

    @property
    def non_trainable_variables(self):
        return self.non_trainable_weights

    def count_params(self):
        if not self.built:
            raise ValueError('You tried to call `count_params` on ' + self.name + ', but the layer '
                             'isn\'t built. You can build it manually via: `' + self.name +
                             '.build(batch_input_shape)`.')
        return int(sum(np.prod(w.shape.as_list()) for w in self.weights))

    def _session(self):
        session = ops.get_default_session()
        if session is None:
            raise RuntimeError('Weights of layer %s are read and written by the default session: '
                               'use `with session.as_default()`' % self.name)
        return session

    def get_weights(self):
        """The values, by the default session."""
        weights = self.weights
        return self._session().run(weights) if weights else []

    def set_weights(self, weights):
        """Gives the variables these values, by the default session."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError('You called `set_weights(weights)` on layer "' + self.name +
                             '" with a  weight list of length ' + str(len(weights)) +
                             ', but the layer was expecting ' + str(len(own)) +
                             ' weights. Provided weights: ' + str(weights)[:50] + '...')
        for variable, value in zip(own, weights):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise ValueError('Layer weight shape ' + str(tuple(variable.shape.as_list())) +
                                 ' not compatible with provided weight shape ' +
                                 str(np.shape(value)))
            variable.load(value, self._session())

    def add_variable(self, *args, **kwargs):
        return self.add_weight(*args, **kwargs)

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None,
                   trainable=None, constraint=None, partitioner=None, use_resource=None,
                   synchronization=vs.VariableSynchronization.AUTO,
                   aggregation=vs.VariableAggregation.NONE, **kwargs):
        """Makes a variable that belongs to the layer."""
        getter = kwargs.pop('getter', None)
        kwargs.pop('collections', None)
        for keyword in kwargs:
            if keyword != 'experimental_autocast':
                raise TypeError('Unknown keyword argument:', keyword)
        dtype = dtypes.as_dtype(dtype if dtype is not None else self.dtype or 'float32')
        if self._dtype is None:
            self._dtype = dtype.base_dtype.name
        trainable = _trainable_or_default(trainable, synchronization)
        if initializer is None:
            initializer = _default_initializer(name, dtype, type(self))
        variable = (getter or vs.get_variable)(
            name=name, shape=tensor_shape.TensorShape(() if shape is None else shape),
            initializer=initializer, dtype=dtype, constraint=constraint,
            trainable=trainable, partitioner=partitioner, use_resource=use_resource,
            synchronization=synchronization, aggregation=aggregation)
        if regularizer is not None:
            self._handle_weight_regularization(name, variable, regularizer)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        self._checkpoint_names[name] = variable
        return variable

    def _handle_weight_regularization(self, name, variable, regularizer):
        def loss_of(v):
            with ops.name_scope(name + '/Regularizer'):
                return regularizer(v)
        parts = (variable if isinstance(variable, variables.PartitionedVariable) else [variable])
        for v in parts:
            self.add_loss(functools.partial(loss_of, v))

    # ---- losses and updates ----

    @property
    def losses(self):
        """Losses of regularizers are made anew each time that they are asked for."""
        of_weights = [loss() for loss in self._callable_losses]
        return self._losses + [loss for loss in of_weights if loss is not None]

    def add_loss(self, losses, inputs=None):
        """Losses that the program may add to its own; functions make them when they are asked."""
        def tagged(loss):
            if callable(loss):
                loss = loss()
            if loss is None:
                return None
            if not isinstance(loss, ops.Tensor):
                loss = ops.convert_to_tensor(loss, dtype=dtypes.float32)
            loss._unconditional_loss = inputs is None
            return loss
        for loss in nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(functools.partial(tagged, loss))
            elif loss is not None:
                self._losses.append(tagged(loss))

    @property
    def updates(self):
        if not self.trainable and not self.stateful:
            return []
        return list(self._updates)

    def add_update(self, updates, inputs=None):
        """Ops that are to run in each step of training."""
        del inputs  # what depends on the inputs is seen in the graph
        context = base_layer_utils.call_context()
        relevant = nest.flatten(context.inputs) if context.in_call else []
        processed = [_processed_update(x) for x in to_list(updates)]
        reachable = base_layer_utils.get_reachable_from_inputs(relevant, processed)
        for update in processed:
            update._unconditional_update = id(update) not in reachable
            self._updates.append(update)

    def get_updates_for(self, inputs):
        return self._for(self.updates, '_unconditional_update', inputs)

    def get_losses_for(self, inputs):
        return self._for(self.losses, '_unconditional_loss', inputs)

    @staticmethod
    def _for(found, attribute, inputs):
        if inputs is None:
            return [x for x in found if getattr(x, attribute, True)]
        conditional = [x for x in found if not getattr(x, attribute, True)]
        reachable = base_layer_utils.get_reachable_from_inputs(nest.flatten(inputs), conditional)
        return [x for x in conditional if id(x) in reachable]

    @property
    def metrics(self):
        return list(self._metrics)

    def add_metric(self, value, aggregation=None, name=None):
        raise NotImplementedError('add_metric: metrics of layers come with tf.keras')

    def _handle_activity_regularization(self, inputs, outputs):
        if not self._activity_regularizer:
            return
        from leat.python.ops import array_ops
        from leat.python.ops import math_ops
        with ops.name_scope('ActivityRegularizer'):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                batch_size = math_ops.cast(array_ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / batch_size, inputs=inputs)

    # ---- calls ----

    def apply(self, inputs, *args, **kwargs):
        return self.__call__(inputs, *args, **kwargs)

    def __call__(self, inputs, *args, **kwargs):
        """build(), where it was not yet, and call()."""
        inputs = _tensors_of(inputs)
        training = self._training_of(args, kwargs)
        with base_layer_utils.entered(self, inputs, training):
            input_spec_module.assert_input_compatibility(self.input_spec, inputs, self.name)
            with ops.name_scope(self._name_scope()):
                self._maybe_build(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise ValueError('A layer\'s `call` method should return a Tensor or a list '
                                     'of Tensors, not None (layer: ' + self.name + ').')
                self._handle_activity_regularization(inputs, outputs)
        return outputs

    def _training_of(self, args, kwargs):
        """Whether this call trains: as it is told, else as the call that it is a part of."""
        if 'training' in kwargs:
            value = kwargs['training']
            if not self._expects_training_arg:
                del kwargs['training']
            return value
        if 'training' in self._call_fn_args:
            position = self._call_fn_args.index('training') - 1
            if position < len(args):
                return args[position]
        value = base_layer_utils.call_context().training
        if self._expects_training_arg and value is not None:
            kwargs['training'] = value
        return value

    def _maybe_build(self, inputs):
        if self.built:
            return
        flat = nest.flatten(inputs)
        if self._dtype is None and flat and hasattr(flat[0], 'dtype'):
            self._dtype = dtypes.as_dtype(flat[0].dtype).base_dtype.name
        if not hasattr(self.build, '_is_default'):
            shapes = None
            if all(hasattr(x, 'shape') for x in flat):
                shapes = nest.map_structure(lambda x: x.shape, inputs)
            self.build(shapes)
        self.built = True  # whatever the user's build() says
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    # ---- histories of tensors, which there are none of ----

    @property
    def inbound_nodes(self):
        return []

    @property
    def outbound_nodes(self):
        return []

    @property
    def input(self):
        raise AttributeError('Layer ' + self.name + ' is not connected, no input to return.')

    input_mask = input

    @property
    def output(self):
        raise AttributeError('Layer ' + self.name + ' has no inbound nodes.')

    output_mask = output

    @property
    def input_shape(self):
        raise AttributeError('The layer has never been called and thus has no defined input '
                             'shape.')

    @property
    def output_shape(self):
        raise AttributeError('The layer has never been called and thus has no defined output '
                             'shape.')

    def _no_node(self, what):
        raise RuntimeError('The layer has never been called and thus has no defined %s.' % what)

    def get_input_at(self, node_index):
        self._no_node('input')

    def get_output_at(self, node_index):
        self._no_node('output')

    def get_input_shape_at(self, node_index):
        self._no_node('input shape')

    def get_output_shape_at(self, node_index):
        self._no_node('output shape')

    def get_input_mask_at(self, node_index):
        self._no_node('input mask')

    def get_output_mask_at(self, node_index):
        self._no_node('output mask')

    @property
    def name_scope(self):
        """The scope of the layer's name, to be used with `with`."""
        return ops.name_scope_v2(self.name)

    @classmethod
    def with_name_scope(cls, method):
        """The method, in the scope of its layer's name."""
        def wrapped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return tf_decorator.make_decorator(method, wrapped)


def _tensors_of(inputs):
    """The inputs, with arrays and Python's numbers as tensors."""
    if any(isinstance(x, (np.ndarray, float, int)) for x in nest.flatten(inputs)):
        return nest.map_structure(
            lambda x: ops.convert_to_tensor(x) if isinstance(x, (np.ndarray, float, int)) else x,
            inputs)
    return inputs


def _processed_update(x):
    if callable(x):
        return _processed_update(x())
    if isinstance(x, ops.Operation):
        return x
    return x.op if hasattr(x, 'op') else ops.convert_to_tensor(x)


def _trainable_or_default(trainable, synchronization):
    if synchronization == vs.VariableSynchronization.ON_READ:
        if trainable:
            raise ValueError('Synchronization value can be set to '
                             'VariableSynchronization.ON_READ only for non-trainable variables. '
                             'You have specified trainable=True and '
                             'synchronization=VariableSynchronization.ON_READ.')
        return False
    return True if trainable is None else trainable


def _default_initializer(name, dtype, cls):
    from leat.python.ops import init_ops
    if dtype.is_floating:
        return init_ops.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool:
        return init_ops.zeros_initializer()
    raise ValueError('An initializer for variable %s of type %s is required for layer %s'
                     % (name, dtype.base_dtype, cls))
