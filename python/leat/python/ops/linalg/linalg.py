# SPDX-License-Identifier: Apache-2.0
"""All of tf.linalg's functions."""
from leat.python.ops.linalg import linalg_impl


def __getattr__(name):
    return getattr(linalg_impl, name)
