# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.image: images moved, turned and warped."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.image', globals())
