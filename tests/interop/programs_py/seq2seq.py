# SPDX-License-Identifier: Apache-2.0
"""An encoder and a decoder by raw graph loops: tf.while_loop, TensorArray, masked loss."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
source = rng.standard_normal([3, 6, 4]).astype('f')
lengths = np.array([6, 3, 5])
start = tf.random_uniform_initializer(-.2, .2, seed=9)

x = tf.placeholder(tf.float32, [None, None, 4])
n = tf.placeholder(tf.int32, [None])
with tf.variable_scope('encoder', initializer=start):
    _, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(5), x, sequence_length=n, dtype=tf.float32)
with tf.variable_scope('decoder', initializer=start):
    cell = tf.nn.rnn_cell.GRUCell(5)
    w = tf.get_variable('w', [5, 4])
    time = tf.shape(x)[1]

    def body(t, value, hidden, ta):
        with tf.variable_scope('cell', reuse=tf.AUTO_REUSE):
            out, hidden = cell(value, hidden)
        value = tf.matmul(out, w)
        return t + 1, value, hidden, ta.write(t, value)

    _, _, last, ta = tf.while_loop(lambda t, *_: t < time, body,
                                   [0, tf.zeros_like(x[:, 0]), state, tf.TensorArray(tf.float32, time)])
    decoded = tf.transpose(ta.stack(), [1, 0, 2])
mask = tf.sequence_mask(n, time, dtype=tf.float32)
loss = tf.reduce_sum(tf.reduce_mean(tf.square(decoded - x), 2) * mask) / tf.reduce_sum(mask)
step = tf.Variable(0, name='step', trainable=False)
train = tf.train.MomentumOptimizer(.1, .9).minimize(loss, global_step=step)
print([(v.name, v.get_shape().as_list()) for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        value, _ = sess.run([loss, train], {x: source, n: lengths})
        print('%.5f' % value)
    print(sess.run([step, tf.shape(decoded)], {x: source, n: lengths}))
