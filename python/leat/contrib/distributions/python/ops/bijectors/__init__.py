# SPDX-License-Identifier: Apache-2.0
"""Where programs import from: the bijectors."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.distributions.bijectors', globals())
