# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1.x's graph mode on Leat: `import leat as tf`.

The names of `tf` are found when they are asked for: see _namespaces.py, and the rows of _api.py.
"""
from leat import _namespaces, _protos

__version__ = '1.15.5'  # whose Python interface this is; leat_version is Leat's own
leat_version = '0.1.0'

_namespaces.install()
_protos.install()
__getattr__, __dir__ = _namespaces.hooks('', globals())
