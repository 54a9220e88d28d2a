# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.layers.batch_norm: by tf.layers where that can, else by the fused op or by ops.

With updates_collections=None the updates run whenever the output is computed.
"""
from leat.contrib.framework.python.ops import add_arg_scope, variables
from leat.contrib.layers.python.layers import utils
from leat.contrib.layers.python.layers._common import (
    DATA_FORMAT_NCHW, DATA_FORMAT_NHWC, _add_variable_to_collections, _build_variable_getter,
    check_2d)
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.layers import normalization as normalization_layers
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import nn
from leat.python.ops import variable_scope
from leat.python.training import moving_averages

_FIRST = {'beta': init_ops.zeros_initializer, 'gamma': init_ops.ones_initializer,
          'moving_mean': init_ops.zeros_initializer,
          'moving_variance': init_ops.ones_initializer}


def _initializer(param_initializers, name):
    found = (param_initializers or {}).get(name)
    return _FIRST[name]() if found is None else found


class _Parameters(object):
    """Makes the variables of a normalisation, model variables all."""

    def __init__(self, shape, dtype, arguments):
        self._shape, self._dtype, self._a = shape, dtype, arguments

    def make(self, name, trainable):
        a = self._a
        regularizer = (a.get('param_regularizers') or {}).get(name) if trainable else None
        return variables.model_variable(
            name, shape=self._shape, dtype=self._dtype,
            initializer=_initializer(a['param_initializers'], name), regularizer=regularizer,
            collections=utils.get_variable_collections(a['variables_collections'], name),
            trainable=a['trainable'] if trainable else False)

    def make_moving(self):
        """(moving_mean, moving_variance), which no partitioner cuts."""
        scope = variable_scope.get_variable_scope()
        partitioner = scope.partitioner
        try:
            scope.set_partitioner(None)
            return self.make('moving_mean', False), self.make('moving_variance', False)
        finally:
            scope.set_partitioner(partitioner)


def _updated(outputs, moving_mean, moving_variance, mean, variance, a, known):
    """The outputs, which the updates depend on or go with, as updates_collections says."""
    def updates():
        return (moving_averages.assign_moving_average(
                    moving_mean, mean, a['decay'],
                    zero_debias=a['zero_debias_moving_mean']),
                moving_averages.assign_moving_average(moving_variance, variance, a['decay'],
                                                      zero_debias=False))
    if a['updates_collections'] is None:
        def forced():
            with ops.control_dependencies(updates()):
                return array_ops.identity(outputs)
        return utils.smart_cond(a['is_training'], forced, lambda: outputs)
    if known is None:
        made = utils.smart_cond(a['is_training'], updates,
                                lambda: (moving_mean, moving_variance))
    else:
        made = updates()
    for update in made:
        ops.add_to_collections(a['updates_collections'], update)
    return outputs


def _fused_batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001,
                      activation_fn=None, param_initializers=None, param_regularizers=None,
                      updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
                      variables_collections=None, outputs_collections=None, trainable=True,
                      data_format=DATA_FORMAT_NHWC, zero_debias_moving_mean=False, scope=None):
    """By the fused op, for inputs of rank 2 or 4."""
    arguments = dict(locals())
    check_2d(data_format)
    with variable_scope.variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        original_shape = inputs.get_shape()
        original_inputs = inputs
        rank = original_shape.ndims
        if rank is None:
            raise ValueError('Inputs %s has undefined rank' % inputs.name)
        if rank not in (2, 4):
            raise ValueError('Inputs %s has unsupported rank. Expected 2 or 4 but got %d'
                             % (inputs.name, rank))
        if rank == 2:
            num = inputs.get_shape().dims[-1].value
            inputs = array_ops.reshape(inputs, [-1, 1, 1, num] if data_format == 'NHWC'
                                       else [-1, num, 1, 1])
        shape = inputs.get_shape()
        params_shape = shape[-1:] if data_format == DATA_FORMAT_NHWC else shape[1:2]
        if not params_shape.is_fully_defined():
            raise ValueError('Inputs %s has undefined `C` dimension %s.'
                             % (inputs.name, params_shape))
        parameters = _Parameters(params_shape, inputs.dtype.base_dtype, arguments)
        beta = (parameters.make('beta', True) if center
                else constant_op.constant(0.0, dtype=inputs.dtype, shape=params_shape))
        gamma = (parameters.make('gamma', True) if scale
                 else constant_op.constant(1.0, dtype=inputs.dtype, shape=params_shape))
        moving_mean, moving_variance = parameters.make_moving()
        outputs = _fused(inputs, gamma, beta, moving_mean, moving_variance, arguments)
        outputs.set_shape(shape)
        if rank == 2:
            outputs = array_ops.reshape(outputs, array_ops.shape(original_inputs))
        outputs.set_shape(original_shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _fused(inputs, gamma, beta, moving_mean, moving_variance, a):
    def train():
        return nn.fused_batch_norm(inputs, gamma, beta, epsilon=a['epsilon'],
                                   data_format=a['data_format'])

    def infer():
        return nn.fused_batch_norm(inputs, gamma, beta, mean=moving_mean,
                                   variance=moving_variance, epsilon=a['epsilon'],
                                   is_training=False, data_format=a['data_format'])
    outputs, mean, variance = utils.smart_cond(a['is_training'], train, infer)
    known = utils.constant_value(a['is_training'])
    if known is None or known:
        return _updated(outputs, moving_mean, moving_variance, mean, variance, a, known)
    return outputs


def _by_layer(inputs, a, sc):
    """By tf.layers' class."""
    layer = normalization_layers.BatchNormalization(
        axis=1 if a['data_format'] == DATA_FORMAT_NCHW else -1, momentum=a['decay'],
        epsilon=a['epsilon'], center=a['center'], scale=a['scale'],
        beta_initializer=_initializer(a['param_initializers'], 'beta'),
        gamma_initializer=_initializer(a['param_initializers'], 'gamma'),
        moving_mean_initializer=_initializer(a['param_initializers'], 'moving_mean'),
        moving_variance_initializer=_initializer(a['param_initializers'], 'moving_variance'),
        beta_regularizer=(a['param_regularizers'] or {}).get('beta'),
        gamma_regularizer=(a['param_regularizers'] or {}).get('gamma'),
        trainable=a['trainable'], renorm=a['renorm'], renorm_clipping=a['renorm_clipping'],
        renorm_momentum=a['renorm_decay'], adjustment=a['adjustment'], name=sc.name, _scope=sc,
        _reuse=a['reuse'], fused=a['fused'])
    outputs = layer.apply(inputs, training=a['is_training'])
    for variable, name in ((layer.moving_mean, 'moving_mean'),
                           (layer.moving_variance, 'moving_variance'),
                           (layer.beta, 'beta'), (layer.gamma, 'gamma')):
        if variable is not None:
            _add_variable_to_collections(variable, a['variables_collections'], name)
    if a['activation_fn'] is not None:
        outputs = a['activation_fn'](outputs)
    return utils.collect_named_outputs(a['outputs_collections'], sc.name, outputs)


