# SPDX-License-Identifier: Apache-2.0
"""tf.layers.dense, dropout, flatten, and their classes."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.keras import activations
from leat.python.keras import regularizers
from leat.python.keras.engine import base_layer
from leat.python.layers import base
from leat.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import gen_math_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.util import deprecation

_ZEROS = init_ops.zeros_initializer()


class Dense(base.Layer):
    """activation(inputs kernel + bias), over the last dim."""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=_ZEROS, kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super(Dense, self).__init__(
            trainable=trainable, name=name,
            activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.units = int(units) if not isinstance(units, int) else units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.supports_masking = True
        self.input_spec = base.InputSpec(min_ndim=2)

    def build(self, input_shape):
        dtype = dtypes.as_dtype(self.dtype or 'float32')
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError('Unable to build `Dense` layer with non-floating point dtype %s'
                            % (dtype,))
        input_shape = tensor_shape.TensorShape(input_shape)
        last_dim = tensor_shape.dimension_value(input_shape[-1])
        if last_dim is None:
            raise ValueError('The last dimension of the inputs to `Dense` should be defined. '
                             'Found `None`.')
        self.input_spec = base.InputSpec(min_ndim=2, axes={-1: last_dim})
        self.kernel = self.add_weight(
            'kernel', shape=[last_dim, self.units], initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
            dtype=self.dtype, trainable=True)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                'bias', shape=[self.units], initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
                dtype=self.dtype, trainable=True)
        self.built = True

    def call(self, inputs):
        rank = inputs.shape.ndims
        if rank > 2:
            outputs = math_ops.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape.as_list()[:-1] + [self.units])
        elif isinstance(inputs, sparse_tensor.SparseTensor):
            from leat.python.ops import sparse_ops
            outputs = sparse_ops.sparse_tensor_dense_matmul(inputs, self.kernel)
        else:
            inputs = math_ops.cast(inputs, self.dtype)
            outputs = gen_math_ops.mat_mul(inputs, self.kernel)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        if self.activation is not None:
            return self.activation(outputs)
        return outputs

    def compute_output_shape(self, input_shape):
        input_shape = tensor_shape.TensorShape(input_shape).with_rank_at_least(2)
        if tensor_shape.dimension_value(input_shape[-1]) is None:
            raise ValueError('The innermost dimension of input_shape must be defined, but saw: %s'
                             % input_shape)
        return input_shape[:-1].concatenate(self.units)

    def get_config(self):
        config = super(Dense, self).get_config()
        config.update(units=self.units, activation=activations.serialize(self.activation),
                      use_bias=self.use_bias,
                      kernel_initializer=base_layer.serialized(self.kernel_initializer),
                      bias_initializer=base_layer.serialized(self.bias_initializer),
                      kernel_regularizer=self.kernel_regularizer,
                      bias_regularizer=self.bias_regularizer,
                      activity_regularizer=self.activity_regularizer,
                      kernel_constraint=self.kernel_constraint,
                      bias_constraint=self.bias_constraint)
        return config


@deprecation.deprecated(None, 'Use keras.layers.Dense instead.')
def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None,
          bias_initializer=_ZEROS, kernel_regularizer=None, bias_regularizer=None,
          activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
          trainable=True, name=None, reuse=None):
    """A Dense layer, made and called."""
    layer = Dense(units, activation=activation, use_bias=use_bias,
                  kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                  kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                  activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
                  bias_constraint=bias_constraint, trainable=trainable, name=name, _scope=name,
                  _reuse=reuse)
    return layer.apply(inputs)


class Dropout(base.Layer):
    """While training, zeros at random places, and the rest larger so that the mean stays."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super(Dropout, self).__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def _get_noise_shape(self, inputs):
        """noise_shape with the sizes of inputs where it says None."""
        if self.noise_shape is None or isinstance(self.noise_shape, ops.Tensor):
            return self.noise_shape
        concrete = array_ops.shape(inputs)
        return ops.convert_to_tensor([concrete[i] if size is None else size
                                      for i, size in enumerate(self.noise_shape)])

    def call(self, inputs, training=False):
        def dropped():
            return nn_ops.dropout(inputs, noise_shape=self._get_noise_shape(inputs),
                                  seed=self.seed, rate=self.rate)
        return utils.smart_cond(training, dropped, lambda: array_ops.identity(inputs))

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super(Dropout, self).get_config()
        config.update(rate=self.rate, noise_shape=self.noise_shape, seed=self.seed)
        return config


@deprecation.deprecated(None, 'Use keras.layers.dropout instead.')
def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """A Dropout layer, made and called."""
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer.apply(inputs, training=training)


class Flatten(base.Layer):
    """Each element of the batch as a vector."""

    def __init__(self, data_format=None, **kwargs):
        super(Flatten, self).__init__(**kwargs)
        self.data_format = utils.normalize_data_format(data_format or 'channels_last')
        self.input_spec = base.InputSpec(min_ndim=1)

    def call(self, inputs):
        rank = inputs.shape.ndims
        if self.data_format == 'channels_first' and rank is not None and rank > 1:
            inputs = array_ops.transpose(inputs, [0] + list(range(2, rank)) + [1])
        batch = tensor_shape.dimension_value(inputs.shape[0])
        outputs = array_ops.reshape(
            inputs, (array_ops.shape(inputs)[0] if batch is None else batch, -1))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape):
        dims = tensor_shape.as_shape(input_shape).as_list()
        if not dims:
            return tensor_shape.TensorShape([1, 1])
        size = 1
        for dim in dims[1:]:
            size = None if size is None or dim is None else size * dim
        return tensor_shape.TensorShape([dims[0], size])

    def get_config(self):
        config = super(Flatten, self).get_config()
        config.update(data_format=self.data_format)
        return config


@deprecation.deprecated(None, 'Use keras.layers.Flatten instead.')
def flatten(inputs, name=None, data_format='channels_last'):
    """A Flatten layer, made and called."""
    return Flatten(name=name, data_format=data_format).apply(inputs)


FullyConnected = Dense
fully_connected = dense
