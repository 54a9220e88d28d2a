# SPDX-License-Identifier: Apache-2.0
"""LSTMBlockCell and LSTMBlockFusedCell: the variables and the mathematics of TensorFlow's, whose
kernels do a step in one node; here it is built of several."""
import abc

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.layers import base as base_layer
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn
from leat.python.ops import rnn_cell_impl


class _Weights(object):
    """The variables of a cell, and a step with them."""

    def __init__(self, layer, input_size, dtype=None):
        units = layer._num_units
        add = layer.add_variable
        self._layer = layer
        self._kernel = add('kernel', [input_size + units, units * 4], dtype=dtype)
        self._bias = add('bias', [units * 4], dtype=dtype,
                         initializer=init_ops.constant_initializer(0.0))
        self._peepholes = [add(name, [units], dtype=dtype) for name in (
            'w_i_diag', 'w_f_diag', 'w_o_diag')] if layer._use_peephole else None

    def step(self, inputs, c, h):
        """(the next c, the next h)"""
        layer = self._layer
        gates = nn_ops.bias_add(math_ops.matmul(array_ops.concat([inputs, h], 1), self._kernel),
                                self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
        f += layer._forget_bias
        if self._peepholes:
            i += self._peepholes[0] * c
            f += self._peepholes[1] * c
        new_c = c * math_ops.sigmoid(f) + math_ops.sigmoid(i) * math_ops.tanh(j)
        if layer._cell_clip > 0:
            new_c = clip_ops.clip_by_value(new_c, -layer._cell_clip, layer._cell_clip)
        if self._peepholes:
            o += self._peepholes[2] * new_c
        return new_c, math_ops.tanh(new_c) * math_ops.sigmoid(o)


def _input_size(shape):
    size = tensor_shape.dimension_value(shape[-1])
    if size is None:
        raise ValueError('Expecting inputs_shape[-1] to be set: %s' % str(shape))
    return size


class LSTMBlockCell(rnn_cell_impl.LayerRNNCell):
    """An LSTM's step; gates in BasicLSTMCell's order."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None,
                 reuse=None, name='lstm_cell'):
        super(LSTMBlockCell, self).__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self.input_spec = base_layer.InputSpec(ndim=2)

    @property
    def state_size(self):
        return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        self._weights = _Weights(self, _input_size(inputs_shape))
        self.built = True

    def call(self, inputs, state):
        if len(state) != 2:
            raise ValueError('Expecting state to be a tuple with length 2.')
        c, h = self._weights.step(inputs, state[0], state[1])
        return h, rnn_cell_impl.LSTMStateTuple(c, h)


class _StepCell(rnn_cell_impl.RNNCell):
    """The step of a fused cell, for dynamic_rnn."""

    def __init__(self, weights, num_units):
        self._weights, self._num_units = weights, num_units

    @property
    def state_size(self):
        return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def __call__(self, inputs, state, scope=None):
        c, h = self._weights.step(inputs, state[0], state[1])
        return h, rnn_cell_impl.LSTMStateTuple(c, h)


class LSTMBlockWrapper(base_layer.Layer, metaclass=abc.ABCMeta):
    """Whole sequences: inputs are [time, batch, size], or a list of [batch, size]."""

    @property
    @abc.abstractmethod
    def num_units(self):
        """The width of outputs and states."""

    @abc.abstractmethod
    def _run(self, inputs, initial_state, sequence_length):
        """(outputs, final state)"""

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = array_ops.stack(inputs)
        shape = inputs.get_shape().with_rank(3)
        if shape[2] is None or tensor_shape.dimension_value(shape[2]) is None:
            raise ValueError('Expecting inputs_shape[2] to be set: %s' % shape)
        if initial_state is None:
            if dtype is None:
                raise ValueError('Either initial_state or dtype needs to be specified')
            batch = tensor_shape.dimension_value(shape[1])
            zeros = array_ops.zeros(array_ops.stack([
                array_ops.shape(inputs)[1] if batch is None else batch, self.num_units]),
                dtype=dtype)
            initial_state = zeros, zeros
        elif len(initial_state) != 2:
            raise ValueError('Expecting initial_state to be a tuple with length 2 or None')
        if sequence_length is not None:
            sequence_length = ops.convert_to_tensor(sequence_length, dtype=dtypes.int32,
                                                    name='sequence_length')
        outputs, (c, h) = self._run(inputs, initial_state, sequence_length)
        if is_list:
            outputs = array_ops.unstack(outputs)
        return outputs, rnn_cell_impl.LSTMStateTuple(c, h)


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """An LSTM over whole sequences."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None,
                 dtype=None, name='lstm_fused_cell'):
        super(LSTMBlockFusedCell, self).__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole
        self.input_spec = base_layer.InputSpec(ndim=3)

    @property
    def num_units(self):
        return self._num_units

    def build(self, input_shape):
        self._weights = _Weights(self, tensor_shape.dimension_value(input_shape[2]))
        self.built = True

    def _run(self, inputs, initial_state, sequence_length):
        return rnn.dynamic_rnn(
            _StepCell(self._weights, self._num_units), inputs, sequence_length=sequence_length,
            initial_state=rnn_cell_impl.LSTMStateTuple(*initial_state), time_major=True)
