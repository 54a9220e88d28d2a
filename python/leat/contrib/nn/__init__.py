# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.nn: losses and activations."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.nn', globals())
