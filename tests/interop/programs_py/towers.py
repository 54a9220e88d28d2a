# SPDX-License-Identifier: Apache-2.0
"""Towers of several GPUs, with soft placement: shared variables, averaged gradients, moving
averages."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(8)
data = rng.standard_normal([8, 5]).astype('f')


def average_gradients(tower_grads):
    average = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), grad_and_vars[0][1]))
    return average


with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    opt = tf.train.GradientDescentOptimizer(.1)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('tower_%d' % i) as scope:
                    w = tf.get_variable('w', [5, 1], initializer=tf.ones_initializer())
                    loss = tf.reduce_mean(tf.square(tf.matmul(data[i * 4:i * 4 + 4], w)), name='loss')
                    tf.add_to_collection('losses', loss)
                    total = tf.add_n(tf.get_collection('losses', scope), name='total')
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(opt.compute_gradients(total))
    grads = average_gradients(tower_grads)
    apply_op = opt.apply_gradients(grads, global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(.9, global_step)
    train_op = tf.group(apply_op, averages.apply(tf.trainable_variables()))
    saver = tf.train.Saver(tf.global_variables())
    print(sorted(v.name for v in tf.global_variables()))
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            _, value = sess.run([train_op, total])
            print('%.5f' % value)
        print(sess.run(global_step), [n for n in sorted(averages.variables_to_restore())])
