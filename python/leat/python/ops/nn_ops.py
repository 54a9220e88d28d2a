# SPDX-License-Identifier: Apache-2.0
"""Neural networks: activations, softmax and its losses, dropout; convolutions are in nn_conv.

A name that is in neither is the op's own function.
"""
import numbers

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_nn_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops.nn_conv import (  # noqa: F401
    CONV_TRANSPOSE_OPS, Convolution, _convert_padding, _get_sequence,
    _get_strides_and_dilation_rate, _with_space_to_batch_adjust,
    _with_space_to_batch_base_paddings, atrous_conv2d, atrous_conv2d_transpose, avg_pool,
    avg_pool1d, avg_pool2d, avg_pool3d, avg_pool_v2, conv1d, conv1d_transpose, conv1d_v2, conv2d,
    conv2d_backprop_filter, conv2d_backprop_input, conv2d_transpose, conv2d_transpose_v2,
    conv2d_v2, conv3d, conv3d_transpose, conv3d_transpose_v2, conv3d_v1, conv3d_v2,
    conv_transpose, convolution, convolution_internal, convolution_v2, max_pool, max_pool1d,
    max_pool2d, max_pool3d, max_pool_v2, max_pool_with_argmax_v1, max_pool_with_argmax_v2, pool,
    pool_v2, with_space_to_batch)
from leat.python.util import deprecation


def __getattr__(name):
    return getattr(gen_nn_ops, 'lrn' if name == 'local_response_normalization' else name)


# ---- bias and activations ----

def bias_add(value, bias, data_format=None, name=None):
    """A vector added along the channels."""
    with ops.name_scope(name, 'BiasAdd', [value, bias]) as name:
        if data_format is not None:
            if data_format.startswith('NC'):
                data_format = 'NCHW'
            elif data_format.startswith('N') and data_format.endswith('C'):
                data_format = 'NHWC'
            else:
                raise ValueError('data_format must be of the form `N...C` or `NC...`')
        value = ops.convert_to_tensor(value, name='input')
        bias = ops.convert_to_tensor(bias, dtype=value.dtype, name='bias')
        return gen_nn_ops.bias_add(value, bias, data_format=data_format, name=name)


def bias_add_v1(value, bias, name=None):
    with ops.name_scope(name, 'BiasAddV1', [value, bias]) as name:
        value = ops.convert_to_tensor(value, name='input')
        bias = ops.convert_to_tensor(bias, dtype=value.dtype, name='bias')
        return gen_nn_ops.bias_add_v1(value, bias, name=name)


def crelu(features, name=None, axis=-1):
    """relu of the features and of their negatives, side by side."""
    with ops.name_scope(name, 'CRelu', [features]) as name:
        features = ops.convert_to_tensor(features, name='features')
        both = array_ops.concat([features, -features], axis, name=name)
        return gen_nn_ops.relu(both)


def crelu_v2(features, axis=-1, name=None):
    return crelu(features, name=name, axis=axis)


def relu6(features, name=None):
    """min(max(features, 0), 6)."""
    with ops.name_scope(name, 'Relu6', [features]) as name:
        features = ops.convert_to_tensor(features, name='features')
        return gen_nn_ops.relu6(features, name=name)


def leaky_relu(features, alpha=0.2, name=None):
    """features where positive, alpha times them else."""
    with ops.name_scope(name, 'LeakyRelu', [features, alpha]) as name:
        features = ops.convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        if isinstance(alpha, np.ndarray):
            alpha = alpha.item()
        return gen_nn_ops.leaky_relu(features, alpha=alpha, name=name)


# ---- softmax ----

def _flatten_outer_dims(logits):
    """A matrix whose rows are the last dim."""
    rank = array_ops.rank(logits)
    last = array_ops.slice(array_ops.shape(logits), [math_ops.subtract(rank, 1)], [1])
    output = array_ops.reshape(logits, array_ops.concat([[-1], last], 0))
    known = logits.get_shape()
    if known.ndims is not None:
        dims = known.as_list()
        if None not in dims[:-1]:
            output.set_shape([int(np.prod(dims[:-1])), dims[-1]])
    return output


