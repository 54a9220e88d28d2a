# SPDX-License-Identifier: Apache-2.0
"""What the Inception networks share: blocks of branches said as tables, their ends.

A branch is a tuple of layers. A layer is (kind, scope, depth, options): kind is 'conv', 'max' or
'avg', the last word of its scope is its kernel unless the options say another; a list of layers is
several side by side, put together."""
from leat.contrib import layers
from leat.contrib.framework.python.ops.arg_scope import arg_scope
from leat.contrib.layers.python.layers import initializers
from leat.contrib.layers.python.layers import layers as layers_lib
from leat.contrib.layers.python.layers import regularizers
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope


def trunc_normal(stddev):
    return init_ops.truncated_normal_initializer(0.0, stddev)


def conv(scope, depth, stddev=None, **options):
    if stddev is not None:
        options['weights_initializer'] = trunc_normal(stddev)
    return 'conv', scope, depth, options


def pool(kind, scope, **options):
    return kind, scope, None, options


def layer(net, row, depth):
    """The layer of a row; depth(n) is the channels for n."""
    if isinstance(row, list):
        return array_ops.concat([layer(net, part, depth) for part in row], 3)
    kind, scope, channels, options = row
    options = dict(options)
    size = options.pop('size', None) or [int(n) for n in scope.rsplit('_', 1)[1].split('x')]
    if kind == 'conv':
        return layers.conv2d(net, depth(channels), size, scope=scope, **options)
    pooling = layers_lib.max_pool2d if kind == 'max' else layers_lib.avg_pool2d
    return pooling(net, size, scope=scope, **options)


def mixed(net, name, branches, depth):
    """The branches side by side."""
    with variable_scope.variable_scope(name):
        outputs = []
        for i, branch in enumerate(branches):
            with variable_scope.variable_scope('Branch_%d' % i):
                out = net
                for row in branch:
                    out = layer(out, row, depth)
            outputs.append(out)
        return array_ops.concat(outputs, 3)


def stack(net, rows, depth, final_endpoint, end_points):
    """(whether the end was reached, the net): each row is a layer, or (name, branches)."""
    for row in rows:
        if len(row) == 2:
            name, net = row[0], mixed(net, row[0], row[1], depth)
        else:
            name, net = row[1], layer(net, row, depth)
        end_points[name] = net
        if name == final_endpoint:
            return True, net
    return False, net


def depth_of(depth_multiplier, min_depth):
    if depth_multiplier <= 0:
        raise ValueError('depth_multiplier is not greater than zero.')
    return lambda d: max(int(d * depth_multiplier), min_depth)


def reduced_kernel_size(net, kernel_size):
    """The kernel, no larger than the net where that is known."""
    shape = net.get_shape().as_list()
    if shape[1] is None or shape[2] is None:
        return kernel_size
    return [min(shape[1], kernel_size[0]), min(shape[2], kernel_size[1])]


def logits_of(net, names, num_classes, dropout_keep_prob, spatial_squeeze, end_points=None):
    """Dropout and the last convolution; names are those of the two."""
    net = layers_lib.dropout(net, keep_prob=dropout_keep_prob, scope=names[0])
    if end_points is not None:
        end_points['PreLogits'] = net
    logits = layers.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                           scope=names[1])
    return array_ops.squeeze(logits, [1, 2], name='SpatialSqueeze') if spatial_squeeze else logits


def pooled(net, size):
    """The average of all places of a net that is as large as size, or smaller."""
    size = reduced_kernel_size(net, size)
    return layers_lib.avg_pool2d(net, size, padding='VALID',
                                 scope='AvgPool_1a_{}x{}'.format(*size))


def predictions(logits, prediction_fn, end_points):
    end_points['Logits'] = logits
    end_points['Predictions'] = prediction_fn(logits, scope='Predictions')
    return logits, end_points


def scope_of(weight_decay, normalizer_fn, collection, decay=0.9997, epsilon=0.001,
             updates_collections=ops.GraphKeys.UPDATE_OPS, **more):
    """The arg_scope of the three."""
    params = {'decay': decay, 'epsilon': epsilon, 'updates_collections': updates_collections,
              'variables_collections': {'beta': None, 'gamma': None,
                                        'moving_mean': [collection],
                                        'moving_variance': [collection]}}
    params.update(more)
    with arg_scope([layers.conv2d, layers_lib.fully_connected],
                   weights_regularizer=regularizers.l2_regularizer(weight_decay)):
        with arg_scope([layers.conv2d],
                       weights_initializer=initializers.variance_scaling_initializer(),
                       activation_fn=nn_ops.relu, normalizer_fn=normalizer_fn,
                       normalizer_params=params if normalizer_fn else {}) as scope:
            return scope
