# SPDX-License-Identifier: Apache-2.0
"""Where programs import tfe from."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.eager.python', globals())
