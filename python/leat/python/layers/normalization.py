# SPDX-License-Identifier: Apache-2.0
"""tf.layers.batch_normalization and its class: fused where the op can, renorm, virtual batches.

The moving averages are updated by ops of the collection of updates, which a program runs.
"""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.keras import regularizers
from leat.python.keras.engine import base_layer
from leat.python.layers import base
from leat.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_impl
from leat.python.ops import nn_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope as vs
from leat.python.util import deprecation

_ZEROS = init_ops.zeros_initializer()
_ONES = init_ops.ones_initializer()


class BatchNormalization(base.Layer):
    """Inputs less their mean, over their deviation, each channel by itself, scaled and moved."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                 beta_initializer=_ZEROS, gamma_initializer=_ONES, moving_mean_initializer=_ZEROS,
                 moving_variance_initializer=_ONES, beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None,
                 renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None,
                 adjustment=None, name=None, **kwargs):
        super(BatchNormalization, self).__init__(name=name, trainable=trainable, **kwargs)
        if isinstance(axis, (list, tuple)):
            self.axis = list(axis)
        elif isinstance(axis, int):
            self.axis = axis
        else:
            raise TypeError('axis must be int or list, type given: %s' % type(axis))
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.renorm = renorm
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.fused = fused
        self.supports_masking = True
        self._bessels_correction_test_only = True
        if renorm:
            renorm_clipping = renorm_clipping or {}
            keys = ['rmax', 'rmin', 'dmax']
            if set(renorm_clipping) - set(keys):
                raise ValueError('renorm_clipping %s contains keys not in %s'
                                 % (renorm_clipping, keys))
            self.renorm_clipping = renorm_clipping
            self.renorm_momentum = renorm_momentum

    @property
    def _param_dtype(self):
        """Parameters of half precision are kept in float32."""
        if self.dtype in ('float16', 'bfloat16') or self.dtype is None:
            return dtypes.float32
        return dtypes.as_dtype(self.dtype)

    # ---- variables ----

    def build(self, input_shape):
        input_shape = tensor_shape.TensorShape(input_shape)
        if not input_shape.ndims:
            raise ValueError('Input has undefined rank:', input_shape)
        ndims = input_shape.ndims
        self._settle_axis(ndims)
        self._check_virtual_batches()
        self._settle_fused(ndims)
        sizes = {x: input_shape.dims[x].value for x in self.axis}
        if any(size is None for size in sizes.values()):
            raise ValueError('Input has undefined `axis` dimension. Input shape: ', input_shape)
        self.input_spec = base.InputSpec(ndim=ndims, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            shape = (sizes[self.axis[0]],)
        else:
            shape = [sizes.get(i, 1) for i in range(ndims)]
            if self.virtual_batch_size is not None:
                shape.insert(1, 1)
                self.axis = [x + 1 for x in self.axis]
        self._add_scale_and_offset(shape)
        self._add_moving(shape)
        self.built = True

    def _settle_axis(self, ndims):
        axis = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axis = [ndims + x if x < 0 else x for x in axis]
        for x in axis:
            if x < 0 or x >= ndims:
                raise ValueError('Invalid axis: %d' % x)
        if len(axis) != len(set(axis)):
            raise ValueError('Duplicate axis: %s' % axis)
        self.axis = axis

    def _check_virtual_batches(self):
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError('virtual_batch_size must be a positive integer that divides the true '
                             'batch size of the input Tensor')
        if 0 in self.axis:
            raise ValueError('When using virtual_batch_size, the batch dimension must be 0 and '
                             'thus axis cannot include 0')
        if self.adjustment is not None:
            raise ValueError('When using virtual_batch_size, adjustment cannot be specified')

    def _settle_fused(self, ndims):
        if self.fused in (None, True):
            self.fused = (ndims == 4 and self.axis in ([1], [3]) and not self.renorm
                          and self.virtual_batch_size is None and self.adjustment is None)
        if self.fused:
            if self.axis not in ([1], [3]):
                raise ValueError('Unsupported axis, fused batch norm only supports axis == [1] or '
                                 'axis == [3]')
            self._data_format = 'NCHW' if self.axis == [1] else 'NHWC'

    def _add_scale_and_offset(self, shape):
        dtype = self._param_dtype
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                name='gamma', shape=shape, dtype=dtype, initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer, constraint=self.gamma_constraint,
                trainable=True, experimental_autocast=False)
        elif self.fused:
            self._gamma_const = constant_op.constant(1.0, dtype=dtype, shape=shape)
        if self.center:
            self.beta = self.add_weight(
                name='beta', shape=shape, dtype=dtype, initializer=self.beta_initializer,
                regularizer=self.beta_regularizer, constraint=self.beta_constraint,
                trainable=True, experimental_autocast=False)
        elif self.fused:
            self._beta_const = constant_op.constant(0.0, dtype=dtype, shape=shape)

    def _moving(self, name, shape, initializer):
        return self.add_weight(
            name=name, shape=shape, dtype=self._param_dtype, initializer=initializer,
            synchronization=vs.VariableSynchronization.ON_READ, trainable=False,
            aggregation=vs.VariableAggregation.MEAN, experimental_autocast=False)

    def _add_moving(self, shape):
        """The moving averages, which are never cut into parts."""
        scope = self._scope
        partitioner = scope.partitioner if scope else None
        if scope:
            scope.set_partitioner(None)
        try:
            self.moving_mean = self._moving('moving_mean', shape, self.moving_mean_initializer)
            self.moving_variance = self._moving('moving_variance', shape,
                                                self.moving_variance_initializer)
            if self.renorm:
                def stddev(*args, **kwargs):
                    return math_ops.sqrt(self.moving_variance_initializer(*args, **kwargs))
                with ops.colocate_with(self.moving_variance):
                    self.moving_stddev = self._moving('moving_stddev', shape, stddev)
                with ops.colocate_with(self.moving_mean):
                    self.renorm_mean = self._moving('renorm_mean', shape,
                                                    self.moving_mean_initializer)
                with ops.colocate_with(self.moving_variance):
                    self.renorm_stddev = self._moving('renorm_stddev', shape, stddev)
        finally:
            if partitioner:
                scope.set_partitioner(partitioner)

    # ---- updates ----

    def _assign_moving_average(self, variable, value, momentum):
        """variable -= (variable - value) (1 - momentum)"""
        with ops.name_scope('AssignMovingAvg') as scope, ops.colocate_with(variable):
            decay = ops.convert_to_tensor(1.0 - momentum, name='decay')
            if decay.dtype != variable.dtype.base_dtype:
                decay = math_ops.cast(decay, variable.dtype.base_dtype)
            delta = (variable - math_ops.cast(value, variable.dtype.base_dtype)) * decay
            return state_ops.assign_sub(variable, delta, name=scope)

    def _assign_new_value(self, variable, value):
        with ops.name_scope('AssignNewValue') as scope, ops.colocate_with(variable):
            return state_ops.assign(variable, value, name=scope)

    # ---- the fused op ----

    def _fused_batch_norm(self, inputs, training):
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def train():
            return nn_impl.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon,
                                            data_format=self._data_format)

        def infer():
            return nn_impl.fused_batch_norm(
                inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                epsilon=self.epsilon, is_training=False, data_format=self._data_format)
        output, mean, variance = utils.smart_cond(training, train, infer)
        if not self._bessels_correction_test_only:
            variance = self._without_bessel(inputs, variance)
        known = utils.constant_value(training)
        if known is None:
            momentum = utils.smart_cond(training, lambda: self.momentum, lambda: 1.0)
        else:
            momentum = ops.convert_to_tensor(self.momentum)
        if known or known is None:
            self.add_update(
                lambda: self._assign_moving_average(self.moving_mean, mean, momentum))
            self.add_update(
                lambda: self._assign_moving_average(self.moving_variance, variance, momentum))
        return output

    @staticmethod
    def _without_bessel(inputs, variance):
        size = math_ops.cast(array_ops.size(inputs) / array_ops.size(variance), variance.dtype)
        return variance * (size - 1.0) / size

    # ---- the op by ops ----

    def _renorm_correction_and_moments(self, mean, variance, training):
        """(r, d, mean, variance): how batches differ from the moving averages."""
        stddev = math_ops.sqrt(variance + self.epsilon)
        renorm_stddev = math_ops.maximum(self.renorm_stddev, math_ops.sqrt(self.epsilon))
        r = stddev / renorm_stddev
        d = (mean - self.renorm_mean) / renorm_stddev
        with ops.control_dependencies([r, d]):  # by the averages before they change
            mean = array_ops.identity(mean)
            stddev = array_ops.identity(stddev)
        rmin, rmax, dmax = [self.renorm_clipping.get(key) for key in ('rmin', 'rmax', 'dmax')]
        if rmin is not None:
            r = math_ops.maximum(r, rmin)
        if rmax is not None:
            r = math_ops.minimum(r, rmax)
        if dmax is not None:
            d = math_ops.minimum(math_ops.maximum(d, -dmax), dmax)
        r = utils.smart_cond(training, lambda: r, lambda: array_ops.ones_like(r))
        d = utils.smart_cond(training, lambda: d, lambda: array_ops.zeros_like(d))

        def update(var, value):
            value = array_ops.identity(value)
            return utils.smart_cond(
                training,
                lambda: self._assign_moving_average(var, value, self.renorm_momentum),
                lambda: array_ops.identity(var))
        updates = [update(self.renorm_mean, mean), update(self.renorm_stddev, stddev)]
        with ops.control_dependencies(updates):
            return r, d, array_ops.identity(mean), array_ops.identity(variance)

    def _add_moving_updates(self, mean, variance, training):
        def mean_update():
            return utils.smart_cond(
                training,
                lambda: self._assign_moving_average(self.moving_mean, mean, self.momentum),
                lambda: self.moving_mean)

        def new_variance():
            if not self.renorm:
                return self._assign_moving_average(self.moving_variance, variance, self.momentum)
            stddev = self._assign_moving_average(
                self.moving_stddev, math_ops.sqrt(variance + self.epsilon), self.momentum)
            return self._assign_new_value(self.moving_variance,
                                          nn_ops.relu(stddev * stddev - self.epsilon))

        def variance_update():
            return utils.smart_cond(training, new_variance, lambda: self.moving_variance)
        self.add_update(mean_update)
        self.add_update(variance_update)

    def _batch_moments(self, inputs, training, scale, offset, broadcast, reduction_axes):
        """(mean, variance, scale, offset) where the batch's own may be used."""
        if self.adjustment:
            adj_scale, adj_bias = self.adjustment(array_ops.shape(inputs))
            adj_scale = utils.smart_cond(training, lambda: adj_scale,
                                         lambda: array_ops.ones_like(adj_scale))
            adj_bias = utils.smart_cond(training, lambda: adj_bias,
                                        lambda: array_ops.zeros_like(adj_bias))
            scale, offset = _compose(adj_scale, adj_bias, scale, offset)
        keep_dims = self.virtual_batch_size is not None or len(self.axis) > 1
        mean, variance = nn_impl.moments(math_ops.cast(inputs, self._param_dtype),
                                         reduction_axes, keep_dims=keep_dims)
        own_mean, own_variance = mean, variance
        mean = utils.smart_cond(training, lambda: own_mean,
                                lambda: ops.convert_to_tensor(self.moving_mean))
        variance = utils.smart_cond(training, lambda: own_variance,
                                    lambda: ops.convert_to_tensor(self.moving_variance))
        new_mean, new_variance = mean, variance
        if self.virtual_batch_size is not None:  # one step for all of the virtual batches
            new_mean = math_ops.reduce_mean(mean, axis=1, keepdims=True)
            new_variance = math_ops.reduce_mean(variance, axis=1, keepdims=True)
        if self.renorm:
            r, d, new_mean, new_variance = self._renorm_correction_and_moments(
                new_mean, new_variance, training)
            r = broadcast(array_ops.stop_gradient(r, name='renorm_r'))
            d = broadcast(array_ops.stop_gradient(d, name='renorm_d'))
            scale, offset = _compose(r, d, scale, offset)
        self._add_moving_updates(new_mean, new_variance, training)
        return mean, variance, scale, offset

    def call(self, inputs, training=False):
        if isinstance(training, int):
            training = bool(training)
        original = None
        if self.virtual_batch_size is not None:
            original = [-1] + inputs.shape.as_list()[1:]
            inputs = array_ops.reshape(inputs, [self.virtual_batch_size, -1] + original[1:])
        if self.fused:
            outputs = self._fused_batch_norm(inputs, training)
            return outputs if original is None else array_ops.reshape(outputs, original)
        shape = inputs.get_shape()
        ndims = shape.ndims
        reduction_axes = [i for i in range(ndims) if i not in self.axis]
        if self.virtual_batch_size is not None:
            del reduction_axes[1]  # each virtual batch by itself
        broadcast_shape = [1] * ndims
        broadcast_shape[self.axis[0]] = shape.dims[self.axis[0]].value

        def broadcast(v):
            if (v is not None and v.get_shape().ndims != ndims
                    and reduction_axes != list(range(ndims - 1))):
                return array_ops.reshape(v, broadcast_shape)
            return v
        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if utils.constant_value(training) is not False:
            mean, variance, scale, offset = self._batch_moments(
                inputs, training, scale, offset, broadcast, reduction_axes)
        else:
            mean, variance = self.moving_mean, self.moving_variance

        def typed(v):
            return v if v is None else math_ops.cast(v, inputs.dtype)
        mean, variance, offset, scale = typed(mean), typed(variance), typed(offset), typed(scale)
        outputs = nn_impl.batch_normalization(inputs, broadcast(mean), broadcast(variance),
                                              offset, scale, self.epsilon)
        outputs.set_shape(shape)
        return outputs if original is None else array_ops.reshape(outputs, original)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super(BatchNormalization, self).get_config()
        for key in ('axis', 'momentum', 'epsilon', 'center', 'scale', 'beta_initializer',
                    'gamma_initializer', 'moving_mean_initializer',
                    'moving_variance_initializer', 'beta_regularizer', 'gamma_regularizer',
                    'beta_constraint', 'gamma_constraint'):
            config[key] = base_layer.serialized(getattr(self, key))
        return config


