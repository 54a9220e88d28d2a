# SPDX-License-Identifier: Apache-2.0
"""Convolutions, their transposes, and pools over windows. Part of nn_ops.

Dilation is done as 1.15 does it: space is moved into the batch, the plain op runs, and it is moved
back (with_space_to_batch).
"""
import collections.abc
import numbers

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_nn_ops
from leat.python.util import deprecation

_ones4 = [1, 1, 1, 1]
_ones5 = [1, 1, 1, 1, 1]


def _get_sequence(value, n, channel_index, name):
    """A number or list for n spatial dims as one for all dims."""
    value = [1] if value is None else value
    if not isinstance(value, collections.abc.Sized):
        value = [value]
    value = list(value)
    if len(value) == n + 2:
        return value
    if len(value) == 1:
        value = value * n
    elif len(value) != n:
        raise ValueError('{} should be of length 1, {} or {} but was {}'.format(
            name, n, n + 2, len(value)))
    return [1, 1] + value if channel_index == 1 else [1] + value + [1]


def _channel_index(data_format, last):
    return 1 if data_format.startswith('NC') else last


def _convert_padding(padding):
    """(padding, explicit_paddings) of a string or of pairs."""
    explicit = []
    if padding == 'EXPLICIT':
        raise ValueError('"EXPLICIT" is not a valid value for the padding parameter. To use '
                         'explicit padding, the padding parameter must be a list.')
    if isinstance(padding, (list, tuple)):
        for i, pair in enumerate(padding):
            if not isinstance(pair, (list, tuple)):
                raise ValueError('When padding is a list, each element of padding must be a '
                                 'list/tuple of size 2. Element with index %d of padding is not '
                                 'a list/tuple' % i)
            if len(pair) != 2:
                raise ValueError('When padding is a list, each element of padding must be a '
                                 'list/tuple of size 2. Element with index %d of padding has '
                                 'size %d' % (i, len(pair)))
            explicit.extend(pair)
        if len(padding) != 4:
            raise ValueError('When padding is a list, it must be of size 4. Got padding of size: '
                             '%d' % len(padding))
        padding = 'EXPLICIT'
    return padding, explicit


# ---- dilation by way of the batch ----

def _with_space_to_batch_base_paddings(filter_shape, num_spatial_dims, rate_or_const_rate):
    """The padding of SAME for a dilated filter."""
    spatial = filter_shape[:num_spatial_dims]
    extra = spatial + (spatial - 1) * (rate_or_const_rate - 1) - 1
    start = extra // 2
    end = extra - start
    return array_ops.stack([[start[i], end[i]] for i in range(num_spatial_dims)])


def _with_space_to_batch_adjust(orig, fill_value, spatial_dims):
    """Rows for the spatial dims with rows of fill_value for the dims between them."""
    fill_dims = orig.get_shape().as_list()[1:]
    dtype = orig.dtype.as_numpy_dtype
    known = tensor_util.constant_value(orig)
    rows = orig if known is None else known
    parts, previous, i = [], 0, 0
    while i < len(spatial_dims):
        first = i
        if spatial_dims[i] > 1:
            parts.append(np.full([spatial_dims[i] - previous - 1] + fill_dims, fill_value,
                                 dtype=dtype))
        while i + 1 < len(spatial_dims) and spatial_dims[i + 1] == spatial_dims[i] + 1:
            i += 1
        parts.append(rows[first:i + 1])
        previous = spatial_dims[i]
        i += 1
    return array_ops.concat(parts, 0) if known is None else np.concatenate(parts)


def _checked_spatial_dims(spatial_dims, count, data_format):
    start = 2 if data_format is not None and data_format.startswith('NC') else 1
    if spatial_dims is None:
        spatial_dims = range(start, count + start)
    dims = list(spatial_dims)
    if dims != sorted(set(dims)) or any(d < 1 for d in dims):
        raise ValueError('spatial_dims must be a montonically increasing sequence of positive '
                         'integers')
    return dims


