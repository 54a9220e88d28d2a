# SPDX-License-Identifier: Apache-2.0
"""Lecture "Distributed TensorFlow" (2017), slides 26 to 29, "Local Distribution": a variable on
one device, the product on another. Filled in: shapes and values; two CPUs (the slide's second
device is a GPU)."""
import tensorflow as tf

X = tf.constant([[1.], [2.], [3.]])
with tf.device("/cpu:1"):
    beta = tf.Variable([[1., 10., 100.]])
with tf.device("/cpu:0"):
    y_pred = tf.matmul(beta, X)
print(beta.op.device, y_pred.device)

config = tf.ConfigProto(device_count={'CPU': 2})
with tf.Session(config=config) as sess:
    print([d.name.split('/device:')[1] for d in sess.list_devices() if d.device_type == 'CPU'])
    sess.run(tf.global_variables_initializer())
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    print(sess.run(y_pred, options=options, run_metadata=metadata))
    for stats in sorted(metadata.step_stats.dev_stats, key=lambda s: s.device):
        names = {node.node_name for node in stats.node_stats}
        if names & {'Variable', 'MatMul'}:
            print(stats.device.split('/device:')[1], sorted(names & {'Variable', 'MatMul'}))
