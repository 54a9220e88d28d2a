# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.losses: losses of an older interface."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.losses', globals())