def _by_ops(inputs, a, sc):
    """Weighted batches, and updates that tf.layers' class does not know."""
    shape = inputs.get_shape()
    if shape.ndims is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    dtype = inputs.dtype.base_dtype
    weights = a['batch_weights']
    if weights is not None:
        weights = ops.convert_to_tensor(weights)
        shape[0:1].assert_is_compatible_with(weights.get_shape())
        weights = array_ops.reshape(weights, [-1] + [1] * (shape.ndims - 1))
    first = a['data_format'] == DATA_FORMAT_NCHW
    if first:
        moments_axes = [0] + list(range(2, shape.ndims))
        params_shape = shape[1:2]
        broadcast_shape = [1, shape.dims[1].value] + [1] * (shape.ndims - 2)
    else:
        moments_axes = list(range(shape.ndims - 1))
        params_shape = shape[-1:]
        broadcast_shape = None
    if not params_shape.is_fully_defined():
        raise ValueError('Inputs %s has undefined channels dimension %s.'
                         % (inputs.name, params_shape))
    parameters = _Parameters(params_shape, dtype, a)
    beta = parameters.make('beta', True) if a['center'] else None
    gamma = parameters.make('gamma', True) if a['scale'] else None
    moving_mean, moving_variance = parameters.make_moving()
    known = utils.constant_value(a['is_training'])

    with ops.name_scope(sc.name.split('/')[-1]):
        pass  # a scope that TensorFlow opens too: names after it count on

    def normalized(mean, variance):
        def shaped(v):
            return v if v is None or not first else array_ops.reshape(v, broadcast_shape)
        return nn.batch_normalization(inputs, shaped(mean), shaped(variance), shaped(beta),
                                      shaped(gamma), a['epsilon'])
    if known is None or known:
        if weights is None:
            mean, variance = nn.moments(inputs, moments_axes)
        else:
            mean, variance = nn.weighted_moments(inputs, moments_axes, weights)
        mean, variance = _moments_in_use(mean, variance, moving_mean, moving_variance, a, known)
    else:
        mean, variance = moving_mean, moving_variance
    outputs = normalized(mean, variance)
    outputs.set_shape(shape)
    if a['activation_fn'] is not None:
        outputs = a['activation_fn'](outputs)
    return utils.collect_named_outputs(a['outputs_collections'], sc.name, outputs)