def _compose(scale, offset, then_scale, then_offset):
    """(x scale + offset) then_scale + then_offset, as one scale and one offset."""
    if then_scale is not None:
        scale = scale * then_scale
        offset = offset * then_scale
    if then_offset is not None:
        offset = offset + then_offset
    return scale, offset


@deprecation.deprecated(
    None, 'Use keras.layers.BatchNormalization instead.  In particular, '
    '`tf.control_dependencies(tf.GraphKeys.UPDATE_OPS)` should not be used (consult the '
    '`tf.keras.layers.batch_normalization` documentation).')
def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                        beta_initializer=_ZEROS, gamma_initializer=_ONES,
                        moving_mean_initializer=_ZEROS, moving_variance_initializer=_ONES,
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                        gamma_constraint=None, training=False, trainable=True, name=None,
                        reuse=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                        fused=None, virtual_batch_size=None, adjustment=None):
    """A BatchNormalization layer, made and called."""
    layer = BatchNormalization(
        axis=axis, momentum=momentum, epsilon=epsilon, center=center, scale=scale,
        beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint, gamma_constraint=gamma_constraint, renorm=renorm,
        renorm_clipping=renorm_clipping, renorm_momentum=renorm_momentum, fused=fused,
        trainable=trainable, virtual_batch_size=virtual_batch_size, adjustment=adjustment,
        name=name, _reuse=reuse, _scope=name)
    return layer.apply(inputs, training=training)


BatchNorm = BatchNormalization
batch_norm = batch_normalization
