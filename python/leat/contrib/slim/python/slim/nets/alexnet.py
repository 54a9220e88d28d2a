# SPDX-License-Identifier: Apache-2.0
"""AlexNet v2 (Krizhevsky, 2014): five convolutions, three layers as convolutions."""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.layers.python.layers import regularizers
from leat.contrib.layers.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope


def trunc_normal(stddev):
    return init_ops.truncated_normal_initializer(0.0, stddev)


def alexnet_v2_arg_scope(weight_decay=0.0005):
    """What the layers have in common."""
    with arg_scope([layers.conv2d, layers_lib.fully_connected], activation_fn=nn_ops.relu,
                   biases_initializer=init_ops.constant_initializer(0.1),
                   weights_regularizer=regularizers.l2_regularizer(weight_decay)):
        with arg_scope([layers.conv2d], padding='SAME'):
            with arg_scope([layers_lib.max_pool2d], padding='VALID') as arg_sc:
                return arg_sc


def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
               spatial_squeeze=True, scope='alexnet_v2'):
    """(logits, outputs of all layers by name)"""
    with variable_scope.variable_scope(scope, 'alexnet_v2', [inputs]) as sc:
        end_points_collection = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, layers_lib.fully_connected, layers_lib.max_pool2d],
                       outputs_collections=[end_points_collection]):
            net = layers.conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
            net = layers_lib.max_pool2d(net, [3, 3], 2, scope='pool1')
            net = layers.conv2d(net, 192, [5, 5], scope='conv2')
            net = layers_lib.max_pool2d(net, [3, 3], 2, scope='pool2')
            net = layers.conv2d(net, 384, [3, 3], scope='conv3')
            net = layers.conv2d(net, 384, [3, 3], scope='conv4')
            net = layers.conv2d(net, 256, [3, 3], scope='conv5')
            net = layers_lib.max_pool2d(net, [3, 3], 2, scope='pool5')
            with arg_scope([layers.conv2d], weights_initializer=trunc_normal(0.005),
                           biases_initializer=init_ops.constant_initializer(0.1)):
                net = layers.conv2d(net, 4096, [5, 5], padding='VALID', scope='fc6')
                net = layers_lib.dropout(net, dropout_keep_prob, is_training=is_training,
                                         scope='dropout6')
                net = layers.conv2d(net, 4096, [1, 1], scope='fc7')
                net = layers_lib.dropout(net, dropout_keep_prob, is_training=is_training,
                                         scope='dropout7')
                net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None,
                                    normalizer_fn=None,
                                    biases_initializer=init_ops.zeros_initializer(), scope='fc8')
        end_points = utils.convert_collection_to_dict(end_points_collection)
        if spatial_squeeze:
            net = array_ops.squeeze(net, [1, 2], name='fc8/squeezed')
            end_points[sc.name + '/fc8'] = net
        return net, end_points


alexnet_v2.default_image_size = 224
