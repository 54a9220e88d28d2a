# SPDX-License-Identifier: Apache-2.0
"""Arguments of layers made uniform; lengths of convolutions' outputs."""
from leat.python.framework import smart_cond as smart_module
from leat.python.ops import variables

_NAMES = {3: ('NWC', 'NCW'), 4: ('NHWC', 'NCHW'), 5: ('NDHWC', 'NCDHW')}


def convert_data_format(data_format, ndim):
    """channels_last or channels_first as the ops call it for inputs of this rank."""
    if data_format not in ('channels_last', 'channels_first'):
        raise ValueError('Invalid data_format:', data_format)
    if ndim not in _NAMES:
        raise ValueError('Input rank not supported:', ndim)
    return _NAMES[ndim][data_format == 'channels_first']


def normalize_tuple(value, n, name):
    """n ints: value, or n times the one int."""
    message = 'The `%s` argument must be a tuple of %s integers. Received: %s' % (name, n, value)
    if isinstance(value, int):
        return (value,) * n
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(message) from None
    if len(values) != n:
        raise ValueError(message)
    for single in values:
        try:
            int(single)
        except (ValueError, TypeError):
            raise ValueError('%s including element %s of type %s'
                             % (message, single, type(single))) from None
    return values


def normalize_data_format(value):
    data_format = value.lower()
    if data_format not in {'channels_first', 'channels_last'}:
        raise ValueError('The `data_format` argument must be one of "channels_first", '
                         '"channels_last". Received: ' + str(value))
    return data_format


def normalize_padding(value):
    padding = value.lower()
    if padding not in {'valid', 'same'}:
        raise ValueError('The `padding` argument must be one of "valid", "same". Received: ' +
                         str(padding))
    return padding


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    if input_length is None:
        return None
    assert padding in {'same', 'valid', 'full', 'causal'}
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    length = {'same': input_length, 'causal': input_length, 'valid': input_length - reach + 1,
              'full': input_length + reach - 1}[padding]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    if output_length is None:
        return None
    assert padding in {'same', 'valid', 'full'}
    pad = {'same': filter_size // 2, 'valid': 0, 'full': filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length, filter_size, padding, stride):
    if input_length is None:
        return None
    input_length *= stride
    if padding == 'valid':
        input_length += max(filter_size - stride, 0)
    elif padding == 'full':
        input_length -= stride + filter_size - 2
    return input_length


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """tf.cond, or just the branch that is taken where pred is known."""
    if isinstance(pred, variables.Variable):
        from leat.python.ops import control_flow_ops
        return control_flow_ops.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return smart_module.smart_cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


def constant_value(pred):
    """True or False where it is known, None where it is not."""
    if isinstance(pred, int):  # bools are ints
        if pred == 1:
            pred = True
        elif pred == 0:
            pred = False
    if isinstance(pred, variables.Variable):
        return None
    return smart_module.smart_constant_value(pred)
