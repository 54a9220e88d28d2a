# SPDX-License-Identifier: Apache-2.0
"""experimental: a decorator for what may change."""
import functools

from leat.python.platform import tf_logging as logging


def experimental(func):
    """Says at each call that the function may change."""
    @functools.wraps(func)
    def new_func(*args, **kwargs):
        logging.warning('%s (from %s) is experimental and may change or be removed at any time, '
                        'and without warning.', func.__name__, func.__module__)
        return func(*args, **kwargs)
    return new_func
