# SPDX-License-Identifier: Apache-2.0
"""The seeds of random ops: of the graph and of the op."""
from leat.python.framework import ops

DEFAULT_GRAPH_SEED = 87654321
_MAXINT32 = 2 ** 31 - 1


def _truncate(seed):
    return seed % _MAXINT32


def get_seed(op_seed):
    """(seed, seed2) that a random op made now gets; (None, None) where neither is set."""
    graph = ops.get_default_graph()
    seed = graph.seed
    if seed is not None:
        if op_seed is None:
            op_seed = graph.version
        seeds = _truncate(seed), _truncate(op_seed)
    elif op_seed is not None:
        seeds = DEFAULT_GRAPH_SEED, _truncate(op_seed)
    else:
        seeds = None, None
    return (0, _MAXINT32) if seeds == (0, 0) else seeds


def set_random_seed(seed):
    """The default graph's seed."""
    ops.get_default_graph().seed = seed


set_seed = set_random_seed
