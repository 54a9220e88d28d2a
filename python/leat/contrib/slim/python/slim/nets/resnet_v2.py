# SPDX-License-Identifier: Apache-2.0
"""Residual networks v2 (He et al., 2016)."""
import functools

from leat.contrib import layers as layers_lib
from leat.contrib.framework.python.ops.arg_scope import add_arg_scope, arg_scope
from leat.contrib.layers.python.layers import layers
from leat.contrib.layers.python.layers import utils
from leat.contrib.slim.python.slim.nets import resnet_utils
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope

resnet_arg_scope = resnet_utils.resnet_arg_scope


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None,
               scope=None):
    """1 x 1, 3 x 3 and 1 x 1 convolutions of the normalised inputs, added to them."""
    with variable_scope.variable_scope(scope, 'bottleneck_v2', [inputs]) as sc:
        depth_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        preact = layers.batch_norm(inputs, activation_fn=nn_ops.relu, scope='preact')
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = layers_lib.conv2d(preact, depth, [1, 1], stride=stride,
                                         normalizer_fn=None, activation_fn=None,
                                         scope='shortcut')
        residual = layers_lib.conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate,
                                            scope='conv2')
        residual = layers_lib.conv2d(residual, depth, [1, 1], stride=1, normalizer_fn=None,
                                     activation_fn=None, scope='conv3')
        output = shortcut + residual
        return utils.collect_named_outputs(outputs_collections, sc.name, output)


def resnet_v2(inputs, blocks, num_classes=None, is_training=True, global_pool=True,
              output_stride=None, include_root_block=True, reuse=None, scope=None):
    """(the network's output, outputs of all layers by name)"""
    with variable_scope.variable_scope(scope, 'resnet_v2', [inputs], reuse=reuse) as sc:
        collection = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, bottleneck, resnet_utils.stack_blocks_dense],
                       outputs_collections=collection):
            with arg_scope([layers.batch_norm], is_training=is_training):
                net = inputs
                if include_root_block:
                    net, output_stride = resnet_utils.root(
                        net, output_stride, {'activation_fn': None, 'normalizer_fn': None})
                net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
                net = layers.batch_norm(net, activation_fn=nn_ops.relu, scope='postnorm')
                return resnet_utils.ending(net, num_classes, global_pool, collection)


resnet_v2_block = functools.partial(resnet_utils.block_of, bottleneck)
resnet_v2.default_image_size = 224
resnet_v2_50 = resnet_utils.sized(resnet_v2, resnet_v2_block, 'resnet_v2_50', (3, 4, 6, 3))
resnet_v2_101 = resnet_utils.sized(resnet_v2, resnet_v2_block, 'resnet_v2_101', (3, 4, 23, 3))
resnet_v2_152 = resnet_utils.sized(resnet_v2, resnet_v2_block, 'resnet_v2_152', (3, 8, 36, 3))
resnet_v2_200 = resnet_utils.sized(resnet_v2, resnet_v2_block, 'resnet_v2_200', (3, 24, 36, 3))
