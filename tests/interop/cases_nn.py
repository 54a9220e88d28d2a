# SPDX-License-Identifier: Apache-2.0
"""Cases of the neural network ops."""
import numpy as np

from values import array, is_real, pick, shape

INDEX = [np.int32, np.int64]


def batch_norm(op, rng, types):
    """Images NHWC, with channels that differ in mean and spread."""
    grad, training = 'Grad' in op, bool(rng.rand() < 0.6)
    t = pick(rng, types(op, 'T'))
    dims = shape(rng, 3, not grad) + (int(rng.choice([1, 2, 3, 5, 17, 70])),)
    c = dims[3]
    x = (array(rng, np.float64, dims) * rng.uniform(0.5, 2, size=c) + rng.uniform(-2, 2, size=c)).astype(t)
    attrs = {'is_training': training, 'epsilon': float(rng.choice([1e-3, 1e-2]))}
    f = lambda low: array(rng, np.float32, (c,), low, 3)
    if grad:
        inputs = [('y_backprop', array(rng, t, dims)), ('x', x), ('scale', f(-3)),
                  ('reserve_space_1', f(-3)), ('reserve_space_2', f(0.1))]
        if training and x.size:
            wide = x.astype(np.float64).reshape(-1, c)
            inputs[3:] = [('reserve_space_1', wide.mean(0).astype(np.float32)),
                          ('reserve_space_2', wide.var(0).astype(np.float32))]
        if op.endswith('V3'):
            inputs.append(('reserve_space_3', array(rng, np.float32, ())))
        return inputs, attrs, is_real(t) and t != np.float16 and int(np.prod(dims[:3])) > 3
    # DIFFERENCES: TensorFlow leaves the statistics unset when not training
    none = np.zeros((0,), np.float32)
    inputs = [('x', x), ('scale', f(-3)), ('offset', f(-3)), ('mean', none if training else f(-3)),
              ('variance', none if training else f(0.1))]
    return inputs, attrs, t == np.float32 and int(np.prod(dims[:3])) > 3, \
        1, {'cube': True, 'once': training,
            'outputs': [0, 1, 2, 3, 4, 5] if training else [0, 5]}


def floats(rng, types, op, attr='T'):
    """A floating type of the op; half seldom, its roundings hide much."""
    found = [t for t in types(op, attr) if t != 'string' and np.dtype(t).kind == 'f']
    wide = [t for t in found if t != np.float16]
    return pick(rng, wide if wide and rng.rand() < 0.8 else found)


def derived(t):
    return is_real(t) and t != np.float16


