# SPDX-License-Identifier: Apache-2.0
"""The base class of bijectors."""
from leat.python.ops.distributions.bijector_impl import Bijector  # noqa: F401

__all__ = ['Bijector']
