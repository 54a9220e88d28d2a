# SPDX-License-Identifier: Apache-2.0
"""What Python adds: importing the package, a run of next to nothing, a feed, and the lectures' MNIST
program. TensorFlow's programs and Leat's (python3 -m leat) are this very file's."""
import subprocess
import sys

import numpy as np

import common

CASES = ('py_import', 'py_null_run', 'py_feed', 'py_mnist')


def importing(statement):
    """One import in an interpreter of its own; its start is in it, as a user waits for both."""
    return lambda: subprocess.run([sys.executable, '-c', statement], check=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def null_run(tf, session):
    fetch = tf.add(tf.constant(1.0), tf.placeholder_with_default(2.0, []))
    return lambda: session.run(fetch)


def feed(tf, session):
    """A contiguous batch of images, of which one element is looked at."""
    x = tf.placeholder(tf.float32, [None, 784])
    fetch = tf.reduce_sum(x[0, :1])
    batch = np.ones([100, 784], np.float32)
    return lambda: session.run(fetch, feed_dict={x: batch})


def mnist(tf, session):
    """Softmax regression, batches of 100 of random images: the workshop's program."""
    x = tf.placeholder(tf.float32, [None, 28, 28, 1])
    w, b = tf.Variable(tf.zeros([784, 10])), tf.Variable(tf.zeros([10]))
    y = tf.nn.softmax(tf.matmul(tf.reshape(x, [-1, 784]), w) + b)
    truth = tf.placeholder(tf.float32, [None, 10])
    loss = -tf.reduce_sum(truth * tf.log(y))
    step = tf.train.GradientDescentOptimizer(1e-5).minimize(loss)
    session.run(tf.global_variables_initializer())
    images = common.batches(np, [100, 28, 28, 1])
    labels = np.eye(10, dtype='float32')[common.batches(np, [100], 10)]
    turn = [0]

    def call():
        i = turn[0] % common.BATCHES
        turn[0] += 1
        session.run(step, feed_dict={x: images[i], truth: labels[i]})
    return call


def build(tf, case, threads):
    if case == 'py_import':
        return importing('import leat' if hasattr(tf, 'leat_version') else
                         'import tensorflow')
    session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads,
                                               inter_op_parallelism_threads=threads))
    return {'py_null_run': null_run, 'py_feed': feed, 'py_mnist': mnist}[case](tf, session)
