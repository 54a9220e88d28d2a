# SPDX-License-Identifier: Apache-2.0
"""A server of this process: between-graph idioms with replica_device_setter and a session on
its target."""
import tensorflow as tf

server = tf.train.Server.create_local_server()
cluster = tf.train.ClusterSpec({'ps': ['ps0:2222', 'ps1:2222'], 'worker': ['worker0:2222']})
print(cluster.as_dict(), cluster.num_tasks('ps'), cluster.jobs)
with tf.Graph().as_default() as graph:
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
        a, b = tf.Variable(1., name='a'), tf.Variable(2., name='b')
        c = a * b
    print([v.device for v in (a, b, c)])
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    v = tf.Variable([1., 2.])
    loss = tf.reduce_sum(tf.square(v))
    train = tf.train.AdagradOptimizer(.5).minimize(loss, global_step=step)
    init = tf.global_variables_initializer()
    with tf.Session(server.target) as sess:
        sess.run(init)
        for _ in range(3):
            sess.run(train)
    with tf.Session(server.target) as sess:  # what the server holds outlives a session
        print(sess.run(step), ['%.5f' % value for value in sess.run(v)])
