# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.sparsemax: a softmax with zeros."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.sparsemax', globals())
