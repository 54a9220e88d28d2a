# SPDX-License-Identifier: Apache-2.0
"""A network of quantised layers, as TensorFlow's graph transforms lay them out; and how quantised types come and go."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
raw = tf.raw_ops


def quantize(x, low, high):
    return raw.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.quint8, mode='MIN_FIRST')


def weights(shape):
    w = rng.normal(size=shape).astype(np.float32)
    return quantize(tf.constant(w), float(w.min()), float(w.max()))


def shrink(out):
    """32 bits to 8 in two steps: the range that is used, then numbers over it."""
    low, high = raw.RequantizationRange(input=out[0], input_min=out[1], input_max=out[2])
    return raw.Requantize(input=out[0], input_min=out[1], input_max=out[2], requested_output_min=low,
                          requested_output_max=high, out_type=tf.quint8)


def convolved(x, filters, stride, padding):
    f = weights(filters)
    y = raw.QuantizedConv2D(input=x[0], filter=f[0], min_input=x[1], max_input=x[2], min_filter=f[1],
                            max_filter=f[2], strides=[1, stride, stride, 1], padding=padding)
    b, y = weights(filters[3:]), shrink(y)
    y = shrink(raw.QuantizedBiasAdd(input=y[0], bias=b[0], min_input=y[1], max_input=y[2],
                                    min_bias=b[1], max_bias=b[2], out_type=tf.qint32))
    return raw.QuantizedRelu(features=y[0], min_features=y[1], max_features=y[2])


def pooled(op, x):
    return op(input=x[0], min_input=x[1], max_input=x[2], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
              padding='SAME')


images = tf.compat.v1.placeholder(tf.float32, [None, 12, 12, 3])
layers = [quantize(images, -1.0, 1.0)]
layers.append(convolved(layers[-1], (3, 3, 3, 8), 1, 'SAME'))
layers.append(pooled(raw.QuantizedMaxPool, layers[-1]))
side = convolved(layers[-1], (1, 1, 8, 4), 1, 'VALID')
layers.append(convolved(layers[-1], (5, 5, 8, 6), 1, 'SAME'))
layers.append(raw.QuantizedConcat(concat_dim=3, values=[layers[-1][0], side[0]],
                                  input_mins=[layers[-1][1], side[1]],
                                  input_maxes=[layers[-1][2], side[2]]))
layers.append(pooled(raw.QuantizedAvgPool, layers[-1]))
layers.append(raw.QuantizedReshape(tensor=layers[-1][0], shape=[-1, 90], input_min=layers[-1][1],
                                   input_max=layers[-1][2]))
w = weights((90, 10))
layers.append(shrink(raw.QuantizedMatMul(a=layers[-1][0], b=w[0], min_a=layers[-1][1],
                                         max_a=layers[-1][2], min_b=w[1], max_b=w[2])))
logits = raw.Dequantize(input=layers[-1][0], min_range=layers[-1][1], max_range=layers[-1][2],
                        mode='MIN_FIRST')

with tf.compat.v1.Session() as sess:
    feed = {images: rng.uniform(-1, 1, size=(4, 12, 12, 3)).astype(np.float32)}
    for k, (numbers, low, high) in enumerate(sess.run([tuple(y) for y in layers], feed)):
        print(k, numbers.dtype, numbers.shape, int(numbers.astype(np.int64).sum()),
              numbers.ravel()[:12].tolist(), '%.4f %.4f' % (low, high))
    print(sess.run(tf.argmax(logits, 1), feed).tolist(), sess.run(logits, feed).round(3).tolist())

    def show(label, function):
        try:
            value = function()
            print(label, value, getattr(value, 'dtype', ''))
        except Exception as e:
            print(label, type(e).__name__, str(e).split('\n')[0])

    for kind in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32):
        array = np.array([1, 2], kind.as_numpy_dtype)
        x = tf.compat.v1.placeholder(kind, [None])
        print(kind, kind.as_numpy_dtype, kind.size, kind.is_quantized, kind.is_integer)
        print(tf.as_dtype(kind.as_numpy_dtype), tf.make_tensor_proto(array))
        show('least', lambda: kind.min)
        show('plain list', lambda: tf.constant([1, 2], kind))
        show('tuples', lambda: sess.run(tf.constant([(1,), (2,)], kind)))
        show('array', lambda: sess.run(tf.constant(array)))
        show('plain array', lambda: sess.run(tf.constant(np.array([1, 2], np.int8), kind)))
        show('read back', lambda: tf.make_ndarray(tf.make_tensor_proto(array)))
        show('known', lambda: tf.contrib.util.constant_value(tf.constant(array)))
        show('fed', lambda: sess.run(tf.identity(x), {x: array}))
        show('fed list', lambda: sess.run(tf.identity(x), {x: [3, 4]}))
        show('fed plain', lambda: sess.run(tf.identity(x), {x: np.array([5, 6], np.int64)}))
        show('fed and fetched', lambda: sess.run(x, {x: [3, 4]}))
