# SPDX-License-Identifier: Apache-2.0
"""A frozen graph: constants in the place of variables, written, imported below a name, a new
layer on top."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import graph_util

path = os.path.join(sys.argv[1], 'frozen.pb')
with tf.Graph().as_default() as g, tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, 4], name='input')
    w = tf.get_variable('w', initializer=np.arange(12, dtype='f').reshape(4, 3) / 10)
    feature = tf.nn.relu(tf.matmul(x, w), name='feature')
    tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(feature))
    sess.run(tf.global_variables_initializer())
    frozen = graph_util.convert_variables_to_constants(sess, g.as_graph_def(), ['feature'])
    print([(n.name, n.op) for n in frozen.node])
    with tf.gfile.GFile(path, 'wb') as f:
        f.write(frozen.SerializeToString())

with tf.Graph().as_default():
    graph_def = tf.GraphDef()
    with tf.gfile.FastGFile(path, 'rb') as f:
        graph_def.ParseFromString(f.read())
    x, bottleneck = tf.import_graph_def(graph_def, name='base', return_elements=['input:0', 'feature:0'])
    frozen_feature = tf.stop_gradient(bottleneck)
    out = tf.layers.dense(frozen_feature, 2, kernel_initializer=tf.ones_initializer(), name='top')
    loss = tf.reduce_mean(tf.square(out - 1.))
    train = tf.train.AdagradOptimizer(.2).minimize(loss)
    print([v.name for v in tf.trainable_variables()])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            print('%.5f' % sess.run([loss, train], {'base/input:0': np.eye(4)})[0])
    print([op.name for op in tf.get_default_graph().get_operations()][:4])
