# SPDX-License-Identifier: Apache-2.0
"""The cases on a cluster in TensorFlow: a parameter server and a worker in processes of their own,
pinned as those of `leat bench` are, and the asking process as their client (and worker, of a model).

As a program it is one of these tasks: tf_cluster.py JOB INDEX CLUSTER, until its input ends."""
import atexit
import json
import os
import socket
import subprocess
import sys
import threading

import numpy as np

PS, WORKER = '/job:ps/task:0', '/job:worker/task:0'
CLIENTS, CLIENT_STEPS, WIDTH, ROWS = 100, 10, 128, 32


class Cluster:
    def __init__(self, tf=None):
        """tf: the worker is this process."""
        self.cores = sorted(os.sched_getaffinity(0))
        held = [socket.socket() for _ in range(2)]
        for s in held:
            s.bind(('127.0.0.1', 0))
        at = ['localhost:%d' % s.getsockname()[1] for s in held]
        for s in held:
            s.close()
        self.spec = {'ps': [at[0]], 'worker': [at[1]]}
        self.target = 'grpc://' + at[1]
        self.tasks = [self.start('ps', self.cores[-1])]
        os.sched_setaffinity(0, self.cores[:1])
        if tf:
            config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
            self.server = tf.train.Server(self.spec, 'worker', 0, config=config)
            self.target = self.server.target
        else:
            self.tasks.append(self.start('worker', self.cores[0]))
        atexit.register(self.stop)

    def start(self, job, core):
        task = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), job, '0', json.dumps(self.spec)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, [core]))
        assert task.stdout.readline(), 'the %s has ended' % job
        return task

    def stop(self):
        for task in self.tasks:
            task.kill()
            task.wait()
        os.sched_setaffinity(0, self.cores)


def filled(tf, shape):
    return tf.Variable(tf.fill(shape, 0.5))


def null(tf, _):
    with tf.device(PS):
        return tf.identity(tf.Variable(1.0))


def lookup(tf, part):
    rows = int(part.split()[0]) * (1 << 20) // (WIDTH * 4)
    with tf.device(PS):
        table = filled(tf, [rows, WIDTH])
    with tf.device(WORKER):
        ids = tf.identity(np.random.RandomState(7).randint(0, rows, ROWS).astype('int32'))
    with tf.device(PS):
        got = tf.gather(table, ids)
    with tf.device(WORKER):
        return tf.reduce_sum(got)


def received(tf, values, num=1):
    with tf.device(PS):
        sent = [tf.identity(filled(tf, [values])) for _ in range(num)]
    with tf.device(WORKER):
        got = [tf.identity(s).op for s in sent]
        return got[0] if num == 1 else tf.group(*got)


def recv(tf, part):
    size, *more = part.split(', ')
    return received(tf, int(size.split()[0]) * 250000, int(more[0].split()[0]) if more else 1)


def update(tf, part):
    size, where = part.split(', ')
    local, sparse = where == 'one process', size != '16 MB'
    if where == 'received':
        return received(tf, 1024 * WIDTH if sparse else 4000000)
    shape, rows = ([100000, WIDTH], [1024, WIDTH]) if sparse else ([4000000],) * 2
    with tf.device(None if local else PS):
        var = filled(tf, shape)
    with tf.device(None if local else WORKER):
        by = tf.identity(filled(tf, rows))
        ids = tf.identity(np.random.RandomState(7).randint(0, 100000, 1024).astype('int32'))
    with tf.device(None if local else PS):
        if sparse:
            return tf.scatter_sub(var, ids, by).op
        return tf.raw_ops.ApplyGradientDescent(var=var, alpha=tf.constant(0.01), delta=by).op


def mlp(tf, part):
    random = np.random.RandomState(7)
    x = tf.placeholder(tf.float32, [1024, 784])
    y = tf.placeholder(tf.int32, [1024])
    feeds = [random.uniform(-1, 1, (1024, 784)).astype('float32'),
             random.randint(0, 10, 1024).astype('int32')]

    def dense(v, units):
        with tf.device(None if part == 'one process' else PS):
            w = tf.Variable(tf.random.uniform([int(v.shape[1]), units], -.05, .05))
            b = tf.Variable(tf.zeros([units]))
        return tf.matmul(v, w) + b
    v = tf.nn.relu(dense(tf.nn.relu(dense(x, 512)), 512))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=dense(v, 10)))
    step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    return [loss, step], [x, y], feeds


def clients(session, fetch, target, tf):
    """Each client makes some steps, one after the other, on a thread of its own."""
    begun, ended = threading.Barrier(CLIENTS + 1), threading.Barrier(CLIENTS + 1)

    def steps(call):
        while True:
            begun.wait()
            for _ in range(CLIENT_STEPS):
                call()
            ended.wait()

    def run():
        begun.wait()
        ended.wait()
    for _ in range(CLIENTS):
        call = tf.Session(target).make_callable(fetch)
        threading.Thread(target=steps, args=(call,), daemon=True).start()
    return run


CASES = {'cluster_null': null, 'cluster_clients': null, 'cluster_lookup': lookup,
         'cluster_recv': recv, 'cluster_async': update, 'cluster_mlp': mlp}
open_cluster = []  # of the part that is measured


def build(tf, case, part):
    while open_cluster:
        open_cluster.pop().stop()
    target = ''
    if not part.endswith('one process'):
        open_cluster.append(Cluster(tf if case == 'cluster_mlp' else None))
        target = open_cluster[0].target
    with tf.Graph().as_default():
        made = CASES[case](tf, part)
        fetch, feeds, values = made if isinstance(made, tuple) else (made, [], [])
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        session = tf.Session(target, config=config)
        session.run(tf.global_variables_initializer())
        if case == 'cluster_clients':
            return clients(session, fetch, target, tf)
        call = session.make_callable(fetch, feed_list=feeds)
        return lambda: call(*values)


def main():
    job, index, spec = sys.argv[1:]
    import tensorflow
    tf = tensorflow.compat.v1
    config = tf.ConfigProto(intra_op_parallelism_threads=1)
    server = tf.train.Server(json.loads(spec), job, int(index), config=config)
    print('ready', server.target, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == '__main__':
    main()
