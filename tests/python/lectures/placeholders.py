# SPDX-License-Identifier: Apache-2.0
"""Lecture "TensorFlow, another framework", slides "Parameterized Graphs: Placeholders". Filled
in: the import, the session."""
import tensorflow as tf
x = tf.placeholder(tf.float32)
y = tf.placeholder(tf.float32)
z = x + y
sess = tf.Session()
print(sess.run(z, feed_dict={x: 3, y: 4.5}))
print(sess.run(z, feed_dict={x: [1, 3], y: [2, 4]}))
