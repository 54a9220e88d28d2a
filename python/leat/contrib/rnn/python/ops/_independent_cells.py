# SPDX-License-Identifier: Apache-2.0
"""Cells whose units see of the past only themselves (Li et al. 2018, Gonnet and Deselaers 2019, Lei
et al. 2017), and two minimal ones (Chen 2017, Laurent and von Brecht 2016)."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.layers import base as base_layer
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl


def _initializer(value):
    """The initializer, which may be said by the name that keras has for it."""
    if not isinstance(value, str):
        return value
    found = getattr(init_ops, value + '_initializer', None) or getattr(init_ops, value, None)
    if found is None:
        raise ValueError('Unknown initializer: ' + value)
    return found()


class _Units(rnn_cell_impl.LayerRNNCell):
    """A cell of rank 2 inputs whose state and output are of _num_units."""

    def __init__(self, num_units, activation, options):
        super(_Units, self).__init__(**options)
        self.input_spec = base_layer.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or math_ops.tanh

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    @staticmethod
    def _depth(inputs_shape):
        depth = inputs_shape.dims[1].value
        if depth is None:
            raise ValueError('Expected inputs.shape[-1] to be known, saw shape: %s' % inputs_shape)
        return depth

    def _own(self, name, size):
        """A row that multiplies each unit's own past."""
        return self.add_variable(name, shape=[1, size], initializer=(
            init_ops.random_uniform_initializer(minval=-1, maxval=1, dtype=self.dtype)))


class IndRNNCell(_Units):
    """The independent RNN."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None):
        super(IndRNNCell, self).__init__(num_units, activation,
                                         dict(_reuse=reuse, name=name, dtype=dtype))

    def build(self, inputs_shape):
        self._kernel_w = self.add_variable('kernel_w',
                                           shape=[self._depth(inputs_shape), self._num_units])
        self._kernel_u = self._own('kernel_u', self._num_units)
        self._bias = self.add_variable('bias', shape=[self._num_units],
                                       initializer=init_ops.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs, state):
        gates = math_ops.matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(nn_ops.bias_add(gates, self._bias))
        return output, output


class IndyGRUCell(_Units):
    """A GRU whose recurrent kernels are diagonal."""

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None):
        super(IndyGRUCell, self).__init__(num_units, activation,
                                          dict(_reuse=reuse, name=name, dtype=dtype))
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape):
        depth, n = self._depth(inputs_shape), self._num_units
        self._gate_kernel_w = self.add_variable('gates/kernel_w', shape=[depth, 2 * n],
                                                initializer=self._kernel_initializer)
        self._gate_kernel_u = self._own('gates/kernel_u', 2 * n)
        self._gate_bias = self.add_variable(
            'gates/bias', shape=[2 * n], initializer=self._bias_initializer or
            init_ops.constant_initializer(1.0, dtype=self.dtype))
        self._candidate_kernel_w = self.add_variable('candidate/kernel', shape=[depth, n],
                                                     initializer=self._kernel_initializer)
        self._candidate_kernel_u = self._own('candidate/kernel_u', n)
        self._candidate_bias = self.add_variable(
            'candidate/bias', shape=[n], initializer=self._bias_initializer or
            init_ops.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs, state):
        gates = math_ops.matmul(inputs, self._gate_kernel_w) + (
            array_ops.tile(state, [1, 2]) * self._gate_kernel_u)
        gates = math_ops.sigmoid(nn_ops.bias_add(gates, self._gate_bias))
        r, u = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        candidate = math_ops.matmul(inputs, self._candidate_kernel_w) + (
            r * state * self._candidate_kernel_u)
        c = self._activation(nn_ops.bias_add(candidate, self._candidate_bias))
        new_h = u * state + (1 - u) * c
        return new_h, new_h


class IndyLSTMCell(_Units):
    """An LSTM whose recurrent kernels are diagonal."""

    def __init__(self, num_units, forget_bias=1.0, activation=None, reuse=None,
                 kernel_initializer=None, bias_initializer=None, name=None, dtype=None):
        super(IndyLSTMCell, self).__init__(num_units, activation,
                                           dict(_reuse=reuse, name=name, dtype=dtype))
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self):
        return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape):
        wide = 4 * self._num_units
        self._kernel_w = self.add_variable('kernel_w', shape=[self._depth(inputs_shape), wide],
                                           initializer=self._kernel_initializer)
        self._kernel_u = self._own('kernel_u', wide)
        self._bias = self.add_variable('bias', shape=[wide], initializer=self._bias_initializer or
                                       init_ops.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs, state):
        sigmoid, add, multiply = math_ops.sigmoid, math_ops.add, math_ops.multiply
        one = constant_op.constant(1, dtype=dtypes.int32)
        c, h = state
        gates = math_ops.matmul(inputs, self._kernel_w)
        gates += array_ops.tile(h, [1, 4]) * self._kernel_u
        i, j, f, o = array_ops.split(value=nn_ops.bias_add(gates, self._bias),
                                     num_or_size_splits=4, axis=one)
        forget_bias = constant_op.constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))),
                    multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, rnn_cell_impl.LSTMStateTuple(new_c, new_h)


class SRUCell(_Units):
    """The simple recurrent unit."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
        super(SRUCell, self).__init__(num_units, activation,
                                      dict(_reuse=reuse, name=name, **kwargs))

    def build(self, inputs_shape):
        depth, n = self._depth(inputs_shape), self._num_units
        self._kernel = self.add_variable('kernel', shape=[depth, 4 * n])
        self._bias = self.add_variable('bias', shape=[2 * n],
                                       initializer=init_ops.zeros_initializer)
        self._built = True

    def call(self, inputs, state):
        x_bar, f, r, x = array_ops.split(value=math_ops.matmul(inputs, self._kernel),
                                         num_or_size_splits=4, axis=1)
        gates = math_ops.sigmoid(nn_ops.bias_add(array_ops.concat([f, r], 1), self._bias))
        f, r = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        c = f * state + (1.0 - f) * x_bar
        h = r * self._activation(c) + (1.0 - r) * x
        return h, c


