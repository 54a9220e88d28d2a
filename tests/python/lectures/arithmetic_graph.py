# SPDX-License-Identifier: Apache-2.0
"""Lectures "Distributed TensorFlow" (2017, 2022), slides "Operations on tensors are often
conceptualized as graphs": a product, and d = b + c, e = c * 2 (2017: c + 2), a = d * e. Filled
in: the numbers."""
import tensorflow

a = tensorflow.constant([[1., 2.], [3., 4.]])
b = tensorflow.constant([[5.], [6.]])
c = tensorflow.matmul(a, b)

b_ = tensorflow.constant(2.0, name='b')
c_ = tensorflow.Variable(1.0, name='c')
d = b_ + c_
e = c_ * 2
a_ = d * e
e2 = c_ + 2
a2 = d * e2
with tensorflow.Session() as sess:
    sess.run(tensorflow.global_variables_initializer())
    print(sess.run(c))
    print(sess.run(a_), sess.run(a2))
