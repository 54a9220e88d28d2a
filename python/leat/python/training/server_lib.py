# SPDX-License-Identifier: Apache-2.0
"""Clusters: which tasks there are (ClusterSpec), and one of them in this process (Server)."""
import threading

from leat._load import core
from leat.core.protobuf import cluster_pb2
from leat.core.protobuf import tensorflow_server_pb2
from leat.python.framework import errors_impl
from leat.python.util import compat


def _make_server_def(server_or_cluster_def, job_name, task_index, protocol, config):
    """A ServerDef of any of the things that may stand for one."""
    server_def = tensorflow_server_pb2.ServerDef()
    if isinstance(server_or_cluster_def, tensorflow_server_pb2.ServerDef):
        server_def.MergeFrom(server_or_cluster_def)
        if job_name is not None:
            server_def.job_name = job_name
        if task_index is not None:
            server_def.task_index = task_index
        if protocol is not None:
            server_def.protocol = protocol
        if config is not None:
            server_def.default_session_config.MergeFrom(config)
        return server_def
    server_def.cluster.MergeFrom(ClusterSpec(server_or_cluster_def).as_cluster_def())
    if job_name is not None:
        server_def.job_name = job_name
    elif len(server_def.cluster.job) == 1:
        server_def.job_name = server_def.cluster.job[0].name
    else:
        raise ValueError('Must specify an explicit `job_name`.')
    if task_index is not None:
        server_def.task_index = task_index
    elif len(server_def.cluster.job) == 1 and len(server_def.cluster.job[0].tasks) == 1:
        server_def.task_index = list(server_def.cluster.job[0].tasks)[0]
    else:
        raise ValueError('Must specify an explicit `task_index`.')
    server_def.protocol = 'grpc' if protocol is None else protocol
    if config is not None:
        server_def.default_session_config.MergeFrom(config)
    return server_def


def _call(function, *args):
    try:
        return function(*args)
    except core.Error as e:
        code, message = e.args
        raise errors_impl.exception_type_from_error_code(code)(None, None, message) from None


class Server(object):
    """A task of a cluster."""

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None,
                 config=None, start=True):
        self._server_def = _make_server_def(server_or_cluster_def, job_name, task_index, protocol,
                                            config)
        self._server = _call(core.server, self._server_def.SerializeToString())
        if start:
            self.start()

    def start(self):
        _call(self._server.start)

    def join(self):
        """Waits until the server has stopped: for ever, in most programs.

        A thread does the waiting, so that Ctrl-C is seen by the one that called."""
        failed = []

        def wait():
            try:
                _call(self._server.join)
            except errors_impl.OpError as e:
                failed.append(e)
        waiter = threading.Thread(target=wait, daemon=True, name='leat-server-join')
        waiter.start()
        waiter.join()
        if failed:
            raise failed[0]

    @property
    def server_def(self):
        return self._server_def

    @property
    def target(self):
        """What a Session takes to reach this server."""
        return self._server.target()

    @staticmethod
    def create_local_server(config=None, start=True):
        """A cluster of this one task, on a free port."""
        return Server({'local': ['localhost:0']}, protocol='grpc', config=config, start=start)


class ClusterSpec(object):
    """The jobs of a cluster, and the address of each of their tasks."""

    def __init__(self, cluster):
        if isinstance(cluster, dict):
            self._cluster_spec = {}
            for job_name, tasks in cluster.items():
                if isinstance(tasks, (list, tuple)):
                    job_tasks = {i: task for i, task in enumerate(tasks)}
                elif isinstance(tasks, dict):
                    job_tasks = {int(i): task for i, task in tasks.items()}
                else:
                    raise TypeError('The tasks for job %r must be a list or a dictionary from '
                                    'integers to strings.' % job_name)
                self._cluster_spec[job_name] = job_tasks
            self._make_cluster_def()
        elif isinstance(cluster, cluster_pb2.ClusterDef):
            self._cluster_def = cluster
            self._cluster_spec = {job.name: dict(job.tasks.items())
                                  for job in self._cluster_def.job}
        elif isinstance(cluster, ClusterSpec):
            self._cluster_def = cluster_pb2.ClusterDef()
            self._cluster_def.MergeFrom(cluster.as_cluster_def())
            self._cluster_spec = {job.name: dict(job.tasks.items())
                                  for job in self._cluster_def.job}
        else:
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists '
                            'of network addresses, or a `ClusterDef` protocol buffer')

    def __bool__(self):
        return bool(self._cluster_spec)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._cluster_spec == other._cluster_spec

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return 'ClusterSpec({{{}}})'.format(', '.join(
            '{!r}: {!r}'.format(key, self.as_dict()[key])
            for key in sorted(self._cluster_spec)))

    __str__ = __repr__

    def as_dict(self):
        """{job: addresses}: a list where the tasks are numbered from 0, else a dict."""
        ret = {}
        for job in self.jobs:
            indices = self.task_indices(job)
            if len(indices) == 0:
                ret[job] = {i: None for i in []}
            elif max(indices) + 1 == len(indices):
                ret[job] = self.job_tasks(job)
            else:
                ret[job] = {i: self.task_address(job, i) for i in indices}
        return ret

    def as_cluster_def(self):
        return self._cluster_def

    @property
    def jobs(self):
        return list(self._cluster_spec.keys())

    def _job(self, job_name):
        try:
            return self._cluster_spec[job_name]
        except KeyError:
            raise ValueError('No such job in cluster: %r' % job_name) from None

    def num_tasks(self, job_name):
        return len(self._job(job_name).keys())

    def task_indices(self, job_name):
        return list(sorted(self._job(job_name).keys()))

    def task_address(self, job_name, task_index):
        job = self._job(job_name)
        try:
            return job[task_index]
        except KeyError:
            raise ValueError('No task with index %r in job %r' % (task_index, job_name)) from None

    def job_tasks(self, job_name):
        """The addresses by number, None where there is no such task."""
        job = self._job(job_name)
        ret = [None for _ in range(max(job.keys()) + 1)]
        for i, task in job.items():
            ret[i] = task
        return ret

    def _make_cluster_def(self):
        self._cluster_def = cluster_pb2.ClusterDef()
        for job_name, tasks in sorted(self._cluster_spec.items()):
            try:
                job_name = compat.as_str(job_name)
            except TypeError:
                raise TypeError('Job name %r must be bytes or unicode' % job_name) from None
            job_def = self._cluster_def.job.add()
            job_def.name = job_name
            for i, task_address in sorted(tasks.items()):
                try:
                    task_address = compat.as_text(task_address)
                except TypeError:
                    raise TypeError('Task address %r must be bytes or unicode'
                                    % (task_address,)) from None
                job_def.tasks[i] = task_address


class ClusterDeviceFilters(object):
    """Which devices each task of a cluster sees."""

    def __init__(self):
        self._device_filters = {}

    def set_device_filters(self, job_name, task_index, device_filters):
        assert all(isinstance(df, str) for df in device_filters)
        self._device_filters.setdefault(job_name, {})[task_index] = list(device_filters)

