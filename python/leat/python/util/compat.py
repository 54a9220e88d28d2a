# SPDX-License-Identifier: Apache-2.0
"""Text as bytes and back, and the kinds of numbers (tf.compat)."""
import collections.abc as collections_abc
import numbers as _numbers

import numpy as _np

bytes_or_text_types = (bytes, str)
complex_types = (_numbers.Complex, _np.number)
integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)


def as_bytes(bytes_or_text, encoding='utf-8'):
    """The bytes of a text; bytes as they are."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError('Expected binary or unicode string, got %r' % (bytes_or_text,))


def as_text(bytes_or_text, encoding='utf-8'):
    """The text of bytes; text as it is."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError('Expected binary or unicode string, got %r' % (bytes_or_text,))


as_str = as_text


def as_str_any(value):
    """str(value), but the text of bytes."""
    return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """The text of a path, which may be an os.PathLike; anything else as it is."""
    if hasattr(path, '__fspath__'):
        path = as_str_any(path.__fspath__())
    return path
