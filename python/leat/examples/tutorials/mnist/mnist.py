# SPDX-License-Identifier: Apache-2.0
"""The tutorials' network for MNIST: two hidden layers, and what trains and checks it."""
import math

IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE
NUM_CLASSES = 10


def _layer(name, inputs, size_in, size_out, activation=None):
    import leat as tf
    with tf.name_scope(name):
        weights = tf.Variable(tf.truncated_normal([size_in, size_out],
                                                  stddev=1.0 / math.sqrt(float(size_in))),
                              name='weights')
        biases = tf.Variable(tf.zeros([size_out]), name='biases')
        out = tf.matmul(inputs, weights) + biases
        return out if activation is None else activation(out)


def inference(images, hidden1_units, hidden2_units):
    """The logits of images."""
    import leat as tf
    hidden1 = _layer('hidden1', images, IMAGE_PIXELS, hidden1_units, tf.nn.relu)
    hidden2 = _layer('hidden2', hidden1, hidden1_units, hidden2_units, tf.nn.relu)
    return _layer('softmax_linear', hidden2, hidden2_units, NUM_CLASSES)


def loss(logits, labels):
    """The mean cross entropy."""
    import leat as tf
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss, learning_rate):
    """An op that takes a step of gradient descent; the loss is a summary."""
    import leat as tf
    tf.summary.scalar('loss', loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits, labels):
    """How many of the labels are the largest logits."""
    import leat as tf
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))
