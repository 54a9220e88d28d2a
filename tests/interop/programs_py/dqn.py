# SPDX-License-Identifier: Apache-2.0
"""Q-learning with a target network: copies by assign ops, one-hot actions, huber loss, epsilon
by numpy."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(6)


def network(state, name):
    with tf.variable_scope(name):
        start = tf.truncated_normal_initializer(stddev=.3, seed=3)
        w1 = tf.get_variable('w1', [4, 8], initializer=start)
        b1 = tf.get_variable('b1', [8], initializer=tf.constant_initializer(.01))
        w2 = tf.get_variable('w2', [8, 2], initializer=start)
        return tf.matmul(tf.nn.relu(tf.matmul(state, w1) + b1), w2)


state = tf.placeholder(tf.float32, [None, 4], 'state')
action = tf.placeholder(tf.int32, [None], 'action')
target = tf.placeholder(tf.float32, [None], 'target')
q, q_target = network(state, 'online'), network(state, 'target')
chosen = tf.reduce_sum(q * tf.one_hot(action, 2), axis=1)
loss = tf.losses.huber_loss(target, chosen)
train = tf.train.RMSPropOptimizer(.01, .95, .95, .01).minimize(loss)
copy = [tf.assign(b, a) for a, b in zip(tf.trainable_variables('online'), tf.trainable_variables('target'))]
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
sess.run(copy)
for episode in range(6):
    s, s2 = rng.standard_normal([8, 4]), rng.standard_normal([8, 4])
    a, r = rng.randint(0, 2, 8), rng.standard_normal(8)
    best = q_target.eval({state: s2}).max(1)
    _, value = sess.run([train, loss], {state: s, action: a, target: r + .9 * best})
    if episode % 3 == 2:
        sess.run(copy)
        same = np.array_equal(q.eval({state: s}), q_target.eval(feed_dict={state: s}))
        print(episode, '%.4f' % value, same)
print(sess.run(tf.argmax(q, 1), {state: np.eye(4)}).dtype)
sess.close()
