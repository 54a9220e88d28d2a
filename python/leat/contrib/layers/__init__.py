# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.layers: layers as functions, with what arg_scope says."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.layers', globals())
