# SPDX-License-Identifier: Apache-2.0
"""tf.contrib: what of it is there is found when asked for."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib', globals())
