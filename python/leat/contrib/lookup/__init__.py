# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.lookup: tables."""
from leat import _namespaces
from leat.python.ops.lookup_ops import FastHashSpec  # noqa: F401

__getattr__, __dir__ = _namespaces.hooks('contrib.lookup', globals())
