# SPDX-License-Identifier: Apache-2.0
"""Losses, moments and normalization made of other ops; sampled losses are in nn_sampled."""
import math

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_nn_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops.nn_sampled import (  # noqa: F401
    _compute_sampled_logits, _sum_rows, nce_loss, nce_loss_v2, sampled_softmax_loss,
    sampled_softmax_loss_v2)
from leat.python.util import deprecation

_lookup = deprecation.deprecated_argument_lookup


# ---- losses ----

def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """The log likelihood of counts, by the logarithm of their rate."""
    with ops.name_scope(name, 'log_poisson_loss', [log_input, targets]) as name:
        log_input = ops.convert_to_tensor(log_input, name='log_input')
        targets = ops.convert_to_tensor(targets, name='targets')
        _same_shape(log_input, targets, 'log_input', 'targets')
        result = math_ops.exp(log_input) - log_input * targets
        if compute_full_loss:
            half = constant_op.constant(0.5, dtype=targets.dtype)
            two_pi = constant_op.constant(2 * math.pi, dtype=targets.dtype)
            stirling = (targets * math_ops.log(targets)) - targets + (
                half * math_ops.log(two_pi * targets))
            zeros = array_ops.zeros_like(targets, dtype=targets.dtype)
            ones = array_ops.ones_like(targets, dtype=targets.dtype)
            small = math_ops.logical_and(targets >= zeros, targets <= ones)
            result += array_ops.where(small, zeros, stirling)
        return result


def _same_shape(a, b, a_name, b_name):
    try:
        b.get_shape().merge_with(a.get_shape())
    except ValueError:
        raise ValueError('%s and %s must have the same shape (%s vs %s)'
                         % (a_name, b_name, a.get_shape(), b.get_shape())) from None


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of sigmoid(logits) and labels."""
    nn_ops._ensure_xent_args('sigmoid_cross_entropy_with_logits', _sentinel, labels, logits)
    with ops.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        _same_shape(logits, labels, 'logits', 'labels')
        zeros = array_ops.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu = array_ops.where(positive, logits, zeros)
        minus_abs = array_ops.where(positive, -logits, logits)
        return math_ops.add(relu - logits * labels, math_ops.log1p(math_ops.exp(minus_abs)),
                            name=name)


def sigmoid_cross_entropy_with_logits_v2(labels=None, logits=None, name=None):
    return sigmoid_cross_entropy_with_logits(logits=logits, labels=labels, name=name)


def weighted_cross_entropy_with_logits_v2(labels, logits, pos_weight, name=None):
    """sigmoid_cross_entropy_with_logits() with positive targets weighed."""
    with ops.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        _same_shape(logits, labels, 'logits', 'labels')
        weight = 1 + (pos_weight - 1) * labels
        return math_ops.add(
            (1 - labels) * logits,
            weight * (math_ops.log1p(math_ops.exp(-math_ops.abs(logits))) +
                      gen_nn_ops.relu(-logits)), name=name)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None,
                                       targets=None):
    labels = _lookup('labels', labels, 'targets', targets)
    return weighted_cross_entropy_with_logits_v2(labels, logits, pos_weight, name)


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of losses over the size of the batch."""
    per_example_loss = ops.convert_to_tensor(per_example_loss)
    dtype = per_example_loss.dtype
    if sample_weight is not None:
        per_example_loss = per_example_loss * math_ops.cast(sample_weight, dtype)
    if global_batch_size is None:
        global_batch_size = array_ops.shape_v2(per_example_loss)[0]
    return math_ops.reduce_sum(per_example_loss) / math_ops.cast(global_batch_size, dtype)


def scale_regularization_loss(regularization_loss):
    return math_ops.reduce_sum(regularization_loss)


# ---- activations and layers ----

def relu_layer(x, weights, biases, name=None):
    """relu(x times weights, plus biases)."""
    with ops.name_scope(name, 'relu_layer', [x, weights, biases]) as name:
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(weights, name='weights')
        biases = ops.convert_to_tensor(biases, name='biases')
        return gen_nn_ops.relu(nn_ops.bias_add(math_ops.matmul(x, weights), biases), name=name)


