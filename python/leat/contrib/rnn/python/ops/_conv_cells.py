# SPDX-License-Identifier: Apache-2.0
"""LSTMs of images and of other signals: their products are convolutions (Shi et al. 2015)."""
from leat.contrib.rnn.python.ops._gated_cells import _Sized
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import variable_scope as vs


def _conv(args, filter_size, num_features, bias, bias_start=0.0):
    """The convolution of the arguments side by side."""
    shapes = [a.get_shape().as_list() for a in args]
    rank = len(shapes[0])
    for shape in shapes:
        if len(shape) not in (3, 4, 5):
            raise ValueError('Conv Linear expects 3D, 4D or 5D arguments: %s' % str(shapes))
        if len(shape) != rank:
            raise ValueError('Conv Linear expects all args to be of same Dimension: %s'
                             % str(shapes))
    dtype = args[0].dtype
    convolve, strides = {3: (nn_ops.conv1d, 1), 4: (nn_ops.conv2d, rank * [1]),
                         5: (nn_ops.conv3d, rank * [1])}[rank]
    kernel = vs.get_variable(
        'kernel', list(filter_size) + [sum(shape[-1] for shape in shapes), num_features],
        dtype=dtype)
    value = args[0] if len(args) == 1 else array_ops.concat(axis=rank - 1, values=args)
    res = convolve(value, kernel, strides, padding='SAME')
    if not bias:
        return res
    return res + vs.get_variable('biases', [num_features], dtype=dtype,
                                 initializer=init_ops.constant_initializer(bias_start,
                                                                           dtype=dtype))


class ConvLSTMCell(_Sized):
    """An LSTM of conv_ndims dims and channels; the shapes leave the batch out."""

    def __init__(self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True,
                 skip_connection=False, forget_bias=1.0, initializers=None,
                 name='conv_lstm_cell'):
        super(ConvLSTMCell, self).__init__(name=name)
        del initializers
        if conv_ndims != len(input_shape) - 1:
            raise ValueError('Invalid input_shape {} for conv_ndims={}.'.format(input_shape,
                                                                                conv_ndims))
        self._conv_ndims = conv_ndims
        self._input_shape = input_shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection
        channels = output_channels + (input_shape[-1] if skip_connection else 0)
        self._total_output_channels = channels
        room = list(input_shape[:-1])
        state = tensor_shape.TensorShape(room + [output_channels])
        self._state_size = rnn_cell_impl.LSTMStateTuple(state, state)
        self._output_size = tensor_shape.TensorShape(room + [channels])

    def call(self, inputs, state, scope=None):
        del scope
        cell, hidden = state
        gates = _conv([inputs, hidden], self._kernel_shape, 4 * self._output_channels,
                      self._use_bias)
        take, new, forget, out = array_ops.split(value=gates, num_or_size_splits=4,
                                                 axis=self._conv_ndims + 1)
        new_cell = math_ops.sigmoid(forget + self._forget_bias) * cell
        new_cell += math_ops.sigmoid(take) * math_ops.tanh(new)
        output = math_ops.tanh(new_cell) * math_ops.sigmoid(out)
        if self._skip_connection:
            output = array_ops.concat([output, inputs], axis=-1)
        return output, rnn_cell_impl.LSTMStateTuple(new_cell, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """Of [batch, length, channels]."""

    def __init__(self, name='conv_1d_lstm_cell', **kwargs):
        super(Conv1DLSTMCell, self).__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """Of [batch, height, width, channels]."""

    def __init__(self, name='conv_2d_lstm_cell', **kwargs):
        super(Conv2DLSTMCell, self).__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """Of [batch, depth, height, width, channels]."""

    def __init__(self, name='conv_3d_lstm_cell', **kwargs):
        super(Conv3DLSTMCell, self).__init__(conv_ndims=3, name=name, **kwargs)
