# SPDX-License-Identifier: Apache-2.0
"""cond, case, while_loop, map_fn, scan, py_func, assertions, partial gradients."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
n = tf.placeholder_with_default(tf.constant(3), [], name='n')
big = tf.cond(tf.reduce_sum(x) > 4., lambda: x * 10., lambda: x - 1.)
which = tf.case([(tf.equal(n, 1), lambda: tf.constant('one')), (tf.equal(n, 2), lambda: tf.constant('two'))],
                default=lambda: tf.constant('many'))
_, power = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, tf.ones_like(x)])
dx, = tf.gradients(power, x)
squares = tf.map_fn(lambda e: e * e, x)
sums = tf.scan(lambda a, e: a + e, x)
total = tf.foldl(lambda a, e: a + e, x)
told = tf.py_func(lambda a, k: (a[::-1] * k).astype(np.float32), [x, n], tf.float32)
with tf.control_dependencies([tf.assert_non_negative(x, message='no negative numbers')]):
    checked = tf.identity(x)
with tf.Session() as sess:
    for feed in ({x: [1., 2.]}, {x: [3., 4., 5.], n: 2}, {x: [2.], n: 1}):
        print(*sess.run([big, power, dx, squares, sums, told], feed))
        print(sess.run(which, feed).decode(), sess.run(total, feed))
    try:
        sess.run(checked, {x: [-1.]})
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, e.op.type, 'no negative numbers' in e.message)
    print(sess.run(checked, {x: [1.]}))
