# SPDX-License-Identifier: Apache-2.0
"""Helps the garbage collector."""


def dismantle_ordered_dict(ordered_dict):
    """Empties a dict that is about to go, so that no cycle through it stays."""
    ordered_dict.clear()
