# SPDX-License-Identifier: Apache-2.0
"""Cases of quantised numbers, and of numbers rounded as quantisation does; programs_py/quantized.py has more."""
import numpy as np

from values import array, pick, shape

F = np.float32


def limits(rng):
    low = F(rng.uniform(-4, 1))
    return np.array(low, F), np.array(low + F(rng.uniform(0.5, 5)), F)


def round_trip(op, rng, types):
    t = pick(rng, types(op, 'T'))
    low, high = limits(rng)
    # DIFFERENCES: limits of no elements
    x = array(rng, t, shape(rng, empty=False), -5, 5)
    attrs = {'signed_input': bool(rng.rand() < 0.5), 'range_given': bool(rng.rand() < 0.5)}
    bits = int(rng.randint(2, 17))
    if op == 'QuantizeAndDequantize':
        attrs.update(num_bits=bits, input_min=float(low), input_max=float(high))
        return [('input', x)], attrs, False, 1, {'producer': 21}
    attrs['narrow_range'] = bool(rng.rand() < 0.5)
    inputs = [('input', x), ('input_min', low.astype(t)), ('input_max', high.astype(t))]
    if op.endswith('V3'):
        return inputs + [('num_bits', np.array(bits, np.int32))], attrs, True, 1, {'once': True}
    attrs.update(num_bits=bits, round_mode=pick(rng, ['HALF_TO_EVEN', 'HALF_UP']))
    return inputs, attrs, True, 1, {'once': True}


GENERATORS = {'QuantizeAndDequantize' + v: round_trip for v in ('', 'V2', 'V3')}


# --- ops of quantised types: bytes are fed, and cast to them and back within the graph ---

NUMBERS = {'quint8': np.uint8, 'qint8': np.int8, 'qint32': np.int32}


def integers(rng, kind, dims):
    if kind == 'qint32':
        bits = rng.randint(4, 31)
        return np.asarray(rng.randint(-2**bits, 2**bits, size=dims), np.int32)
    low = -128 if kind == 'qint8' else 0
    return np.asarray(rng.randint(low, low + 256, size=dims), NUMBERS[kind])


def span(rng):
    """Limits around zero, now and then beside it."""
    low, width = -rng.uniform(0, 6), rng.uniform(.1, 12)
    if rng.rand() < 0.15:
        low = rng.uniform(-9, 3)
    return F(low), F(low + width)


def cast(tf, x, kind):
    return tf.bitcast(x, getattr(tf, kind))


def plain(tf, outputs):
    """Every output as a type that sessions hand over."""
    back = {tf.quint8: tf.uint8, tf.qint8: tf.int8, tf.qint32: tf.int32}
    return [tf.bitcast(o, back[o.dtype]) if o.dtype in back else o for o in outputs]


def quantized(op, kinds, inputs, attrs):
    """A case of `op`, whose inputs by name are given; those in kinds are of that quantised type."""
    def graph(tf, ins):
        ins = dict(ins)
        for name, kind in kinds.items():
            value = ins[name]
            ins[name] = [cast(tf, v, kind) for v in value] if isinstance(value, list) else \
                cast(tf, value, kind)
        for name in ('out_type', 'Toutput'):
            if name in ins:
                ins[name] = getattr(tf, ins[name])
        out = getattr(tf.raw_ops, op)(**ins)
        return plain(tf, list(out) if isinstance(out, tuple) else [out])
    return inputs, attrs, False, 1, {'graph': graph}


def ranges(rng, *names):
    out = []
    for name in names:
        low, high = span(rng)
        out += [(name[0], np.array(low)), (name[1], np.array(high))]
    return out


def pair(op, rng, _):
    # DIFFERENCES: quantised pairs
    dims = shape(rng, empty=False)
    other = pick(rng, [dims, (), dims[-1:], dims[-2:]])
    x, y = integers(rng, 'quint8', dims), integers(rng, 'quint8', other)
    if min(x.size, y.size) != 1 and dims != other and 1 in dims:
        y = x.copy()
    if rng.rand() < 0.5:
        x, y = y, x
    return quantized(op, {'x': 'quint8', 'y': 'quint8'}, [('x', x), ('y', y)] + ranges(
        rng, ('min_x', 'max_x'), ('min_y', 'max_y')), {'Toutput': 'qint32'})


