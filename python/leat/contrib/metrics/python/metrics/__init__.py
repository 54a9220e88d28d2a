# SPDX-License-Identifier: Apache-2.0
"""Where programs import from: the names of tf.contrib.metrics."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.metrics', globals())
