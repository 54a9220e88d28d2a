# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.training: hyperparameters, batches of sequences."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.training', globals())
