# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.slim: models in few lines."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.slim', globals())
