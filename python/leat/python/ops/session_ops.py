# SPDX-License-Identifier: Apache-2.0
"""Values that stay in a session between its runs, and the handles that name them."""
import numpy as np

from leat.python.framework import dtypes, ops
from leat.python.framework.op_def_library import apply_op
from leat.python.util import compat
from leat.python.util.tf_export import tf_export


def encode_resource_handle(resource_handle):
    """A ResourceHandleProto's bytes as an array that can be fed."""
    return np.asarray(bytearray(resource_handle.SerializeToString()),
                      dtype=dtypes.resource.as_numpy_dtype)


class TensorHandle:
    """A value that a session keeps. It is forgotten when the handle dies, or at delete()."""

    def __init__(self, handle, dtype, session):
        self._handle = compat.as_str_any(handle)
        self._resource_handle = None
        self._dtype = dtype
        self._session = session
        self._auto_gc_enabled = True

    def __del__(self):
        try:
            if self._auto_gc_enabled:
                self._session._register_dead_handle(self.handle)
        except AttributeError:
            pass

    def __str__(self):
        return self._handle

    def _get_resource_handle(self):
        """A ResourceHandleProto."""
        if not self._resource_handle:
            from leat.core.framework import resource_handle_pb2
            made = resource_handle_pb2.ResourceHandleProto()
            made.device = self._handle.split(';')[-1]
            made.container = 'TensorHandle'
            made.name = self._handle
            self._resource_handle = made
        return self._resource_handle

    def to_numpy_array(self):
        """The handle as an array of resource bytes."""
        return encode_resource_handle(self._get_resource_handle())

    @property
    def handle(self):
        """Its text, which is what placeholders of handles are fed."""
        return self._handle

    def eval(self):
        """The value."""
        if not self._auto_gc_enabled:
            raise TypeError('Persistent tensor %s may have already been deleted.' % self.handle)
        holder, reader = _get_handle_reader(self._session.graph, self._handle, self._dtype)
        return self._session.run(reader, feed_dict={holder: self._handle})

    def delete(self):
        """The session forgets it."""
        if not self._auto_gc_enabled:
            raise TypeError('Persistent tensor %s may have already been deleted.' % self.handle)
        self._auto_gc_enabled = False
        holder, deleter = _get_handle_deleter(self._session.graph, 0, self._handle)
        self._session.run(deleter, feed_dict={holder: self.handle})

    def get_raw_handle(self):
        """Its text; from now on only delete_session_tensor forgets the value."""
        self._auto_gc_enabled = False
        return self._handle

    @staticmethod
    def _get_device_name(handle):
        """The device that it is on."""
        return compat.as_str_any(handle).split(';')[-1]

    @staticmethod
    def _get_reader_key(handle):
        """What readers are told apart by."""
        return ';'.join(handle.split(';')[-2:])


@tf_export(v1=['get_session_handle'])
def get_session_handle(data, name=None):
    """Fetched, the value of data stays in the session, and a TensorHandle is returned."""
    if not isinstance(data, ops.Tensor):
        raise TypeError('`data` must be of type Tensor.')
    with ops.colocate_with(data):
        return apply_op('GetSessionHandle', value=data, name=name)


def _holder(device):
    with ops.device(device):
        return apply_op('Placeholder', dtype=dtypes.string)


@tf_export(v1=['get_session_tensor'])
def get_session_tensor(handle, dtype, name=None):
    """(placeholder of a handle, the value behind it)."""
    device = TensorHandle._get_device_name(handle)
    with ops.device(device):
        holder = _holder(device)
        _register_handle_feeder(holder.graph, holder, dtype)
        return holder, apply_op('GetSessionTensor', handle=holder, dtype=dtype, name=name)


@tf_export(v1=['delete_session_tensor'])
def delete_session_tensor(handle, name=None):
    """(placeholder of a handle, the operation that forgets the value)."""
    device = TensorHandle._get_device_name(handle)
    with ops.device(device):
        holder = _holder(device)
        return holder, apply_op('DeleteSessionTensor', handle=holder, name=name)


def _kept(graph, name):
    """A dict of the graph's."""
    return graph.__dict__.setdefault(name, {})


def _register_handle_feeder(graph, feeder, dtype):
    _kept(graph, '_handle_feeders')[feeder.op.name] = dtype


def _get_handle_feeder(graph, feeder):
    """The type of the value behind a placeholder of handles, or None."""
    return _kept(graph, '_handle_feeders').get(feeder.op.name)


def _get_handle_reader(graph, handle, dtype):
    readers = _kept(graph, '_handle_readers')
    key = TensorHandle._get_reader_key(handle)
    if key not in readers:
        with graph.as_default():
            device = TensorHandle._get_device_name(handle)
            holder = _holder(device)
            with ops.device(device):
                readers[key] = (holder,
                                apply_op('GetSessionTensor', handle=holder, dtype=dtype))
    if readers[key][1].dtype != dtype:
        with graph.as_default():
            return get_session_tensor(handle, dtype)
    return readers[key]


def _get_handle_deleter(graph, deleter_key, handle):
    deleters = _kept(graph, '_handle_deleters')
    if deleter_key not in deleters:
        with graph.as_default():
            device = TensorHandle._get_device_name(handle)
            holder = _holder(device)
            with ops.device(device):
                deleters[deleter_key] = (holder, apply_op('DeleteSessionTensor', handle=holder))
    return deleters[deleter_key]
