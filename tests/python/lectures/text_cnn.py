# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 67 to 77: a convolutional
network over sentences (Kim 2014). The slides show its picture; the program, in the workshop's
shape, is ours, with made-up sentences: a text is good when it says "great" or "not bad"."""
import random

import numpy as np
import tensorflow as tf

random.seed(3)
tf.set_random_seed(3)
WORDS = ['<pad>', 'this', 'movie', 'was', 'the', 'plot', 'and', 'great', 'bad', 'not', 'a', 'film',
         'story']
LENGTH = 8


def sentence():
    text = [random.choice(WORDS[1:7] + WORDS[10:]) for _ in range(random.randint(4, 6))]
    good = random.random() < .5
    at = random.randrange(len(text))
    says = [['great'], ['not', 'bad']] if good else [['bad'], ['not', 'great']]
    text[at:at] = random.choice(says)
    numbers = [WORDS.index(word) for word in text]
    return numbers + [0] * (LENGTH - len(numbers)), [float(not good), float(good)]


def batch(n):
    texts, kinds = zip(*[sentence() for _ in range(n)])
    return np.array(texts, np.int32), np.array(kinds, np.float32)


embedding_size, filter_sizes, num_filters = 16, [2, 3, 4], 16
input_x = tf.placeholder(tf.int32, [None, LENGTH], name="input_x")
input_y = tf.placeholder(tf.float32, [None, 2], name="input_y")
dropout_keep_prob = tf.placeholder(tf.float32, name="dropout_keep_prob")

with tf.device('/cpu:0'), tf.name_scope("embedding"):
    W = tf.Variable(tf.random_uniform([len(WORDS), embedding_size], -1.0, 1.0), name="W")
    embedded_chars = tf.nn.embedding_lookup(W, input_x)
    embedded_chars_expanded = tf.expand_dims(embedded_chars, -1)

pooled_outputs = []
for filter_size in filter_sizes:
    with tf.name_scope("conv-maxpool-%s" % filter_size):
        filter_shape = [filter_size, embedding_size, 1, num_filters]
        W = tf.Variable(tf.truncated_normal(filter_shape, stddev=0.1), name="W")
        b = tf.Variable(tf.constant(0.1, shape=[num_filters]), name="b")
        conv = tf.nn.conv2d(embedded_chars_expanded, W, strides=[1, 1, 1, 1],
                            padding="VALID", name="conv")
        h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
        pooled = tf.nn.max_pool(h, ksize=[1, LENGTH - filter_size + 1, 1, 1], strides=[1, 1, 1, 1],
                                padding='VALID', name="pool")
        pooled_outputs.append(pooled)

num_filters_total = num_filters * len(filter_sizes)
h_pool_flat = tf.reshape(tf.concat(pooled_outputs, 3), [-1, num_filters_total])
h_drop = tf.nn.dropout(h_pool_flat, dropout_keep_prob)
with tf.name_scope("output"):
    W = tf.get_variable("W", shape=[num_filters_total, 2],
                        initializer=tf.truncated_normal_initializer(stddev=0.1))
    b = tf.Variable(tf.constant(0.1, shape=[2]), name="b")
    l2_loss = tf.nn.l2_loss(W) + tf.nn.l2_loss(b)
    scores = tf.nn.xw_plus_b(h_drop, W, b, name="scores")
    predictions = tf.argmax(scores, 1, name="predictions")
losses = tf.nn.softmax_cross_entropy_with_logits(labels=input_y, logits=scores)
loss = tf.reduce_mean(losses) + 1e-4 * l2_loss
correct_predictions = tf.equal(predictions, tf.argmax(input_y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_predictions, "float"), name="accuracy")

global_step = tf.Variable(0, name="global_step", trainable=False)
optimizer = tf.train.AdamOptimizer(5e-3)
grads_and_vars = optimizer.compute_gradients(loss)
train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        x_batch, y_batch = batch(64)
        feed_dict = {input_x: x_batch, input_y: y_batch, dropout_keep_prob: 0.8}
        sess.run(train_op, feed_dict)
    x_dev, y_dev = batch(300)
    step, l, a = sess.run([global_step, loss, accuracy],
                          {input_x: x_dev, input_y: y_dev, dropout_keep_prob: 1.0})
    print('step', step, 'loss', l, 'accuracy', a)
