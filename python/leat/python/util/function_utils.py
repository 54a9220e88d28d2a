# SPDX-License-Identifier: Apache-2.0
"""What can be asked of a callable: its arguments, its name."""
import functools

from leat.python.util import tf_decorator, tf_inspect


def _is_bound_method(fn):
    _, fn = tf_decorator.unwrap(fn)
    return tf_inspect.ismethod(fn) and fn.__self__ is not None


def _is_callable_object(obj):
    return hasattr(obj, '__call__') and tf_inspect.ismethod(obj.__call__)


def fn_args(fn):
    """The names of the arguments that a call may give, as a tuple; without a bound self."""
    if isinstance(fn, functools.partial):
        args = fn_args(fn.func)
        keywords = fn.keywords or {}
        args = [a for a in args[len(fn.args):] if a not in keywords]
    else:
        if _is_callable_object(fn):
            fn = fn.__call__
        args = list(tf_inspect.getfullargspec(fn).args)
        if _is_bound_method(fn) and args:
            args.pop(0)
    return tuple(args)


def has_kwargs(fn):
    """Whether it takes any keyword."""
    if isinstance(fn, functools.partial):
        fn = fn.func
    elif _is_callable_object(fn):
        fn = fn.__call__
    elif not callable(fn):
        raise TypeError('fn should be a function-like object, but is of type {}.'.format(type(fn)))
    return tf_inspect.getfullargspec(fn).varkw is not None


def get_func_name(func):
    """A name to show for a callable."""
    _, func = tf_decorator.unwrap(func)
    if callable(func):
        if tf_inspect.isfunction(func) or tf_inspect.isbuiltin(func):
            return func.__name__
        if tf_inspect.ismethod(func):
            return '%s.%s' % (func.__self__.__class__.__name__, func.__func__.__name__)
        return str(type(func))
    raise ValueError('Argument must be callable')


def get_func_code(func):
    """The code object of a callable, or None."""
    _, func = tf_decorator.unwrap(func)
    if callable(func):
        if tf_inspect.isfunction(func) or tf_inspect.ismethod(func):
            return func.__code__
        try:
            return func.__call__.__code__
        except AttributeError:
            return None
    raise ValueError('Argument must be callable')
