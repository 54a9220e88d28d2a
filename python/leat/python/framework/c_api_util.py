# SPDX-License-Identifier: Apache-2.0
"""What Python programs ask of the C library's graphs: their operations, and the ops' API texts."""
from leat._load import core
from leat.core.framework import api_def_pb2
from leat.python.framework import op_def_registry


def tf_operations(graph):
    """The operations of a graph, one by one."""
    yield from graph.get_operations()


def new_tf_operations(graph):
    """Those that Python has not seen: none, for it asks the C graph each time."""
    del graph
    return iter(())


def tf_output(c_op, index):
    """An output of an operation."""
    return c_op.outputs[index]


class ApiDefMap(object):
    """The API texts of the registered ops, and what was put beside them."""

    def __init__(self):
        self._names = sorted(core.op_names())
        self._put = {}

    def put_api_def(self, text):
        """ApiDefs in text form: they come first from now on."""
        from leat import _text_format
        from leat.python.util import compat
        defs = api_def_pb2.ApiDefs()
        _text_format.Parse(compat.as_str(text), defs)
        for op in defs.op:
            self._put[op.graph_op_name] = op

    def get_api_def(self, op_name):
        if op_name not in self._put and op_name not in self._names:
            raise ValueError('No ApiDef for %s' % op_name)
        made = api_def_pb2.ApiDef()
        made.graph_op_name = op_name
        if op_name in self._put:
            made.MergeFrom(self._put[op_name])
        return made

    def get_op_def(self, op_name):
        found = op_def_registry.get(op_name)
        if found is None:
            raise ValueError('No entry found for %s.' % op_name)
        return found

    def op_names(self):
        return self._names
