# SPDX-License-Identifier: Apache-2.0
"""Layers of tf.contrib.layers that have no weights, or put layers after one another."""
from leat.contrib.framework.python.ops import add_arg_scope, variables
from leat.contrib.layers.python.layers import utils
from leat.contrib.layers.python.layers._common import check_2d
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.layers import core as core_layers
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import variable_scope


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """Each element of the batch as a vector."""
    with ops.name_scope(scope, 'Flatten', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        outputs = core_layers.flatten(inputs)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


def _sparse_inner_flatten(inputs, new_rank):
    from leat.python.ops import sparse_ops
    outer, inner = array_ops.split(inputs.dense_shape, [new_rank - 1, -1])
    shape = array_ops.concat((outer, [math_ops.reduce_prod(inner)]), 0)
    return sparse_ops.sparse_reshape(inputs, shape)


def _dense_inner_flatten(inputs, new_rank):
    """The dims from new_rank - 1 on as one."""
    check = check_ops.assert_rank_at_least(inputs, new_rank,
                                           message='inputs has rank less than new_rank')
    with ops.control_dependencies([check]):
        outer = array_ops.strided_slice(array_ops.shape(inputs), [0], [new_rank - 1])
        reshaped = array_ops.reshape(inputs, array_ops.concat((outer, [-1]), 0))
    static = inputs.get_shape()
    if static.ndims is not None:
        dims, size = static.as_list(), 1
        for dim in dims[new_rank - 1:]:
            size = None if size is None or dim is None else size * dim
        reshaped.set_shape(dims[:new_rank - 1] + [size])
    return reshaped


@add_arg_scope
def _inner_flatten(inputs, new_rank, output_collections=None, scope=None):
    with ops.name_scope(scope, 'InnerFlatten', [inputs, new_rank]) as sc:
        if isinstance(inputs, sparse_tensor.SparseTensor):
            flattened = _sparse_inner_flatten(inputs, new_rank)
        else:
            flattened = _dense_inner_flatten(ops.convert_to_tensor(inputs), new_rank)
    return utils.collect_named_outputs(output_collections, sc, flattened)


@add_arg_scope
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
    """What is not eos_token, as a SparseTensor."""
    with variable_scope.variable_scope(scope, 'dense_to_sparse', [tensor]) as sc:
        tensor = ops.convert_to_tensor(tensor)
        indices = array_ops.where(math_ops.not_equal(
            tensor, constant_op.constant(eos_token, tensor.dtype)))
        values = array_ops.gather_nd(tensor, indices)
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        outputs = sparse_tensor.SparseTensor(indices, values, shape)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None,
                     scope=None):
    """tf.one_hot."""
    with ops.name_scope(scope, 'OneHotEncoding', [labels, num_classes]) as sc:
        labels = ops.convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = math_ops.to_int64(labels)
        outputs = array_ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def images_to_sequence(inputs, data_format='NHWC', outputs_collections=None, scope=None):
    """(batch, h, w, c) as (w, h batch, c)."""
    check_2d(data_format)
    with ops.name_scope(scope, 'ImagesToSequence', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        df = 'channels_first' if data_format.startswith('NC') else 'channels_last'
        if df == 'channels_first':
            inputs = array_ops.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.get_shape().as_list()
        s = array_ops.shape(inputs)
        batch_size, height = s[0], s[1]
        if width is None:
            width = s[2]
        inputs = array_ops.transpose(inputs, [2, 0, 1, 3])
        outputs = array_ops.reshape(inputs, [width, batch_size * height, depth])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(inputs, height, output_data_format='channels_last',
                       outputs_collections=None, scope=None):
    """(w, h batch, c) as (batch, h, w, c)."""
    with ops.name_scope(scope, 'SequenceToImages', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        width, num_batches, depth = inputs.get_shape().as_list()
        batch_size = -1 if num_batches is None else num_batches // height
        if width is None:
            width = array_ops.shape(inputs)[0]
        inputs = array_ops.reshape(inputs, [width, batch_size, height, depth])
        first = output_data_format == 'channels_first'
        outputs = array_ops.transpose(inputs, [1, 3, 2, 0] if first else [1, 2, 0, 3])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The largest of each group of channels."""
    with variable_scope.variable_scope(scope, 'MaxOut', [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        shape = inputs.get_shape().as_list()
        num_channels = shape[axis]
        if num_channels % num_units:
            raise ValueError('number of features({}) is not a multiple of num_units({})'
                             .format(num_channels, num_units))
        shape[axis] = num_units
        shape += [num_channels // num_units]
        dynamic = None
        for i, size in enumerate(shape):
            if size is None:
                dynamic = array_ops.shape(inputs) if dynamic is None else dynamic
                shape[i] = dynamic[i]
        outputs = math_ops.reduce_max(array_ops.reshape(inputs, shape), -1, keepdims=False)
        return outputs


@add_arg_scope
def repeat(inputs, repetitions, layer, *args, **kwargs):
    """The layer, after itself as often as that."""
    scope = kwargs.pop('scope', None)
    with variable_scope.variable_scope(scope, 'Repeat', [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        if scope is None:
            scope = _name_of(layer, 'repeat')
        outputs = inputs
        for i in range(repetitions):
            kwargs['scope'] = scope + '_' + str(i + 1)
            outputs = layer(outputs, *args, **kwargs)
        return outputs


def _name_of(layer, default):
    if hasattr(layer, '__name__'):
        return layer.__name__
    if hasattr(layer, 'func') and hasattr(layer.func, '__name__'):
        return layer.func.__name__  # of a functools.partial
    return default


@add_arg_scope
def stack(inputs, layer, stack_args, **kwargs):
    """The layer, after itself with each of the arguments."""
    scope = kwargs.pop('scope', None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError('stack_args need to be a list or tuple')
    with variable_scope.variable_scope(scope, 'Stack', [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        if scope is None:
            scope = _name_of(layer, 'stack')
        outputs = inputs
        for i, layer_args in enumerate(stack_args):
            kwargs['scope'] = scope + '_' + str(i + 1)
            if not isinstance(layer_args, (list, tuple)):
                layer_args = [layer_args]
            outputs = layer(outputs, *layer_args, **kwargs)
        return outputs


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Inputs over their length along dim."""
    with variable_scope.variable_scope(scope, 'UnitNorm', [inputs]):
        if not inputs.get_shape():
            raise ValueError('The input rank must be known.')
        rank = len(inputs.get_shape().as_list())
        if dim < 0 or dim >= rank:
            raise ValueError('dim must be positive but smaller than the input rank.')
        lengths = math_ops.sqrt(epsilon + math_ops.reduce_sum(math_ops.square(inputs), dim, True))
        multiples = []
        if dim > 0:
            multiples.append(array_ops.ones([dim], dtypes.int32))
        multiples.append(array_ops.strided_slice(array_ops.shape(inputs), [dim], [dim + 1]))
        if dim < (rank - 1):
            multiples.append(array_ops.ones([rank - 1 - dim], dtypes.int32))
        multiples = array_ops.concat(multiples, 0)
        return math_ops.div(inputs, array_ops.tile(lengths, multiples))


@add_arg_scope
def softmax(logits, scope=None):
    """tf.nn.softmax over the last dim."""
    with variable_scope.variable_scope(scope, 'softmax', [logits]):
        num_logits = utils.last_dimension(logits.get_shape(), min_rank=2)
        logits_2d = array_ops.reshape(logits, [-1, num_logits])
        predictions = nn.softmax(logits_2d)
        predictions = array_ops.reshape(predictions, array_ops.shape(logits))
        predictions.set_shape(logits.get_shape())
        return predictions


@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, variables_collections=None,
                    trainable=True, data_format='NHWC'):
    """The mean place of each channel, by the softmax of its values."""
    with variable_scope.variable_scope(name, 'spatial_softmax'):
        shape = array_ops.shape(features)
        static = features.shape
        if data_format == 'NHWC':
            height, width, num_channels = shape[1], shape[2], static[3]
        elif data_format == 'NCHW':
            num_channels, height, width = static[1], shape[2], shape[3]
        else:
            raise ValueError('data_format has to be either NCHW or NHWC.')
        num_channels = getattr(num_channels, 'value', num_channels)
        if num_channels is None:
            raise ValueError('The `channels` dimension of the inputs to `spatial_softmax` should '
                             'be defined. Found `None`.')
        with ops.name_scope('spatial_softmax_op', 'spatial_softmax_op', [features]):
            pos_x, pos_y = array_ops.meshgrid(
                math_ops.lin_space(-1., 1., num=height), math_ops.lin_space(-1., 1., num=width),
                indexing='ij')
            pos_x = array_ops.reshape(pos_x, [height * width])
            pos_y = array_ops.reshape(pos_y, [height * width])
            if temperature is None:
                temperature = variables.model_variable(
                    'temperature', shape=(), dtype=dtypes.float32,
                    initializer=init_ops.ones_initializer(), trainable=trainable,
                    collections=utils.get_variable_collections(variables_collections,
                                                               'temperature'))
            if data_format == 'NHWC':
                features = array_ops.transpose(features, [0, 3, 1, 2])
            features = array_ops.reshape(features, [-1, height * width])
            attention = nn.softmax(features / temperature)
            expected_x = math_ops.reduce_sum(pos_x * attention, [1], keepdims=True)
            expected_y = math_ops.reduce_sum(pos_y * attention, [1], keepdims=True)
            keypoints = array_ops.reshape(array_ops.concat([expected_x, expected_y], 1),
                                          [-1, num_channels * 2])
            keypoints.set_shape([None, num_channels * 2])
    return keypoints
