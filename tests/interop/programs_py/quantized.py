# SPDX-License-Identifier: Apache-2.0
"""Quantised numbers: to and fro, in every mode and type, on random ranges."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
# DIFFERENCES: QuantizeV2 in qint32
TYPES = [tf.qint8, tf.quint8, tf.qint16, tf.quint16]
ranges = [(-1., 1.), (0., 6.), (-3.5, .25), (-.001, .0005), (.5, 2.), (-2., -1.), (0., 0.)]


def show(label, sess, values):
    print(label, [(np.asarray(v).ravel().astype(np.float64).round(5) + 0).tolist() for v in sess.run(values)])


with tf.Session() as sess:
    x = tf.constant(np.append(rng.uniform(-4, 7, size=9), [0, -.5, .5, 1.5, 1e9]).astype(np.float32))
    for low, high in ranges:
        for kind in TYPES:
            for mode, rounding in (('MIN_COMBINED', 'HALF_AWAY_FROM_ZERO'), ('MIN_FIRST', 'HALF_AWAY_FROM_ZERO'),
                                   ('SCALED', 'HALF_AWAY_FROM_ZERO'), ('SCALED', 'HALF_TO_EVEN')):
                q, least, most = tf.quantize_v2(x[:-1], low, high, kind, mode=mode, round_mode=rounding)
                back = tf.dequantize(q, least, most, mode=mode)
                show('%s %s %s %s %s' % (low, high, kind.name, mode, rounding), sess,
                     [least, most, back] + [tf.bitcast(q, {
                         tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint16: tf.int16,
                         tf.quint16: tf.uint16}[kind])])
        for signed in (True, False):
            for bits in (2, 8, 12):
                for given in (True, False):
                    show('round trip %s %s %s %s %s' % (low, high, signed, bits, given), sess, [
                        tf.quantization.quantize_and_dequantize(
                            x[:9], low, high, signed_input=signed, num_bits=bits, range_given=given,
                            round_mode=mode, narrow_range=narrow)
                        for mode in ('HALF_TO_EVEN', 'HALF_UP') for narrow in (False, True)])
