# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's files: scopes, scalars, histograms, merged, read again with summary_iterator."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf

folder = os.path.join(sys.argv[1], 'logs')
tf.set_random_seed(4)
with tf.name_scope('input'):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
with tf.name_scope('layer'):
    w = tf.Variable(tf.ones([3, 2]), name='w')
    tf.summary.histogram('w', w)
    y = tf.matmul(x, w, name='y')
with tf.name_scope('loss'):
    loss = tf.reduce_mean(tf.square(y))
    tf.summary.scalar('mean', loss)
    tf.summary.scalar('max', tf.reduce_max(y), collections=['other'])
train = tf.train.GradientDescentOptimizer(.05).minimize(loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    writer = tf.summary.FileWriter(folder, sess.graph)
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        summary, _ = sess.run([merged, train], {x: np.arange(6.).reshape(2, 3)})
        writer.add_summary(summary, i)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='own', simple_value=.5)]), 9)
    writer.flush()
    writer.close()
for path in glob.glob(folder + '/events*'):
    for event in tf.train.summary_iterator(path):
        kind = event.WhichOneof('what')
        if kind == 'graph_def':
            print('graph', len(tf.GraphDef.FromString(event.graph_def).node) > 10)
        elif kind == 'file_version':
            print(event.file_version)
        else:
            print(event.step, kind, [(v.tag, v.WhichOneof('value')) for v in event.summary.value],
                  ['%.5f' % v.simple_value for v in event.summary.value if v.HasField('simple_value')])
