# SPDX-License-Identifier: Apache-2.0
"""Models to serve, as they were before SavedModel."""
from leat import _namespaces

__getattr__, __dir__ = _namespaces.hooks('contrib.session_bundle', globals())
