# SPDX-License-Identifier: Apache-2.0
"""Ragged tensors. ragged_tensor comes first: it registers what the other modules here make."""
from leat.python.ops.ragged import ragged_tensor  # noqa: F401