class _WithSpaceToBatch(object):
    """Dilates the windows of ops; what depends on the rate and filter alone is made once."""

    def __init__(self, dilation_rate, padding, filter_shape=None, spatial_dims=None,
                 data_format=None):
        self._rate = ops.convert_to_tensor(dilation_rate, dtypes.int32, name='dilation_rate')
        rate_shape = self._rate.get_shape().with_rank(1)
        if not rate_shape.is_fully_defined():
            raise ValueError('rate must have known shape')
        self._count = rate_shape.as_list()[0]
        self._dims = _checked_spatial_dims(spatial_dims, self._count, data_format)
        self._first = data_format is not None and data_format.startswith('NC')
        self._padding = padding
        known_rate = tensor_util.constant_value(self._rate)
        if known_rate is not None and np.any(known_rate < 1):
            raise ValueError('dilation_rate must be positive')
        self._plain = known_rate is not None and bool(np.all(known_rate == 1))
        if not self._plain:
            self._base = self._base_paddings(filter_shape, known_rate)

    def _base_paddings(self, filter_shape, known_rate):
        if self._padding == 'VALID':
            return np.zeros([self._count, 2], np.int32)
        if self._padding != 'SAME':
            raise ValueError('Invalid padding method %r' % self._padding)
        if filter_shape is None:
            raise ValueError('filter_shape must be specified for SAME padding')
        filter_shape = ops.convert_to_tensor(filter_shape, name='filter_shape')
        known_filter = tensor_util.constant_value(filter_shape)
        return _with_space_to_batch_base_paddings(
            filter_shape if known_filter is None else known_filter, self._count,
            self._rate if known_rate is None else known_rate)

    def __call__(self, input, op):
        if self._plain:
            return op(input, self._count, self._padding)
        known = input.get_shape()
        spatial = None if known.ndims is None else [known.as_list()[d] for d in self._dims]
        if spatial is None or None in spatial:
            whole = array_ops.shape(input)
            spatial = array_ops.stack([whole[d] for d in self._dims])
        paddings, crops = array_ops.required_space_to_batch_paddings(
            input_shape=spatial, base_paddings=self._base, block_shape=self._rate)
        block = _with_space_to_batch_adjust(self._rate, 1, self._dims)
        paddings = _with_space_to_batch_adjust(paddings, 0, self._dims)
        crops = _with_space_to_batch_adjust(crops, 0, self._dims)
        moved = array_ops.space_to_batch_nd(input=input, block_shape=block, paddings=paddings)
        result = op(moved, self._count, 'VALID')
        back = array_ops.batch_to_space_nd(input=result, block_shape=block, crops=crops)
        if back.get_shape().ndims is not None and result.get_shape().ndims is not None:
            channel = 1 if self._first else -1
            shape = back.get_shape().as_list()
            shape[channel] = result.get_shape().as_list()[channel]
            back.set_shape(shape)
        return back


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None,
                        data_format=None):
    """op(input, number of spatial dims, padding) as if its windows were dilated."""
    return _WithSpaceToBatch(dilation_rate, padding, filter_shape, spatial_dims,
                             data_format)(input, op)


def _get_strides_and_dilation_rate(num_spatial_dims, strides, dilation_rate):
    """Both as arrays, ones where not given."""
    arrays = []
    for name, value in (('dilation_rate', dilation_rate), ('strides', strides)):
        if value is None:
            value = [1] * num_spatial_dims
        elif len(value) != num_spatial_dims:
            raise ValueError('len(%s)=%d but should be %d' % (name, len(value),
                                                              num_spatial_dims))
        value = np.array(value, dtype=np.int32)
        if np.any(value < 1):
            raise ValueError('all values of %s must be positive' % name)
        arrays.append(value)
    if np.any(arrays[1] > 1) and np.any(arrays[0] > 1):
        raise ValueError('strides > 1 not supported in conjunction with dilation_rate > 1')
    return arrays[1], arrays[0]


# ---- convolutions ----

