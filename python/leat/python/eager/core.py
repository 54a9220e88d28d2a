# SPDX-License-Identifier: Apache-2.0
"""Errors of eager execution, by the names that tests import."""
from leat.python.framework.errors_impl import OpError as _NotOkStatusException  # noqa: F401


class _FallbackException(Exception):
    """Of the fast path, which is not there."""


class _SymbolicException(Exception):
    """Of graph tensors among eager ones, which are not there."""
