# SPDX-License-Identifier: Apache-2.0
"""Clusters of TensorFlow, 1.15.5 or 2, and Leat: the client of one on servers of the other, and tasks of both in
one cluster, train a model to the same losses; loops, pieces, callables and errors go between them too.

    clusters.py --list
    clusters.py LIBRARY [NAME...]

The TensorFlow is that of the Python which runs it: run.py does so with both.
"""
import os
import socket
import subprocess
import sys

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow

tf = tensorflow.compat.v1
tf.logging.set_verbosity('FATAL')
NEWER = tensorflow.__version__ >= '2'
if NEWER:
    tf.disable_v2_behavior()
CHECKS = checks.Checks('cluster2_' if NEWER else 'cluster_')
HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = ('ps', 'worker')
STEPS = 20
# Kernels differ in the last bits, and training adds that up.
RELATIVE = 1e-4


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """A ps and a worker: 'leat' or 'tf' each. alone: each task knows of itself only."""

    def __init__(self, ps, worker, alone=False):
        self.kinds = (ps, worker)
        self.alone = alone
        self.ports = free_ports(len(JOBS))
        self.spec = tf.train.ClusterSpec(
            {job: ['localhost:%d' % port] for job, port in zip(JOBS, self.ports)})
        self.processes = []
        self.servers = []

    def __enter__(self):
        for job, kind in zip(JOBS, self.kinds):
            definition = tf.train.ServerDef(cluster=self.known(job).as_cluster_def(), task_index=0,
                                            job_name='here' if self.alone else job, protocol='grpc')
            if kind == 'tf':
                self.servers.append(tf.train.Server(definition))
                continue
            process = subprocess.Popen(
                [sys.executable, os.path.join(HERE, 'serve.py'), sys.argv[1],
                 definition.SerializeToString().hex()], stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL, universal_newlines=True)
            self.processes.append(process)
            said = process.stdout.readline().strip()
            if said != 'ready':
                self.__exit__()
                if 'gRPC' in said:
                    raise checks.Skip('no gRPC in this build')
                raise AssertionError('the server of %s: %s' % (job, said))
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdout.close()

    def known(self, job):
        """The cluster as the task of a job is told of it."""
        return tf.train.ClusterSpec({'here': self.spec.job_tasks(job)}) if self.alone else self.spec

    def target(self, job):
        return 'grpc://localhost:%d' % self.ports[JOBS.index(job)]


class Model:
    """Variables on the ps, the rest on the worker; for one process without a cluster."""

    def __init__(self, spec=None, optimizer=None):
        self.graph = tf.Graph()
        rng = np.random.RandomState(1)
        self.data = rng.rand(64, 8).astype(np.float32)
        self.wanted = self.data.sum(1, keepdims=True)
        setter = tf.train.replica_device_setter(cluster=spec) if spec else None
        with self.graph.as_default(), tf.device(setter):
            self.x = tf.placeholder(tf.float32, [None, 8], name='x')
            self.y = tf.placeholder(tf.float32, [None, 1], name='y')
            first = rng.rand(8, 16).astype(np.float32) - 0.5
            last = rng.rand(16, 1).astype(np.float32) - 0.5
            w1, w2 = tf.Variable(first, name='w1'), tf.Variable(last, name='w2')
            b1 = tf.Variable(tf.zeros([16]), name='b1', use_resource=True)
            out = tf.matmul(tf.nn.relu(tf.matmul(self.x, w1) + b1), w2)
            self.loss = tf.reduce_mean(tf.square(out - self.y), name='loss')
            step = tf.train.get_or_create_global_step()
            optimizer = optimizer or tf.train.AdamOptimizer(0.01)
            self.train = optimizer.minimize(self.loss, global_step=step)
            self.init = tf.global_variables_initializer()
            self.loop = tf.while_loop(lambda i: i < 40., lambda i: i * 2. + 1.,
                                      [tf.reduce_sum(self.x[0, :1]) * 0. + 1.])
            self.a, self.b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
            self.c = self.a + 1.
            self.d = self.b * self.c

    def feeds(self):
        return {self.x: self.data, self.y: self.wanted}

    def run(self, target='', config=None):
        """The losses, by TensorFlow's client."""
        with tf.Session(target, graph=self.graph, config=config) as session:
            session.run(self.init)
            return [session.run([self.loss, self.train], self.feeds())[0] for _ in range(STEPS)]


def same_losses(got, want):
    np.testing.assert_allclose(got, want, rtol=RELATIVE)
    assert want[-1] < 0.5 * want[0]


def train_on(ps, worker):
    """TensorFlow's client at either task."""
    want = Model().run()
    with Cluster(ps, worker) as c:
        for job in JOBS:
            same_losses(Model(c.spec).run(c.target(job)), want)


@CHECKS
def of_leat():
    train_on('leat', 'leat')


@CHECKS
def of_leat_ps_and_tensorflow_worker():
    train_on('leat', 'tf')


