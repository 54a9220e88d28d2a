# SPDX-License-Identifier: Apache-2.0
"""The registered ops as OpDef messages."""
from leat._load import core

_cache = {}


class _Ops(object):
    """A mapping that makes a message when it is asked for."""

    def __getitem__(self, name):
        if name not in _cache:
            from leat.core.framework import op_def_pb2
            from leat.python.framework import ops
            data = ops.get_default_graph()._c.op_def(name)
            if data is None:
                raise KeyError(name)
            _cache[name] = op_def_pb2.OpDef.FromString(data)
        return _cache[name]

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name):
        return core.op_spec(name) is not None

    def __iter__(self):
        return iter(core.op_names())

    def __len__(self):
        return len(core.op_names())

    def keys(self):
        return core.op_names()

    def items(self):
        return [(n, self[n]) for n in self]

    def values(self):
        return [self[n] for n in self]


_ops = _Ops()


def get_registered_ops():
    return _ops


def get(name):
    return _ops.get(name)


def register_op_list(op_list):
    """Ops are registered by the library that brings them (tf.load_op_library)."""


def sync():
    """Nothing is kept that could be old."""
