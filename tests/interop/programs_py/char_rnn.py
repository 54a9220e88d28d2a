# SPDX-License-Identifier: Apache-2.0
"""A language model over characters: multi-layer LSTM, state fed back, clipped gradients, sampling."""
import numpy as np
import tensorflow as tf

text = 'the quick brown fox jumps over the lazy dog. ' * 8
chars = sorted(set(text))
vocab = {c: i for i, c in enumerate(chars)}
codes = np.array([vocab[c] for c in text], np.int32)
BATCH, LENGTH, SIZE = 4, 10, 12
start = tf.random_uniform_initializer(-.1, .1, seed=4)

inputs = tf.placeholder(tf.int32, [BATCH, None])
targets = tf.placeholder(tf.int32, [BATCH, None])
with tf.variable_scope('model', initializer=start):
    embedding = tf.get_variable('embedding', [len(chars), SIZE])
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(SIZE) for _ in range(2)])
    initial = cell.zero_state(BATCH, tf.float32)
    outputs, final = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(embedding, inputs),
                                       initial_state=initial)
    softmax_w = tf.get_variable('softmax_w', [SIZE, len(chars)])
    softmax_b = tf.get_variable('softmax_b', [len(chars)])
    logits = tf.matmul(tf.reshape(outputs, [-1, SIZE]), softmax_w) + softmax_b
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=tf.reshape(targets, [-1]), logits=logits))
lr = tf.Variable(0.0, trainable=False)
tvars = tf.trainable_variables()
grads, norm = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5.)
train_op = tf.train.AdamOptimizer(lr).apply_gradients(zip(grads, tvars))
print([v.name for v in tvars])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.assign(lr, .02))
    state = sess.run(initial)
    for k in range(6):
        at = (k * LENGTH) % 40
        x = np.stack([codes[at + 45 * b:at + 45 * b + LENGTH] for b in range(BATCH)])
        y = np.stack([codes[at + 45 * b + 1:at + 45 * b + LENGTH + 1] for b in range(BATCH)])
        feed = {inputs: x, targets: y}
        for i, (c, h) in enumerate(initial):
            feed[c], feed[h] = state[i].c, state[i].h
        value, n, state, _ = sess.run([loss, norm, final, train_op], feed)
        print(k, 'loss %.4f norm %.4f' % (value, n))
    print(type(state[0]).__name__, state[1].h.shape)
