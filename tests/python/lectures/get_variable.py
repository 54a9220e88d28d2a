# SPDX-License-Identifier: Apache-2.0
"""Lecture "TensorFlow, another framework", slides "What gets updated when training happens?".
Filled in: the import, the session, an update, the prints."""
import tensorflow as tf
my_variable = tf.get_variable("my_variable", [1, 2, 3])
my_int_variable = tf.get_variable("my_int_variable", [1, 2, 3],
    dtype=tf.int32, initializer=tf.zeros_initializer)
v = tf.get_variable("v", shape=(), initializer=tf.zeros_initializer())
w = v + 1  # w is a tf.Tensor which is computed based on the value of v.
           # Any time a variable is used in an expression it gets automatically
           # converted to a tf.Tensor representing its value.
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(my_variable)
    print(sess.run(my_variable).shape)
    print(sess.run(my_int_variable))
    print(sess.run(w))
    sess.run(v.assign_add(4.))
    print(sess.run(w))