@CHECKS
def of_tensorflow_ps_and_leat_worker():
    train_on('tf', 'leat')


def for_older(graph):
    """The graph's bytes, without the attrs of newer ops that TensorFlow 1.15 does not know."""
    with graph.as_default():
        definition = tf.train.export_meta_graph(strip_default_attrs=NEWER).graph_def
    for node in definition.node if NEWER else []:
        for name in ('debug_name', 'validate_shape'):
            if node.op in ('VarHandleOp', 'AssignVariableOp'):
                node.attr.pop(name, None)
    return definition.SerializeToString()


def train_by_leat(ps, worker):
    """Leat's client at either task."""
    want = Model().run()
    with Cluster(ps, worker) as c:
        model = Model(c.spec)
        data = for_older(model.graph)
        feeds = {'x:0': model.data, 'y:0': model.wanted}
        for job in JOBS:
            with leat.Graph(LIBRARY, data, target=c.target(job)) as g:
                g.run({}, [], [model.init.name])
                same_losses([g.run(feeds, [model.loss.name], [model.train.name])[0]
                             for _ in range(STEPS)], want)


@CHECKS
def of_tensorflow_with_leats_client():
    train_by_leat('tf', 'tf')


@CHECKS
def of_both_with_leats_client():
    train_by_leat('tf', 'leat')


@CHECKS
def other_calls():
    """Devices, stats, pieces, callables, loops and errors, as TensorFlow's client sees them."""
    with Cluster('leat', 'leat') as c:
        model = Model(c.spec)
        with tf.Session(c.target('worker'), graph=model.graph) as session:
            session.run(model.init)
            names = sorted(d.name for d in session.list_devices())
            assert names == ['/job:ps/replica:0/task:0/device:CPU:0',
                             '/job:worker/replica:0/task:0/device:CPU:0'], names
            assert session.run(model.loop, model.feeds()) == 63.
            metadata = tf.RunMetadata()
            session.run(model.loss, model.feeds(), options=tf.RunOptions(trace_level=3),
                        run_metadata=metadata)
            assert sorted(d.device for d in metadata.step_stats.dev_stats) == names
            handle = session.partial_run_setup([model.c, model.d], [model.a, model.b])
            assert session.partial_run(handle, model.c, {model.a: 1.}) == 2.
            assert session.partial_run(handle, model.d, {model.b: 3.}) == 6.
            call = session.make_callable([model.loss], [model.x, model.y])
            want = session.run(model.loss, model.feeds())
            assert call(model.data, model.wanted)[0] == want
            try:
                session.run(model.loss)
                return 'a step without its feeds gave something'
            except tf.errors.InvalidArgumentError as e:
                assert 'From /job:worker/replica:0/task:0:' in e.message, e.message
    return None


def loop_over(ps, worker):
    """A loop whose body is on both tasks, and a loop in a loop."""
    with Cluster(ps, worker) as c, tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])

        def inner(v):
            with tf.device('/job:worker'):
                v = v + 1.
            with tf.device('/job:ps'):
                return v * 1.5

        def body(i, v):
            with tf.device('/job:ps'):
                v = v * 2.
            with tf.device('/job:worker'):
                v = tf.while_loop(lambda u: u < 20., inner, [v]) + 1.
            return i + 1., v

        with tf.device('/job:ps'):
            result = tf.while_loop(lambda i, v: i < 3., body, [0., x])[1]
        for job in JOBS:
            with tf.Session(c.target(job), graph=graph,
                            config=tf.ConfigProto(operation_timeout_in_ms=20000)) as session:
                got = session.run(result, {x: 1.})
                np.testing.assert_allclose(got, plain_loop(1.), rtol=1e-6)


def plain_loop(v):
    for _ in range(3):
        v *= 2.
        while v < 20.:
            v = (v + 1.) * 1.5
        v += 1.
    return v


@CHECKS
def loop_of_leat():
    loop_over('leat', 'leat')


@CHECKS
def loop_of_leat_and_tensorflow():
    loop_over('leat', 'tf')


@CHECKS
def loop_of_tensorflow_and_leat():
    loop_over('tf', 'leat')


@CHECKS
def state_outlives_its_client():
    """What one client has set another reads; Reset clears it."""
    with Cluster('leat', 'leat') as c:
        model = Model(c.spec)
        model.run(c.target('worker'))
        with model.graph.as_default():
            steps = tf.train.get_global_step()
        with tf.Session(c.target('ps'), graph=model.graph) as session:
            assert session.run(steps) == STEPS
        tf.Session.reset(c.target('ps'))
        with tf.Session(c.target('worker'), graph=model.graph) as session:
            try:
                session.run(steps)
                return 'a variable was there after Reset'
            except tf.errors.FailedPreconditionError:
                return None