def bias(op, rng, _):
    kind = pick(rng, ['quint8', 'qint8'])
    dims = shape(rng, rng.randint(2, 5), empty=False)
    if rng.rand() < 0.1:
        dims = (0,) + dims[1:]
    return quantized(op, {'input': kind, 'bias': kind}, [
        ('input', integers(rng, kind, dims)), ('bias', integers(rng, kind, dims[-1:]))] + ranges(
            rng, ('min_input', 'max_input'), ('min_bias', 'max_bias')), {'out_type': 'qint32'})


def convolution(op, rng, _):
    # DIFFERENCES: quantised convolutions
    depth, stride = rng.randint(1, 6), int(rng.randint(1, 4))
    window = tuple(int(d) for d in rng.randint(1, 5, size=2))
    images = (rng.randint(1, 4), rng.randint(window[0], 9), rng.randint(window[1], 9), depth)
    high = np.array(F(rng.uniform(.1, 9)))
    return quantized(op, {'input': 'quint8', 'filter': 'quint8'}, [
        ('input', integers(rng, 'quint8', images)),
        ('filter', integers(rng, 'quint8', window + (depth, rng.randint(1, 8)))),
        ('min_input', np.array(high - F(rng.uniform(.1, 12)))), ('max_input', high)] + ranges(
            rng, ('min_filter', 'max_filter')),
        {'out_type': 'qint32', 'strides': [1, stride, stride, 1],
         'padding': pick(rng, ['SAME', 'VALID'])})


def pooling(op, rng, _):
    size = [int(d) for d in rng.randint(1, 5, size=2)]
    step = [int(d) for d in rng.randint(1, 4, size=2)]
    images = (rng.randint(0, 4), rng.randint(size[0], 9), rng.randint(size[1], 9), rng.randint(1, 20))
    return quantized(op, {'input': 'quint8'}, [('input', integers(rng, 'quint8', images))] + ranges(
        rng, ('min_input', 'max_input')), {'ksize': [1] + size + [1], 'strides': [1] + step + [1],
                                           'padding': pick(rng, ['SAME', 'VALID'])})


def joined(op, rng, _):
    kind, n = pick(rng, ['quint8', 'qint32']), rng.randint(2, 5)
    dims = list(shape(rng, rng.randint(1, 5), empty=False))
    axis = rng.randint(-1 if rng.rand() < 0.1 else 0, len(dims))
    values, mins, maxes = [], [], []
    for k in range(n):
        dims[axis] = rng.randint(1, 5)    # DIFFERENCES: quantised joins of nothing
        values.append(integers(rng, kind, dims))
        if not k or rng.rand() < 0.7:
            low, high = span(rng)
        mins.append(np.array(low))
        maxes.append(np.array(high))
    if rng.rand() < 0.05:
        values[0] = values[0][None]
    return quantized(op, {'values': kind}, [('concat_dim', np.array(axis, np.int32)), (
        'values', values), ('input_mins', mins), ('input_maxes', maxes)], {})


def reshaped(op, rng, _):
    kind = pick(rng, ['quint8', 'qint32'])
    dims = shape(rng)
    to = list(dims)
    rng.shuffle(to)
    if to and rng.rand() < 0.5 and 0 not in to:
        to[rng.randint(len(to))] = -1
    if rng.rand() < 0.1:
        to.append(3)
    return quantized(op, {'tensor': kind}, [
        ('tensor', integers(rng, kind, dims)), ('shape', np.array(to, pick(rng, [np.int32, np.int64])))]
        + ranges(rng, ('input_min', 'input_max')), {})


def resized(op, rng, _):
    kind = pick(rng, ['quint8', 'qint32', 'float'])
    # DIFFERENCES: quantised images of nothing
    images = (rng.randint(1, 4),) + tuple(int(d) for d in rng.randint(1, 7, size=2)) + (
        rng.randint(1, 5),)
    x = array(rng, np.float32, images) if kind == 'float' else integers(rng, kind, images)
    how = pick(rng, [{}, {'align_corners': True}, {'half_pixel_centers': True}])
    return quantized(op, {} if kind == 'float' else {'images': kind}, [
        ('images', x), ('size', np.asarray(rng.randint(1, 10, size=2), np.int32))] + ranges(
            rng, ('min', 'max')), how)


