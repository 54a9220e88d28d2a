# SPDX-License-Identifier: Apache-2.0
"""A convolutional network of tf.layers with dropout, decay and a checkpoint that the other
restores."""
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
tf.set_random_seed(1)
rng = np.random.RandomState(1)
data, labels = rng.rand(16, 12, 12, 1).astype('f'), rng.randint(0, 4, 16)


def model(features, training, seed=5):
    normal = tf.truncated_normal_initializer(stddev=.1, seed=seed)
    net = tf.layers.conv2d(features, 8, [3, 3], padding='same', activation=tf.nn.relu,
                           kernel_initializer=normal, name='conv1')
    net = tf.layers.max_pooling2d(net, [2, 2], 2)
    net = tf.layers.conv2d(net, 8, 3, activation=tf.nn.relu, kernel_initializer=normal, name='conv2')
    net = tf.reshape(net, [-1, 4 * 4 * 8])
    net = tf.layers.dense(net, 32, activation=tf.nn.relu, kernel_initializer=normal, name='fc')
    net = tf.layers.dropout(net, rate=.5, training=training, seed=7)
    return tf.layers.dense(net, 4, kernel_initializer=normal, name='logits')


images = tf.placeholder(tf.float32, [None, 12, 12, 1])
targets = tf.placeholder(tf.int64, [None])
training = tf.placeholder_with_default(False, shape=())
logits = model(images, training)
loss = tf.losses.sparse_softmax_cross_entropy(labels=targets, logits=logits)
global_step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(.05, global_step, 3, .9, staircase=True)
train_op = tf.train.AdamOptimizer(rate).minimize(loss, global_step=global_step)
saver = tf.train.Saver()
with tf.Session() as sess:
    if 'again' in sys.argv:
        saver.restore(sess, tf.train.latest_checkpoint(folder))
    else:
        sess.run(tf.global_variables_initializer())
    for _ in range(6):
        _, value, r, step = sess.run([train_op, loss, rate, global_step],
                                     {images: data, targets: labels, training: True})
        print(step, 'rate %.5f' % r)
    print('loss %.4f' % sess.run(loss, {images: data, targets: labels}))
    print(os.path.basename(saver.save(sess, os.path.join(folder, 'model'), global_step=global_step)))
print(len(tf.trainable_variables()), [v.op.name for v in tf.global_variables()][:6])
