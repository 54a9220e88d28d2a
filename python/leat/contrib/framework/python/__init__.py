# SPDX-License-Identifier: Apache-2.0
"""Where programs import from."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.framework.python', globals())