def _swish_gradient(features):
    features = ops.convert_to_tensor(features, name='features')

    def grad(dy):
        """The sigmoid is worked out again, so that it need not be kept."""
        with ops.control_dependencies([dy]):
            sigmoid = math_ops.sigmoid(features)
        return dy * (sigmoid * (1.0 + features * (1.0 - sigmoid)))

    return features * math_ops.sigmoid(features), grad


def swish(features):
    """features times their sigmoid."""
    from leat.python.ops import custom_gradient
    return custom_gradient.custom_gradient(_swish_gradient)(features)


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None,
                     dilations=None):
    """A convolution of each channel by itself."""
    rate = _lookup('dilations', dilations, 'rate', rate)
    with ops.name_scope(name, 'depthwise', [input, filter]) as name:
        input = ops.convert_to_tensor(input, name='tensor_in')
        filter = ops.convert_to_tensor(filter, name='filter_in')

        def op(value, _, padding):
            return gen_nn_ops.depthwise_conv2d_native(
                input=value, filter=filter, strides=strides, padding=padding,
                data_format=data_format, name=name)

        return nn_ops.with_space_to_batch(
            input=input, filter_shape=array_ops.shape(filter),
            dilation_rate=[1, 1] if rate is None else rate, padding=padding,
            data_format=data_format, op=op)


def depthwise_conv2d_v2(input, filter, strides, padding, data_format=None, dilations=None,
                        name=None):
    return depthwise_conv2d(input=input, filter=filter, strides=strides, padding=padding,
                            rate=dilations, name=name, data_format=data_format)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None,
                     name=None, data_format=None, dilations=None):
    """A depthwise convolution, and one of single pixels that mixes channels."""
    rate = _lookup('dilations', dilations, 'rate', rate)
    with ops.name_scope(name, 'separable_conv2d',
                        [input, depthwise_filter, pointwise_filter]) as name:
        input = ops.convert_to_tensor(input, name='tensor_in')
        depthwise_filter = ops.convert_to_tensor(depthwise_filter, name='depthwise_filter')
        pointwise_filter = ops.convert_to_tensor(pointwise_filter, name='pointwise_filter')
        shape = pointwise_filter.get_shape().with_rank(4)
        shape.dims[0].assert_is_compatible_with(1)
        shape.dims[1].assert_is_compatible_with(1)

        def op(value, _, padding):
            return gen_nn_ops.depthwise_conv2d_native(
                input=value, filter=depthwise_filter, strides=strides, padding=padding,
                data_format=data_format, name='depthwise')

        depthwise = nn_ops.with_space_to_batch(
            input=input, filter_shape=array_ops.shape(depthwise_filter),
            dilation_rate=[1, 1] if rate is None else rate, padding=padding,
            data_format=data_format, op=op)
        return nn_ops.conv2d(depthwise, pointwise_filter, strides=[1, 1, 1, 1], padding='VALID',
                             data_format=data_format, name=name)


def separable_conv2d_v2(input, depthwise_filter, pointwise_filter, strides, padding,
                        data_format=None, dilations=None, name=None):
    return separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding,
                            rate=dilations, name=name, data_format=data_format)


def _count_nonzero(input_tensor, dtype=dtypes.int64):
    with ops.name_scope('count_nonzero', values=[input_tensor]):
        zero = array_ops.zeros([], dtype=input_tensor.dtype)
        count = math_ops.reduce_sum(
            math_ops.cast(math_ops.not_equal(input_tensor, zero), dtype), name='nonzero_count')
        return count


def zero_fraction(value, name=None):
    """How many elements are 0, of 1."""
    from leat.python.ops import control_flow_ops
    with ops.name_scope(name, 'zero_fraction', [value]):
        value = ops.convert_to_tensor(value, name='value')
        size = array_ops.size(value, out_type=dtypes.int64)
        count = control_flow_ops.cond(
            size <= dtypes.int32.max,
            true_fn=lambda: math_ops.cast(_count_nonzero(value, dtype=dtypes.int32),
                                          dtype=dtypes.int64),
            false_fn=lambda: _count_nonzero(value, dtype=dtypes.int64))
        with ops.name_scope('counts_to_fraction'):
            zeros = math_ops.cast(size - count, dtype=dtypes.float32)
            fraction = zeros / math_ops.cast(size, dtype=dtypes.float32)
        return array_ops.identity(fraction, 'fraction')


