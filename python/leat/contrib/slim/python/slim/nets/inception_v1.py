# SPDX-License-Identifier: Apache-2.0
"""Inception v1, GoogLeNet (Szegedy et al., 2014)."""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.slim.python.slim.nets import _inception_blocks as blocks
from leat.contrib.slim.python.slim.nets._inception_blocks import conv, pool, trunc_normal
from leat.python.ops import variable_scope


def _mixed(name, one, three, five, last, second='Conv2d_0b_3x3'):
    return name, [(conv('Conv2d_0a_1x1', one),),
                  (conv('Conv2d_0a_1x1', three[0]), conv('Conv2d_0b_3x3', three[1])),
                  (conv('Conv2d_0a_1x1', five[0]), conv(second, five[1])),
                  (pool('max', 'MaxPool_0a_3x3'), conv('Conv2d_0b_1x1', last))]


_ROWS = [
    conv('Conv2d_1a_7x7', 64, stride=2), pool('max', 'MaxPool_2a_3x3', stride=2),
    conv('Conv2d_2b_1x1', 64), conv('Conv2d_2c_3x3', 192),
    pool('max', 'MaxPool_3a_3x3', stride=2),
    _mixed('Mixed_3b', 64, (96, 128), (16, 32), 32),
    _mixed('Mixed_3c', 128, (128, 192), (32, 96), 64),
    pool('max', 'MaxPool_4a_3x3', stride=2),
    _mixed('Mixed_4b', 192, (96, 208), (16, 48), 64),
    _mixed('Mixed_4c', 160, (112, 224), (24, 64), 64),
    _mixed('Mixed_4d', 128, (128, 256), (24, 64), 64),
    _mixed('Mixed_4e', 112, (144, 288), (32, 64), 64),
    _mixed('Mixed_4f', 256, (160, 320), (32, 128), 128),
    pool('max', 'MaxPool_5a_2x2', stride=2),
    _mixed('Mixed_5b', 256, (160, 320), (32, 128), 128, second='Conv2d_0a_3x3'),
    _mixed('Mixed_5c', 384, (192, 384), (48, 128), 128),
]


def inception_v1_base(inputs, final_endpoint='Mixed_5c', scope='InceptionV1'):
    """(the net up to an end, outputs of all layers by name)"""
    end_points = {}
    with variable_scope.variable_scope(scope, 'InceptionV1', [inputs]):
        with arg_scope([layers.conv2d, layers_lib.fully_connected],
                       weights_initializer=trunc_normal(0.01)):
            with arg_scope([layers.conv2d, layers_lib.max_pool2d], stride=1, padding='SAME'):
                done, net = blocks.stack(inputs, _ROWS, lambda d: d, final_endpoint, end_points)
                if done:
                    return net, end_points
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


def inception_v1(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8,
                 prediction_fn=layers_lib.softmax, spatial_squeeze=True, reuse=None,
                 scope='InceptionV1'):
    """(logits, outputs of all layers by name)"""
    with variable_scope.variable_scope(scope, 'InceptionV1', [inputs, num_classes],
                                       reuse=reuse) as scope:
        with arg_scope([layers_lib.batch_norm, layers_lib.dropout], is_training=is_training):
            net, end_points = inception_v1_base(inputs, scope=scope)
            with variable_scope.variable_scope('Logits'):
                net = layers_lib.avg_pool2d(net, [7, 7], stride=1, scope='MaxPool_0a_7x7')
                logits = blocks.logits_of(net, ('Dropout_0b', 'Conv2d_0c_1x1'), num_classes,
                                          dropout_keep_prob, spatial_squeeze)
                return blocks.predictions(logits, prediction_fn, end_points)


inception_v1.default_image_size = 224


def inception_v1_arg_scope(weight_decay=0.00004, use_batch_norm=True,
                           batch_norm_var_collection='moving_vars'):
    """What the layers have in common."""
    return blocks.scope_of(weight_decay, layers_lib.batch_norm if use_batch_norm else None,
                           batch_norm_var_collection)
