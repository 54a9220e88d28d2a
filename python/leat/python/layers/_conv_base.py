# SPDX-License-Identifier: Apache-2.0
"""What convolution layers share: their arguments, the kernel, bias and activation."""
from leat.python.framework import tensor_shape
from leat.python.keras import activations
from leat.python.keras import regularizers
from leat.python.keras.engine import base_layer
from leat.python.layers import base
from leat.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn_ops

ZEROS = init_ops.zeros_initializer()


def normalize_padding(value, rank):
    """valid or same, or, in one dimension, causal."""
    padding = value.lower() if isinstance(value, str) else value
    if padding not in {'valid', 'same', 'causal'}:
        raise ValueError('The `padding` argument must be a list/tuple or one of "valid", "same" '
                         '(or "causal", only for `Conv1D). Received: ' + str(padding))
    if padding == 'causal' and rank != 1:
        raise ValueError('Causal padding is only supported for `Conv1D` and `SeparableConv1D`.')
    return padding


class Conv(base.Layer):
    """activation(inputs * kernel + bias) in `rank` dimensions of space."""

    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid',
                 data_format='channels_last', dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super(Conv, self).__init__(
            trainable=trainable, name=name,
            activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.rank = rank
        if filters is not None and not isinstance(filters, int):
            filters = int(filters)
        self.filters = filters
        self.kernel_size = utils.normalize_tuple(kernel_size, rank, 'kernel_size')
        self.strides = utils.normalize_tuple(strides, rank, 'strides')
        self.padding = normalize_padding(padding, rank)
        self.data_format = utils.normalize_data_format(data_format)
        self.dilation_rate = utils.normalize_tuple(dilation_rate, rank, 'dilation_rate')
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = base.InputSpec(ndim=rank + 2)

    @property
    def _channel_axis(self):
        return 1 if self.data_format == 'channels_first' else -1

    def _check_channels(self, input_shape):
        """The number of input channels, which must be known; the spec asks for it from now on."""
        axis = self._channel_axis
        input_dim = tensor_shape.dimension_value(input_shape.dims[axis])
        if input_dim is None:
            raise ValueError('The channel dimension of the inputs should be defined. Found '
                             '`None`.')
        self.input_spec = base.InputSpec(ndim=self.rank + 2, axes={axis: input_dim})
        return input_dim

    def _add_kernel(self, shape):
        return self.add_weight(
            name='kernel', shape=shape, initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
            trainable=True, dtype=self.dtype)

    def _add_bias(self):
        if not self.use_bias:
            return None
        return self.add_weight(
            name='bias', shape=(self.filters,), initializer=self.bias_initializer,
            regularizer=self.bias_regularizer, constraint=self.bias_constraint, trainable=True,
            dtype=self.dtype)

    def build(self, input_shape):
        input_shape = tensor_shape.TensorShape(input_shape)
        input_dim = self._check_channels(input_shape)
        self.kernel = self._add_kernel(self.kernel_size + (input_dim, self.filters))
        self.bias = self._add_bias()
        self._make_op(input_shape)
        self.built = True

    def _make_op(self, input_shape):
        padding = 'valid' if self.padding == 'causal' else self.padding
        self._op_shape = tensor_shape.TensorShape(input_shape)
        self._convolution_op = nn_ops.Convolution(
            input_shape, filter_shape=self.kernel.get_shape(), dilation_rate=self.dilation_rate,
            strides=self.strides, padding=padding.upper(),
            data_format=utils.convert_data_format(self.data_format, self.rank + 2))

    def call(self, inputs):
        if self.padding == 'causal':
            inputs = array_ops.pad(inputs, self._compute_causal_padding())
        elif self._differs(inputs.get_shape()):
            self._make_op(inputs.get_shape())
        outputs = self._convolution_op(inputs, self.kernel)
        if self.use_bias:
            if self.data_format == 'channels_first' and self.rank == 1:
                outputs += array_ops.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = nn_ops.bias_add(outputs, self.bias, data_format=self._bias_format)
        return outputs if self.activation is None else self.activation(outputs)

    @property
    def _bias_format(self):
        return 'NCHW' if self.data_format == 'channels_first' else 'NHWC'

    def _differs(self, shape):
        """Whether the sizes of space are others than those that the op was made for."""
        space = slice(2, None) if self.data_format == 'channels_first' else slice(1, -1)
        return shape.as_list()[space] != self._op_shape.as_list()[space]

    def _compute_causal_padding(self):
        left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        if self.data_format == 'channels_last':
            return [[0, 0], [left, 0], [0, 0]]
        return [[0, 0], [0, 0], [left, 0]]

    def compute_output_shape(self, input_shape):
        dims = tensor_shape.TensorShape(input_shape).as_list()
        first = self.data_format == 'channels_first'
        space = dims[2:] if first else dims[1:-1]
        space = [utils.conv_output_length(size, self.kernel_size[i], self.padding,
                                          self.strides[i], self.dilation_rate[i])
                 for i, size in enumerate(space)]
        middle = [self.filters] + space if first else space + [self.filters]
        return tensor_shape.TensorShape([dims[0]] + middle)

    def get_config(self):
        config = super(Conv, self).get_config()
        for key in ('filters', 'kernel_size', 'strides', 'padding', 'data_format',
                    'dilation_rate', 'use_bias', 'kernel_initializer', 'bias_initializer',
                    'kernel_regularizer', 'bias_regularizer', 'activity_regularizer',
                    'kernel_constraint', 'bias_constraint'):
            config[key] = base_layer.serialized(getattr(self, key))
        config['activation'] = activations.serialize(self.activation)
        return config


class ConvTranspose(Conv):
    """The gradient of a convolution, as a layer of its own; kernels are (..., out, in)."""

    def __init__(self, rank, filters, kernel_size, **kwargs):
        super(ConvTranspose, self).__init__(rank, filters, kernel_size, **kwargs)

    def build(self, input_shape):
        input_shape = tensor_shape.TensorShape(input_shape)
        if input_shape.ndims != self.rank + 2:
            raise ValueError('Inputs should have rank %d. Received input shape: %s'
                             % (self.rank + 2, input_shape))
        input_dim = self._check_channels(input_shape)
        self.kernel = self._add_kernel(self.kernel_size + (self.filters, input_dim))
        self.bias = self._add_bias()
        self.built = True

    def _lengths(self, shape):
        start = 2 if self.data_format == 'channels_first' else 1
        sizes = [shape[start + i] for i in range(self.rank)]
        return [self._out_length(size, i) for i, size in enumerate(sizes)]

    def _out_length(self, size, i):
        if size is None:
            return None
        length = size * self.strides[i]
        if self.padding == 'valid':
            length = length + max(self.kernel_size[i] - self.strides[i], 0)
        return length

    def _ordered(self, batch, lengths):
        if self.data_format == 'channels_first':
            return [batch, self.filters] + lengths
        return [batch] + lengths + [self.filters]

    def call(self, inputs):
        shape = array_ops.shape(inputs)
        batch = shape[0]
        output_shape = array_ops.stack(self._ordered(batch, self._lengths(shape)))
        outputs = self._transposed(inputs, output_shape)
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, data_format=self._bias_format)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        dims = tensor_shape.TensorShape(input_shape).as_list()
        return tensor_shape.TensorShape(self._ordered(dims[0], self._lengths(dims)))

    def _full_strides(self):
        if self.data_format == 'channels_first':
            return (1, 1) + self.strides
        return (1,) + self.strides + (1,)
