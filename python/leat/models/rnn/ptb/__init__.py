# SPDX-License-Identifier: Apache-2.0
"""Models that TensorFlow had beside it before 1.0."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('models.rnn.ptb', globals())
