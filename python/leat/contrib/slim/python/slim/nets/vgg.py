# SPDX-License-Identifier: Apache-2.0
"""VGG A, 16 and 19 (Simonyan and Zisserman, 2014): blocks of 3 x 3 convolutions.

Fully connected layers are convolutions, so that larger images make maps of predictions.
"""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.layers.python.layers import regularizers
from leat.contrib.layers.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope


def vgg_arg_scope(weight_decay=0.0005):
    """What the layers have in common."""
    with arg_scope([layers.conv2d, layers_lib.fully_connected], activation_fn=nn_ops.relu,
                   weights_regularizer=regularizers.l2_regularizer(weight_decay),
                   biases_initializer=init_ops.zeros_initializer()):
        with arg_scope([layers.conv2d], padding='SAME') as arg_sc:
            return arg_sc


def _vgg(inputs, repetitions, num_classes, is_training, dropout_keep_prob, spatial_squeeze,
         scope, default_scope):
    with variable_scope.variable_scope(scope, default_scope, [inputs]) as sc:
        end_points_collection = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, layers_lib.fully_connected, layers_lib.max_pool2d],
                       outputs_collections=end_points_collection):
            net = inputs
            for i, (times, depth) in enumerate(zip(repetitions, (64, 128, 256, 512, 512))):
                name = str(i + 1)
                net = layers_lib.repeat(net, times, layers.conv2d, depth, [3, 3],
                                        scope='conv' + name)
                net = layers_lib.max_pool2d(net, [2, 2], scope='pool' + name)
            net = layers.conv2d(net, 4096, [7, 7], padding='VALID', scope='fc6')
            net = layers_lib.dropout(net, dropout_keep_prob, is_training=is_training,
                                     scope='dropout6')
            net = layers.conv2d(net, 4096, [1, 1], scope='fc7')
            net = layers_lib.dropout(net, dropout_keep_prob, is_training=is_training,
                                     scope='dropout7')
            net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None,
                                normalizer_fn=None, scope='fc8')
            end_points = utils.convert_collection_to_dict(end_points_collection)
            if spatial_squeeze:
                net = array_ops.squeeze(net, [1, 2], name='fc8/squeezed')
                end_points[sc.name + '/fc8'] = net
            return net, end_points


def vgg_a(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
          spatial_squeeze=True, scope='vgg_a'):
    """11 layers."""
    return _vgg(inputs, (1, 1, 2, 2, 2), num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope, 'vgg_a')


def vgg_16(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
           spatial_squeeze=True, scope='vgg_16'):
    """16 layers."""
    return _vgg(inputs, (2, 2, 3, 3, 3), num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope, 'vgg_16')


def vgg_19(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
           spatial_squeeze=True, scope='vgg_19'):
    """19 layers."""
    return _vgg(inputs, (2, 2, 4, 4, 4), num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope, 'vgg_19')


for _net in (vgg_a, vgg_16, vgg_19):
    _net.default_image_size = 224
vgg_d = vgg_16
vgg_e = vgg_19
