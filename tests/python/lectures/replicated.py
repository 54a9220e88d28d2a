# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 81 to 83 and 86: full graph
replication. Each process is a task: ps tasks serve, workers train without waiting for one
another. Filled in: the command line, the loss (a line through points), the supervisor's ops,
the number of steps; `sess` of the slide is its `session`.

    replicated.py CLUSTER(JSON) JOB TASK STEPS"""
import json
import sys

import numpy as np
import tensorflow as tf

cluster_def = tf.train.ClusterSpec(json.loads(sys.argv[1]))
this_job_name, this_task_index, num_steps = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

server = tf.train.Server(cluster_def, job_name=this_job_name,
                         task_index=this_task_index)
if this_job_name == 'ps':
    server.join()
elif this_job_name == 'worker':
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:{}".format(this_task_index),
            cluster=cluster_def)):
        # Build the model
        x = tf.placeholder(tf.float32, [None])
        slope, intercept = tf.Variable(0., name='slope'), tf.Variable(0., name='intercept')
        loss = tf.reduce_mean(tf.square(slope * x + intercept - (2. * x - 1.)))
        global_step = tf.Variable(0, name='global_step', trainable=False)
        train_op = tf.train.AdagradOptimizer(0.3, use_locking=False).minimize(
            loss, global_step=global_step)
        init_op = tf.global_variables_initializer()
    print('placed', slope.device, intercept.device, global_step.device, loss.device)

    sv = tf.train.Supervisor(
        is_chief=(this_task_index == 0), init_op=init_op, global_step=global_step,
        recovery_wait_secs=1)
    with sv.managed_session(server.target) as session:
        step = 0
        rng = np.random.RandomState(this_task_index)
        while not sv.should_stop() and step < num_steps:
            # Run a training step asynchronously.
            _, step = session.run([train_op, global_step], {x: rng.uniform(-1, 1, 20)})
        print('done', step >= num_steps, '%.4f' % session.run(loss, {x: [-1., 0., 1.]}))
    sv.stop()
