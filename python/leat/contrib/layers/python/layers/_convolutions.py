# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools of tf.contrib.layers: tf.layers' with model variables and arg_scope."""
from leat.contrib.framework.python.ops import add_arg_scope, variables
from leat.contrib.layers.python.layers import initializers, utils
from leat.contrib.layers.python.layers._common import (
    DATA_FORMAT_NDHWC, DATA_FORMAT_NHWC, _add_variable_to_collections,
    _build_variable_getter, channels, check_2d, check_3d, finish)
from leat.python.framework import ops
from leat.python.layers import convolutional as convolutional_layers
from leat.python.layers import pooling as pooling_layers
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn
from leat.python.ops import variable_scope

_XAVIER = initializers.xavier_initializer()
_ZEROS = init_ops.zeros_initializer()
_RENAMED = {'bias': 'biases', 'kernel': 'weights'}
_BY_RANK = {3: convolutional_layers.Convolution1D, 4: convolutional_layers.Convolution2D,
            5: convolutional_layers.Convolution3D}


def _collect(layer, variables_collections):
    _add_variable_to_collections(layer.kernel, variables_collections, 'weights')
    if layer.use_bias:
        _add_variable_to_collections(layer.bias, variables_collections, 'biases')


def _layer_arguments(a, sc, inputs):
    """The arguments that all layers of convolution take, of those of the function."""
    return dict(
        filters=a['num_outputs'], kernel_size=a['kernel_size'], strides=a['stride'],
        padding=a['padding'], data_format=channels(a['data_format']), activation=None,
        use_bias=not a['normalizer_fn'] and a['biases_initializer'] is not None,
        kernel_initializer=a['weights_initializer'], bias_initializer=a['biases_initializer'],
        kernel_regularizer=a['weights_regularizer'], bias_regularizer=a['biases_regularizer'],
        activity_regularizer=None, trainable=a['trainable'], name=sc.name,
        dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=a['reuse'])


@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                rate=1, activation_fn=nn.relu, normalizer_fn=None, normalizer_params=None,
                weights_initializer=_XAVIER, weights_regularizer=None,
                biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                variables_collections=None, outputs_collections=None, trainable=True, scope=None,
                conv_dims=None):
    """A convolution in as many dimensions as the inputs have."""
    arguments = dict(locals())
    if data_format not in [None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW']:
        raise ValueError('Invalid data_format: %r' % (data_format,))
    with variable_scope.variable_scope(scope, 'Conv', [inputs], reuse=reuse,
                                       custom_getter=_build_variable_getter(_RENAMED)) as sc:
        inputs = ops.convert_to_tensor(inputs)
        input_rank = inputs.get_shape().ndims
        if conv_dims is not None and conv_dims + 2 != input_rank:
            raise ValueError('Convolution expects input with rank %d, got %d'
                             % (conv_dims + 2, input_rank))
        if input_rank not in _BY_RANK:
            raise ValueError('Convolution not supported for input with rank', input_rank)
        layer = _BY_RANK[input_rank](dilation_rate=rate, **_layer_arguments(arguments, sc, inputs))
        outputs = layer.apply(inputs)
        _collect(layer, variables_collections)
        return finish(outputs, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)


def _of_dims(conv_dims, name):
    """convolution() of inputs of so many dimensions of space."""
    @add_arg_scope
    def convolution_nd(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                       data_format=None, rate=1, activation_fn=nn.relu, normalizer_fn=None,
                       normalizer_params=None, weights_initializer=_XAVIER,
                       weights_regularizer=None, biases_initializer=_ZEROS,
                       biases_regularizer=None, reuse=None, variables_collections=None,
                       outputs_collections=None, trainable=True, scope=None):
        return convolution(
            inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
            normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
            biases_initializer, biases_regularizer, reuse, variables_collections,
            outputs_collections, trainable, scope, conv_dims=conv_dims)
    convolution_nd.__name__ = convolution_nd.__qualname__ = name
    convolution_nd.__doc__ = 'A convolution in %d dimensions.' % conv_dims
    return convolution_nd


convolution1d = _of_dims(1, 'convolution1d')
convolution2d = _of_dims(2, 'convolution2d')
convolution3d = _of_dims(3, 'convolution3d')


def _transposed(cls, default_name, a):
    with variable_scope.variable_scope(a['scope'], default_name, [a['inputs']], reuse=a['reuse'],
                                       custom_getter=_build_variable_getter(_RENAMED)) as sc:
        inputs = ops.convert_to_tensor(a['inputs'])
        layer = cls(**_layer_arguments(a, sc, inputs))
        outputs = layer.apply(inputs)
        _collect(layer, a['variables_collections'])
        return finish(outputs, a['normalizer_fn'], a['normalizer_params'], a['activation_fn'],
                      a['outputs_collections'], sc.name)


@add_arg_scope
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format=DATA_FORMAT_NHWC, activation_fn=nn.relu,
                            normalizer_fn=None, normalizer_params=None,
                            weights_initializer=_XAVIER, weights_regularizer=None,
                            biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True,
                            scope=None):
    """A transposed convolution in two dimensions."""
    arguments = dict(locals())
    check_2d(data_format)
    return _transposed(convolutional_layers.Convolution2DTranspose, 'Conv2d_transpose', arguments)


