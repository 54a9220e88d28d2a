# SPDX-License-Identifier: Apache-2.0
"""Logistic regression with feeds, epochs and an accuracy, as tutorials write it."""
from __future__ import print_function
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
train_x = rng.standard_normal([200, 6]).astype(np.float32)
train_y = np.eye(3, dtype=np.float32)[np.argmax(train_x[:, :3] + .5 * train_x[:, 3:], 1)]

x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None, 3])
W = tf.Variable(tf.zeros([6, 3]))
b = tf.Variable(tf.zeros([3]))
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(5):
        avg_cost = 0.
        for i in range(0, 200, 50):
            _, c = sess.run([optimizer, cost], feed_dict={x: train_x[i:i + 50], y: train_y[i:i + 50]})
            avg_cost += c / 4
        print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.5f}".format(avg_cost))
    correct_prediction = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    print("Accuracy:", accuracy.eval({x: train_x, y: train_y}))