def convolution(input, filter, padding, strides=None, dilation_rate=None, name=None,
                data_format=None, filters=None, dilations=None):
    """A convolution of one, two or three spatial dims."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    dilation_rate = deprecation.deprecated_argument_lookup('dilations', dilations,
                                                           'dilation_rate', dilation_rate)
    return convolution_internal(input, filter, strides=strides, padding=padding,
                                data_format=data_format, dilations=dilation_rate, name=name)


def convolution_v2(input, filters, strides=None, padding='VALID', data_format=None,
                   dilations=None, name=None):
    return convolution_internal(input, filters, strides=strides, padding=padding,
                                data_format=data_format, dilations=dilations, name=name)


def _plain_convolution(n, strides, padding, data_format, name):
    """A function of (input, filters, padding) that makes the op of n spatial dims."""
    def conv(value, filters, padding):
        if n == 1:
            return conv1d(value=value, filters=filters, stride=int(strides[0]), padding=padding,
                          data_format=data_format or 'NWC', name=name)
        channel_first = data_format is not None and data_format.startswith('NC')
        inner = [int(s) for s in strides]
        full = [1, 1] + inner if channel_first else [1] + inner + [1]
        if n == 2:
            return gen_nn_ops.conv2d(value, filters, full, padding, name=name,
                                     data_format=data_format or 'NHWC')
        return gen_nn_ops.conv3d(value, filters, full, padding, name=name,
                                 data_format=data_format or 'NDHWC')
    return conv


def convolution_internal(input, filters, strides=None, padding='VALID', data_format=None,
                         dilations=None, name=None, call_from_convolution=True):
    """convolution(), whose filters say how many spatial dims there are."""
    with ops.name_scope(name, 'convolution', [input, filters]) as name:
        input = ops.convert_to_tensor(input, name='input')
        filters = ops.convert_to_tensor(filters, name='filter')
        if filters.get_shape().ndims is None and input.get_shape().ndims is None:
            raise ValueError('rank of input or filter must be known')
        n = (input if input.get_shape().ndims is not None else filters).get_shape().ndims - 2
        if n not in (1, 2, 3):
            raise ValueError('num_spatial_dims must be one of 1, 2 or 3 but saw {}.'.format(n))
        strides, dilations = (v * n if isinstance(v, list) and len(v) == 1 else v for v in (
            [v] if isinstance(v, numbers.Integral) else v if v is None else list(v)
            for v in (strides, dilations)))
        strides, dilations = _get_strides_and_dilation_rate(n, strides, dilations)
        conv = _plain_convolution(n, strides, padding, data_format, name)
        if np.all(dilations == 1):
            return conv(input, filters, padding)
        channel = 1 if data_format is not None and data_format.startswith('NC') else n + 1
        if not tensor_shape.dimension_at_index(input.get_shape(), channel).is_compatible_with(
                filters.get_shape()[n]):
            raise ValueError('number of input channels does not match corresponding dimension of '
                             'filter, {} != {}'.format(input.get_shape()[channel],
                                                       filters.get_shape()[n]))
        return with_space_to_batch(
            input, dilations, padding, lambda value, _, padding: conv(value, filters, padding),
            filter_shape=filters.get_shape().as_list() if filters.get_shape().is_fully_defined()
            else array_ops.shape(filters), data_format=data_format)


class Convolution(object):
    """A convolution whose settings are checked and made ready for inputs of one shape."""

    def __init__(self, input_shape, filter_shape, padding, strides=None, dilation_rate=None,
                 name=None, data_format=None):
        n = (filter_shape.ndims if filter_shape.ndims is not None else input_shape.ndims)
        if n is None:
            raise ValueError('Cannot estimate convolution dimension')
        n -= 2
        try:
            input_shape.with_rank(n + 2)
        except ValueError:
            raise ValueError('input tensor must have rank %d' % (n + 2)) from None
        try:
            filter_shape.with_rank(n + 2)
        except ValueError:
            raise ValueError('filter tensor must have rank %d' % (n + 2)) from None
        if n not in (1, 2, 3):
            raise ValueError('num_spatial_dims must be one of 1, 2 or 3 but saw {}.'.format(n))
        first = data_format is not None and data_format.startswith('NC')
        channel = 1 if first else n + 1
        if not tensor_shape.dimension_at_index(input_shape, channel).is_compatible_with(
                filter_shape[n]):
            raise ValueError('number of input channels does not match corresponding dimension of '
                             'filter, {} != {}'.format(input_shape[channel], filter_shape[n]))
        strides, dilation_rate = _get_strides_and_dilation_rate(n, strides, dilation_rate)
        self.input_shape, self.filter_shape = input_shape, filter_shape
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.name, self.data_format = name, data_format
        self._conv = _plain_convolution(n, strides, padding, data_format, name)
        self._with_space_to_batch = _WithSpaceToBatch(
            dilation_rate, padding, filter_shape.as_list() if filter_shape.is_fully_defined()
            else None, data_format=data_format)

    def __call__(self, inp, filter):
        return self._with_space_to_batch(
            inp, lambda value, _, padding: self._conv(value, filter, padding))


def atrous_conv2d(value, filters, rate, padding, name=None):
    """A convolution whose filter has holes."""
    return convolution(input=value, filter=filters, padding=padding,
                       dilation_rate=np.broadcast_to(rate, (2,)), name=name)


def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None,
           data_format=None, name=None, input=None, dilations=None):
    """A convolution of one spatial dim: one of two whose other is 1."""
    value = deprecation.deprecated_argument_lookup('input', input, 'value', value)
    with ops.name_scope(name, 'conv1d', [value, filters]) as name:
        if data_format is None or data_format in ('NHWC', 'NWC'):
            data_format, dim, channel = 'NHWC', 1, 2
        elif data_format in ('NCHW', 'NCW'):
            data_format, dim, channel = 'NCHW', 2, 1
        else:
            raise ValueError('data_format must be "NWC" or "NCW".')
        strides = [1] + _get_sequence(stride, 1, channel, 'stride')
        dilations = [1] + _get_sequence(dilations, 1, channel, 'dilations')
        value = array_ops.expand_dims(value, dim)
        filters = array_ops.expand_dims(filters, 0)
        if use_cudnn_on_gpu is None:
            use_cudnn_on_gpu = True
        result = gen_nn_ops.conv2d(value, filters, strides, padding,
                                   use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format,
                                   dilations=dilations, name=name)
        return array_ops.squeeze(result, [dim])


def conv1d_v2(input, filters, stride, padding, data_format='NWC', dilations=None, name=None):
    return conv1d(input, filters, stride, padding, use_cudnn_on_gpu=True,
                  data_format=data_format, name=name, dilations=dilations)


def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True,
           data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None):
    """A convolution of two spatial dims."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    padding, explicit = _convert_padding(padding)
    data_format = 'NHWC' if data_format is None else data_format
    channel = _channel_index(data_format, 3)
    return gen_nn_ops.conv2d(
        input, filter, _get_sequence(strides, 2, channel, 'strides'), padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu, explicit_paddings=explicit, data_format=data_format,
        dilations=_get_sequence(dilations, 2, channel, 'dilations'), name=name)


