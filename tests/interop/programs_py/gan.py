# SPDX-License-Identifier: Apache-2.0
"""A small GAN: two optimisers over two lists of variables found by scope, batch normalisation's
updates."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
noise = rng.uniform(-1, 1, [32, 4]).astype('f')
real = rng.normal(2, .5, [32, 3]).astype('f')


def dense(value, units, name, activation=None):
    start = tf.random_normal_initializer(stddev=.2, seed=len(name))
    return tf.layers.dense(value, units, activation, kernel_initializer=start, name=name)


def generator(z, training=True):
    with tf.variable_scope('generator'):
        h = tf.layers.batch_normalization(dense(z, 8, 'h'), training=training, name='bn')
        return dense(tf.nn.leaky_relu(h), 3, 'out_g')


def discriminator(x, reuse=None):
    with tf.variable_scope('discriminator', reuse=reuse):
        return dense(dense(x, 8, 'hidden', tf.nn.relu), 1, 'score')


z = tf.placeholder(tf.float32, [None, 4], 'z')
x = tf.placeholder(tf.float32, [None, 3], 'x')
fake = generator(z)
d_real, d_fake = discriminator(x), discriminator(fake, reuse=True)
cross = tf.nn.sigmoid_cross_entropy_with_logits
d_loss = tf.reduce_mean(cross(logits=d_real, labels=tf.ones_like(d_real))) + \
    tf.reduce_mean(cross(logits=d_fake, labels=tf.zeros_like(d_fake)))
g_loss = tf.reduce_mean(cross(logits=d_fake, labels=tf.ones_like(d_fake)))
d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='discriminator')
g_vars = [v for v in tf.trainable_variables() if v.name.startswith('generator')]
print([v.name for v in d_vars], [v.name for v in g_vars])
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    d_train = tf.train.AdamOptimizer(.002, beta1=.5).minimize(d_loss, var_list=d_vars)
    g_train = tf.train.AdamOptimizer(.002, beta1=.5).minimize(g_loss, var_list=g_vars)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for step in range(5):
        _, dl = sess.run([d_train, d_loss], {x: real, z: noise})
        _, gl = sess.run([g_train, g_loss], {z: noise})
        print(step, 'd %.4f g %.4f' % (dl, gl))
    print(sess.run('generator/bn/moving_mean:0').shape)
