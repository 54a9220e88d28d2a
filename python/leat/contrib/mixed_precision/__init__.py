# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.mixed_precision: losses in scale."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.mixed_precision', globals())