def conv2d_v2(input, filters, strides, padding, data_format='NHWC', dilations=None, name=None):
    return conv2d(input, filters, strides, padding, True, data_format,
                  _ones4 if dilations is None else dilations, name)


def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                           use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1],
                           name=None):
    """The gradient of a convolution by its filter."""
    padding, explicit = _convert_padding(padding)
    return gen_nn_ops.conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                                             use_cudnn_on_gpu, explicit, data_format, dilations,
                                             name)


def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None,
                          use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1],
                          name=None, filters=None):
    """The gradient of a convolution by its input."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    padding, explicit = _convert_padding(padding)
    return gen_nn_ops.conv2d_backprop_input(input_sizes, filter, out_backprop, strides, padding,
                                            use_cudnn_on_gpu, explicit, data_format, dilations,
                                            name)


def conv3d_v1(input, filter=None, strides=None, padding=None, data_format='NDHWC',
              dilations=[1, 1, 1, 1, 1], name=None, filters=None):
    """A convolution of three spatial dims."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    return gen_nn_ops.conv3d(input, filter, strides, padding, data_format, dilations, name)


conv3d = conv3d_v1


def conv3d_v2(input, filters, strides, padding, data_format='NDHWC', dilations=None, name=None):
    return gen_nn_ops.conv3d(input, filters, strides, padding, data_format=data_format,
                             dilations=_ones5 if dilations is None else dilations, name=name)


