# SPDX-License-Identifier: Apache-2.0
"""Blocks of residual networks, and how they are stacked to a stride."""
import collections

from leat.contrib import layers as layers_lib
from leat.contrib.framework.python.ops.arg_scope import add_arg_scope, arg_scope
from leat.contrib.layers.python.layers import initializers
from leat.contrib.layers.python.layers import layers
from leat.contrib.layers.python.layers import regularizers
from leat.contrib.layers.python.layers import utils
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope


class Block(collections.namedtuple('Block', ['scope', 'unit_fn', 'args'])):
    """Units of one kind, and the arguments of each."""


def subsample(inputs, factor, scope=None):
    """Every factor-th place."""
    if factor == 1:
        return inputs
    return layers.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
    """A convolution whose padding is the same on both sides whatever the size."""
    if stride == 1:
        return layers_lib.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate,
                                 padding='SAME', scope=scope)
    reach = kernel_size + (kernel_size - 1) * (rate - 1)
    start = (reach - 1) // 2
    end = reach - 1 - start
    inputs = array_ops.pad(inputs, [[0, 0], [start, end], [start, end], [0, 0]])
    return layers_lib.conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate,
                             padding='VALID', scope=scope)


@add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
    """The blocks after one another; from output_stride on, rates in the place of strides."""
    current_stride, rate = 1, 1
    for block in blocks:
        with variable_scope.variable_scope(block.scope, 'block', [net]) as sc:
            for i, unit in enumerate(block.args):
                if output_stride is not None and current_stride > output_stride:
                    raise ValueError('The target output_stride cannot be reached.')
                with variable_scope.variable_scope('unit_%d' % (i + 1), values=[net]):
                    if output_stride is not None and current_stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **dict(unit, stride=1))
                        rate *= unit.get('stride', 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current_stride *= unit.get('stride', 1)
            net = utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and current_stride != output_stride:
        raise ValueError('The target output_stride cannot be reached.')
    return net


def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5,
                     batch_norm_scale=True):
    """What the layers have in common."""
    batch_norm_params = {
        'decay': batch_norm_decay, 'epsilon': batch_norm_epsilon, 'scale': batch_norm_scale,
        'updates_collections': GraphKeys.UPDATE_OPS}
    with arg_scope([layers_lib.conv2d],
                   weights_regularizer=regularizers.l2_regularizer(weight_decay),
                   weights_initializer=initializers.variance_scaling_initializer(),
                   activation_fn=nn_ops.relu, normalizer_fn=layers.batch_norm,
                   normalizer_params=batch_norm_params):
        with arg_scope([layers.batch_norm], **batch_norm_params):
            with arg_scope([layers.max_pool2d], padding='SAME') as arg_sc:
                return arg_sc


def root(net, output_stride, scope):
    """The 7 x 7 convolution and the pool that a network begins with; the stride that is left.
    `scope` are the options of that convolution."""
    if output_stride is not None:
        if output_stride % 4 != 0:
            raise ValueError('The output_stride needs to be a multiple of 4.')
        output_stride //= 4
    with arg_scope([layers.conv2d], **scope):
        net = conv2d_same(net, 64, 7, stride=2, scope='conv1')
    return layers.max_pool2d(net, [3, 3], stride=2, scope='pool1'), output_stride


def ending(net, num_classes, global_pool, collection):
    """(the network's output, outputs of all layers by name)"""
    if global_pool:
        net = math_ops.reduce_mean(net, [1, 2], name='pool5', keepdims=True)
    if num_classes is not None:
        net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                            scope='logits')
    end_points = utils.convert_collection_to_dict(collection)
    if num_classes is not None:
        end_points['predictions'] = layers_lib.softmax(net, scope='predictions')
    return net, end_points


def block_of(bottleneck, scope, base_depth, num_units, stride):
    """num_units bottlenecks, the last with the stride."""
    unit = {'depth': base_depth * 4, 'depth_bottleneck': base_depth}
    return Block(scope, bottleneck, [dict(unit, stride=1)] * (num_units - 1) +
                 [dict(unit, stride=stride)])


def sized(kind, block, name, units):
    """The network of four blocks of so many units; kind is resnet_v1 or resnet_v2."""
    def network(inputs, num_classes=None, is_training=True, global_pool=True, output_stride=None,
                reuse=None, scope=name):
        blocks = [block('block%d' % (i + 1), base_depth=64 << i, num_units=n,
                        stride=1 if i == 3 else 2) for i, n in enumerate(units)]
        return kind(inputs, blocks, num_classes, is_training, global_pool, output_stride,
                    include_root_block=True, reuse=reuse, scope=scope)
    network.__name__ = network.__qualname__ = name
    network.__doc__ = 'Blocks of %d, %d, %d and %d units.' % units
    network.default_image_size = 224
    return network
