# SPDX-License-Identifier: Apache-2.0
"""Whether the library can be loaded."""


def preload_check():
    """ImportError, with the reason, when it cannot."""
    import leat._load  # noqa: F401
