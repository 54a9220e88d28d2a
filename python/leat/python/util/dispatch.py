# SPDX-License-Identifier: Apache-2.0
"""Other implementations of a function for arguments of a program's own types.

A function with dispatch support that fails with TypeError or ValueError asks the dispatchers that
were registered for it.
"""
import itertools

from leat.python.util import tf_decorator

DISPATCH_ATTR = '_tf_dispatchers'


class OpDispatcher:
    """handle() gives a result, or NOT_SUPPORTED."""

    NOT_SUPPORTED = object()

    def handle(self, args, kwargs):
        """The result for these arguments, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op):
        """Makes op ask this dispatcher."""
        if not hasattr(op, DISPATCH_ATTR):
            raise AssertionError('Dispatching not enabled for %s' % op)
        getattr(op, DISPATCH_ATTR).append(self)


class _TypeBasedDispatcher(OpDispatcher):
    """Handles calls with an argument, or an item of a list, of given types."""

    def __init__(self, override_func, types):
        self._types = types
        self._override_func = override_func

    def _handles(self, args, kwargs):
        for arg in itertools.chain(args, kwargs.values()):
            if isinstance(arg, self._types):
                return True
            if isinstance(arg, (list, tuple)) and any(isinstance(e, self._types) for e in arg):
                return True
        return False

    def handle(self, args, kwargs):
        if self._handles(args, kwargs):
            return self._override_func(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch(op, *args, **kwargs):
    """The result of the first of op's dispatchers that handles the arguments."""
    for dispatcher in getattr(op, DISPATCH_ATTR, ()):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def dispatch_or_raise(op, *args, **kwargs):
    """dispatch() within an except clause, whose error goes on where nobody handles the call."""
    result = dispatch(op, *args, **kwargs)
    if result is OpDispatcher.NOT_SUPPORTED:
        raise  # what the caller has caught
    return result


def dispatch_for_types(op, *types):
    """Decorates a function that stands for op where an argument is of one of these types."""
    def decorator(func):
        _TypeBasedDispatcher(func, types).register(op)
        return func
    return decorator


def add_dispatch_list(target):
    """target, able to have dispatchers."""
    if hasattr(target, DISPATCH_ATTR):
        raise AssertionError('%s already has a dispatch list' % target)
    setattr(target, DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target):
    """target, asking its dispatchers when its arguments are not for it."""
    def wrapper(*args, **kwargs):
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            return dispatch_or_raise(wrapper, *args, **kwargs)
    add_dispatch_list(wrapper)
    return tf_decorator.make_decorator(target, wrapper)
