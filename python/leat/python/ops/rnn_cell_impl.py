# SPDX-License-Identifier: Apache-2.0
"""The cells of recurrent nets: one step each. Cells around others are in rnn_cell_wrapper_impl.

A cell is a layer that takes inputs and a state, and gives an output and the next state.
"""
import collections

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.layers import base as base_layer
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import partitioned_variables
from leat.python.ops import variable_scope as vs
from leat.python.ops import variables as tf_variables
from leat.python.util import deprecation
from leat.python.util import nest

_BIAS_VARIABLE_NAME = 'bias'
_WEIGHTS_VARIABLE_NAME = 'kernel'
_WRAPPERS = ('DeviceWrapper', 'DropoutWrapper', 'ResidualWrapper', 'MultiRNNCell',
             '_RNNCellWrapperV1')


def __getattr__(name):
    if name not in _WRAPPERS:
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    from leat.python.ops import rnn_cell_wrapper_impl
    return getattr(rnn_cell_wrapper_impl, name)


def _hasattr(obj, attr_name):
    try:
        getattr(obj, attr_name)
    except AttributeError:
        return False
    except NotImplementedError:
        return True
    return True


def assert_like_rnncell(cell_name, cell):
    """TypeError for what cannot be used as a cell."""
    checks = [(_hasattr(cell, 'output_size'), '\'output_size\' property is missing'),
              (_hasattr(cell, 'state_size'), '\'state_size\' property is missing'),
              (_hasattr(cell, 'zero_state') or _hasattr(cell, 'get_initial_state'),
               'either \'zero_state\' or \'get_initial_state\' method is required'),
              (callable(cell), 'is not callable')]
    wrong = [text for ok, text in checks if not ok]
    if wrong:
        raise TypeError('The argument {!r} ({}) is not an RNNCell: {}.'.format(
            cell_name, cell, ', '.join(wrong)))


def _part(value, which):
    """(a vector of int32 or None, the static value) of a shape's part."""
    if isinstance(value, ops.Tensor):
        static = tensor_util.constant_value(value)
        if value.shape.ndims == 0:
            return array_ops.expand_dims(value, 0), static
        if value.shape.ndims != 1:
            raise ValueError('%s tensor must be either a scalar or vector, but saw tensor: %s'
                             % (which, value))
        return value, static
    shape = tensor_shape.as_shape(value)
    static = shape.as_list() if shape.ndims is not None else None
    if not shape.is_fully_defined():
        return None, static
    return constant_op.constant(shape.as_list(), dtype=dtypes.int32), static


def _concat(prefix, suffix, static=False):
    """The shape of both parts: a tensor, or a list where static."""
    p, p_static = _part(prefix, 'prefix')
    s, s_static = _part(suffix, 'suffix')
    if static:
        shape = tensor_shape.as_shape(p_static).concatenate(s_static)
        return shape.as_list() if shape.ndims is not None else None
    if p is None or s is None:
        raise ValueError('Provided a prefix or suffix of None: %s and %s' % (prefix, suffix))
    return array_ops.concat((p, s), 0)


def _zero_state_tensors(state_size, batch_size, dtype):
    def zeros_of(size):
        zeros = array_ops.zeros(_concat(batch_size, size), dtype=dtype)
        zeros.set_shape(_concat(batch_size, size, static=True))
        return zeros
    return nest.map_structure(zeros_of, state_size)


class RNNCell(base_layer.Layer):
    """What cells are: they say state_size, output_size and call."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super(RNNCell, self).__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_tf_rnn_cell = True

    def __call__(self, inputs, state, scope=None):
        if scope is not None:
            with vs.variable_scope(scope, custom_getter=self._rnn_get_variable) as scope:
                return super(RNNCell, self).__call__(inputs, state, scope=scope)
        scope = getattr(self, 'rnncell_scope', None)
        if scope is None:
            scope = vs.variable_scope(vs.get_variable_scope(),
                                      custom_getter=self._rnn_get_variable)
            self.rnncell_scope = scope
        with scope:
            return super(RNNCell, self).__call__(inputs, state)

    def _rnn_get_variable(self, getter, *args, **kwargs):
        """get_variable's variables are the layer's."""
        variable = getter(*args, **kwargs)
        trainable = any(variable is v for v in tf_variables.trainable_variables())
        kept = self._trainable_weights if trainable else self._non_trainable_weights
        if all(variable is not v for v in kept):
            kept.append(variable)
        return variable

    @property
    def state_size(self):
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self):
        raise NotImplementedError('Abstract method')

    def build(self, _):
        """Kinds that have variables of their own say so."""

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            inputs = ops.convert_to_tensor(inputs, name='inputs')
            if batch_size is not None:
                static = (tensor_util.constant_value(batch_size)
                          if tensor_util.is_tensor(batch_size) else batch_size)
                if inputs.shape.dims[0].value != static:
                    raise ValueError('batch size from input tensor is different from the input '
                                     'param. Input tensor batch: {}, batch_size: {}'.format(
                                         inputs.shape.dims[0].value, batch_size))
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError('dtype from input tensor is different from the input param. Input '
                                 'tensor dtype: {}, dtype: {}'.format(inputs.dtype, dtype))
            batch_size = inputs.shape.dims[0].value or array_ops.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError('batch_size and dtype cannot be None while constructing initial state:'
                             ' batch_size={}, dtype={}'.format(batch_size, dtype))
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState',
                            values=[batch_size] if tensor_util.is_tensor(batch_size) else []):
            return _zero_state_tensors(self.state_size, batch_size, dtype)

    def get_config(self):
        return super(RNNCell, self).get_config()


class LayerRNNCell(RNNCell):
    """A cell whose variables are those of a layer."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return base_layer.Layer.__call__(self, inputs, state, scope=scope, *args, **kwargs)


