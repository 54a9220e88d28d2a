# SPDX-License-Identifier: Apache-2.0
"""Residual networks v1 (He et al., 2015)."""
from leat.contrib import layers as layers_lib
from leat.contrib.framework.python.ops.arg_scope import add_arg_scope, arg_scope
from leat.contrib.layers.python.layers import layers
from leat.contrib.layers.python.layers import utils
from leat.contrib.slim.python.slim.nets import resnet_utils
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope

resnet_arg_scope = resnet_utils.resnet_arg_scope


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None,
               scope=None):
    """1 x 1, 3 x 3 and 1 x 1 convolutions, added to the inputs."""
    with variable_scope.variable_scope(scope, 'bottleneck_v1', [inputs]) as sc:
        depth_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = layers.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None,
                                     scope='shortcut')
        residual = layers.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate,
                                            scope='conv2')
        residual = layers.conv2d(residual, depth, [1, 1], stride=1, activation_fn=None,
                                 scope='conv3')
        output = nn_ops.relu(shortcut + residual)
        return utils.collect_named_outputs(outputs_collections, sc.name, output)


def resnet_v1(inputs, blocks, num_classes=None, is_training=True, global_pool=True,
              output_stride=None, include_root_block=True, reuse=None, scope=None):
    """(the network's output, outputs of all layers by name)"""
    with variable_scope.variable_scope(scope, 'resnet_v1', [inputs], reuse=reuse) as sc:
        end_points_collection = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, bottleneck, resnet_utils.stack_blocks_dense],
                       outputs_collections=end_points_collection):
            with arg_scope([layers.batch_norm], is_training=is_training):
                net = inputs
                if include_root_block:
                    if output_stride is not None:
                        if output_stride % 4 != 0:
                            raise ValueError('The output_stride needs to be a multiple of 4.')
                        output_stride //= 4
                    net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope='conv1')
                    net = layers.max_pool2d(net, [3, 3], stride=2, scope='pool1')
                net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
                if global_pool:
                    net = math_ops.reduce_mean(net, [1, 2], name='pool5', keepdims=True)
                if num_classes is not None:
                    net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None,
                                        normalizer_fn=None, scope='logits')
                end_points = utils.convert_collection_to_dict(end_points_collection)
                if num_classes is not None:
                    end_points['predictions'] = layers_lib.softmax(net, scope='predictions')
                return net, end_points


def resnet_v1_block(scope, base_depth, num_units, stride):
    """num_units bottlenecks, the last with the stride."""
    unit = {'depth': base_depth * 4, 'depth_bottleneck': base_depth}
    return resnet_utils.Block(scope, bottleneck, [dict(unit, stride=1)] * (num_units - 1) +
                              [dict(unit, stride=stride)])


def _sized(units, name):
    """The network of blocks of so many units."""
    def network(inputs, num_classes=None, is_training=True, global_pool=True, output_stride=None,
                reuse=None, scope=name):
        blocks = [resnet_v1_block('block%d' % (i + 1), base_depth=64 << i, num_units=n,
                                  stride=1 if i == 3 else 2)
                  for i, n in enumerate(units)]
        return resnet_v1(inputs, blocks, num_classes, is_training, global_pool, output_stride,
                         include_root_block=True, reuse=reuse, scope=scope)
    network.__name__ = network.__qualname__ = name
    network.__doc__ = 'Blocks of %d, %d, %d and %d units.' % units
    network.default_image_size = 224
    return network


resnet_v1.default_image_size = 224
resnet_v1_50 = _sized((3, 4, 6, 3), 'resnet_v1_50')
resnet_v1_101 = _sized((3, 4, 23, 3), 'resnet_v1_101')
resnet_v1_152 = _sized((3, 8, 36, 3), 'resnet_v1_152')
resnet_v1_200 = _sized((3, 24, 36, 3), 'resnet_v1_200')
