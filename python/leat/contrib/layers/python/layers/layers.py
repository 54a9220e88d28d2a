# SPDX-License-Identifier: Apache-2.0
"""The layers of tf.contrib.layers: functions that make model variables and call them weights.

Most are tf.layers' classes under other names of scopes and variables; arg_scope knows all.
"""
import functools

from leat.contrib.framework.python.ops import add_arg_scope, variables
from leat.contrib.layers.python.layers import initializers, utils
from leat.contrib.layers.python.layers._batch_norm import (  # noqa: F401
    _fused_batch_norm, batch_norm)
from leat.contrib.layers.python.layers._common import (  # noqa: F401
    DATA_FORMAT_NCDHW, DATA_FORMAT_NCHW, DATA_FORMAT_NDHWC, DATA_FORMAT_NHWC,
    _add_variable_to_collections, _apply_activation, _build_variable_getter,
    _model_variable_getter, check_2d, finish)
from leat.contrib.layers.python.layers._convolutions import (  # noqa: F401
    avg_pool2d, avg_pool3d, convolution, convolution1d, convolution2d, convolution2d_in_plane,
    convolution2d_transpose, convolution3d, convolution3d_transpose, max_pool2d, max_pool3d,
    pool, separable_convolution2d)
from leat.contrib.layers.python.layers._reshaping import (  # noqa: F401
    _dense_inner_flatten, _inner_flatten, _sparse_inner_flatten, dense_to_sparse, flatten,
    images_to_sequence, maxout, one_hot_encoding, repeat, sequence_to_images, softmax,
    spatial_softmax, stack, unit_norm)
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.layers import core as core_layers
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import variable_scope

__all__ = ['avg_pool2d', 'avg_pool3d', 'batch_norm', 'bias_add', 'conv1d', 'conv2d', 'conv3d',
           'conv2d_in_plane', 'conv2d_transpose', 'conv3d_transpose', 'convolution',
           'convolution1d', 'convolution2d', 'convolution2d_in_plane', 'convolution2d_transpose',
           'convolution3d', 'convolution3d_transpose', 'dense_to_sparse', 'dropout', 'elu',
           'flatten', 'fully_connected', 'images_to_sequence', 'layer_norm', 'linear', 'pool',
           'max_pool2d', 'max_pool3d', 'one_hot_encoding', 'relu', 'relu6', 'repeat',
           'scale_gradient', 'separable_conv2d', 'separable_convolution2d',
           'sequence_to_images', 'softmax', 'spatial_softmax', 'stack', 'unit_norm',
           'legacy_fully_connected', 'legacy_linear', 'legacy_relu', 'maxout']
