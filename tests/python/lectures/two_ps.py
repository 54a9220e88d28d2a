# SPDX-License-Identifier: Apache-2.0
"""Lecture "TensorFlow, another framework", slides "Other Ways to Distribute...": layers'
weights on two parameter servers, the rest on a worker, the session there. Filled in: the
shapes, input and labels, the loss, the first values. The slide's worker is task 7, its address
and number of steps are the command line's.

    two_ps.py TARGET TASK STEPS"""
import sys

import tensorflow as tf

target, task, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tf.set_random_seed(5)

with tf.device("/job:ps/task:0"):
    weights_1 = tf.Variable(tf.truncated_normal([2, 8], stddev=.5))
    biases_1 = tf.Variable(tf.fill([8], .1))

with tf.device("/job:ps/task:1"):
    weights_2 = tf.Variable(tf.truncated_normal([8, 2], stddev=.5))
    biases_2 = tf.Variable(tf.fill([2], .1))

with tf.device("/job:worker/task:%d" % task):
    input, labels = tf.constant([[0., 0.], [0., 1.], [1., 0.], [1., 1.]]), tf.constant([0, 1, 1, 1])
    layer_1 = tf.nn.relu(tf.matmul(input, weights_1) + biases_1)
    logits = tf.nn.relu(tf.matmul(layer_1, weights_2) + biases_2)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(.2).minimize(loss)

print(weights_1.device, weights_2.device, logits.device)
with tf.Session(target) as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run(loss)
    for _ in range(steps):
        sess.run(train_op)
    after = sess.run(loss)
print('less:', after < before)
