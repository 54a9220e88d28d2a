# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.crf: conditional random fields on chains."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.crf', globals())
