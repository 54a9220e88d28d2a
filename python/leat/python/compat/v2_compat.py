# SPDX-License-Identifier: Apache-2.0
"""The switches between TensorFlow 1's behaviour and 2's: here it is always 1's."""
from leat.python.framework import errors_impl


def enable_v2_behavior():
    raise errors_impl.UnimplementedError(
        None, None, 'Leat has TensorFlow 1.x\'s behaviour alone: graphs and sessions '
        '(docs/python-api.md)')


def disable_v2_behavior():
    """What holds anyway."""
