# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.graph_editor: graphs copied in part, and wired anew."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.graph_editor', globals())
