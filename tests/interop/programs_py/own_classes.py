# SPDX-License-Identifier: Apache-2.0
"""Classes that programs derive: a cell, a layer, an optimiser, a hook; gradients of their own; traces."""
import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline
from tensorflow.python.framework import ops


class OwnCell(tf.nn.rnn_cell.RNNCell):

    def __init__(self, units):
        super(OwnCell, self).__init__()
        self._units = units

    @property
    def state_size(self):
        return self._units

    @property
    def output_size(self):
        return self._units

    def call(self, inputs, state):
        new = tf.layers.dense(tf.concat([inputs, state], 1), self._units,
                              kernel_initializer=tf.ones_initializer(), name='d')
        output = tf.tanh(new * .1)
        return output, output


class OwnLayer(tf.layers.Layer):

    def build(self, shape):
        self.k = self.add_weight('k', [int(shape[-1]), 2], initializer=tf.ones_initializer())
        self.built = True

    def call(self, inputs):
        return tf.matmul(inputs, self.k)


class OwnOptimizer(tf.train.Optimizer):

    def __init__(self, rate, name='Own'):
        super(OwnOptimizer, self).__init__(False, name)
        self._rate = rate

    def _prepare(self):
        self._rate_tensor = ops.convert_to_tensor(self._rate, name='rate')

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)

    def _apply_dense(self, grad, var):
        slot = self.get_slot(var, 'm')
        moved = slot.assign(.9 * slot + grad)
        return tf.group(var.assign_sub(self._rate_tensor * moved), moved)


@tf.RegisterGradient('Twice')
def _twice(op, grad):
    return [-2. * grad]


x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
_, state = tf.nn.dynamic_rnn(OwnCell(3), x, dtype=tf.float32)
y = OwnLayer(name='own')(state)
loss = tf.reduce_sum(tf.square(y - 1.))
train = OwnOptimizer(.01).minimize(loss)
with tf.get_default_graph().gradient_override_map({'Identity': 'Twice'}):
    z = tf.identity(y)
slope = tf.gradients(z, y)[0]
print([v.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(24).reshape(2, 3, 4) / 24.}
    for _ in range(3):
        print('%.5f' % sess.run([loss, train], feed)[0])
    print(sess.run(slope, feed))
    metadata = tf.RunMetadata()
    sess.run(loss, feed, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
             run_metadata=metadata)
    trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
    print('traceEvents' in trace, len(metadata.step_stats.dev_stats) > 0)
example = tf.train.Example()
example.features.feature['a'].int64_list.value.extend([1, 2])
config = tf.ConfigProto(inter_op_parallelism_threads=2)
config.gpu_options.allow_growth = True
print(example, config, tf.NodeDef(name='a', op='B'))
