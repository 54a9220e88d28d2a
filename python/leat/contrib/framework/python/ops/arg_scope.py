# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions, said once for all calls in a block.

A function that is decorated with add_arg_scope takes, where its call does not say them, the
arguments of the innermost arg_scope that names it.
"""
import contextlib

from leat.python.util import tf_decorator

__all__ = ['arg_scope', 'add_arg_scope', 'current_arg_scope', 'has_arg_scope',
           'arg_scoped_arguments', 'arg_scope_func_key']

_ARGSTACK = [{}]
_DECORATED_OPS = {}


def _get_arg_stack():
    return _ARGSTACK


def current_arg_scope():
    return _ARGSTACK[-1]


def arg_scope_func_key(op):
    return getattr(op, '_key_op', str(op))


def _name_op(op):
    return (op.__module__, op.__name__)


def _kwarg_names(func):
    """The names of the arguments that have defaults."""
    code = func.__code__
    names = code.co_varnames[:code.co_argcount]
    count = len(func.__defaults__ or ())
    return names[len(names) - count:] if count else ()


def has_arg_scope(func):
    return arg_scope_func_key(func) in _DECORATED_OPS


def arg_scoped_arguments(func):
    """The names of the arguments that an arg_scope may say."""
    assert has_arg_scope(func)
    return _DECORATED_OPS[arg_scope_func_key(func)]


def add_arg_scope(func):
    """Makes the function one that arg_scope may name."""
    key = arg_scope_func_key(func)

    def func_with_args(*args, **kwargs):
        current = current_arg_scope().get(key)
        if current is not None:
            kwargs = {**current, **kwargs}
        return func(*args, **kwargs)
    _DECORATED_OPS[key] = _kwarg_names(func) if hasattr(func, '__code__') else ()
    setattr(func_with_args, '_key_op', key)
    return tf_decorator.make_decorator(func, func_with_args)


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """In the block these functions have these arguments; or those of a scope that was yielded."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError('When attempting to re-use a scope by suppling a dictionary, kwargs '
                             'must be empty.')
        scope = list_ops_or_scope.copy()
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError('list_ops_or_scope must either be a list/tuple or reused scope (i.e. '
                            'dict)')
        scope = current_arg_scope().copy()
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError('%s::%s is not decorated with @add_arg_scope' % _name_op(op))
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _ARGSTACK.append(scope)
    try:
        yield scope
    finally:
        _ARGSTACK.pop()