def _softmax(logits, compute_op, dim=-1, name=None):
    """compute_op along any dim: the op itself knows the last one."""
    def swap(values, dim_index, last_index, name=None):
        kwargs = {} if name is None else {'name': name}
        return array_ops.transpose(values, array_ops.concat(
            [math_ops.range(dim_index), [last_index], math_ops.range(dim_index + 1, last_index),
             [dim_index]], 0), **kwargs)

    logits = ops.convert_to_tensor(logits)
    shape = logits.get_shape()
    if (isinstance(dim, numbers.Integral) and dim == -1) or (
            shape.ndims is not None and not isinstance(dim, ops.Tensor) and
            dim == shape.ndims - 1):
        return compute_op(logits, name=name)
    known = tensor_util.constant_value(dim) if isinstance(dim, ops.Tensor) else dim
    if known is not None and shape.ndims is not None and not -shape.ndims <= known < shape.ndims:
        raise errors_impl.InvalidArgumentError(
            None, None, 'Dimension (%d) must be in the range [%d, %d) where %d is the number of '
            'dimensions in the input.' % (known, -shape.ndims, shape.ndims, shape.ndims))
    rank = array_ops.rank(logits)
    negative = not isinstance(dim, ops.Tensor) and dim < 0
    dim_axis = dim + rank if negative else dim
    rank = array_ops.rank(logits)
    dim_axis = dim_axis % (rank if shape.ndims is None else shape.ndims)
    output = compute_op(swap(logits, dim_axis, math_ops.subtract(rank, 1)))
    output = swap(output, dim_axis, math_ops.subtract(rank, 1), name=name)
    output.set_shape(shape)
    return output


def softmax(logits, axis=None, name=None, dim=None):
    """exp(logits) over their sum along an axis."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    return _softmax(logits, gen_nn_ops.softmax, -1 if axis is None else axis, name)


def softmax_v2(logits, axis=None, name=None):
    return softmax(logits, axis, name)


def log_softmax(logits, axis=None, name=None, dim=None):
    """The logarithm of softmax()."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    return _softmax(logits, gen_nn_ops.log_softmax, -1 if axis is None else axis, name)


def log_softmax_v2(logits, axis=None, name=None):
    return log_softmax(logits, axis, name)


def _ensure_xent_args(name, sentinel, labels, logits):
    if sentinel is not None:
        raise ValueError('Only call `%s` with named arguments (labels=..., logits=..., ...)'
                         % name)
    if labels is None or logits is None:
        raise ValueError('Both labels and logits must be provided.')


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=-1, name=None):
    return softmax_cross_entropy_with_logits_v2_helper(labels=labels, logits=logits, axis=axis,
                                                       name=name)


def _dim_to_end(tensor, dim_index, rank):
    return array_ops.transpose(tensor, array_ops.concat(
        [math_ops.range(dim_index), math_ops.range(dim_index + 1, rank), [dim_index]], 0))


