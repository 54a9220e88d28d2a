# SPDX-License-Identifier: Apache-2.0
"""replica_device_setter: variables to the parameter servers, in turn; the rest to the worker."""
from leat.core.framework import node_def_pb2
from leat.python.framework import device as pydev
from leat.python.platform import tf_logging as logging
from leat.python.training import server_lib

STANDARD_PS_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable',
                   'MutableHashTableV2', 'MutableHashTableOfTensors',
                   'MutableHashTableOfTensorsV2', 'MutableDenseHashTable',
                   'MutableDenseHashTableV2', 'VarHandleOp', 'BoostedTreesEnsembleResourceHandleOp',
                   'BoostedTreesQuantileStreamResourceHandleOp',
                   'ResourceConditionalAccumulator')


class _RoundRobinStrategy(object):
    """The tasks one after the other."""

    def __init__(self, num_tasks):
        self._num_tasks = num_tasks
        self._next_task = 0

    def __call__(self, unused_op):
        task = self._next_task
        self._next_task = (self._next_task + 1) % self._num_tasks
        return task


class _ReplicaDeviceChooser(object):
    """The function that tf.device is given."""

    def __init__(self, ps_tasks, ps_device, worker_device, merge_devices, ps_ops, ps_strategy):
        self._ps_tasks = ps_tasks
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge_devices = merge_devices
        self._ps_ops = ps_ops
        self._ps_strategy = ps_strategy

    def device_function(self, op):
        """The device of an operation that is about to be made."""
        if not self._merge_devices and op.device:
            return op.device
        current = pydev.DeviceSpec.from_string(op.device or '')
        op_type = op.op if isinstance(op, node_def_pb2.NodeDef) else op.type
        if self._ps_tasks and self._ps_device and op_type in self._ps_ops:
            ps_device = pydev.DeviceSpec.from_string(self._ps_device)
            current_job, ps_job = current.job, ps_device.job
            if ps_job and (not current_job or current_job == ps_job):
                ps_device.task = self._ps_strategy(op)
            ps_device.merge_from(current)
            return ps_device.to_string()
        worker_device = pydev.DeviceSpec.from_string(self._worker_device or '')
        worker_device.merge_from(current)
        return worker_device.to_string()


def replica_device_setter(ps_tasks=0, ps_device='/job:ps', worker_device='/job:worker',
                          merge_devices=True, cluster=None, ps_ops=None, ps_strategy=None):
    """A device function for tf.device; None without parameter servers."""
    if cluster is not None:
        if isinstance(cluster, server_lib.ClusterSpec):
            cluster_spec = cluster.as_dict()
        else:
            cluster_spec = server_lib.ClusterSpec(cluster).as_dict()
        ps_job_name = pydev.DeviceSpec.from_string(ps_device).job
        if ps_job_name not in cluster_spec or cluster_spec[ps_job_name] is None:
            return None
        ps_tasks = len(cluster_spec[ps_job_name])
    if ps_tasks == 0:
        return None
    if ps_ops is None:
        ps_ops = list(STANDARD_PS_OPS)
    if not merge_devices:
        logging.warning('DEPRECATION: It is recommended to set merge_devices=true in '
                        'replica_device_setter')
    if ps_strategy is None:
        ps_strategy = _RoundRobinStrategy(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError('ps_strategy must be callable')
    chooser = _ReplicaDeviceChooser(ps_tasks, ps_device, worker_device, merge_devices, ps_ops,
                                    ps_strategy)
    return chooser.device_function
