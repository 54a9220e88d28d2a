# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.rnn: more cells and nets."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.rnn', globals())
