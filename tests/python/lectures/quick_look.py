# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 27, 28 and 30: "What does
TensorFlow code look like?", printed and evaluated."""
import tensorflow as tf
sess = tf.InteractiveSession()  # don't mess with passing around a session
ml_is_fun = tf.constant([6.2, 12.0, 5.9], shape = [1, 3])
python_is_ok_too = tf.constant([9.3, 1.7, 8.8], shape = [3, 1])
matrices_omg = tf.matmul(ml_is_fun, python_is_ok_too)
print(matrices_omg)  # => Tensor("MatMul:0", shape=(1, 1), dtype=float32)
print(matrices_omg.eval())  # => [[ 129.97999573]]
sess.close()  # let's be responsible about this
