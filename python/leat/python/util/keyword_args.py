# SPDX-License-Identifier: Apache-2.0
"""Functions that take keywords only."""
import functools

from leat.python.util import decorator_utils


def keyword_args_only(func):
    """func, raising ValueError when given positional arguments."""
    decorator_utils.validate_callable(func, 'keyword_args_only')

    @functools.wraps(func)
    def new_func(*args, **kwargs):
        if args:
            raise ValueError('Must use keyword args to call {}.'.format(func.__name__))
        return func(**kwargs)
    return new_func
