# SPDX-License-Identifier: Apache-2.0
"""Lecture "Distributed TensorFlow" (2017), slides 18 to 22: ridge regression by its matrix
solution and by gradient descent with tf.gradients(cost, [params]). The lecture shows the
formulas; the program is ours."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
features = np.c_[np.ones([200, 1]), rng.standard_normal([200, 3])].astype(np.float32)
truth = np.array([[1.], [-2.], [.5], [3.]], np.float32)
targets = features.dot(truth) + .01 * rng.standard_normal([200, 1]).astype(np.float32)
penalty = 2.0

X = tf.constant(features, name='X')
y = tf.constant(targets, name='y')

# Matrix solution: beta = (X'X + penalty I)^-1 X'y
Xt = tf.transpose(X)
inverse = tf.matrix_inverse(tf.matmul(Xt, X) + penalty * tf.eye(4))
closed = tf.matmul(tf.matmul(inverse, Xt), y)

# Gradient descent
beta = tf.Variable(tf.zeros([4, 1]), name='beta')
y_pred = tf.matmul(X, beta)
cost = tf.reduce_sum(tf.square(y_pred - y)) + penalty * tf.reduce_sum(tf.square(beta))
grads = tf.gradients(cost, [beta])[0]
training_op = tf.assign(beta, beta - 0.001 * grads)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    solution = sess.run(closed)
    for epoch in range(300):
        sess.run(training_op)
    learned = sess.run(beta)
print(np.round(solution.ravel(), 2))
print(np.round(learned.ravel(), 2))
print('close:', np.allclose(solution, learned, atol=1e-3))