# ---- their transposes ----

def conv1d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NWC',
                     dilations=None, name=None):
    """The gradient of conv1d() as an op of its own."""
    with ops.name_scope(name, 'conv1d_transpose', [input, filters, output_shape]) as name:
        if data_format is None or data_format in ('NHWC', 'NWC'):
            data_format, dim, channel = 'NHWC', 1, 2
        elif data_format in ('NCHW', 'NCW'):
            data_format, dim, channel = 'NCHW', 2, 1
        else:
            raise ValueError('data_format must be "NWC" or "NCW".')
        strides = [1] + _get_sequence(strides, 1, channel, 'stride')
        dilations = [1] + _get_sequence(dilations, 1, channel, 'dilations')
        input = array_ops.expand_dims(input, dim)
        filters = array_ops.expand_dims(filters, 0)
        output_shape = list(output_shape) if not isinstance(output_shape, ops.Tensor) \
            else output_shape
        output_shape = array_ops.concat([output_shape[:dim], [1], output_shape[dim:]], axis=0)
        result = gen_nn_ops.conv2d_backprop_input(
            input_sizes=output_shape, filter=filters, out_backprop=input, strides=strides,
            padding=padding, data_format=data_format, dilations=dilations, name=name)
        return array_ops.squeeze(result, dim)


def conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NHWC', name=None, input=None, filters=None, dilations=None):
    """The gradient of conv2d() as an op of its own."""
    value = deprecation.deprecated_argument_lookup('input', input, 'value', value)
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    with ops.name_scope(name, 'conv2d_transpose', [value, filter, output_shape]) as name:
        return conv2d_transpose_v2(value, filter, output_shape, strides, padding=padding,
                                   data_format=data_format, dilations=dilations, name=name)


def conv2d_transpose_v2(input, filters, output_shape, strides, padding='SAME', data_format='NHWC',
                        dilations=None, name=None):
    with ops.name_scope(name, 'conv2d_transpose', [input, filter, output_shape]) as name:
        data_format = 'NHWC' if data_format is None else data_format
        channel = _channel_index(data_format, 3)
        return gen_nn_ops.conv2d_backprop_input(
            input_sizes=output_shape, filter=filters, out_backprop=input,
            strides=_get_sequence(strides, 2, channel, 'strides'), padding=padding,
            data_format=data_format,
            dilations=_get_sequence(dilations, 2, channel, 'dilations'), name=name)


def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NDHWC', name=None, input=None, filters=None, dilations=None):
    """The gradient of a convolution of three spatial dims as an op of its own."""
    filter = deprecation.deprecated_argument_lookup('filters', filters, 'filter', filter)
    value = deprecation.deprecated_argument_lookup('input', input, 'value', value)
    return conv3d_transpose_v2(value, filter, output_shape, strides, padding=padding,
                               data_format=data_format, dilations=dilations, name=name)


def conv3d_transpose_v2(input, filters, output_shape, strides, padding='SAME',
                        data_format='NDHWC', dilations=None, name=None):
    with ops.name_scope(name, 'conv3d_transpose', [input, filter, output_shape]) as name:
        data_format = 'NDHWC' if data_format is None else data_format
        channel = _channel_index(data_format, 4)
        return gen_nn_ops.conv3d_backprop_input_v2(
            input_sizes=output_shape, filter=filters, out_backprop=input,
            strides=_get_sequence(strides, 3, channel, 'strides'), padding=padding,
            data_format=data_format,
            dilations=_get_sequence(dilations, 3, channel, 'dilations'), name=name)


