# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.framework: argument scopes, variables by name, checkpoints."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.framework', globals())
