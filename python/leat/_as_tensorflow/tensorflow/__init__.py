# SPDX-License-Identifier: Apache-2.0
"""`import tensorflow` in a process that a program run by `python3 -m leat` made: Leat.

Such a process gets its parent's sys.path, which has the folder above, but not its import hooks.
"""
import sys

from leat import _alias

_alias.install()
sys.modules['tensorflow'] = sys.modules['leat']
