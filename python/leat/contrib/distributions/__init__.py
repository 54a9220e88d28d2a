# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.distributions: tf.distributions, more of them, and bijectors."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.distributions', globals())
