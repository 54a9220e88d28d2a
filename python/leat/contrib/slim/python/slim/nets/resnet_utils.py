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