@add_arg_scope
def convolution3d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format=DATA_FORMAT_NDHWC, activation_fn=nn.relu,
                            normalizer_fn=None, normalizer_params=None,
                            weights_initializer=_XAVIER, weights_regularizer=None,
                            biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True,
                            scope=None):
    """A transposed convolution in three dimensions."""
    arguments = dict(locals())
    check_3d(data_format)
    return _transposed(convolutional_layers.Convolution3DTranspose, 'Conv3d_transpose', arguments)


@add_arg_scope
def convolution2d_in_plane(inputs, kernel_size, stride=1, padding='SAME', activation_fn=nn.relu,
                           normalizer_fn=None, normalizer_params=None,
                           weights_initializer=_XAVIER, weights_regularizer=None,
                           biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                           variables_collections=None, outputs_collections=None, trainable=True,
                           scope=None):
    """The same convolution over each channel."""
    with variable_scope.variable_scope(scope, 'ConvInPlane', [inputs], reuse=reuse) as sc:
        dtype = inputs.dtype.base_dtype
        kernel_h, kernel_w = utils.two_element_tuple(kernel_size)
        stride_h, stride_w = utils.two_element_tuple(stride)
        num_filters_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        weights = variables.model_variable(
            'weights', shape=[kernel_h, kernel_w, 1, 1], dtype=dtype,
            initializer=weights_initializer, regularizer=weights_regularizer,
            collections=utils.get_variable_collections(variables_collections, 'weights'),
            trainable=trainable)
        depthwise = array_ops.tile(weights, [1, 1, num_filters_in, 1])
        outputs = nn.depthwise_conv2d(inputs, depthwise, [1, stride_h, stride_w, 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            biases = variables.model_variable(
                'biases', shape=[num_filters_in], dtype=dtype, initializer=biases_initializer,
                regularizer=biases_regularizer,
                collections=utils.get_variable_collections(variables_collections, 'biases'),
                trainable=trainable)
            outputs = nn.bias_add(outputs, biases)
        return finish(outputs, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1,
                            padding='SAME', data_format=DATA_FORMAT_NHWC, rate=1,
                            activation_fn=nn.relu, normalizer_fn=None, normalizer_params=None,
                            weights_initializer=_XAVIER, pointwise_initializer=None,
                            weights_regularizer=None, biases_initializer=_ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """Each channel by itself, then, with num_outputs, all channels at each place."""
    arguments = dict(locals())
    check_2d(data_format)
    getter = _build_variable_getter({'bias': 'biases', 'depthwise_kernel': 'depthwise_weights',
                                     'pointwise_kernel': 'pointwise_weights'})
    with variable_scope.variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _depthwise(inputs, arguments)
        else:
            shared = _layer_arguments(arguments, sc, inputs)
            initializer, regularizer = (shared.pop('kernel_initializer'),
                                        shared.pop('kernel_regularizer'))
            layer = convolutional_layers.SeparableConvolution2D(
                dilation_rate=utils.two_element_tuple(rate), depth_multiplier=depth_multiplier,
                depthwise_initializer=initializer,
                pointwise_initializer=pointwise_initializer or initializer,
                depthwise_regularizer=regularizer, pointwise_regularizer=regularizer, **shared)
            outputs = layer.apply(inputs)
            for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
                _add_variable_to_collections(kernel, variables_collections, 'weights')
            if layer.bias is not None:
                _add_variable_to_collections(layer.bias, variables_collections, 'biases')
        return finish(outputs, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)


def _depthwise(inputs, a):
    """The first half alone."""
    collections = a['variables_collections']
    dtype = inputs.dtype.base_dtype
    kernel_h, kernel_w = utils.two_element_tuple(a['kernel_size'])
    stride_h, stride_w = utils.two_element_tuple(a['stride'])
    num_in = utils.channel_dimension(inputs.get_shape(), a['data_format'], min_rank=4)
    weights = variables.model_variable(
        'depthwise_weights', shape=[kernel_h, kernel_w, num_in, a['depth_multiplier']],
        dtype=dtype, initializer=a['weights_initializer'],
        regularizer=a['weights_regularizer'], trainable=a['trainable'],
        collections=utils.get_variable_collections(collections, 'weights'))
    strides = ([1, 1, stride_h, stride_w] if a['data_format'].startswith('NC')
               else [1, stride_h, stride_w, 1])
    outputs = nn.depthwise_conv2d(inputs, weights, strides, a['padding'],
                                  rate=utils.two_element_tuple(a['rate']),
                                  data_format=a['data_format'])
    if not a['normalizer_fn'] and a['biases_initializer'] is not None:
        biases = variables.model_variable(
            'biases', shape=[a['depth_multiplier'] * num_in], dtype=dtype,
            initializer=a['biases_initializer'], regularizer=a['biases_regularizer'],
            trainable=a['trainable'],
            collections=utils.get_variable_collections(collections, 'biases'))
        outputs = nn.bias_add(outputs, biases, data_format=a['data_format'])
    return outputs


def _pooled(cls, default_name, check, inputs, kernel_size, stride, padding, data_format,
            outputs_collections, scope):
    check(data_format)
    with ops.name_scope(scope, default_name, [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = cls(pool_size=kernel_size, strides=stride, padding=padding,
                    data_format=channels(data_format), _scope=sc)
        outputs = layer.apply(inputs)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format=DATA_FORMAT_NHWC,
               outputs_collections=None, scope=None):
    """The mean of each window."""
    return _pooled(pooling_layers.AveragePooling2D, 'AvgPool2D', check_2d, inputs, kernel_size,
                   stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def avg_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format=DATA_FORMAT_NDHWC,
               outputs_collections=None, scope=None):
    """The mean of each window."""
    return _pooled(pooling_layers.AveragePooling3D, 'AvgPool3D', check_3d, inputs, kernel_size,
                   stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format=DATA_FORMAT_NHWC,
               outputs_collections=None, scope=None):
    """The largest of each window."""
    return _pooled(pooling_layers.MaxPooling2D, 'MaxPool2D', check_2d, inputs, kernel_size,
                   stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def max_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format=DATA_FORMAT_NDHWC,
               outputs_collections=None, scope=None):
    """The largest of each window."""
    return _pooled(pooling_layers.MaxPooling3D, 'MaxPool3D', check_3d, inputs, kernel_size,
                   stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding='VALID', data_format=None, dilation_rate=1,
         stride=1, outputs_collections=None, scope=None):
    """tf.nn.pool of windows of one size or one for each dim."""
    with ops.name_scope(scope, '%s_pool' % pooling_type.lower(), [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        input_rank = inputs.get_shape().ndims
        if input_rank is None:
            raise ValueError('Rank of inputs must be known')
        if input_rank < 3:
            raise ValueError('Rank of inputs must be >= 3')
        n = input_rank - 2
        output = nn.pool(
            input=inputs, window_shape=utils.n_positive_integers(n, kernel_size),
            pooling_type=pooling_type, padding=padding, data_format=data_format,
            dilation_rate=utils.n_positive_integers(n, dilation_rate),
            strides=utils.n_positive_integers(n, stride), name=sc)
        return utils.collect_named_outputs(outputs_collections, sc, output)
