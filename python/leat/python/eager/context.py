# SPDX-License-Identifier: Apache-2.0
"""Modes of execution: there is one, that of graphs."""
import collections
import contextlib
import unittest

from leat.python.framework import errors_impl
from leat.python.framework import ops

GRAPH_MODE, EAGER_MODE = 0, 1
SYNC, ASYNC = 0, 1
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN = 0, 1
DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32 = 2, 3
MIRRORING_NONE, MIRRORING_ALL = 0, 1
default_execution_mode = GRAPH_MODE


class EagerUnsupportedError(errors_impl.UnimplementedError, unittest.SkipTest):
    """What asks for eager execution; a test that does is skipped."""

    def __init__(self, what='eager execution'):
        super(EagerUnsupportedError, self).__init__(
            None, None, 'Leat runs graphs; there is no %s (docs/python-api.md)' % what)


def executing_eagerly():
    """False."""
    return False


in_eager_mode = executing_eagerly


@contextlib.contextmanager
def graph_mode():
    """The mode that there is."""
    yield


def eager_mode():
    raise EagerUnsupportedError()


def shared_name(name=None):
    """The name under which a resource is shared."""
    return name


def device(name):
    return ops.device(name)


@contextlib.contextmanager
def namescope(name):
    with ops.name_scope(name):
        yield


def scope_name():
    return ops.get_name_scope()


class FunctionCallOptions(object):
    """How functions are called."""

    def __init__(self, executor_type=None, config_proto=None):
        self.executor_type = executor_type
        self.config_proto_serialized = config_proto


class VirtualDeviceConfiguration(
        collections.namedtuple('VirtualDeviceConfiguration', ['memory_limit'])):
    """A part of a device's memory."""

    def __new__(cls, memory_limit=None):
        return super(VirtualDeviceConfiguration, cls).__new__(cls, memory_limit)


class Context(object):
    """The state of a process that runs graphs."""

    def __init__(self, config=None, device_policy=None, execution_mode=None, server_def=None):
        self._config = config
        self._settings = {}  # framework/config.py's
        self.summary_writer = None
        self.summary_recording = None
        self.summary_recording_distribution_strategy = True
        self.summary_step = None
        self.log_device_placement = False
        self.soft_device_placement = False
        self.execution_mode = SYNC
        self.device_policy = DEVICE_PLACEMENT_SILENT
        self.function_call_options = FunctionCallOptions()

    def executing_eagerly(self):
        return False

    def ensure_initialized(self):
        """There is nothing to begin."""

    def is_async(self):
        return False

    @property
    def scope_name(self):
        return scope_name()

    @property
    def device_name(self):
        return ''

    @property
    def config(self):
        from leat.core.protobuf import config_pb2
        return self._config or config_pb2.ConfigProto()

    def devices(self):
        from leat.python.client import device_lib
        return [d.name for d in device_lib.list_local_devices()]

    def num_gpus(self):
        from leat.python.client import device_lib
        return sum(d.device_type == 'GPU' for d in device_lib.list_local_devices())

    def device(self, name):
        return ops.device(name)

    def enable_run_metadata(self):
        raise EagerUnsupportedError()

    def _mode(self, mode):
        return graph_mode() if mode == GRAPH_MODE else eager_mode()


_context = Context()


def context():
    return _context


context_safe = context


def ensure_initialized():
    """There is nothing to begin."""


def num_gpus():
    return _context.num_gpus()


def list_devices():
    return _context.devices()


def is_async():
    return False


def async_wait():
    """Nothing is under way."""


def async_clear_error():
    """Nothing went wrong."""


def set_execution_mode(mode):
    if mode == ASYNC:
        raise EagerUnsupportedError('asynchronous execution')


@contextlib.contextmanager
def execution_mode(mode):
    set_execution_mode(mode)
    yield


@contextlib.contextmanager
def device_policy(policy):
    yield


@contextlib.contextmanager
def function_executor_type(executor_type):
    yield


def get_log_device_placement():
    return _context.log_device_placement


def set_log_device_placement(enabled):
    """Noted; ConfigProto.log_device_placement is what a session logs by."""
    _context.log_device_placement = enabled


def set_global_seed(seed):
    ops.get_default_graph().seed = seed


def global_seed():
    return ops.get_default_graph().seed


def internal_operation_seed():
    return ops.get_default_graph()._last_id


def enable_run_metadata():
    raise EagerUnsupportedError()


def set_server_def(server_def):
    raise EagerUnsupportedError()
