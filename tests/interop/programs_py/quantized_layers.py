# SPDX-License-Identifier: Apache-2.0
"""Products and bounds of quantised numbers, and their ways to fewer bits."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(11)


def show(label, sess, values):
    print(label, [(np.asarray(v).ravel().astype(np.float64).round(4) + 0).tolist() for v in sess.run(values)])


def bits(q):
    return tf.bitcast(q, {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint32: tf.int32}[q.dtype])


with tf.Session() as sess:
    for low, high in ((-1., 2.), (0., 1.), (-3., -.5), (.25, 4.)):
        a, a_min, a_max = tf.quantize_v2(rng.uniform(-2, 3, size=(3, 4)).astype(np.float32), low, high, tf.quint8)
        b, b_min, b_max = tf.quantize_v2(rng.uniform(-1, 5, size=(4, 2)).astype(np.float32), -.5, 4.5, tf.quint8)
        for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
            p, p_min, p_max = tf.raw_ops.QuantizedMatMul(
                a=tf.bitcast(tf.transpose(bits(a)), tf.quint8) if ta else a,
                b=tf.bitcast(tf.transpose(bits(b)), tf.quint8) if tb else b, min_a=a_min, max_a=a_max,
                min_b=b_min, max_b=b_max, Toutput=tf.qint32, transpose_a=ta, transpose_b=tb)
            show('product %s %s %s' % (low, ta, tb), sess, [bits(p), p_min, p_max])
        least, most = tf.raw_ops.RequantizationRange(input=p, input_min=p_min, input_max=p_max)
        show('range', sess, [least, most])
        for kind in (tf.quint8, tf.qint8):
            for want in ((least, most), (-1., 3.), (-20., 20.)):
                q = tf.raw_ops.Requantize(input=p, input_min=p_min, input_max=p_max, requested_output_min=want[0],
                                          requested_output_max=want[1], out_type=kind)
                show('requantized', sess, [bits(q[0]), q[1], q[2]])
        q = tf.raw_ops.QuantizeDownAndShrinkRange(input=p, input_min=p_min, input_max=p_max, out_type=tf.quint8)
        show('shrunk', sess, [bits(q[0]), q[1], q[2]])
        for relu in (tf.raw_ops.QuantizedRelu, tf.raw_ops.QuantizedRelu6):
            for x, x_min, x_max in ((p, p_min, p_max), q, (a, a_min, a_max)):
                y = relu(features=x, min_features=x_min, max_features=x_max, out_type=x.dtype)
                show('relu', sess, [bits(y[0]), y[1], y[2]])
