# SPDX-License-Identifier: Apache-2.0
"""How values of a program's own types become tensors (framework/conversion.py)."""
from leat.python.framework.conversion import register_tensor_conversion_function  # noqa: F401
