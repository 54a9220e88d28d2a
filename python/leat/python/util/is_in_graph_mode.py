# SPDX-License-Identifier: Apache-2.0
"""Whether ops go into a graph: here they always do."""


def IS_IN_GRAPH_MODE():
    """True."""
    return True
