# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and how it is told: classes of errors, the first words of their texts."""
import numpy as np
import tensorflow as tf


def tell(f):
    try:
        f()
        print('no error')
    except Exception as e:  # pylint: disable=broad-except
        print(type(e).__name__, '|', str(e).split('\n')[0][:60])


x = tf.placeholder(tf.float32, [2], name='x')
v = tf.Variable([1., 2.], name='v')
sess = tf.Session()
tell(lambda: sess.run(x))
tell(lambda: sess.run(v))
tell(lambda: sess.run(x, {x: [1., 2., 3.]}))
tell(lambda: sess.run('nope:0'))
tell(lambda: sess.run(None))
tell(lambda: tf.matmul(x, x))
tell(lambda: tf.add(x, tf.constant(1)))
tell(lambda: tf.get_variable('a'))
tell(lambda: bool(x))
tell(lambda: [i for i in tf.placeholder(tf.float32)])
tell(lambda: len(x))
tell(lambda: tf.constant([[1], [2, 3]]))
tell(lambda: tf.reshape(x, [3]))
tell(lambda: sess.run(x, {x: None}))
tell(lambda: tf.constant(1., tf.int32))
tell(lambda: tf.Variable())
tell(lambda: tf.train.Saver([]))
tell(lambda: x.eval())
tf.get_variable('w', [2])
tell(lambda: tf.get_variable('w', [2]))
tell(lambda: sess.run(tf.check_numerics(tf.log(tf.constant(-1.)), 'bad')))
tell(lambda: sess.run(tf.gather([1, 2], 5)))
tell(lambda: tf.get_default_graph().get_tensor_by_name('x'))
tell(lambda: tf.get_default_graph().get_operation_by_name('no'))
tell(lambda: tf.add_n([]))
tell(lambda: tf.concat([x, tf.zeros([2, 2])], 0))
tell(lambda: tf.TensorShape([2, None]).assert_is_compatible_with([3, 4]))
tell(lambda: tf.layers.dense(tf.placeholder(tf.float32), 3))
tell(lambda: tf.gradients(tf.constant(1), x))
other = tf.Graph()
with other.as_default():
    y = tf.constant(np.float32(1))
tell(lambda: tf.add(x, y))
tell(lambda: sess.run(y))
sess.close()
tell(lambda: sess.run(v))