def activation(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = shape(rng)
    x = array(rng, t, dims, special=is_real(t) and rng.rand() < 0.3)
    attrs = {'alpha': float(rng.choice([0.2, 0.5, 0.0]))} if 'Leaky' in op else {}
    finite = bool(np.all(np.isfinite(x.astype(np.float64))))
    if op.endswith('Grad'):
        second = {'EluGrad': 'outputs', 'SeluGrad': 'outputs'}.get(op, 'features')
        return [('gradients', array(rng, t, dims)), (second, x)], attrs, derived(t) and finite
    return [('features', x)], attrs, derived(t) and finite


def softmax(op, rng, types):
    t = floats(rng, types, op)
    x = array(rng, t, shape(rng, rng.randint(1, 5)), -6, 6)
    if x.size and rng.rand() < 0.1:
        x.ravel()[rng.randint(x.size)] = rng.choice([np.inf, -np.inf, np.nan])
    # the sum of the gradient is nought: the second gradient of such sums is noise
    return [('logits', x)], {}, derived(t) and bool(np.all(np.isfinite(x))), 1, {'once': True}


def cross_entropy(op, rng, types):
    t = floats(rng, types, op)
    rows, classes = int(rng.randint(0, 6)), int(rng.randint(1, 7))
    x = array(rng, t, (rows, classes), -5, 5)
    if op.startswith('Sparse'):
        labels = rng.randint(0, classes, size=rows).astype(pick(rng, INDEX))
        if rows and rng.rand() < 0.1:
            labels[rng.randint(rows)] = classes
        return [('features', x), ('labels', labels)], {}, derived(t), 1, {'outputs': [0]}
    p = array(rng, np.float64, (rows, classes), 0.05, 1)
    p = (p / p.sum(1, keepdims=True)).astype(t)
    # DIFFERENCES: TensorFlow ends the process where rows broadcast and there is a single class
    if rng.rand() < 0.2 and rows > 1 and classes > 1:
        x = x[:1] if rng.rand() < 0.5 else x[:, :1]
        return [('features', x), ('labels', p)], {}, False
    return [('features', x), ('labels', p)], {}, derived(t), 1, {'once': True}


def bias(op, rng, types):
    t = pick(rng, types(op, 'T'))
    rank = 4 if rng.rand() < 0.5 else rng.randint(2, 6)
    x = array(rng, t, shape(rng, rank))
    attrs = {}
    at = x.ndim - 1
    if rank == 4 and rng.rand() < 0.4 and op != 'BiasAddV1':
        attrs, at = {'data_format': 'NCHW'}, 1
    if op == 'BiasAddGrad':
        return [('out_backprop', x)], attrs, derived(t)
    return [('value', x), ('bias', array(rng, t, (x.shape[at],)))], attrs, derived(t)


def window(rng, dims):
    """Filter, stride, padding that fit an image of these sizes."""
    padding = pick(rng, ['SAME', 'VALID'])
    size = [int(rng.randint(1, 4)) for _ in dims]
    if padding == 'VALID':
        size = [min(s, max(d, 1)) for s, d in zip(size, dims)]
    return size, [int(rng.randint(1, 4)) for _ in dims], padding


def out_sizes(dims, size, stride, padding):
    if padding == 'SAME':
        return [-(-d // s) for d, s in zip(dims, stride)]
    return [max(0, -(-(d - w + 1) // s)) for d, w, s in zip(dims, size, stride)]


def convolution(op, rng, types):
    """Conv2D, Conv3D, DepthwiseConv2dNative and their backward ops, channels last."""
    t = floats(rng, types, op)
    rank, deep = (3 if '3D' in op else 2), 'Depthwise' in op
    dims = [int(d) for d in rng.randint(1, 7, size=rank)]
    size, stride, padding = window(rng, dims)
    if deep:
        stride = [stride[0]] * rank
    none = rng.rand() < 0.1     # DIFFERENCES: of no images TensorFlow's are unset
    batch, cin, cout = int(rng.randint(0 if none and not deep else 1, 4)), int(rng.randint(1, 6)), \
        int(rng.randint(1, 6))
    attrs = {'strides': [1] + stride + [1], 'padding': padding}
    # DIFFERENCES: TensorFlow's backward ops do not dilate on the CPU
    if op == 'Conv2D' and rng.rand() < 0.25:
        attrs['dilations'], attrs['strides'] = [1, 2, 2, 1], [1, 1, 1, 1]
        attrs['padding'], stride = 'SAME', [1, 1]
        padding = 'SAME'
        size = [min(s, 2) for s in size]
    xs, fs = [batch] + dims + [cin], size + [cin, cout]
    ys = [batch] + out_sizes(dims, size, stride, padding) + [cin * cout if deep else cout]
    gradient = derived(t) and batch > 0     # DIFFERENCES: of no images TensorFlow's are unset
    x, f, dy = (array(rng, t, tuple(s)) for s in (xs, fs, ys))
    if op.endswith('Input') or op.endswith('InputV2'):
        return [('input_sizes', np.array(xs, np.int32)), ('filter', f), ('out_backprop', dy)], attrs, \
            gradient
    if op.endswith('Filter') or op.endswith('FilterV2'):
        return [('input', x), ('filter_sizes', np.array(fs, np.int32)), ('out_backprop', dy)], attrs, \
            gradient
    return [('input', x), ('filter', f)], attrs, gradient


def distinct(rng, t, dims):
    """No two alike within a window: where there are ties the choice is an accident."""
    n = int(np.prod(dims))
    if np.dtype(t).kind == 'f':
        return (rng.permutation(n) / 7. - n / 14.).astype(t).reshape(dims)
    return (rng.permutation(n) % 120).astype(t).reshape(dims)


def pooled(x, size, stride, padding, fn):
    """By the definition, channels last."""
    dims = x.shape[1:-1]
    outs = out_sizes(dims, size, stride, padding)
    pads = [max(0, (o - 1) * s + w - d) // 2 if padding == 'SAME' else 0
            for o, s, w, d in zip(outs, stride, size, dims)]
    y = np.zeros((x.shape[0],) + tuple(outs) + (x.shape[-1],), x.dtype)
    for at in np.ndindex(*outs):
        cut = tuple(slice(max(0, a * s - p), min(d, a * s - p + w))
                    for a, s, p, w, d in zip(at, stride, pads, size, dims))
        y[(slice(None),) + at] = fn(x[(slice(None),) + cut], tuple(range(1, len(dims) + 1)))
    return y


def pooling(op, rng, types):
    t = pick(rng, types(op, 'T'))
    rank = 3 if '3D' in op else 2
    dims = [int(d) for d in rng.randint(1, 7, size=rank)]
    size, stride, padding = window(rng, dims)
    # DIFFERENCES: windows and strides larger than the image
    size = [min(w, d) for w, d in zip(size, dims)]
    stride = [min(w, d) for w, d in zip(stride, dims)]
    none = rng.rand() < 0.1 and op != 'MaxPoolGradWithArgmax'   # DIFFERENCES: of no images
    batch = int(rng.randint(0 if none else 1, 4))
    x = distinct(rng, t, tuple([batch] + dims + [int(rng.randint(1, 5))]))
    attrs = {'ksize': [1] + size + [1], 'strides': [1] + stride + [1], 'padding': padding}
    grads = derived(t)
    if op.startswith('Avg'):
        if not op.endswith('Grad'):
            return [('input' if rank == 3 else 'value', x)], attrs, grads
        dy = array(rng, t, pooled(x, size, stride, padding, lambda v, _a: 0).shape)
        return [('orig_input_shape', np.array(x.shape, np.int32)), ('grad', dy)], attrs, grads
    inputs = []
    if 'V2' in op:
        inputs = [('ksize', np.array(attrs.pop('ksize'), np.int32)),
                  ('strides', np.array(attrs.pop('strides'), np.int32))]
    if 'Argmax' in op:
        attrs['Targmax'] = pick(rng, types(op, 'Targmax'))
    y = pooled(x, size, stride, padding, np.max) if 'Grad' in op else None
    if op == 'MaxPoolGradWithArgmax':
        at = rng.randint(0, max(1, x[0].size if batch else 1), size=y.shape)
        return [('input', x), ('grad', array(rng, t, y.shape)),
                ('argmax', at.astype(attrs.pop('Targmax')))], attrs, False
    # DIFFERENCES: TensorFlow's gradients of maxima's gradients
    if 'GradGrad' in op:
        return [('orig_input', x), ('orig_output', y), ('grad', array(rng, t, x.shape))] + inputs, \
            attrs, False
    if 'Grad' in op:
        return [('orig_input', x), ('orig_output', y), ('grad', array(rng, t, y.shape))] + inputs, \
            attrs, False
    return [('input', x)] + inputs, attrs, grads, 1, {'once': True}


def response(op, rng, types):
    t = floats(rng, types, op)
    x = array(rng, t, shape(rng, 4))
    attrs = {'depth_radius': int(rng.randint(0, 4)), 'bias': float(rng.uniform(1, 2)),
             'alpha': float(rng.uniform(0.1, 1)), 'beta': float(rng.choice([0.5, 0.75, 1.0]))}
    if op == 'LRN':
        return [('input', x)], attrs, derived(t) and x.size > 0, 1, {'once': True}
    return [('input_grads', array(rng, t, x.shape)), ('input_image', x),
            ('output_image', array(rng, t, x.shape))], attrs, False


def l2_loss(op, rng, types):
    t = floats(rng, types, op)
    return [('t', array(rng, t, shape(rng)))], {}, derived(t)


GENERATORS = {}
for _make, _names in (
        (batch_norm, 'FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 FusedBatchNormGrad '
                     'FusedBatchNormGradV2 FusedBatchNormGradV3'),
        (activation, 'Relu ReluGrad Relu6 Relu6Grad LeakyRelu LeakyReluGrad Elu EluGrad Selu SeluGrad '
                     'Softplus SoftplusGrad Softsign SoftsignGrad'),
        (softmax, 'Softmax LogSoftmax'),
        (cross_entropy, 'SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits'),
        (bias, 'BiasAdd BiasAddV1 BiasAddGrad'),
        (convolution, 'Conv2D Conv2DBackpropInput Conv2DBackpropFilter Conv3D Conv3DBackpropInputV2 '
                      'Conv3DBackpropFilterV2 DepthwiseConv2dNative '
                      'DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter'),
        (pooling, 'MaxPool MaxPoolGrad MaxPoolGradGrad MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2 '
                  'MaxPoolWithArgmax MaxPoolGradWithArgmax AvgPool AvgPoolGrad MaxPool3D '
                  'MaxPool3DGrad MaxPool3DGradGrad AvgPool3D AvgPool3DGrad'),
        (response, 'LRN LRNGrad'), (l2_loss, 'L2Loss')):
    for _name in _names.split():
        GENERATORS[_name] = _make
