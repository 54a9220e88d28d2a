# SPDX-License-Identifier: Apache-2.0
"""The devices of this process."""
from leat._load import core
from leat.core.framework import device_attributes_pb2
from leat.python.framework import errors_impl, ops

_JOB = '/job:localhost/replica:0/task:0'


def list_local_devices(session_config=None):
    """A DeviceAttributes message for each device that a session of this process has."""
    config = None if session_config is None else session_config.SerializeToString()
    graph = ops.Graph()
    try:
        session = core.Session(graph._c, b'', config)
        rows = session.list_devices()
        session.close()
    except core.Error as e:
        code, message = e.args
        raise errors_impl._make_specific_exception(None, None, message, code) from None
    found = []
    for name, kind, memory, incarnation in rows:
        device = device_attributes_pb2.DeviceAttributes()
        device.name = name[len(_JOB):] if name.startswith(_JOB) else name
        device.device_type = kind
        device.memory_limit = memory
        device.incarnation = incarnation
        device.locality.SetInParent()
        found.append(device)
    return found
