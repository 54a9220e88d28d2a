# SPDX-License-Identifier: Apache-2.0
"""Docstrings with notices, names of functions, properties of classes."""
import inspect


def get_qualified_name(function):
    """The name with its class."""
    if hasattr(function, '__qualname__'):
        return function.__qualname__
    if hasattr(function, 'im_class'):
        return function.im_class.__name__ + '.' + function.__name__
    return function.__name__


def _normalize_docstring(docstring):
    return inspect.cleandoc(docstring) if docstring else ''


def add_notice_to_docstring(doc, instructions, no_doc_str, suffix_str, notice):
    """doc with suffix_str after its first line, and the notice's lines after that."""
    lines = _normalize_docstring(doc).splitlines() if doc else [no_doc_str]
    if doc:
        lines[0] += ' ' + suffix_str
    notice = [''] + list(notice) + ([instructions] if instructions else [])
    if len(lines) > 1:
        if lines[1].strip():
            notice.append('')
        lines[1:1] = notice
    else:
        lines += notice
    return '\n'.join(lines)


def validate_callable(func, decorator_name):
    """ValueError for what cannot be called."""
    if not hasattr(func, '__call__'):
        raise ValueError('%s is not a function. If this is a property, make sure @property appears '
                         'before @%s in your source code:\n\n@property\n@%s\ndef method(...)'
                         % (func, decorator_name, decorator_name))


class classproperty:
    """A property of the class itself, for reading."""

    def __init__(self, func):
        self._func = func

    def __get__(self, owner_self, owner_cls):
        return self._func(owner_cls)
