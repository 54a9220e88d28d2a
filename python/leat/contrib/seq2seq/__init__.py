# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.seq2seq: losses of sequences."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.seq2seq', globals())
