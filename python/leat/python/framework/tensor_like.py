# SPDX-License-Identifier: Apache-2.0
"""The base class of tensors and what stands for them."""
from leat.python.framework import ops

_TensorLike = ops._TensorLike