CONV_TRANSPOSE_OPS = (conv1d_transpose, conv2d_transpose_v2, conv3d_transpose_v2)


def conv_transpose(input, filters, output_shape, strides, padding='SAME', data_format=None,
                   dilations=None, name=None):
    """The transpose of a convolution; output_shape says how many spatial dims there are."""
    with ops.name_scope(name, 'conv_transpose', [input, filter, output_shape]) as name:
        if isinstance(output_shape, ops.Tensor):
            n = output_shape.shape.as_list()[0] - 2
        elif isinstance(output_shape, collections.abc.Sized):
            n = len(output_shape) - 2
        else:
            raise ValueError('output_shape must be a tensor or sized collection.')
        if n not in (1, 2, 3):
            raise ValueError('output_shape must be of length 3, 4 or 5 but was {}.'.format(n + 2))
        return CONV_TRANSPOSE_OPS[n - 1](
            input, filters, output_shape, strides, padding=padding,
            data_format=data_format or ('NWC', 'NHWC', 'NDHWC')[n - 1], dilations=dilations,
            name=name)


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """The transpose of atrous_conv2d()."""
    with ops.name_scope(name, 'atrous_conv2d_transpose', [value, filters, output_shape]) as name:
        value = ops.convert_to_tensor(value, name='value')
        filters = ops.convert_to_tensor(filters, name='filters')
        if not value.get_shape().dims[3].is_compatible_with(filters.get_shape()[3]):
            raise ValueError('value\'s input channels does not match filters\' input channels, '
                             '{} != {}'.format(value.get_shape()[3], filters.get_shape()[3]))
        if rate < 1:
            raise ValueError('rate {} cannot be less than one'.format(rate))
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1],
                                    padding=padding, data_format='NHWC')
        shape = ops.convert_to_tensor(output_shape, name='output_shape')
        if not shape.get_shape().is_compatible_with(tensor_shape.vector(4)):
            raise ValueError('output_shape must have shape (4,), got {}'.format(
                shape.get_shape()))
        if isinstance(output_shape, tuple):
            output_shape = list(output_shape)
        if isinstance(output_shape, (list, np.ndarray)):
            if not filters.get_shape().dims[2].is_compatible_with(output_shape[3]):
                raise ValueError('output_shape does not match filter\'s output channels, {} != {}'
                                 .format(output_shape[3], filters.get_shape()[2]))
        return _atrous_transpose(value, filters, output_shape, rate, padding)