def brought_cluster(ps, worker, share):
    """The client brings the cluster that the tasks do not know of (ClusterSpec propagation)."""
    want = Model().run()
    with Cluster(ps, worker, alone=True) as c:
        model = Model(c.spec)
        config = tf.ConfigProto(cluster_def=c.spec.as_cluster_def(), operation_timeout_in_ms=60000)
        config.experimental.share_session_state_in_clusterspec_propagation = share
        for job in JOBS:
            same_losses(model.run(c.target(job), config), want)
        with tf.Session(c.target('worker'), graph=model.graph, config=config) as session:
            names = sorted(d.name for d in session.list_devices())
            assert [n.rsplit('/', 1)[0] for n in names if 'device:CPU:' in n] == [
                '/job:%s/replica:0/task:0' % job for job in JOBS], names
            with model.graph.as_default():
                steps = tf.train.get_global_step()
            try:
                got = session.run(steps)
            except tf.errors.FailedPreconditionError:
                got = None
            assert got == (STEPS if share else None), got


@CHECKS
def brought_to_leat():
    brought_cluster('leat', 'leat', False)
    brought_cluster('leat', 'leat', True)


@CHECKS
def brought_to_tensorflow_and_leat():
    brought_cluster('tf', 'leat', False)
    brought_cluster('tf', 'leat', True)


@CHECKS
def brought_to_leat_and_tensorflow():
    brought_cluster('leat', 'tf', False)


@CHECKS
def isolated_state():
    """isolate_session_state: what one session sets another does not see."""
    with Cluster('leat', 'leat') as c:
        model = Model(c.spec)
        config = tf.ConfigProto(isolate_session_state=True, operation_timeout_in_ms=60000)
        with tf.Session(c.target('worker'), graph=model.graph, config=config) as one:
            one.run(model.init)
            one.run(model.loss, model.feeds())
            with tf.Session(c.target('worker'), graph=model.graph, config=config) as other:
                try:
                    other.run(model.loss, model.feeds())
                    return 'a session saw what an isolated one had set'
                except tf.errors.FailedPreconditionError:
                    return None


@CHECKS
def what_has_ended_takes_nothing():
    """A dequeue of a step that timed out, by the client of TensorFlow, takes no element later."""
    with Cluster('leat', 'leat') as c, tf.Graph().as_default() as graph:
        with tf.device('/job:ps'):
            queue = tf.FIFOQueue(10, tf.float32, shared_name='waited')
            put, take, size = queue.enqueue(7.), queue.dequeue(), queue.size()
        with tf.Session(c.target('worker'), graph=graph) as session:
            for _ in range(5):
                try:
                    session.run(take, options=tf.RunOptions(timeout_in_ms=100))
                    return 'an empty queue gave something'
                except tf.errors.DeadlineExceededError:
                    pass
            session.run(put)
            assert session.run(size) == 1
            assert session.run(take) == 7.
    return None


def narrow(ps, worker, job):
    """What comes back from the other task, with floats as bfloat16 between tasks."""
    config = tf.ConfigProto(graph_options=tf.GraphOptions(enable_bfloat16_sendrecv=True))
    values = np.random.RandomState(3).uniform(-2, 2, 1000).astype(np.float32)
    with Cluster(ps, worker) as c, tf.Graph().as_default() as graph:
        with tf.device('/job:ps'):
            there = tf.Variable(values)
        with tf.device('/job:worker'):
            back = there * 1.
        with tf.Session(c.target(job), graph=graph, config=config) as session:
            session.run(there.initializer)
            return values, session.run(back)


@CHECKS
def floats_as_bfloat16():
    """The same bits, whoever is the master and whoever the tasks are."""
    values, want = narrow('tf', 'tf', 'ps')
    assert (want != values).any()
    for ps, worker in (('leat', 'leat'), ('leat', 'tf'), ('tf', 'leat')):
        for job in JOBS:
            np.testing.assert_array_equal(narrow(ps, worker, job)[1], want)


def of_newer_client(python, target):
    """The losses that TensorFlow 2's client sees."""
    done = subprocess.run([python, os.path.join(HERE, 'tf2_client.py')] + target, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr[-800:]
    return [float(line) for line in done.stdout.split()]


@CHECKS
def of_leat_with_tensorflow_2():
    """compat.v1's session of TensorFlow 2 trains on a cluster of Leat."""
    python = os.environ.get('TF2_PYTHON') or os.path.join(HERE, '..', '..', 'build', 'peers', 'tf2', 'bin',
                                                          'python')
    if not os.path.exists(python):
        raise checks.Skip('no TensorFlow 2 (tools/peers.py tf2 installs it)')
    with Cluster('leat', 'leat') as c:
        got = of_newer_client(python, [c.target('worker')])
        assert len(got) == 10 and got[4] < got[0], got
        np.testing.assert_allclose(got[5:], got[:5], rtol=RELATIVE)
        np.testing.assert_allclose(got, of_newer_client(python, [c.target('ps')]), rtol=RELATIVE)


if __name__ == '__main__':
    CHECKS.main()
