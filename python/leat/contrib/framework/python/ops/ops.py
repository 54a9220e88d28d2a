# SPDX-License-Identifier: Apache-2.0
"""The graph of inputs; the current scope of names."""
from leat.python.framework import ops

__all__ = ['get_graph_from_inputs', 'get_name_scope']


def get_graph_from_inputs(op_input_list, graph=None):
    """The graph that all of the inputs are in."""
    return ops._get_graph_from_inputs(op_input_list, graph)


def get_name_scope():
    return ops.get_default_graph().get_name_scope()
