# SPDX-License-Identifier: Apache-2.0
"""What Python adds: importing the package, a run of next to nothing, a feed. (py_mnist is the softmax
model of with_tf.py, set beside the C program of the same.) TensorFlow's programs and Leat's
(python3 -m leat) are this very file's."""
import subprocess
import sys

import numpy as np

import common

CASES = ('py_import', 'py_null_run', 'py_feed')


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


def build(tf, case, threads):
    if case == 'py_import':
        return importing('import leat' if 'leat' in sys.modules else
                         'import tensorflow')
    session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads,
                                               inter_op_parallelism_threads=threads))
    return {'py_null_run': null_run, 'py_feed': feed}[case](tf, session)
