# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.learn: data sets. Its estimators are not there."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.learn', globals())
