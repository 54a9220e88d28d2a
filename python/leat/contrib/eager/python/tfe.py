# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.eager by the name that programs import."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.eager', globals())
