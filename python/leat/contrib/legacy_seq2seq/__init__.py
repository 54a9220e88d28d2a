# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.legacy_seq2seq: encoders, decoders and losses of unrolled sequences."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.legacy_seq2seq', globals())
