# SPDX-License-Identifier: Apache-2.0
"""contextlib.contextmanager whose functions can be seen through."""
import contextlib as _contextlib

from leat.python.util import tf_decorator


def contextmanager(target):
    """A generator function as a function that makes a context manager."""
    return tf_decorator.make_decorator(target, _contextlib.contextmanager(target),
                                       'contextmanager')