# ---- normalization ----

def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x scaled to length 1 along axes."""
    axis = _lookup('axis', axis, 'dim', dim)
    return l2_normalize_v2(x, axis, epsilon, name)


def l2_normalize_v2(x, axis=None, epsilon=1e-12, name=None):
    with ops.name_scope(name, 'l2_normalize', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        squares = math_ops.reduce_sum(math_ops.square(x), axis, keepdims=True)
        inverse = math_ops.rsqrt(math_ops.maximum(squares, epsilon))
        return math_ops.multiply(x, inverse, name=name)


def normalize(tensor, ord='euclidean', axis=None, name=None):
    """(tensor over its norm, the norm)."""
    from leat.python.ops import linalg_ops
    with ops.name_scope(name, 'normalize', [tensor]) as name:
        tensor = ops.convert_to_tensor(tensor)
        norm = linalg_ops.norm(tensor, ord, axis, keepdims=True)
        norm = math_ops.cast(norm, tensor.dtype)
        return tensor / norm, norm


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """(count, sum, sum of squares, shift), of which moments are made."""
    axes = list(set(axes))
    keepdims = _lookup('keepdims', keepdims, 'keep_dims', keep_dims)
    keepdims = False if keepdims is None else keepdims
    with ops.name_scope(name, 'sufficient_statistics', [x, shift]):
        x = ops.convert_to_tensor(x, name='x')
        known = x.get_shape()
        if known.ndims is not None and all(known.as_list()[d] is not None for d in axes):
            counts = 1
            for d in axes:
                counts *= known.as_list()[d]
            counts = constant_op.constant(counts, dtype=x.dtype)
        else:
            dims = array_ops.gather(math_ops.cast(array_ops.shape(x), x.dtype), axes)
            counts = math_ops.reduce_prod(dims, name='count')
        if shift is not None:
            shift = ops.convert_to_tensor(shift, name='shift')
            mean_ss = math_ops.subtract(x, shift)
            var_ss = math_ops.squared_difference(x, shift)
        else:
            mean_ss = x
            var_ss = math_ops.square(x)
        mean_ss = math_ops.reduce_sum(mean_ss, axes, keepdims=keepdims, name='mean_ss')
        var_ss = math_ops.reduce_sum(var_ss, axes, keepdims=keepdims, name='var_ss')
    return counts, mean_ss, var_ss, shift


def sufficient_statistics_v2(x, axes, shift=None, keepdims=False, name=None):
    return sufficient_statistics(x=x, axes=axes, shift=shift, keep_dims=keepdims, name=name)


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """(mean, variance) of sufficient statistics."""
    with ops.name_scope(name, 'normalize', [counts, mean_ss, variance_ss, shift]):
        divisor = math_ops.reciprocal(counts, name='divisor')
        if shift is not None:
            shifted = math_ops.multiply(mean_ss, divisor, name='shifted_mean')
            mean = math_ops.add(shifted, shift, name='mean')
        else:
            shifted = math_ops.multiply(mean_ss, divisor, name='mean')
            mean = shifted
        variance = math_ops.subtract(math_ops.multiply(variance_ss, divisor),
                                     math_ops.square(shifted), name='variance')
    return mean, variance


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over axes."""
    keepdims = _lookup('keepdims', keepdims, 'keep_dims', keep_dims)
    keepdims = False if keepdims is None else keepdims
    with ops.name_scope(name, 'moments', [x, axes]):
        half = x.dtype == dtypes.float16
        y = math_ops.cast(x, dtypes.float32) if half else x
        mean = math_ops.reduce_mean(y, axes, keepdims=True, name='mean')
        variance = math_ops.reduce_mean(
            math_ops.squared_difference(y, array_ops.stop_gradient(mean)), axes, keepdims=True,
            name='variance')
        if not keepdims:
            mean = array_ops.squeeze(mean, axes)
            variance = array_ops.squeeze(variance, axes)
        if half:
            return math_ops.cast(mean, dtypes.float16), math_ops.cast(variance, dtypes.float16)
        return mean, variance


