# SPDX-License-Identifier: Apache-2.0
"""tf.raw_ops: a function for each op, by the op's own name and with keywords alone."""
import types

from leat.python.framework import op_functions

_functions = op_functions.RawOps(__name__)


def __getattr__(name):
    if name.startswith('_'):
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    function = _by_keywords(name, getattr(_functions, name))
    globals()[name] = function
    return function


def __dir__():
    return dir(_functions)


def _by_keywords(name, function):
    """function, as the op's own name in what it says of wrong arguments."""
    if isinstance(function, types.FunctionType):
        own = types.FunctionType(function.__code__.replace(co_name=name), function.__globals__,
                                 name, function.__defaults__, function.__closure__)
        own.__qualname__, own.__doc__ = name, function.__doc__
        function = own

    def call(*args, **kwargs):
        if args:
            raise TypeError('%s only takes keyword args. Please pass these args as kwargs instead.'
                            % name)
        return function(**kwargs)
    call.__name__, call.__wrapped__ = name, function
    return call