def _atrous_transpose(value, filters, output_shape, rate, padding):
    if padding == 'SAME':
        if filters.get_shape().is_fully_defined():
            sizes = filters.get_shape().as_list()[:2]
        else:
            known = array_ops.shape(filters)
            sizes = [known[0], known[1]]
        extra = [(s + (s - 1) * (rate - 1)) - 1 for s in sizes]
        start = [e // 2 for e in extra]
        end = [e - s for e, s in zip(extra, start)]
    elif padding == 'VALID':
        start, end = [0, 0], [0, 0]
    else:
        raise ValueError('padding must be either VALID or SAME: {}'.format(padding))
    inner = [output_shape[i + 1] + start[i] + end[i] for i in (0, 1)]
    more = [(rate - n % rate) % rate for n in inner]
    value = array_ops.space_to_batch(input=value, paddings=[[0, more[0]], [0, more[1]]],
                                     block_size=rate)
    sizes = [rate * rate * output_shape[0], (inner[0] + more[0]) // rate,
             (inner[1] + more[1]) // rate, output_shape[3]]
    value = gen_nn_ops.conv2d_backprop_input(
        input_sizes=sizes, filter=filters, out_backprop=value, strides=[1, 1, 1, 1],
        padding='VALID', data_format='NHWC')
    crops = [[start[i], end[i] + more[i]] for i in (0, 1)]
    return array_ops.batch_to_space(input=value, crops=crops, block_size=rate)


# ---- pools ----

def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,
         data_format=None, dilations=None):
    """The greatest or mean value of windows of one, two or three dims."""
    dilation_rate = deprecation.deprecated_argument_lookup('dilations', dilations,
                                                           'dilation_rate', dilation_rate)
    with ops.name_scope(name, '%s_pool' % pooling_type.lower(), [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        n = len(window_shape)
        if n not in (1, 2, 3):
            raise ValueError('It is required that 1 <= num_spatial_dims <= 3.')
        input.get_shape().with_rank(n + 2)
        strides, dilation_rate = _get_strides_and_dilation_rate(n, strides, dilation_rate)
        if padding == 'SAME' and np.any(dilation_rate > 1):
            raise ValueError('pooling with SAME padding is not implemented for dilation_rate > 1')
        if np.any(strides > np.array(window_shape)):
            raise ValueError('strides > window_shape not supported due to inconsistency between '
                             'CPU and GPU implementations')
        kinds = {('MAX', 1): max_pool, ('MAX', 2): max_pool, ('MAX', 3): max_pool3d,
                 ('AVG', 1): avg_pool, ('AVG', 2): avg_pool, ('AVG', 3): avg_pool3d}
        if (pooling_type, n) not in kinds:
            raise ValueError('%d-D %s pooling is not supported.' % (n, pooling_type))
        first = data_format is not None and data_format.startswith('NC')
        dims = range(2, n + 2) if first else range(1, n + 1)
        window, steps = list(window_shape), [int(s) for s in strides]
        one_dim = n == 1
        if one_dim:
            window, steps = [1] + window, [1] + steps
        full = (lambda v: [1, 1] + v) if first else (lambda v: [1] + v + [1])
        kwargs = {} if data_format is None else {
            'data_format': {'NWC': 'NHWC', 'NCW': 'NCHW'}.get(data_format, data_format)}

        def op(value, _, padding):
            if one_dim:
                value = array_ops.expand_dims(value, dims[0])
            result = kinds[pooling_type, n](value, full(window), full(steps), padding,
                                            name=scope, **kwargs)
            return array_ops.squeeze(result, [dims[0]]) if one_dim else result

        return with_space_to_batch(input=input, dilation_rate=dilation_rate, padding=padding,
                                   op=op, spatial_dims=dims, data_format=data_format)


def pool_v2(input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None,
            dilations=None, name=None):
    return pool(input=input, window_shape=window_shape, pooling_type=pooling_type,
                padding=padding, dilation_rate=dilations, strides=strides, name=name,
                data_format=data_format)


def _pool2d(make, default_name, value, ksize, strides, padding, data_format, name):
    with ops.name_scope(name, default_name, [value]) as name:
        data_format = 'NHWC' if data_format is None else data_format
        channel = _channel_index(data_format, 3)
        return make(value, ksize=_get_sequence(ksize, 2, channel, 'ksize'),
                    strides=_get_sequence(strides, 2, channel, 'strides'), padding=padding,
                    data_format=data_format, name=name)


def _pool3d(make, default_name, value, ksize, strides, padding, data_format, name):
    with ops.name_scope(name, default_name, [value]) as name:
        data_format = 'NDHWC' if data_format is None else data_format
        channel = _channel_index(data_format, 4)
        return make(value, ksize=_get_sequence(ksize, 3, channel, 'ksize'),
                    strides=_get_sequence(strides, 3, channel, 'strides'), padding=padding,
                    data_format=data_format, name=name)


def _pool1d(make, default_name, value, ksize, strides, padding, data_format, name):
    with ops.name_scope(name, default_name, [value]) as name:
        data_format = 'NWC' if data_format is None else data_format
        channel = _channel_index(data_format, 2)
        ksize = [1] + _get_sequence(ksize, 1, channel, 'ksize')
        strides = [1] + _get_sequence(strides, 1, channel, 'strides')
        dim = 1 if data_format == 'NWC' else 2
        value = array_ops.expand_dims(value, dim)
        result = make(value, ksize=ksize, strides=strides, padding=padding,
                      data_format='NHWC' if data_format == 'NWC' else 'NCHW', name=name)
        return array_ops.squeeze(result, dim)


def avg_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """The mean of each window."""
    value = deprecation.deprecated_argument_lookup('input', input, 'value', value)
    return _pool2d(gen_nn_ops.avg_pool, 'AvgPool', value, ksize, strides, padding, data_format,
                   name)


def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    return _pool1d(gen_nn_ops.avg_pool, 'AvgPool1D', input, ksize, strides, padding, data_format,
                   name)


def avg_pool2d(input, ksize, strides, padding, data_format='NHWC', name=None):
    return _pool2d(gen_nn_ops.avg_pool, 'AvgPool2D', input, ksize, strides, padding, data_format,
                   name)


def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    return _pool3d(gen_nn_ops.avg_pool3d, 'AvgPool3D', input, ksize, strides, padding,
                   data_format, name)


def max_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """The greatest of each window."""
    value = deprecation.deprecated_argument_lookup('input', input, 'value', value)
    return _pool2d(gen_nn_ops.max_pool, 'MaxPool', value, ksize, strides, padding, data_format,
                   name)


def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    return _pool1d(gen_nn_ops.max_pool, 'MaxPool1d', input, ksize, strides, padding, data_format,
                   name)


def max_pool2d(input, ksize, strides, padding, data_format='NHWC', name=None):
    return _pool2d(gen_nn_ops.max_pool, 'MaxPool2d', input, ksize, strides, padding, data_format,
                   name)


def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    return _pool3d(gen_nn_ops.max_pool3d, 'MaxPool3D', input, ksize, strides, padding,
                   data_format, name)


def _any_pool(which, input, ksize, strides, padding, data_format, name):
    """By the rank that the format, or else the input, has."""
    n = len(data_format) - 2 if data_format is not None else input.shape.ndims - 2
    if not 1 <= n <= 3:
        raise ValueError('Input tensor must be of rank 3, 4 or 5 but was {}.'.format(n + 2))
    kinds = {'MAX': (max_pool1d, max_pool, max_pool3d), 'AVG': (avg_pool1d, avg_pool, avg_pool3d)}
    data_format = data_format or ('NWC', 'NHWC', 'NDHWC')[n - 1]
    return kinds[which][n - 1](input, ksize, strides, padding, data_format, name)


def avg_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    return _any_pool('AVG', input, ksize, strides, padding, data_format, name)


def max_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    return _any_pool('MAX', input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax_v1(input, ksize, strides, padding, data_format='NHWC', Targmax=None,
                            name=None, output_dtype=None, include_batch_in_index=False):
    """The greatest of each window, and where it stands."""
    if data_format != 'NHWC':
        raise ValueError('Data formats other than \'NHWC\' are not yet supported')
    Targmax = deprecation.deprecated_argument_lookup('output_dtype', output_dtype, 'Targmax',
                                                     Targmax)
    return gen_nn_ops.max_pool_with_argmax(
        input=input, ksize=ksize, strides=strides, padding=padding,
        Targmax=dtypes.int64 if Targmax is None else Targmax,
        include_batch_in_index=include_batch_in_index, name=name)


def max_pool_with_argmax_v2(input, ksize, strides, padding, data_format='NHWC',
                            output_dtype=dtypes.int64, include_batch_in_index=False, name=None):
    if data_format != 'NHWC':
        raise ValueError('Data formats other than \'NHWC\' are not yet supported')
    return gen_nn_ops.max_pool_with_argmax(
        input=input, ksize=_get_sequence(ksize, 2, 3, 'ksize'),
        strides=_get_sequence(strides, 2, 3, 'strides'), padding=padding, Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index, name=name)
