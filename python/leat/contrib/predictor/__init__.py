# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.predictor: saved models as functions of arrays."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.predictor', globals())
