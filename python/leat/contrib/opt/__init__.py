# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.opt: more optimizers."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.opt', globals())
