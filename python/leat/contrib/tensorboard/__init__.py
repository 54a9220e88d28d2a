# SPDX-License-Identifier: Apache-2.0
"""What TensorBoard reads."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.tensorboard', globals())
