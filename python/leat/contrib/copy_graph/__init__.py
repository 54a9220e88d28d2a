# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.copy_graph: parts of a graph in another."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.copy_graph', globals())
