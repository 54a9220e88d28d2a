# SPDX-License-Identifier: Apache-2.0
"""A client of TensorFlow 2 that trains on a cluster by compat.v1's sessions, with variables of both kinds.

    tf2_client.py TARGET

prints the losses, one a line. Its graphs say attrs that the ops of TensorFlow 1.15 do not have.
"""
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow as tf2

tf = tf2.compat.v1
tf.disable_eager_execution()
STEPS = 5


def main(target):
    data = np.random.RandomState(1).rand(16, 4).astype(np.float32)
    for old in (False, True):
        with tf.Graph().as_default() as graph:
            with tf.device('/job:ps/task:0'):
                w = tf.get_variable('w%d' % old, initializer=np.ones((4, 3), np.float32), use_resource=not old)
            with tf.device('/job:worker/task:0'):
                x = tf.placeholder(tf.float32, [None, 4])
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.reduce_sum(x, 1, keepdims=True) * 0.5))
                train = tf.train.AdamOptimizer(0.05).minimize(loss)
                again = tf.while_loop(lambda i: i < 10, lambda i: i * 2, [tf.constant(1)])
            init = tf.global_variables_initializer()
        with tf.Session(target, graph=graph) as session:
            session.run(init)
            for _ in range(STEPS):
                print(session.run([loss, train], {x: data})[0])
            assert session.run(again) == 16


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else '')
