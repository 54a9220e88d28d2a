# SPDX-License-Identifier: Apache-2.0
"""An autoencoder of dictionaries of weights, RMSProp."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(2)
data = rng.rand(64, 20).astype(np.float32)
X = tf.placeholder("float", [None, 20])
weights = {
    'encoder_h1': tf.Variable(tf.random_normal([20, 10], stddev=.3, seed=1)),
    'decoder_h1': tf.Variable(tf.random_normal([10, 20], stddev=.3, seed=2)),
}
biases = {
    'encoder_b1': tf.Variable(tf.zeros([10])),
    'decoder_b1': tf.Variable(tf.zeros([20])),
}


def layer(value, end, kind):
    return tf.nn.sigmoid(tf.add(tf.matmul(value, weights[kind + '_h' + end]), biases[kind + '_b' + end]))


decoded = layer(layer(X, '1', 'encoder'), '1', 'decoder')
loss = tf.reduce_mean(tf.pow(X - decoded, 2))
optimizer = tf.train.RMSPropOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1, 51):
        _, l = sess.run([optimizer, loss], feed_dict={X: data})
        if i % 10 == 0:
            print('Step %i: Minibatch Loss: %.5f' % (i, l))
