# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.eager: the part of it that graphs have."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.eager', globals())
