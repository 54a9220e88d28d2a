# SPDX-License-Identifier: Apache-2.0
"""Lecture "Distributed TensorFlow" (2022), slide "What is TensorFlow?": a layer and its cost,
after Abadi et al. 2016. Filled in: the type of the placeholder, the cost, the input; the
initializer; range, print()."""
import numpy as np
import tensorflow as tf

b = tf.Variable(tf.zeros([100]))  # 100-d vector, init to zeroes
W = tf.Variable(tf.random_uniform([784, 100], -1, 1))  # 784x100 matrix w/rnd vals
x = tf.placeholder(tf.float32, name="x")  # Placeholder for input
relu = tf.nn.relu(tf.matmul(W, x) + b)  # ReLU (Wx+b)
C = tf.reduce_sum(relu)  # Cost computed as a function of ReLU

s = tf.Session()
s.run(tf.global_variables_initializer())
for step in range(0, 10):  # Create 100-d vector for input
    input = np.full([100, 1], step)
    result = s.run(C, feed_dict={x: input})  # Fetch cost, feeding x=input
    print(step, result)
