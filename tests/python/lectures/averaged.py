# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 84, 85 and 87: sub-graph
replication. One client's graph puts a loss on each worker, averages them on the master and
trains on the average. Filled in: the cluster, the losses, the first values.

    averaged.py TARGET NUM_WORKERS STEPS"""
import sys

import tensorflow as tf

target, num_workers, num_steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
workers = ["/job:worker/task:%d" % i for i in range(num_workers)]
loss_workers = workers
master = "/job:worker/task:0"

with tf.Graph().as_default():
    with tf.device("/job:ps/task:0"):
        weights = tf.Variable([0., 0.], name='weights')
        global_step = tf.Variable(0, name='global_step', trainable=False)
    losses = []
    for i, worker in enumerate(loss_workers):
        with tf.device(worker):
            # Computationally expensive model section
            # e.g. loss calculation
            loss = tf.reduce_sum(tf.square(weights - [float(i), 2. * i]))
        losses.append(loss)
    with tf.device(master):
        losses_avg = tf.add_n(losses) / len(workers)
        train_op = tf.train.AdagradOptimizer(1.0).minimize(
            losses_avg, global_step=global_step)
        init = tf.global_variables_initializer()
    print([loss.device for loss in losses], losses_avg.device)
    with tf.Session(target) as session:
        session.run(init)
        step = 0
        while step < num_steps:
            _, step = session.run([train_op, global_step])
        print(step, '%.3f %.3f' % tuple(session.run(weights)), '%.4f' % session.run(losses_avg))
