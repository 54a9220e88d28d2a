# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.util: arrays and messages, the ops of a graph."""
from leat.contrib.util import loader  # noqa: F401
from leat.python.framework.tensor_util import (  # noqa: F401
    MakeNdarray as make_ndarray, constant_value, make_tensor_proto)


def ops_used_by_graph_def(graph_def):
    """The names of the ops of all nodes, those in functions too."""
    bodies = {f.signature.name: f.node_def for f in graph_def.library.function}
    found, waiting = set(), [graph_def.node]
    while waiting:
        for node in waiting.pop():
            if node.op not in found:
                found.add(node.op)
                if node.op in bodies:
                    waiting.append(bodies[node.op])
    return {op for op in found if op not in bodies}


def stripped_op_list_for_graph(graph_def):
    """The definitions of the ops of all nodes."""
    from leat.core.framework import op_def_pb2
    from leat.python.framework import op_def_registry
    registered = op_def_registry.get_registered_ops()
    names = sorted(name for name in ops_used_by_graph_def(graph_def) if name in registered)
    return op_def_pb2.OpList(op=[registered[name] for name in names])
