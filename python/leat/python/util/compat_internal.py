# SPDX-License-Identifier: Apache-2.0
"""Paths as text: what older code imports from here."""
from leat.python.util.compat import as_str_any, path_to_str

__all__ = ['as_str_any', 'path_to_str']
