# SPDX-License-Identifier: Apache-2.0
"""tf.layers.conv1d/2d/3d, their transposes, separable ones, and their classes.

A function makes a layer, in the scope of its name where it has one, and calls it.
"""
from leat.python.framework import tensor_shape
from leat.python.keras import regularizers
from leat.python.layers import utils
from leat.python.layers._conv_base import ZEROS, Conv, ConvTranspose
from leat.python.ops import array_ops
from leat.python.ops import nn_impl
from leat.python.ops import nn_ops
from leat.python.util import deprecation


class Conv1D(Conv):
    """Convolution in one dimension."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid',
                 data_format='channels_last', dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super(Conv1D, self).__init__(1, **_plain(locals()), **kwargs)


class Conv2D(Conv):
    """Convolution in two dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1), activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer=ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(Conv2D, self).__init__(2, **_plain(locals()), **kwargs)


class Conv3D(Conv):
    """Convolution in three dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1, 1), activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer=ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(Conv3D, self).__init__(3, **_plain(locals()), **kwargs)


class Conv2DTranspose(ConvTranspose):
    """Transposed convolution in two dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super(Conv2DTranspose, self).__init__(2, **_plain(locals()), **kwargs)

    def _transposed(self, inputs, output_shape):
        output_shape[0]  # a node that TensorFlow's graphs have
        return nn_ops.conv2d_transpose(
            inputs, self.kernel, output_shape, strides=self._full_strides(),
            padding=self.padding.upper(),
            data_format=utils.convert_data_format(self.data_format, 4))


class Conv3DTranspose(ConvTranspose):
    """Transposed convolution in three dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super(Conv3DTranspose, self).__init__(3, **_plain(locals()), **kwargs)

    def _transposed(self, inputs, output_shape):
        return nn_ops.conv3d_transpose(
            inputs, self.kernel, output_shape, self._full_strides(),
            data_format=utils.convert_data_format(self.data_format, 5),
            padding=self.padding.upper())


class _SeparableConv(Conv):
    """Each channel by itself over space, then all channels at each place."""

    def __init__(self, rank, depth_multiplier=1, depthwise_initializer=None,
                 pointwise_initializer=None, depthwise_regularizer=None,
                 pointwise_regularizer=None, depthwise_constraint=None,
                 pointwise_constraint=None, **kwargs):
        super(_SeparableConv, self).__init__(rank, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape):
        input_dim = self._check_channels(tensor_shape.TensorShape(input_shape))
        depth = self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            name='depthwise_kernel', shape=self.kernel_size + (input_dim, depth),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint, trainable=True, dtype=self.dtype)
        self.pointwise_kernel = self.add_weight(
            name='pointwise_kernel', shape=(1,) * self.rank + (depth * input_dim, self.filters),
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint, trainable=True, dtype=self.dtype)
        self.bias = self._add_bias()
        self.built = True

    def _biased(self, outputs):
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, data_format=self._bias_format)
        return outputs


class SeparableConv1D(_SeparableConv):
    """Separable convolution in one dimension: two, where one has size 1."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid',
                 data_format='channels_last', dilation_rate=1, depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super(SeparableConv1D, self).__init__(1, **_plain(locals()), **kwargs)

    def call(self, inputs):
        padding = self.padding
        if padding == 'causal':
            inputs = array_ops.pad(inputs, self._compute_causal_padding())
            padding = 'valid'
        first = self.data_format == 'channels_first'
        strides = (1, 1) + self.strides * 2 if first else (1,) + self.strides * 2 + (1,)
        dim = 2 if first else 1
        inputs = array_ops.expand_dims(inputs, dim)
        depthwise = array_ops.expand_dims(self.depthwise_kernel, 0)
        pointwise = array_ops.expand_dims(self.pointwise_kernel, 0)
        outputs = self._biased(nn_impl.separable_conv2d(
            inputs, depthwise, pointwise, strides=strides, padding=padding.upper(),
            rate=(1,) + self.dilation_rate,
            data_format=utils.convert_data_format(self.data_format, 4)))
        outputs = array_ops.squeeze(outputs, [dim])
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv2D(_SeparableConv):
    """Separable convolution in two dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super(SeparableConv2D, self).__init__(2, **_plain(locals()), **kwargs)

    def call(self, inputs):
        first = self.data_format == 'channels_first'
        strides = (1, 1) + self.strides if first else (1,) + self.strides + (1,)
        outputs = self._biased(nn_impl.separable_conv2d(
            inputs, self.depthwise_kernel, self.pointwise_kernel, strides=strides,
            padding=self.padding.upper(), rate=self.dilation_rate,
            data_format=utils.convert_data_format(self.data_format, 4)))
        return outputs if self.activation is None else self.activation(outputs)


def _plain(arguments):
    """The arguments that a constructor was called with, by name."""
    return {name: value for name, value in arguments.items()
            if name not in ('self', 'kwargs', '__class__')}


def _call(cls, arguments):
    """A layer of these arguments, in the scope of its name, called."""
    arguments = dict(arguments)
    inputs, reuse = arguments.pop('inputs'), arguments.pop('reuse')
    return cls(_reuse=reuse, _scope=arguments['name'], **arguments).apply(inputs)


def _instead(name):
    return deprecation.deprecated(None, 'Use `tf.keras.layers.%s` instead.' % name)


@_instead('Conv1D')
def conv1d(inputs, filters, kernel_size, strides=1, padding='valid', data_format='channels_last',
           dilation_rate=1, activation=None, use_bias=True, kernel_initializer=None,
           bias_initializer=ZEROS, kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
           trainable=True, name=None, reuse=None):
    return _call(Conv1D, locals())


@_instead('Conv2D')
def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
           data_format='channels_last', dilation_rate=(1, 1), activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    return _call(Conv2D, locals())


@_instead('Conv3D')
def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid',
           data_format='channels_last', dilation_rate=(1, 1, 1), activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    return _call(Conv3D, locals())


@_instead('SeparableConv1D')
def separable_conv1d(inputs, filters, kernel_size, strides=1, padding='valid',
                     data_format='channels_last', dilation_rate=1, depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None,
                     pointwise_initializer=None, bias_initializer=ZEROS,
                     depthwise_regularizer=None, pointwise_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None,
                     reuse=None):
    return _call(SeparableConv1D, locals())


@_instead('SeparableConv2D')
def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
                     data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None,
                     pointwise_initializer=None, bias_initializer=ZEROS,
                     depthwise_regularizer=None, pointwise_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None,
                     reuse=None):
    return _call(SeparableConv2D, locals())


@_instead('Conv2DTranspose')
def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
                     data_format='channels_last', activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):
    return _call(Conv2DTranspose, locals())


@_instead('Conv3DTranspose')
def conv3d_transpose(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                     data_format='channels_last', activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):
    return _call(Conv3DTranspose, locals())


Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
SeparableConvolution2D = SeparableConv2D
Convolution2DTranspose = Deconvolution2D = Deconv2D = Conv2DTranspose
Convolution3DTranspose = Deconvolution3D = Deconv3D = Conv3DTranspose
convolution1d = conv1d
convolution2d = conv2d
convolution3d = conv3d
separable_convolution2d = separable_conv2d
convolution2d_transpose = deconvolution2d = deconv2d = conv2d_transpose
convolution3d_transpose = deconvolution3d = deconv3d = conv3d_transpose
