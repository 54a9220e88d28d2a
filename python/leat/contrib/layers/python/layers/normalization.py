# SPDX-License-Identifier: Apache-2.0
"""Normalisation of each example by itself: of channels, or of groups of channels."""
from leat.contrib.framework.python.ops import add_arg_scope, variables
from leat.contrib.layers.python.layers import utils
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import variable_scope

__all__ = ['group_norm', 'instance_norm']
DATA_FORMAT_NCHW = 'NCHW'
DATA_FORMAT_NHWC = 'NHWC'


def _parameters(center, scale, shape, dtype, param_initializers, variables_collections,
                trainable):
    """(beta, gamma), None where not wanted."""
    param_initializers = param_initializers or {}

    def make(name, initializer):
        return variables.model_variable(
            name, shape=shape, dtype=dtype,
            initializer=param_initializers.get(name, initializer),
            collections=utils.get_variable_collections(variables_collections, name),
            trainable=trainable)
    return (make('beta', init_ops.zeros_initializer()) if center else None,
            make('gamma', init_ops.ones_initializer()) if scale else None)


@add_arg_scope
def instance_norm(inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None,
                  param_initializers=None, reuse=None, variables_collections=None,
                  outputs_collections=None, trainable=True, data_format=DATA_FORMAT_NHWC,
                  scope=None):
    """Each channel of each example, less its mean, over its deviation."""
    inputs = ops.convert_to_tensor(inputs)
    shape = inputs.get_shape()
    rank = shape.ndims
    if rank is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    if data_format not in (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC):
        raise ValueError('data_format has to be either NCHW or NHWC.')
    with variable_scope.variable_scope(scope, 'InstanceNorm', [inputs], reuse=reuse) as sc:
        if data_format == DATA_FORMAT_NCHW:
            axis, broadcast = 1, [1, shape.dims[1].value] + [1] * (rank - 2)
        else:
            axis, broadcast = rank - 1, None
        moments_axes = [i for i in range(1, rank) if i != axis]
        params_shape = shape[axis:axis + 1]
        if not params_shape.is_fully_defined():
            raise ValueError('Inputs %s has undefined channels dimension %s.'
                             % (inputs.name, params_shape))
        beta, gamma = _parameters(center, scale, params_shape, inputs.dtype.base_dtype,
                                  param_initializers, variables_collections, trainable)
        if broadcast is not None:
            beta = beta if beta is None else array_ops.reshape(beta, broadcast)
            gamma = gamma if gamma is None else array_ops.reshape(gamma, broadcast)
        mean, variance = nn.moments(inputs, moments_axes, keep_dims=True)
        outputs = nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon,
                                         name='instancenorm')
        outputs.set_shape(shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _group_axes(shape, groups, channels_axis, reduction_axes):
    """(axis of channels, axes of the reduction, dims with groups beside channels)"""
    rank = shape.ndims
    if channels_axis < 0:
        channels_axis = rank + channels_axis
    axes = [rank + a if a < 0 else a for a in reduction_axes]
    for a in axes:
        if a > rank:
            raise ValueError('Axis is out of bounds.')
        if a == channels_axis:
            raise ValueError('reduction_axes must be mutually exclusive with channels_axis')
    num = shape.dims[channels_axis].value
    if num is None:
        raise ValueError('Inputs has undefined channel dimension: %d.' % channels_axis)
    if groups > num:
        raise ValueError('Invalid groups %d for %d channels.' % (groups, num))
    if num % groups:
        raise ValueError('%d channels is not commensurate with %d groups.' % (num, groups))
    return channels_axis, axes, num


@add_arg_scope
def group_norm(inputs, groups=32, channels_axis=-1, reduction_axes=(-3, -2), center=True,
               scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, scope=None,
               mean_close_to_zero=False):
    """Each group of channels of each example, less its mean, over its deviation."""
    inputs = ops.convert_to_tensor(inputs)
    shape = inputs.get_shape()
    if shape.ndims is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    axis, axes, num = _group_axes(shape, groups, channels_axis, reduction_axes)
    dims = [array_ops.shape(inputs)[i] if d is None else d
            for i, d in enumerate(shape.as_list())]
    array_ops.shape(inputs)
    inputs = array_ops.reshape(inputs, dims[:axis] + [groups, num // groups] + dims[axis + 1:])
    moments_axes = [axis + 1] + [a + 1 if a > axis else a for a in axes]
    broadcast = [1] * (shape.ndims + 1)
    broadcast[axis:axis + 2] = [groups, num // groups]
    with variable_scope.variable_scope(scope, 'GroupNorm', [inputs], reuse=reuse) as sc:
        beta, gamma = _parameters(center, scale, [num], inputs.dtype.base_dtype,
                                  param_initializers, variables_collections, trainable)
        beta = beta if beta is None else array_ops.reshape(beta, broadcast)
        gamma = gamma if gamma is None else array_ops.reshape(gamma, broadcast)
        if mean_close_to_zero:
            counts, means_ss, variance_ss, _ = nn.sufficient_statistics(inputs, moments_axes,
                                                                        keep_dims=True)
            mean, variance = nn.normalize_moments(counts, means_ss, variance_ss, shift=None)
        else:
            mean, variance = nn.moments(inputs, moments_axes, keep_dims=True)
        gain = math_ops.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset = offset + beta
        outputs = array_ops.reshape(inputs * gain + offset, dims)
        outputs.set_shape(shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)