def _moments_in_use(mean, variance, moving_mean, moving_variance, a, known):
    """The batch's moments while it trains, with the updates of the moving ones."""
    def updates():
        return (moving_averages.assign_moving_average(
                    moving_mean, mean, a['decay'],
                    zero_debias=a['zero_debias_moving_mean']),
                moving_averages.assign_moving_average(moving_variance, variance, a['decay'],
                                                      zero_debias=False))
    if a['updates_collections'] is None:
        def forced():
            with ops.control_dependencies(updates()):
                return array_ops.identity(mean), array_ops.identity(variance)
        return utils.smart_cond(a['is_training'], forced,
                                lambda: (moving_mean, moving_variance))

    def delayed():
        return updates()
    made = utils.smart_cond(a['is_training'], delayed, lambda: (moving_mean, moving_variance))
    for update in made:
        ops.add_to_collections(a['updates_collections'], update)
    if known is None:
        return utils.smart_cond(a['is_training'], lambda: (mean, variance),
                                lambda: (moving_mean, moving_variance))
    return mean, variance


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None,
               param_initializers=None, param_regularizers=None,
               updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format=DATA_FORMAT_NHWC,
               zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
               renorm_decay=0.99, adjustment=None):
    """Inputs less their mean, over their deviation, each channel by itself, moved."""
    arguments = dict(locals())
    if fused is None:
        arguments['fused'] = fused = True
    inputs = ops.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    possible_to_fuse = (batch_weights is None and not renorm and rank in [2, 4]
                        and adjustment is None)
    if fused and possible_to_fuse and (zero_debias_moving_mean or rank == 2
                                       or updates_collections is not GraphKeys.UPDATE_OPS):
        return _fused_batch_norm(
            inputs, decay=decay, center=center, scale=scale, epsilon=epsilon,
            activation_fn=activation_fn, param_initializers=param_initializers,
            param_regularizers=param_regularizers, updates_collections=updates_collections,
            is_training=is_training, reuse=reuse, variables_collections=variables_collections,
            outputs_collections=outputs_collections, trainable=trainable,
            data_format=data_format, zero_debias_moving_mean=zero_debias_moving_mean,
            scope=scope)
    check_2d(data_format)
    with variable_scope.variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse,
                                       custom_getter=_build_variable_getter()) as sc:
        if (batch_weights is None and updates_collections is GraphKeys.UPDATE_OPS
                and not zero_debias_moving_mean):
            return _by_layer(inputs, arguments, sc)
        if renorm:
            raise ValueError('renorm is not supported with batch_weights, updates_collections or '
                             'zero_debias_moving_mean')
        return _by_ops(inputs, arguments, sc)
