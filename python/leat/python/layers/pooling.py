# SPDX-License-Identifier: Apache-2.0
"""tf.layers.max_pooling1d/2d/3d, average_pooling1d/2d/3d, and their classes."""
from leat.python.framework import tensor_shape
from leat.python.layers import base
from leat.python.layers import utils
from leat.python.ops import array_ops
from leat.python.ops import nn_ops
from leat.python.util import deprecation


class _Pooling(base.Layer):
    """Windows of the places of each channel, one number each."""

    _rank = None
    _average = False

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last',
                 name=None, **kwargs):
        super(_Pooling, self).__init__(name=name, **kwargs)
        if strides is None:
            strides = pool_size
        self.pool_size = utils.normalize_tuple(pool_size, self._rank, 'pool_size')
        self.strides = utils.normalize_tuple(strides, self._rank, 'strides')
        self.padding = utils.normalize_padding(padding)
        self.data_format = utils.normalize_data_format(data_format)
        self.input_spec = base.InputSpec(ndim=self._rank + 2)

    @property
    def _first(self):
        return self.data_format == 'channels_first'

    def _pool2d(self, inputs, pool_size, strides, data_format):
        def four(sizes):
            return (1, 1) + sizes if data_format == 'NCHW' else (1,) + sizes + (1,)
        pool = nn_ops.avg_pool if self._average else nn_ops.max_pool
        return pool(inputs, ksize=four(pool_size), strides=four(strides),
                    padding=self.padding.upper(), data_format=data_format)

    def compute_output_shape(self, input_shape):
        dims = tensor_shape.TensorShape(input_shape).as_list()
        start = 2 if self._first else 1
        for i in range(self._rank):
            dims[start + i] = utils.conv_output_length(dims[start + i], self.pool_size[i],
                                                       self.padding, self.strides[i])
        return tensor_shape.TensorShape(dims)

    def get_config(self):
        config = super(_Pooling, self).get_config()
        config.update(strides=self.strides, pool_size=self.pool_size, padding=self.padding,
                      data_format=self.data_format)
        return config


class _Pooling1D(_Pooling):
    """A dim of size 1 makes two of the one."""
    _rank = 1

    def call(self, inputs):
        pad_axis = 3 if self._first else 2
        inputs = array_ops.expand_dims(inputs, pad_axis)
        if self._first:
            inputs = array_ops.transpose(inputs, (0, 2, 3, 1))
        outputs = self._pool2d(inputs, self.pool_size + (1,), self.strides + (1,), 'NHWC')
        if self._first:
            outputs = array_ops.transpose(outputs, (0, 3, 1, 2))
        return array_ops.squeeze(outputs, pad_axis)


class _Pooling2D(_Pooling):
    _rank = 2

    def call(self, inputs):
        return self._pool2d(inputs, self.pool_size, self.strides,
                            utils.convert_data_format(self.data_format, 4))


class _Pooling3D(_Pooling):
    """Channels come last for the ops."""
    _rank = 3

    def call(self, inputs):
        if self._first:
            inputs = array_ops.transpose(inputs, (0, 2, 3, 4, 1))
        pool = nn_ops.avg_pool3d if self._average else nn_ops.max_pool3d
        outputs = pool(inputs, (1,) + self.pool_size + (1,), (1,) + self.strides + (1,),
                       self.padding.upper())
        if self._first:
            outputs = array_ops.transpose(outputs, (0, 4, 1, 2, 3))
        return outputs


class MaxPooling1D(_Pooling1D):
    """The largest of each window."""


class MaxPooling2D(_Pooling2D):
    """The largest of each window."""


class MaxPooling3D(_Pooling3D):
    """The largest of each window."""


class AveragePooling1D(_Pooling1D):
    """The mean of each window."""
    _average = True


class AveragePooling2D(_Pooling2D):
    """The mean of each window."""
    _average = True


class AveragePooling3D(_Pooling3D):
    """The mean of each window."""
    _average = True


def _function_of(cls, name, instead):
    """The layer, made and called."""
    def pooling(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                name=None):
        layer = cls(pool_size=pool_size, strides=strides, padding=padding,
                    data_format=data_format, name=name)
        return layer.apply(inputs)
    pooling.__name__ = pooling.__qualname__ = name
    pooling.__doc__ = 'A %s layer, made and called.' % cls.__name__
    return deprecation.deprecated(None, 'Use keras.layers.%s instead.' % instead)(pooling)


average_pooling1d = _function_of(AveragePooling1D, 'average_pooling1d', 'AveragePooling1D')
average_pooling2d = _function_of(AveragePooling2D, 'average_pooling2d', 'AveragePooling2D')
average_pooling3d = _function_of(AveragePooling3D, 'average_pooling3d', 'AveragePooling3D')
max_pooling1d = _function_of(MaxPooling1D, 'max_pooling1d', 'MaxPooling1D')
max_pooling2d = _function_of(MaxPooling2D, 'max_pooling2d', 'MaxPooling2D')
max_pooling3d = _function_of(MaxPooling3D, 'max_pooling3d', 'MaxPooling3D')

MaxPool2D = MaxPooling2D
AvgPool2D = AveragePooling2D
max_pool2d = max_pooling2d
avg_pool2d = average_pooling2d