def _check_rnn_cell_input_dtypes(inputs):
    for t in nest.flatten(inputs):
        dtype = dtypes.as_dtype(t.dtype)
        if not (dtype.is_floating or dtype.is_complex):
            raise ValueError('RNN cell only supports floating point inputs, but saw dtype: %s'
                             % dtype)


def _depth(inputs_shape):
    """The size of the inputs' last dim, which must be known."""
    if inputs_shape[-1] is None or tensor_shape.dimension_value(inputs_shape[-1]) is None:
        raise ValueError('Expected inputs.shape[-1] to be known, saw shape: %s'
                         % str(inputs_shape))
    return tensor_shape.dimension_value(inputs_shape[-1])


def _activation(activation):
    if activation is None:
        return math_ops.tanh
    from leat.python.keras import activations
    return activations.get(activation)


def _dense(inputs, kernel, bias):
    """concat(inputs) kernel + bias."""
    return nn_ops.bias_add(math_ops.matmul(array_ops.concat(inputs, 1), kernel), bias)


class BasicRNNCell(LayerRNNCell):
    """output = next state = activation(W [inputs, state] + b)."""

    @deprecation.deprecated(None, 'This class is equivalent as tf.keras.layers.SimpleRNNCell, and '
                                  'will be replaced by that in Tensorflow 2.0.')
    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super(BasicRNNCell, self).__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base_layer.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = _activation(activation)

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        self._kernel = self.add_variable(
            _WEIGHTS_VARIABLE_NAME, shape=[_depth(inputs_shape) + self._num_units,
                                           self._num_units])
        self._bias = self.add_variable(_BIAS_VARIABLE_NAME, shape=[self._num_units],
                                       initializer=init_ops.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs, state):
        _check_rnn_cell_input_dtypes([inputs, state])
        output = self._activation(_dense([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """Gated recurrent units (Cho et al. 2014)."""

    @deprecation.deprecated(None, 'This class is equivalent as tf.keras.layers.GRUCell, and will '
                                  'be replaced by that in Tensorflow 2.0.')
    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None, **kwargs):
        super(GRUCell, self).__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base_layer.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = _activation(activation)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        depth = _depth(inputs_shape) + self._num_units
        n = self._num_units
        self._gate_kernel = self.add_variable(
            'gates/' + _WEIGHTS_VARIABLE_NAME, shape=[depth, 2 * n],
            initializer=self._kernel_initializer)
        self._gate_bias = self.add_variable(
            'gates/' + _BIAS_VARIABLE_NAME, shape=[2 * n],
            initializer=(self._bias_initializer if self._bias_initializer is not None
                         else init_ops.constant_initializer(1.0, dtype=self.dtype)))
        self._candidate_kernel = self.add_variable(
            'candidate/' + _WEIGHTS_VARIABLE_NAME, shape=[depth, n],
            initializer=self._kernel_initializer)
        self._candidate_bias = self.add_variable(
            'candidate/' + _BIAS_VARIABLE_NAME, shape=[n],
            initializer=(self._bias_initializer if self._bias_initializer is not None
                         else init_ops.zeros_initializer(dtype=self.dtype)))
        self.built = True

    def call(self, inputs, state):
        _check_rnn_cell_input_dtypes([inputs, state])
        gates = math_ops.sigmoid(_dense([inputs, state], self._gate_kernel, self._gate_bias))
        r, u = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        r_state = r * state
        c = self._activation(_dense([inputs, r_state], self._candidate_kernel,
                                    self._candidate_bias))
        new_h = u * state + (1 - u) * c
        return new_h, new_h


_LSTMStateTuple = collections.namedtuple('LSTMStateTuple', ('c', 'h'))


class LSTMStateTuple(_LSTMStateTuple):
    """What an LSTM cell keeps: its cells c, and its output h."""

    __slots__ = ()

    @property
    def dtype(self):
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError('Inconsistent internal state: %s vs %s' % (str(c.dtype),
                                                                       str(h.dtype)))
        return c.dtype


class BasicLSTMCell(LayerRNNCell):
    """Long short-term memory without peepholes (Zaremba et al. 2014)."""

    @deprecation.deprecated(None, 'This class is equivalent as tf.keras.layers.LSTMCell, and will '
                                  'be replaced by that in Tensorflow 2.0.')
    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, **kwargs):
        super(BasicLSTMCell, self).__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        _warn_of_concatenated_state(self, state_is_tuple)
        self.input_spec = base_layer.InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _activation(activation)

    @property
    def state_size(self):
        return (LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple
                else 2 * self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        self._kernel = self.add_variable(
            _WEIGHTS_VARIABLE_NAME, shape=[_depth(inputs_shape) + self._num_units,
                                           4 * self._num_units])
        self._bias = self.add_variable(_BIAS_VARIABLE_NAME, shape=[4 * self._num_units],
                                       initializer=init_ops.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs, state):
        _check_rnn_cell_input_dtypes([inputs, state])
        sigmoid, add, multiply = math_ops.sigmoid, math_ops.add, math_ops.multiply
        one = constant_op.constant(1, dtype=dtypes.int32)
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = array_ops.split(value=state, num_or_size_splits=2, axis=one)
        i, j, f, o = array_ops.split(value=_dense([inputs, h], self._kernel, self._bias),
                                     num_or_size_splits=4, axis=one)
        forget_bias = constant_op.constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))),
                    multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, array_ops.concat([new_c, new_h], 1)


