# SPDX-License-Identifier: Apache-2.0
"""inspect, seeing through decorators made by tf_decorator."""
import collections
import functools
import inspect as _inspect

from leat.python.util import tf_decorator

ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')
FullArgSpec = _inspect.FullArgSpec


def _spec_of_target(obj):
    """The outermost decorator's own argspec when one has it; the function below otherwise."""
    if isinstance(obj, functools.partial):
        return None, obj
    decorators, target = tf_decorator.unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec, target
    return None, target


def getfullargspec(obj):
    """The arguments of a function, method, class, partial or callable object."""
    spec, target = _spec_of_target(obj)
    if spec is not None:
        if isinstance(spec, FullArgSpec):
            return spec
        return FullArgSpec(spec.args, spec.varargs, spec.keywords, spec.defaults, [], None, {})
    if isinstance(target, functools.partial):
        return _spec_of_partial(target)
    if _inspect.isclass(target):
        return _inspect.getfullargspec(tf_decorator.unwrap(target.__init__)[1])
    if not (_inspect.isroutine(target)) and callable(target):
        return _inspect.getfullargspec(tf_decorator.unwrap(type(target).__call__)[1])
    return _inspect.getfullargspec(target)


def _spec_of_partial(partial):
    """What remains to be given to a functools.partial: its keywords become defaults."""
    spec = getfullargspec(partial.func)
    args = list(spec.args)
    defaults = dict(zip(args[len(args) - len(spec.defaults or ()):], spec.defaults or ()))
    given = args[:len(partial.args)]
    args = args[len(partial.args):]
    keywords = dict(partial.keywords or {})
    defaults.update({name: keywords[name] for name in keywords if name in args})
    first = next((i for i, name in enumerate(args) if name in defaults), len(args))
    for name in args[first:]:
        if name not in defaults:
            raise ValueError('Some arguments %s do not have default value, but they are positioned '
                             'after those with default values. This can not be expressed with '
                             'ArgSpec.' % [n for n in args[first:] if n not in defaults])
    del given
    return FullArgSpec(args, spec.varargs, spec.varkw,
                       tuple(defaults[name] for name in args[first:]) or None,
                       spec.kwonlyargs, spec.kwonlydefaults, {})


def getargspec(obj):
    """The arguments as an ArgSpec, which knows no keyword-only ones."""
    spec = getfullargspec(obj)
    return ArgSpec(args=spec.args, varargs=spec.varargs, keywords=spec.varkw,
                   defaults=spec.defaults)


def getcallargs(*func_and_positional, **named):
    """What each argument of a call gets, as a dict."""
    func, positional = func_and_positional[0], func_and_positional[1:]
    spec = getfullargspec(func)
    call = named.copy()
    target = getattr(func, 'im_self', None) or getattr(func, '__self__', None)
    if target is not None and spec.args:
        positional = (target,) + tuple(positional)
    call.update(dict(zip(spec.args, positional)))
    defaults = spec.defaults or ()
    for name, value in zip(spec.args[len(spec.args) - len(defaults):], defaults):
        call.setdefault(name, value)
    return call


def _unwrapped(name):
    function = getattr(_inspect, name)

    def call(object):
        return function(tf_decorator.unwrap(object)[1])
    call.__name__ = name
    call.__doc__ = 'inspect.%s of what decorators wrap.' % name
    return call


for _name in ('getdoc', 'getfile', 'getsource', 'getsourcefile', 'getsourcelines', 'isbuiltin',
              'isclass', 'isfunction', 'isgenerator', 'isgeneratorfunction', 'ismethod',
              'ismodule', 'isroutine'):
    globals()[_name] = _unwrapped(_name)
isframe = _inspect.isframe
currentframe = _inspect.currentframe
getframeinfo = _inspect.getframeinfo
getmodule = _inspect.getmodule
getmro = _inspect.getmro
getmembers = _inspect.getmembers
signature = _inspect.signature
Parameter = _inspect.Parameter


def getdoc(object):
    """The documentation of what decorators wrap, theirs first."""
    return _inspect.getdoc(object)


def stack(context=1):
    """inspect.stack of the caller."""
    return _inspect.stack(context)[1:]
