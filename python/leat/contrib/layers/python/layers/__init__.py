# SPDX-License-Identifier: Apache-2.0
"""Layers, initialisers, regularizers: the names of tf.contrib.layers from here too."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.layers', globals())