def _warn_of_concatenated_state(cell, state_is_tuple):
    if not state_is_tuple:
        from leat.python.platform import tf_logging as logging
        logging.warn('%s: Using a concatenated state is slower and will soon be deprecated.  Use '
                     'state_is_tuple=True.', cell)


class LSTMCell(LayerRNNCell):
    """Long short-term memory, with peepholes and a projection where they are asked for (Sak et al.
    2014)."""

    @deprecation.deprecated(None, 'This class is equivalent as tf.keras.layers.LSTMCell, and will '
                                  'be replaced by that in Tensorflow 2.0.')
    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None,
                 num_proj=None, proj_clip=None, num_unit_shards=None, num_proj_shards=None,
                 forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None,
                 dtype=None, **kwargs):
        super(LSTMCell, self).__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        _warn_of_concatenated_state(self, state_is_tuple)
        if num_unit_shards is not None or num_proj_shards is not None:
            from leat.python.platform import tf_logging as logging
            logging.warn('%s: The num_unit_shards and proj_unit_shards parameters are deprecated '
                         'and will be removed in Jan 2017.  Use a variable scope with a '
                         'partitioner instead.', self)
        self.input_spec = base_layer.InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _activation(activation)
        self._output_size = num_proj if num_proj else num_units
        self._state_size = (LSTMStateTuple(num_units, self._output_size) if state_is_tuple
                            else num_units + self._output_size)

    @property
    def state_size(self):
        return self._state_size

    @property
    def output_size(self):
        return self._output_size

    def build(self, inputs_shape):
        n = self._num_units

        def partitioner(shards):
            return (partitioned_variables.fixed_size_partitioner(shards)
                    if shards is not None else None)
        self._kernel = self.add_variable(
            _WEIGHTS_VARIABLE_NAME, shape=[_depth(inputs_shape) + self._output_size, 4 * n],
            initializer=self._initializer, partitioner=partitioner(self._num_unit_shards))
        zeros = (init_ops.zeros_initializer if self.dtype is None
                 else init_ops.zeros_initializer(dtype=self.dtype))
        self._bias = self.add_variable(_BIAS_VARIABLE_NAME, shape=[4 * n], initializer=zeros)
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = [
                self.add_variable(name, shape=[n], initializer=self._initializer)
                for name in ('w_f_diag', 'w_i_diag', 'w_o_diag')]
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                'projection/' + _WEIGHTS_VARIABLE_NAME, shape=[n, self._num_proj],
                initializer=self._initializer, partitioner=partitioner(self._num_proj_shards))
        self.built = True

    def call(self, inputs, state):
        _check_rnn_cell_input_dtypes([inputs, state])
        sigmoid = math_ops.sigmoid
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = array_ops.slice(state, [0, 0], [-1, self._num_units])
            m_prev = array_ops.slice(state, [0, self._num_units], [-1, self._output_size])
        if inputs.get_shape().with_rank(2).dims[1].value is None:
            raise ValueError('Could not infer input size from inputs.get_shape()[-1]')
        i, j, f, o = array_ops.split(value=_dense([inputs, m_prev], self._kernel, self._bias),
                                     num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = (sigmoid(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev +
                 sigmoid(i + self._w_i_diag * c_prev) * self._activation(j))
        else:
            c = (sigmoid(f + self._forget_bias) * c_prev + sigmoid(i) * self._activation(j))
        if self._cell_clip is not None:
            c = clip_ops.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = math_ops.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_ops.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, (LSTMStateTuple(c, m) if self._state_is_tuple else array_ops.concat([c, m], 1))