def instances(op, rng, _):
    # DIFFERENCES: quantised normalisation
    attrs = {'variance_epsilon': float(10 ** rng.uniform(-6, -1))}
    if rng.rand() < 0.4:
        low, high = span(rng)
        attrs.update(output_range_given=True, given_y_min=float(low), given_y_max=float(high))
    dims = shape(rng, 4, empty=False)
    if 'given_y_min' not in attrs:
        dims = (dims[0], dims[1] + 1, dims[2] + 2, dims[3])
    x = integers(rng, 'quint8', dims)
    return quantized(op, {'x': 'quint8'}, [('x', x)] + ranges(rng, ('x_min', 'x_max')), attrs)


def global_norm(op, rng, _):
    dims = shape(rng, 4, empty=False)
    inputs, kinds = [], {}
    for name in ('t', 'm', 'v', 'beta', 'gamma'):
        inputs.append((name, integers(rng, 'quint8', dims if name == 't' else dims[3:])))
        low, high = (F(0), F(rng.uniform(.1, 5))) if name == 'v' else span(rng)
        inputs += [(name + '_min', np.array(low)), (name + '_max', np.array(high))]
        kinds[name] = 'quint8'
    return quantized(op, kinds, inputs, {
        'out_type': 'qint32', 'variance_epsilon': float(10 ** rng.uniform(-4, -1)),
        'scale_after_normalization': bool(rng.rand() < 0.5)})


def padded(op, rng, types):
    # DIFFERENCES: fused padding
    t, stride = pick(rng, [np.float32, np.float64]), rng.randint(1, 3, size=2)
    images = (1,) + tuple(int(d) for d in rng.randint(1, 7, size=3))
    attrs = {'mode': pick(rng, ['REFLECT', 'SYMMETRIC']), 'padding': pick(rng, ['SAME', 'VALID']),
             'strides': [1, int(stride[0]), int(stride[1]), 1]}
    inputs, size = [('input', array(rng, t, images))], images[1:3]
    if op == 'FusedResizeAndPadConv2D':
        size = tuple(rng.randint(1, 8, size=2))
        inputs.append(('size', np.asarray(size, np.int32)))
        attrs['resize_align_corners'] = bool(rng.rand() < 0.5)
    most = [d - (attrs['mode'] == 'REFLECT') for d in size]
    pads = np.zeros((4, 2), np.int32)
    for k in range(2):
        pads[1 + k] = rng.randint(0, most[k] + 1, size=2)
    if rng.rand() < 0.1:
        pads[rng.randint(4)] += 1
    window = tuple(int(rng.randint(1, 1 + min(4, size[k] + pads[1 + k].sum()))) for k in range(2))
    return inputs + [('paddings', pads), ('filter', array(rng, t, window + (
        images[3], rng.randint(1, 4))))], attrs, False


def former_volume(op, rng, types):
    """Conv3DBackpropInput and Conv3DBackpropFilter, which take tensors for their shapes."""
    t = pick(rng, types(op, 'T'))
    stride, same = [int(s) for s in rng.randint(1, 3, size=3)], bool(rng.rand() < 0.5)
    window = [int(d) for d in rng.randint(1, 4, size=3)]
    size = [int(rng.randint(w, 6)) for w in window]
    out = [-(-n // s) if same else (n - w) // s + 1 for n, w, s in zip(size, window, stride)]
    n, c, k = (int(d) for d in rng.randint(1, 4, size=3))
    return [('input', array(rng, t, [n] + size + [c])), ('filter', array(rng, t, window + [c, k])),
            ('out_backprop', array(rng, t, [n] + out + [k]))], {
                'strides': [1] + stride + [1], 'padding': 'SAME' if same else 'VALID'}, False, 1, {
                    'producer': 9}


GENERATORS.update({
    'QuantizedAdd': pair, 'QuantizedMul': pair, 'QuantizedBiasAdd': bias,
    'QuantizedConv2D': convolution, 'QuantizedMaxPool': pooling, 'QuantizedAvgPool': pooling,
    'QuantizedConcat': joined, 'QuantizedReshape': reshaped, 'QuantizedResizeBilinear': resized,
    'QuantizedInstanceNorm': instances, 'QuantizedBatchNormWithGlobalNormalization': global_norm,
    'FusedPadConv2D': padded, 'FusedResizeAndPadConv2D': padded,
    'Conv3DBackpropInput': former_volume, 'Conv3DBackpropFilter': former_volume})
