# SPDX-License-Identifier: Apache-2.0
"""Decorators that can be seen through: the wrapper knows what it wraps."""
import inspect


class TFDecorator:
    """What a decorated function carries: the decorator's name, and what it decorates."""

    def __init__(self, decorator_name, target, decorator_doc='', decorator_argspec=None):
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        if hasattr(target, '__name__'):
            self.__name__ = target.__name__
        if hasattr(target, '__qualname__'):
            self.__qualname__ = target.__qualname__
        if self._decorator_doc:
            self.__doc__ = self._decorator_doc
        elif getattr(target, '__doc__', None):
            self.__doc__ = target.__doc__
        else:
            self.__doc__ = ''
        if decorator_argspec:
            self.__signature__ = _signature_of(decorator_argspec)
        elif callable(target):
            try:
                self.__signature__ = inspect.signature(target)
            except (TypeError, ValueError):
                pass

    def __get__(self, instance, owner):
        return self._decorated_target.__get__(instance, owner)

    def __call__(self, *args, **kwargs):
        return self._decorated_target(*args, **kwargs)

    @property
    def decorated_target(self):
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, decorated_target):
        self._decorated_target = decorated_target

    @property
    def decorator_name(self):
        return self._decorator_name

    @property
    def decorator_doc(self):
        return self._decorator_doc

    @property
    def decorator_argspec(self):
        return self._decorator_argspec


def _signature_of(argspec):
    """An inspect.Signature of a FullArgSpec."""
    kind = inspect.Parameter
    defaults = list(argspec.defaults or ())
    plain = len(argspec.args) - len(defaults)
    parameters = [
        kind(name, kind.POSITIONAL_OR_KEYWORD,
             default=defaults[i - plain] if i >= plain else kind.empty)
        for i, name in enumerate(argspec.args)]
    if argspec.varargs:
        parameters.append(kind(argspec.varargs, kind.VAR_POSITIONAL))
    for name in getattr(argspec, 'kwonlyargs', None) or ():
        parameters.append(kind(name, kind.KEYWORD_ONLY,
                               default=(argspec.kwonlydefaults or {}).get(name, kind.empty)))
    keywords = getattr(argspec, 'varkw', None) or getattr(argspec, 'keywords', None)
    if keywords:
        parameters.append(kind(keywords, kind.VAR_KEYWORD))
    return inspect.Signature(parameters)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='',
                   decorator_argspec=None):
    """decorator_func, made to look like target and to know it."""
    if decorator_name is None:
        decorator_name = inspect.currentframe().f_back.f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for attribute in ('__name__', '__qualname__', '__module__'):
        if hasattr(target, attribute):
            try:
                setattr(decorator_func, attribute, getattr(target, attribute))
            except TypeError:
                pass
    if hasattr(target, '__dict__'):
        for name, value in target.__dict__.items():
            if name not in decorator_func.__dict__:
                decorator_func.__dict__[name] = value
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = target
    # Some callers look for the target under this name.
    decorator_func.__original_wrapped__ = target
    if hasattr(decorator, '__signature__'):
        decorator_func.__signature__ = decorator.__signature__
    return decorator_func


def _has_tf_decorator_attr(obj):
    return hasattr(obj, '_tf_decorator') and isinstance(obj._tf_decorator, TFDecorator)


def rewrap(decorator_func, previous_target, new_target):
    """Puts new_target in the place of previous_target below the decorators of decorator_func."""
    innermost, current = None, decorator_func
    while _has_tf_decorator_attr(current):
        innermost = current._tf_decorator
        if current is previous_target or innermost.decorated_target is previous_target:
            break
        current = innermost.decorated_target
    if innermost is None:
        return
    innermost.decorated_target = new_target


def unwrap(maybe_tf_decorator):
    """(the decorators, outermost first; what they decorate)."""
    decorators, current = [], maybe_tf_decorator
    while True:
        if isinstance(current, TFDecorator):
            decorators.append(current)
        elif _has_tf_decorator_attr(current):
            decorators.append(current._tf_decorator)
        else:
            return decorators, current
        if not hasattr(decorators[-1], 'decorated_target'):
            return decorators, current
        current = decorators[-1].decorated_target
