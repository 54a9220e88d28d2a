# SPDX-License-Identifier: Apache-2.0
"""Lecture "TensorFlow, another framework", slide "Basic Concepts (2): Running the Graph"."""
import tensorflow as tf
a = tf.add(3, 5)
with tf.Session() as sess:
    print(sess.run(a))