class _Minimal(_Units):
    """What the two that follow share: keras' activations and initializers, by name."""

    def __init__(self, units, activation, kernel_initializer, bias_initializer, options):
        from leat.python.keras import activations
        super(_Minimal, self).__init__(units, activations.get(activation), options)
        self.units = units
        self.kernel_initializer = _initializer(kernel_initializer)
        self.bias_initializer = _initializer(bias_initializer)

    @property
    def activation(self):
        return self._activation


class MinimalRNNCell(_Minimal):
    """One gate over an embedding of the inputs."""

    def __init__(self, units, activation='tanh', kernel_initializer='glorot_uniform',
                 bias_initializer='ones', name=None, dtype=None, **kwargs):
        super(MinimalRNNCell, self).__init__(units, activation, kernel_initializer,
                                             bias_initializer,
                                             dict(name=name, dtype=dtype, **kwargs))

    def build(self, inputs_shape):
        self.input_size = self._depth(inputs_shape)
        self.kernel = self.add_weight(name='kernel', initializer=self.kernel_initializer,
                                      shape=[self.input_size + 2 * self.units, self.units])
        self.bias = self.add_weight(name='bias', shape=[self.units],
                                    initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs, state):
        feedforward, recurrent = array_ops.split(
            value=self.kernel, num_or_size_splits=[self.input_size, 2 * self.units], axis=0)
        z = self._activation(math_ops.matmul(inputs, feedforward))
        gate = math_ops.matmul(array_ops.concat([z, state], axis=1), recurrent)
        u = math_ops.sigmoid(nn_ops.bias_add(gate, self.bias))
        new_state = u * state + (1 - u) * z
        return new_state, new_state


class CFNCell(_Minimal):
    """The chaos free network."""

    def __init__(self, units, activation='tanh', kernel_initializer='glorot_uniform',
                 bias_initializer='ones', name=None, dtype=None, **kwargs):
        super(CFNCell, self).__init__(units, activation, kernel_initializer, bias_initializer,
                                      dict(name=name, dtype=dtype, **kwargs))

    def build(self, inputs_shape):
        units = self.units
        self.kernel = self.add_weight(shape=[self._depth(inputs_shape), 3 * units],
                                      name='kernel', initializer=self.kernel_initializer)
        self.recurrent_kernel = self.add_weight(shape=[units, 2 * units], name='recurrent_kernel',
                                                initializer=self.kernel_initializer)
        self.bias = self.add_weight(shape=[2 * units], name='bias',
                                    initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs, state):
        of_gates, of_inputs = array_ops.split(
            value=self.kernel, num_or_size_splits=[2 * self.units, self.units], axis=1)
        gates = (math_ops.matmul(state, self.recurrent_kernel) +
                 math_ops.matmul(inputs, of_gates))
        gates = math_ops.sigmoid(nn_ops.bias_add(gates, self.bias))
        theta, eta = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        proj_input = math_ops.matmul(inputs, of_inputs)
        new_state = theta * self._activation(state) + (1 - eta) * self._activation(proj_input)
        return new_state, new_state
