# SPDX-License-Identifier: Apache-2.0
"""Inception v3 (Szegedy et al., 2015)."""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.slim.python.slim.nets import _inception_blocks as blocks
from leat.contrib.slim.python.slim.nets._inception_blocks import conv, pool, trunc_normal
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import variable_scope

_AVG = pool('avg', 'AvgPool_0a_3x3')
_HALF = {'stride': 2, 'padding': 'VALID'}


def _mixed5(name, last, five=('Conv2d_0a_1x1', 'Conv2d_0b_5x5')):
    return name, [(conv('Conv2d_0a_1x1', 64),), (conv(five[0], 48), conv(five[1], 64)),
                  (conv('Conv2d_0a_1x1', 64), conv('Conv2d_0b_3x3', 96),
                   conv('Conv2d_0c_3x3', 96)),
                  (_AVG, conv('Conv2d_0b_1x1', last))]


def _mixed6(name, n):
    return name, [(conv('Conv2d_0a_1x1', 192),),
                  (conv('Conv2d_0a_1x1', n), conv('Conv2d_0b_1x7', n),
                   conv('Conv2d_0c_7x1', 192)),
                  (conv('Conv2d_0a_1x1', n), conv('Conv2d_0b_7x1', n), conv('Conv2d_0c_1x7', n),
                   conv('Conv2d_0d_7x1', n), conv('Conv2d_0e_1x7', 192)),
                  (_AVG, conv('Conv2d_0b_1x1', 192))]


def _mixed7(name, second):
    return name, [(conv('Conv2d_0a_1x1', 320),),
                  (conv('Conv2d_0a_1x1', 384), [conv('Conv2d_0b_1x3', 384), conv(second, 384)]),
                  (conv('Conv2d_0a_1x1', 448), conv('Conv2d_0b_3x3', 384),
                   [conv('Conv2d_0c_1x3', 384), conv('Conv2d_0d_3x1', 384)]),
                  (_AVG, conv('Conv2d_0b_1x1', 192))]


_STEM = [
    conv('Conv2d_1a_3x3', 32, stride=2), conv('Conv2d_2a_3x3', 32),
    conv('Conv2d_2b_3x3', 64, padding='SAME'), pool('max', 'MaxPool_3a_3x3', stride=2),
    conv('Conv2d_3b_1x1', 80), conv('Conv2d_4a_3x3', 192),
    pool('max', 'MaxPool_5a_3x3', stride=2),
]
_ROWS = [
    _mixed5('Mixed_5b', 32), _mixed5('Mixed_5c', 64, ('Conv2d_0b_1x1', 'Conv_1_0c_5x5')),
    _mixed5('Mixed_5d', 64),
    ('Mixed_6a', [(conv('Conv2d_1a_1x1', 384, size=[3, 3], **_HALF),),
                  (conv('Conv2d_0a_1x1', 64), conv('Conv2d_0b_3x3', 96),
                   conv('Conv2d_1a_1x1', 96, size=[3, 3], **_HALF)),
                  (pool('max', 'MaxPool_1a_3x3', **_HALF),)]),
    _mixed6('Mixed_6b', 128), _mixed6('Mixed_6c', 160), _mixed6('Mixed_6d', 160),
    _mixed6('Mixed_6e', 192),
    ('Mixed_7a', [(conv('Conv2d_0a_1x1', 192), conv('Conv2d_1a_3x3', 320, **_HALF)),
                  (conv('Conv2d_0a_1x1', 192), conv('Conv2d_0b_1x7', 192),
                   conv('Conv2d_0c_7x1', 192), conv('Conv2d_1a_3x3', 192, **_HALF)),
                  (pool('max', 'MaxPool_1a_3x3', **_HALF),)]),
    _mixed7('Mixed_7b', 'Conv2d_0b_3x1'), _mixed7('Mixed_7c', 'Conv2d_0c_3x1'),
]


def inception_v3_base(inputs, final_endpoint='Mixed_7c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """(the net up to an end, outputs of all layers by name)"""
    end_points = {}
    depth = blocks.depth_of(depth_multiplier, min_depth)
    kinds = [layers.conv2d, layers_lib.max_pool2d, layers_lib.avg_pool2d]
    with variable_scope.variable_scope(scope, 'InceptionV3', [inputs]):
        with arg_scope(kinds, stride=1, padding='VALID'):
            done, net = blocks.stack(inputs, _STEM, depth, final_endpoint, end_points)
        if not done:
            with arg_scope(kinds, stride=1, padding='SAME'):
                done, net = blocks.stack(net, _ROWS, depth, final_endpoint, end_points)
        if done:
            return net, end_points
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


def _aux_logits(net, num_classes, depth, spatial_squeeze, end_points):
    """The logits from the middle of the net."""
    with variable_scope.variable_scope('AuxLogits'):
        net = layers_lib.avg_pool2d(net, [5, 5], stride=3, padding='VALID',
                                    scope='AvgPool_1a_5x5')
        net = layers.conv2d(net, depth(128), [1, 1], scope='Conv2d_1b_1x1')
        size = blocks.reduced_kernel_size(net, [5, 5])
        net = layers.conv2d(net, depth(768), size, weights_initializer=trunc_normal(0.01),
                            padding='VALID', scope='Conv2d_2a_{}x{}'.format(*size))
        net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                            weights_initializer=trunc_normal(0.001), scope='Conv2d_2b_1x1')
        if spatial_squeeze:
            net = array_ops.squeeze(net, [1, 2], name='SpatialSqueeze')
        end_points['AuxLogits'] = net


def inception_v3(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16,
                 depth_multiplier=1.0, prediction_fn=layers_lib.softmax, spatial_squeeze=True,
                 reuse=None, create_aux_logits=True, scope='InceptionV3'):
    """(logits, outputs of all layers by name)"""
    depth = blocks.depth_of(depth_multiplier, min_depth)
    with variable_scope.variable_scope(scope, 'InceptionV3', [inputs, num_classes],
                                       reuse=reuse) as scope:
        with arg_scope([layers_lib.batch_norm, layers_lib.dropout], is_training=is_training):
            net, end_points = inception_v3_base(inputs, scope=scope, min_depth=min_depth,
                                                depth_multiplier=depth_multiplier)
            with arg_scope([layers.conv2d, layers_lib.max_pool2d, layers_lib.avg_pool2d],
                           stride=1, padding='SAME'):
                if create_aux_logits:
                    _aux_logits(end_points['Mixed_6e'], num_classes, depth, spatial_squeeze,
                                end_points)
            with variable_scope.variable_scope('Logits'):
                logits = blocks.logits_of(blocks.pooled(net, [8, 8]),
                                          ('Dropout_1b', 'Conv2d_1c_1x1'), num_classes,
                                          dropout_keep_prob, spatial_squeeze, end_points)
            return blocks.predictions(logits, prediction_fn, end_points)


inception_v3.default_image_size = 299


def inception_v3_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars',
                           batch_norm_decay=0.9997, batch_norm_epsilon=0.001,
                           updates_collections=ops.GraphKeys.UPDATE_OPS,
                           use_fused_batchnorm=True):
    """What the layers have in common."""
    return blocks.scope_of(weight_decay, layers_lib.batch_norm, batch_norm_var_collection,
                           batch_norm_decay, batch_norm_epsilon, updates_collections,
                           fused=use_fused_batchnorm)
