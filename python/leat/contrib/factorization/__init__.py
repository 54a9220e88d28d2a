# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.factorization: k-means."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.factorization', globals())
