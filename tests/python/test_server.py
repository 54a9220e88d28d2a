# SPDX-License-Identifier: Apache-2.0
"""Clusters, servers and where replica_device_setter puts things. Texts are TensorFlow 1.15's."""
import os
import signal
import socket
import threading
import unittest

from leat.core.protobuf import cluster_pb2, tensorflow_server_pb2
from leat.python.client import session
from leat.python.framework import constant_op, errors, ops
from leat.python.ops import math_ops, variables
from leat.python.training import (
    adagrad, device_setter, monitored_session, server_lib, training_util)


class ClusterSpecTest(unittest.TestCase):
    def test_forms(self):
        spec = server_lib.ClusterSpec({'worker': ['y:1', 'z:2'], 'ps': ['x:3']})
        self.assertEqual(spec.as_dict(), {'ps': ['x:3'], 'worker': ['y:1', 'z:2']})
        self.assertEqual(str(spec), "ClusterSpec({'ps': ['x:3'], 'worker': ['y:1', 'z:2']})")
        self.assertEqual((spec.num_tasks('worker'), spec.task_indices('worker')), (2, [0, 1]))
        self.assertEqual(spec.task_address('worker', 1), 'z:2')
        cluster_def = spec.as_cluster_def()
        self.assertEqual([j.name for j in cluster_def.job], ['ps', 'worker'])
        self.assertIsInstance(cluster_def, cluster_pb2.ClusterDef)
        self.assertEqual(server_lib.ClusterSpec(cluster_def), spec)
        self.assertEqual(server_lib.ClusterSpec(spec), spec)
        self.assertTrue(spec)
        self.assertFalse(server_lib.ClusterSpec({}))

    def test_gaps(self):
        spec = server_lib.ClusterSpec({'a': {2: 'x', 5: 'y'}})
        self.assertEqual(spec.as_dict(), {'a': {2: 'x', 5: 'y'}})
        self.assertEqual(spec.job_tasks('a'), [None, None, 'x', None, None, 'y'])
        with self.assertRaisesRegex(ValueError, "No task with index 3 in job 'a'"):
            spec.task_address('a', 3)
        with self.assertRaisesRegex(ValueError, "No such job in cluster: 'b'"):
            spec.job_tasks('b')

    def test_wrong(self):
        for wrong, message in (
                (3, '`cluster` must be a dictionary mapping one or more job names'),
                ({'a': 3}, "The tasks for job 'a' must be a list or a dictionary"),
                ({'a': ['x', 3]}, 'Task address 3 must be bytes or unicode'),
                ({3: ['x']}, 'Job name 3 must be bytes or unicode')):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                server_lib.ClusterSpec(wrong)


class DeviceSetterTest(unittest.TestCase):
    def devices(self, **kwargs):
        with ops.Graph().as_default():
            with ops.device(device_setter.replica_device_setter(**kwargs)):
                made = [variables.VariableV1(1., name='v%d' % i) for i in range(3)]
                total = made[0] + made[1]
                with ops.device('/cpu:0'):
                    placed = variables.VariableV1(1.)
            return [v.device for v in made] + [total.device, placed.device]

    def test_in_turn(self):
        cluster = server_lib.ClusterSpec({'ps': ['a:1', 'b:1'], 'worker': ['c:1']})
        self.assertEqual(self.devices(cluster=cluster),
                         ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0', '/job:worker',
                          '/job:ps/task:1/device:CPU:0'])
        self.assertEqual(
            self.devices(ps_tasks=2, worker_device='/job:worker/task:7/gpu:1')[3],
            '/job:worker/task:7/device:GPU:1')

    def test_strategy(self):
        self.assertEqual(self.devices(ps_tasks=3, ps_strategy=lambda op: 2)[:3],
                         ['/job:ps/task:2'] * 3)
        with self.assertRaisesRegex(TypeError, 'ps_strategy must be callable'):
            device_setter.replica_device_setter(ps_tasks=1, ps_strategy=3)

    def test_none(self):
        self.assertIsNone(device_setter.replica_device_setter())
        self.assertIsNone(device_setter.replica_device_setter(
            cluster=server_lib.ClusterSpec({'worker': ['a:1']})))


def free_address():
    with socket.socket() as s:
        s.bind(('localhost', 0))
        return 'localhost:%d' % s.getsockname()[1]


class ServerTest(unittest.TestCase):
    def test_local(self):
        server = server_lib.Server.create_local_server()
        self.assertEqual(server.server_def.job_name, 'local')
        self.assertRegex(server.target, '^grpc://localhost:[1-9]')
        with ops.Graph().as_default(), session.Session(server.target) as sess:
            self.assertEqual(sess.run(constant_op.constant(2) + 3), 5)

    def test_wrong(self):
        with self.assertRaisesRegex(ValueError, 'Must specify an explicit `job_name`.'):
            server_lib.Server({'a': ['localhost:1'], 'b': ['x:1']})
        with self.assertRaisesRegex(ValueError, 'Must specify an explicit `task_index`.'):
            server_lib.Server({'a': ['localhost:1', 'x:1']})
        with self.assertRaisesRegex(errors.OpError, 'Job "b" was not defined in cluster'):
            server_lib.Server({'a': ['localhost:0']}, job_name='b', task_index=0)
        with self.assertRaises(errors.OpError):
            server_lib.Server({'a': ['localhost:0']}, protocol='carrier-pigeon')

    def test_made_of_a_def(self):
        server_def = tensorflow_server_pb2.ServerDef(protocol='grpc')
        server_def.cluster.job.add(name='a').tasks[0] = 'localhost:0'
        made = server_lib.Server(server_def, job_name='a', task_index=0, start=False)
        self.assertEqual(made.server_def.job_name, 'a')
        self.assertEqual(server_def.job_name, '')

    def test_parameter_server(self):
        cluster = server_lib.ClusterSpec({'ps': [free_address()], 'worker': [free_address()]})
        servers = [server_lib.Server(cluster, job, 0) for job in ('ps', 'worker')]
        with ops.Graph().as_default():
            with ops.device(device_setter.replica_device_setter(
                    cluster=cluster, worker_device='/job:worker/task:0')):
                step = training_util.get_or_create_global_step()
                v = variables.VariableV1([1., 2.], name='v')
                loss = math_ops.reduce_sum(v * v)
                train = adagrad.AdagradOptimizer(.5).minimize(loss, global_step=step)
            with monitored_session.MonitoredTrainingSession(servers[1].target) as sess:
                before = sess.run(loss)
                for _ in range(3):
                    sess.run(train)
                self.assertLess(sess.run(loss), before)
                self.assertEqual(sess.run(step), 3)

    def test_ctrl_c(self):
        server = server_lib.Server.create_local_server()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            server.join()


if __name__ == '__main__':
    unittest.main()
