# SPDX-License-Identifier: Apache-2.0
"""Inception v2, with batch normalisation (Ioffe and Szegedy, 2015)."""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.slim.python.slim.nets import _inception_blocks as blocks
from leat.contrib.slim.python.slim.nets._inception_blocks import conv, pool, trunc_normal
from leat.python.ops import variable_scope


def _mixed(name, one, three, double, last, pooling='avg'):
    first = pool('max', 'MaxPool_0a_3x3') if pooling == 'max' else pool('avg', 'AvgPool_0a_3x3')
    return name, [(conv('Conv2d_0a_1x1', one),),
                  (conv('Conv2d_0a_1x1', three[0], .09), conv('Conv2d_0b_3x3', three[1])),
                  (conv('Conv2d_0a_1x1', double[0], .09), conv('Conv2d_0b_3x3', double[1]),
                   conv('Conv2d_0c_3x3', double[2])),
                  (first, conv('Conv2d_0b_1x1', last, .1))]


def _smaller(name, three, double):
    return name, [(conv('Conv2d_0a_1x1', three[0], .09),
                   conv('Conv2d_1a_3x3', three[1], stride=2)),
                  (conv('Conv2d_0a_1x1', double[0], .09), conv('Conv2d_0b_3x3', double[1]),
                   conv('Conv2d_1a_3x3', double[2], stride=2)),
                  (pool('max', 'MaxPool_1a_3x3', stride=2),)]


_ROWS = [
    pool('max', 'MaxPool_2a_3x3', stride=2), conv('Conv2d_2b_1x1', 64, .1),
    conv('Conv2d_2c_3x3', 192), pool('max', 'MaxPool_3a_3x3', stride=2),
    _mixed('Mixed_3b', 64, (64, 64), (64, 96, 96), 32),
    _mixed('Mixed_3c', 64, (64, 96), (64, 96, 96), 64),
    _smaller('Mixed_4a', (128, 160), (64, 96, 96)),
    _mixed('Mixed_4b', 224, (64, 96), (96, 128, 128), 128),
    _mixed('Mixed_4c', 192, (96, 128), (96, 128, 128), 128),
    _mixed('Mixed_4d', 160, (128, 160), (128, 160, 160), 96),
    _mixed('Mixed_4e', 96, (128, 192), (160, 192, 192), 96),
    _smaller('Mixed_5a', (128, 192), (192, 256, 256)),
    _mixed('Mixed_5b', 352, (192, 320), (160, 224, 224), 128),
    _mixed('Mixed_5c', 352, (192, 320), (192, 224, 224), 128, pooling='max'),
]


def inception_v2_base(inputs, final_endpoint='Mixed_5c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """(the net up to an end, outputs of all layers by name)"""
    end_points = {}
    depth = blocks.depth_of(depth_multiplier, min_depth)
    with variable_scope.variable_scope(scope, 'InceptionV2', [inputs]):
        with arg_scope([layers.conv2d, layers_lib.max_pool2d, layers_lib.avg_pool2d,
                        layers.separable_conv2d], stride=1, padding='SAME'):
            name = 'Conv2d_1a_7x7'
            net = layers.separable_conv2d(
                inputs, depth(64), [7, 7], depth_multiplier=min(int(depth(64) / 3), 8), stride=2,
                weights_initializer=trunc_normal(1.0), scope=name)
            end_points[name] = net
            done = final_endpoint == name
            if not done:
                done, net = blocks.stack(net, _ROWS, depth, final_endpoint, end_points)
            if done:
                return net, end_points
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


def inception_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16,
                 depth_multiplier=1.0, prediction_fn=layers_lib.softmax, spatial_squeeze=True,
                 reuse=None, scope='InceptionV2'):
    """(logits, outputs of all layers by name)"""
    blocks.depth_of(depth_multiplier, min_depth)
    with variable_scope.variable_scope(scope, 'InceptionV2', [inputs, num_classes],
                                       reuse=reuse) as scope:
        with arg_scope([layers_lib.batch_norm, layers_lib.dropout], is_training=is_training):
            net, end_points = inception_v2_base(inputs, scope=scope, min_depth=min_depth,
                                                depth_multiplier=depth_multiplier)
            with variable_scope.variable_scope('Logits'):
                logits = blocks.logits_of(blocks.pooled(net, [7, 7]),
                                          ('Dropout_1b', 'Conv2d_1c_1x1'), num_classes,
                                          dropout_keep_prob, spatial_squeeze)
            return blocks.predictions(logits, prediction_fn, end_points)


inception_v2.default_image_size = 224


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars'):
    """What the layers have in common."""
    return blocks.scope_of(weight_decay, layers_lib.batch_norm, batch_norm_var_collection)
