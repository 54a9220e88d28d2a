# SPDX-License-Identifier: Apache-2.0
"""Marks results that a program should use.

A graph's op that nobody holds is legal and often meant, and a warning when the garbage collector
comes by says too much too late: the result is handed out as it is.
"""
from leat.python.util import tf_decorator


def _add_should_use_warning(x, fatal_error=False):
    del fatal_error
    return x


def should_use_result(fn):
    """fn, noted as one whose result should be used."""
    def wrapped(*args, **kwargs):
        return fn(*args, **kwargs)
    return tf_decorator.make_decorator(fn, wrapped, 'should_use_result')


def must_use_result_or_fatal(fn):
    """fn, noted as one whose result must be used."""
    def wrapped(*args, **kwargs):
        return fn(*args, **kwargs)
    return tf_decorator.make_decorator(fn, wrapped, 'must_use_result_or_fatal')