def softmax_cross_entropy_with_logits_v2_helper(labels, logits, axis=None, name=None, dim=None):
    """The cross entropy of softmax(logits) and labels; gradients go to both."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    axis = -1 if axis is None else axis
    with ops.name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = math_ops.cast(logits, dtypes.float32) if half else logits
        labels = math_ops.cast(labels, precise.dtype)
        rank = array_ops.rank(precise)
        shape = logits.get_shape()
        if axis != -1:
            precise = _dim_to_end(precise, axis, rank)
            labels = _dim_to_end(labels, axis, rank)
        dims = array_ops.shape(precise)
        precise = _flatten_outer_dims(precise)
        labels = _flatten_outer_dims(labels)
        cost, _ = gen_nn_ops.softmax_cross_entropy_with_logits(precise, labels, name=name)
        outer = array_ops.slice(dims, [0], [math_ops.subtract(rank, 1)])
        cost = array_ops.reshape(cost, outer)
        if shape.ndims is not None:
            known = shape.as_list()
            del known[axis]
            cost.set_shape(known)
        return math_ops.cast(cost, logits.dtype) if half else cost


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None,
                                      axis=None):
    """The cross entropy of softmax(logits) and labels; no gradient goes to the labels."""
    dim = deprecation.deprecated_argument_lookup('axis', axis, 'dim', None if axis is not None
                                                 else dim)
    _ensure_xent_args('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    with ops.name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as name:
        labels = gen_array_ops.stop_gradient(labels, name='labels_stop_gradient')
    return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=name)


def _check_sparse_labels(labels, logits):
    """Whether both shapes are known whole; ValueError when they do not match."""
    known, rank = labels.get_shape(), logits.get_shape().ndims
    outer = logits.get_shape()[:-1]
    whole = known.is_fully_defined() and outer.is_fully_defined()
    if rank == 0:
        raise ValueError('Logits cannot be scalars - received shape %s.' % logits.get_shape())
    if rank is not None and known.ndims is not None and known.ndims != rank - 1:
        raise ValueError('Rank mismatch: Rank of labels (received %s) should equal rank of '
                         'logits minus 1 (received %s).' % (known.ndims, rank))
    if whole and known.as_list() != outer.as_list():
        raise ValueError('Shape mismatch: The shape of labels (received %s) should equal the '
                         'shape of logits except for the last dimension (received %s).'
                         % (known, logits.get_shape()))
    return whole


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of softmax(logits) and the one right class of each row."""
    _ensure_xent_args('sparse_softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    make = gen_nn_ops.sparse_softmax_cross_entropy_with_logits
    with ops.name_scope(name, 'SparseSoftmaxCrossEntropyWithLogits', [labels, logits]):
        labels = ops.convert_to_tensor(labels)
        logits = ops.convert_to_tensor(logits)
        half = logits.dtype == dtypes.float16
        precise = math_ops.cast(logits, dtypes.float32) if half else logits
        known = labels.get_shape()
        dims = array_ops.shape(labels)
        whole = _check_sparse_labels(labels, logits)
        if logits.get_shape().ndims == 2:
            cost, _ = make(precise, labels, name=name)
            return math_ops.cast(cost, dtypes.float16) if half else cost
        checks = []
        if not whole:
            from leat.python.ops import check_ops
            checks.append(check_ops.assert_equal(array_ops.shape(labels),
                                                 array_ops.shape(logits)[:-1]))
        with ops.control_dependencies(checks):
            classes = array_ops.shape(logits)[array_ops.rank(logits) - 1]
            precise = array_ops.reshape(precise, [-1, classes])
            labels = array_ops.reshape(labels, [-1])
            cost, _ = make(precise, labels, name=name)
            cost = array_ops.reshape(cost, dims)
            cost.set_shape(known)
            return math_ops.cast(cost, dtypes.float16) if half else cost


def sparse_softmax_cross_entropy_with_logits_v2(labels, logits, name=None):
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


# ---- layers ----

def xw_plus_b(x, weights, biases, name=None):
    """x times weights, plus biases."""
    with ops.name_scope(name, 'xw_plus_b', [x, weights, biases]) as name:
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(weights, name='weights')
        biases = ops.convert_to_tensor(biases, name='biases')
        return bias_add(math_ops.matmul(x, weights), biases, name=name)


def xw_plus_b_v1(x, weights, biases, name=None):
    with ops.name_scope(name, 'xw_plus_b_v1', [x, weights, biases]) as name:
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(weights, name='weights')
        biases = ops.convert_to_tensor(biases, name='biases')
        return bias_add_v1(math_ops.matmul(x, weights), biases, name=name)


def _get_noise_shape(x, noise_shape):
    """The shape that is drawn for; dims not given are x's."""
    if noise_shape is None:
        return array_ops.shape(x)
    try:
        given = tensor_shape.as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.ndims is not None and given.ndims == x.shape.ndims:
        return tensor_shape.TensorShape([
            own if dim is None and own is not None else dim
            for dim, own in zip(given.as_list(), x.shape.as_list())])
    return noise_shape


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Elements made 0 by chance, the others scaled so that the sum is expected to stay."""
    try:
        keep = None if keep_prob is None else 1. - keep_prob
    except TypeError:
        raise ValueError('keep_prob must be a floating point number or Tensor (got %r)'
                         % keep_prob) from None
    rate = deprecation.deprecated_argument_lookup('rate', rate, 'keep_prob', keep)
    if rate is None:
        raise ValueError('You must provide a rate to dropout.')
    return dropout_v2(x, rate, noise_shape=noise_shape, seed=seed, name=name)


def dropout_v2(x, rate, noise_shape=None, seed=None, name=None):
    with ops.name_scope(name, 'dropout', [x]):
        number = isinstance(rate, numbers.Real)
        if number and (rate < 0 or rate >= 1):
            raise ValueError('rate must be a scalar tensor or a float in the range [0, 1), got %g'
                             % rate)
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_floating:
            raise ValueError('x has to be a floating point tensor since it\'s going to be scaled. '
                             'Got a %s tensor instead.' % x.dtype)
        if number and rate == 0:
            return x
        rate = ops.convert_to_tensor(rate, dtype=x.dtype, name='rate')
        rate.get_shape().assert_has_rank(0)
        drawn = random_ops.random_uniform(_get_noise_shape(x, noise_shape), seed=seed,
                                          dtype=x.dtype)
        scale = 1 / (1 - rate)
        kept = drawn >= rate
        result = x * scale * math_ops.cast(kept, x.dtype)
        result.set_shape(x.get_shape())
        return result


# ---- the best few ----

def top_k(input, k=1, sorted=True, name=None):
    """The k greatest of each row, and where they stand."""
    return gen_nn_ops.top_kv2(input, k=k, sorted=sorted, name=name)


def nth_element(input, n, reverse=False, name=None):
    return gen_nn_ops.nth_element(input, n, reverse=reverse, name=name)


def in_top_k(predictions, targets, k, name=None):
    """Whether the target is among the k greatest."""
    with ops.name_scope(name, 'in_top_k'):
        return gen_nn_ops.in_top_kv2(predictions, targets, k, name=name)


def in_top_k_v2(targets, predictions, k, name=None):
    return in_top_k(predictions, targets, k, name)


# ---- morphology and fractional pools ----

def dilation2d_v1(input, filter=None, strides=None, rates=None, padding=None, name=None,
                  filters=None, dilations=None):
    """Grayscale dilation: the greatest sum of window and filter."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    rates = deprecation.deprecated_argument_lookup('dilations', dilations, 'rates', rates)
    return gen_nn_ops.dilation2d(input, filter, strides, rates, padding, name)


def dilation2d_v2(input, filters, strides, padding, data_format, dilations, name=None):
    if data_format != 'NHWC':
        raise ValueError('Data formats other than NHWC are not yet supported')
    return gen_nn_ops.dilation2d(input=input, filter=filters, strides=strides, rates=dilations,
                                 padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """Grayscale erosion: the least difference of window and kernel."""
    with ops.name_scope(name, 'erosion2d', [value, kernel]) as name:
        return math_ops.negative(gen_nn_ops.dilation2d(
            input=math_ops.negative(value), filter=array_ops.reverse_v2(kernel, [0, 1]),
            strides=strides, rates=rates, padding=padding, name=name))


def erosion2d_v2(value, filters, strides, padding, data_format, dilations, name=None):
    if data_format != 'NHWC':
        raise ValueError('Data formats other than NHWC are not yet supported')
    return erosion2d(value, filters, strides, dilations, padding, name)


def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False,
                        deterministic=False, seed=0, seed2=0, name=None):
    return gen_nn_ops.fractional_avg_pool(value, pooling_ratio, pseudo_random, overlapping,
                                          deterministic=deterministic, seed=seed, seed2=seed2,
                                          name=name)


def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False,
                        deterministic=False, seed=0, seed2=0, name=None):
    return gen_nn_ops.fractional_max_pool(value, pooling_ratio, pseudo_random, overlapping,
                                          deterministic=deterministic, seed=seed, seed2=seed2,
                                          name=name)


