# SPDX-License-Identifier: Apache-2.0
"""The placeholders of a graph."""
from leat.python.framework import ops

__all__ = ['get_placeholders']


def get_placeholders(graph):
    """The outputs of all placeholders."""
    if not isinstance(graph, ops.Graph):
        raise TypeError('Input graph needs to be a Graph: %s' % graph)
    return [op.outputs[0] for op in graph.get_operations()
            if op.type in ('Placeholder', 'PlaceholderV2')]