_XAVIER = initializers.xavier_initializer()
_ZEROS = init_ops.zeros_initializer()


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=_ZEROS, regularizer=None, reuse=None,
             variables_collections=None, outputs_collections=None, trainable=True,
             data_format=DATA_FORMAT_NHWC, scope=None):
    """Adds a bias for each channel."""
    check_2d(data_format)
    with variable_scope.variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        inputs_rank = inputs.get_shape().ndims
        if inputs_rank is None:
            raise ValueError('Dims of shape must be known but is None')
        if inputs_rank != 4 and data_format == DATA_FORMAT_NCHW:
            raise ValueError('Data format NCHW only supports 4D Tensor')
        axis = 1 if data_format == DATA_FORMAT_NCHW else -1
        num_features = inputs.get_shape().dims[axis].value
        if num_features is None:
            raise ValueError('`C` dimension must be known but is None')
        biases = variables.model_variable(
            'biases', shape=[num_features], dtype=inputs.dtype.base_dtype,
            initializer=initializer, regularizer=regularizer, trainable=trainable,
            collections=utils.get_variable_collections(variables_collections, 'biases'))
        outputs = nn.bias_add(inputs, biases, data_format=data_format)
        return finish(outputs, None, None, activation_fn, outputs_collections, sc.name)


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None,
            scope=None, seed=None):
    """While training, zeros at random places, and the rest larger so that the mean stays."""
    with variable_scope.variable_scope(scope, 'Dropout', [inputs],
                                       custom_getter=_model_variable_getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core_layers.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed,
                                    name=sc.name, _scope=sc)
        outputs = layer.apply(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=nn.relu, normalizer_fn=None,
                    normalizer_params=None, weights_initializer=_XAVIER,
                    weights_regularizer=None, biases_initializer=_ZEROS, biases_regularizer=None,
                    reuse=None, variables_collections=None, outputs_collections=None,
                    trainable=True, scope=None):
    """activation(inputs weights + biases), over the last dim."""
    if not isinstance(num_outputs, int):
        raise ValueError('num_outputs type should be one of %s, got %s.'
                         % ([int], type(num_outputs)))
    getter = _build_variable_getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope.variable_scope(scope, 'fully_connected', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core_layers.Dense(
            units=num_outputs, activation=None,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
            activity_regularizer=None, trainable=trainable, name=sc.name,
            dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=reuse)
        outputs = layer.apply(inputs)
        _add_variable_to_collections(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            _add_variable_to_collections(layer.bias, variables_collections, 'biases')
        return finish(outputs, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Inputs less their mean, over their deviation, each example by itself, scaled and moved."""
    with variable_scope.variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        shape = inputs.get_shape()
        rank = shape.ndims
        if rank is None:
            raise ValueError('Inputs %s has undefined rank.' % inputs.name)
        dtype = inputs.dtype.base_dtype
        if begin_norm_axis < 0:
            begin_norm_axis = rank + begin_norm_axis
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError('begin_params_axis (%d) and begin_norm_axis (%d) must be < rank('
                             'inputs) (%d)' % (begin_params_axis, begin_norm_axis, rank))
        params_shape = shape[begin_params_axis:]
        if not params_shape.is_fully_defined():
            raise ValueError('Inputs %s: shape(inputs)[%s:] is not fully defined: %s'
                             % (inputs.name, begin_params_axis, shape))

        def parameter(name, initializer):
            return variables.model_variable(
                name, shape=params_shape, dtype=dtype, initializer=initializer,
                collections=utils.get_variable_collections(variables_collections, name),
                trainable=trainable)
        beta = parameter('beta', init_ops.zeros_initializer()) if center else None
        gamma = parameter('gamma', init_ops.ones_initializer()) if scale else None
        mean, variance = nn.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if dtype.name == 'float16' else 1e-12
        outputs = nn.batch_normalization(inputs, mean, variance, offset=beta, scale=gamma,
                                         variance_epsilon=epsilon)
        outputs.set_shape(shape)
        return finish(outputs, None, None, activation_fn, outputs_collections, sc.name)


def scale_gradient(inputs, gradient_multiplier):
    """The inputs, whose gradient is multiplied by a number."""
    scaled = inputs * gradient_multiplier
    return scaled + array_ops.stop_gradient(inputs - scaled)


def poincare_normalize(x, axis=1, epsilon=1e-5, name=None):
    """x, shrunk along axis to a length below 1 where it is longer."""
    with ops.name_scope(name, 'poincare_normalize', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        square_sum = math_ops.reduce_sum(math_ops.square(x), axis, keepdims=True)
        x_inv_norm = math_ops.rsqrt(square_sum)
        x_inv_norm = math_ops.minimum((1. - epsilon) * x_inv_norm, 1.)
        return math_ops.multiply(x, x_inv_norm, name=name)


def legacy_fully_connected(x, num_output_units, activation_fn=None,
                           weight_init=initializers.xavier_initializer(), bias_init=_ZEROS,
                           name=None, weight_collections=(GraphKeys.WEIGHTS,),
                           bias_collections=(GraphKeys.BIASES,),
                           output_collections=(GraphKeys.ACTIVATIONS,), trainable=True,
                           weight_regularizer=None, bias_regularizer=None):
    """fully_connected of an older interface."""
    with variable_scope.variable_scope(name, 'fully_connected', [x]):
        x = ops.convert_to_tensor(x)
        dims = x.get_shape().dims
        if dims is None:
            raise ValueError('dims of x must be known but is None')
        if len(dims) < 2:
            raise ValueError('rank of x must be at least 2 not: %d' % len(dims))
        num_input_units = dims[-1].value
        if num_input_units is None:
            raise ValueError('last dimension of x must be known but is None')
        dtype = x.dtype.base_dtype
        weights = variable_scope.get_variable(
            'weights', shape=[num_input_units, num_output_units], dtype=dtype,
            initializer=weight_init, regularizer=weight_regularizer, trainable=trainable,
            collections=set(list(weight_collections or []) + [GraphKeys.GLOBAL_VARIABLES]))
        x_2d = x if len(dims) <= 2 else array_ops.reshape(
            x, array_ops.stack([-1, num_input_units]))
        y = math_ops.matmul(x_2d, weights)
        if bias_init is not None:
            bias = variable_scope.get_variable(
                'bias', shape=[num_output_units], dtype=dtype, initializer=bias_init,
                regularizer=bias_regularizer, trainable=trainable,
                collections=set(list(bias_collections or []) + [GraphKeys.GLOBAL_VARIABLES]))
            y = nn.bias_add(y, bias)
        if len(dims) > 2:
            out_shape = array_ops.unstack(array_ops.shape(x))
            out_shape[-1] = num_output_units
            y = array_ops.reshape(y, array_ops.stack(out_shape))
            static = x.get_shape().as_list()
            y.set_shape(static[:-1] + [num_output_units])
        return _apply_activation(y, activation_fn, output_collections)


elu = functools.partial(fully_connected, activation_fn=nn.elu)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=nn.relu6)
linear = functools.partial(fully_connected, activation_fn=None)
conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d
conv2d_transpose = convolution2d_transpose
conv3d_transpose = convolution3d_transpose
conv2d_in_plane = convolution2d_in_plane
separable_conv2d = separable_convolution2d