def moments_v2(x, axes, shift=None, keepdims=False, name=None):
    return moments(x=x, axes=axes, shift=shift, name=name, keep_dims=keepdims)


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over axes of elements that count more or less."""
    keepdims = _lookup('keepdims', keepdims, 'keep_dims', keep_dims)
    keepdims = False if keepdims is None else keepdims
    with ops.name_scope(name, 'weighted_moments', [x, frequency_weights, axes]):
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(frequency_weights, name='frequency_weights')
        half = x.dtype == dtypes.float16
        if half:
            x = math_ops.cast(x, dtypes.float32)
        if weights.dtype != x.dtype:
            weights = math_ops.cast(weights, x.dtype)
        total = math_ops.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        spread = weights + array_ops.zeros_like(x)
        divisor = math_ops.reciprocal(math_ops.reduce_sum(
            spread, axes, name='sum_of_weights', keepdims=True), name='inv_weight_sum')
        mean = math_ops.multiply(total, divisor)
        distance = math_ops.reduce_sum(weights * math_ops.squared_difference(x, mean), axes,
                                       name='weighted_distsq', keepdims=True)
        variance = math_ops.multiply(distance, divisor)
        if not keepdims:
            mean = array_ops.squeeze(mean, axis=axes)
            variance = array_ops.squeeze(variance, axis=axes)
        if half:
            mean = math_ops.cast(mean, dtypes.float16)
            variance = math_ops.cast(variance, dtypes.float16)
        return mean, variance


def weighted_moments_v2(x, axes, frequency_weights, keepdims=False, name=None):
    return weighted_moments(x=x, axes=axes, frequency_weights=frequency_weights, name=name,
                            keep_dims=keepdims)


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """x moved and scaled to mean offset and deviation scale."""
    with ops.name_scope(name, 'batchnorm', [x, mean, variance, scale, offset]):
        inverse = math_ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse *= scale
        return x * math_ops.cast(inverse, x.dtype) + math_ops.cast(
            offset - mean * inverse if offset is not None else -mean * inverse, x.dtype)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001,
                     data_format='NHWC', is_training=True, name=None):
    """batch_normalization() of images as one op; (y, mean, variance)."""
    x = ops.convert_to_tensor(x, name='input')
    scale = ops.convert_to_tensor(scale, name='scale')
    offset = ops.convert_to_tensor(offset, name='offset')
    if is_training:
        if mean is not None or variance is not None:
            raise ValueError('Both \'mean\' and \'variance\' must be None if is_training is True.')
    mean = constant_op.constant([]) if mean is None else mean
    variance = constant_op.constant([]) if variance is None else variance
    epsilon = epsilon if epsilon > 1.001e-5 else 1.001e-5
    result = gen_nn_ops.fused_batch_norm_v3(x, scale, offset, mean, variance, epsilon=epsilon,
                                            data_format=data_format, is_training=is_training,
                                            name=name)
    return result[0], result[1], result[2]


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None,
                                         variance_epsilon=None, scale_after_normalization=None,
                                         name=None, input=None, mean=None, variance=None):
    """batch_normalization() by its older name."""
    t = _lookup('input', input, 't', t)
    m = _lookup('mean', mean, 'm', m)
    v = _lookup('variance', variance, 'v', v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None,
                               variance_epsilon, name)


def batch_norm_with_global_normalization_v2(input, mean, variance, beta, gamma, variance_epsilon,
                                            scale_after_normalization, name=None):
    return batch_norm_with_global_normalization(
        t=input, m=mean, v=variance, beta=beta, gamma=gamma, variance_epsilon=variance_epsilon,
        scale_after_normalization=scale_after_normalization, name=name)


