# SPDX-License-Identifier: Apache-2.0
"""Fetches and feeds of many shapes, names, collections, printing of objects, graph introspection."""
import collections

import numpy as np
import tensorflow as tf

Point = collections.namedtuple('Point', 'x y')
a = tf.constant([[1, 2], [3, 4]], name='a')
b = tf.placeholder(tf.float32, [None, 2], name='b')
c = tf.cast(a, tf.float32) @ tf.transpose(b)
v = tf.get_variable('v', [2], initializer=tf.ones_initializer())
print(a, b, c, v, a.op.name, c.dtype, c.shape, b.get_shape().as_list())
print(a[0, 1], a[:, tf.newaxis], -a, a + 1, 2 * a, a > 2, a // 2, abs(a), b ** 2., b % 2., ~(a > 1))
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run({'a': a, 'p': Point(a[0], [v, (a[1],)])}))
    print(sess.run((c, 'a:0'), {b: np.ones([1, 2])}))
    print(sess.run([v.op, v.initializer]), v.eval(), sess.run([]))
    print(sess.run(tf.shape(c), {'b:0': [[1, 2]], a: [[0, 0], [1, 1]]}))
    f = sess.make_callable(c, [b])
    print(f([[1., 1.]]))
tf.add_to_collection('mine', a)
print(tf.get_collection('mine'), tf.GraphKeys.TRAINABLE_VARIABLES, [v.name for v in tf.trainable_variables()])
g = tf.get_default_graph()
print([op.type for op in g.get_operations()][:6], g.get_tensor_by_name('a:0') is a, c.op.inputs[0].name)
print(a.op.get_attr('dtype'), sorted(a.op.node_def.attr), len(a.consumers()))
print(tf.Graph().get_operations(), tf.TensorShape([None, 3]), tf.float32, tf.as_dtype('int64').as_numpy_dtype)
with tf.name_scope('n') as scope, tf.device('/cpu:0'):
    print(scope, tf.identity(a).name, tf.identity(a).device)
print(tf.get_static_value(a).tolist(), tf.is_numeric_tensor(a))
