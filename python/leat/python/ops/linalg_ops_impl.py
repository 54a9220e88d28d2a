# SPDX-License-Identifier: Apache-2.0
"""Another place of eye()."""
from leat.python.ops import linalg_ops

eye = linalg_ops.eye
