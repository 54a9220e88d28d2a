# SPDX-License-Identifier: Apache-2.0
"""Warnings about functions and arguments that have newer names, as 1.15 prints them."""
import contextlib
import functools
import inspect
import re
import sys

from leat.python.platform import tf_logging as logging
from leat.python.util import decorator_utils, tf_decorator, tf_inspect

_PRINT_DEPRECATION_WARNINGS = True
_PRINTED_WARNING = {}


class DeprecatedNamesAlreadySet(Exception):
    """deprecated_endpoints was used twice on a symbol."""


class DeprecatedArgSpec(tuple):
    """Where an argument stands, and the value (if any) that is no cause to warn."""

    def __new__(cls, position, has_ok_value, ok_value):
        return super().__new__(cls, (position, has_ok_value, ok_value))

    position = property(lambda self: self[0])
    has_ok_value = property(lambda self: self[1])
    ok_value = property(lambda self: self[2])


def _validate_deprecation_args(date, instructions):
    if date is not None and not re.match(r'20\d\d-[01]\d-[0123]\d', date):
        raise ValueError('Date must be YYYY-MM-DD.')
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _when(date):
    return 'in a future version' if date is None else 'after %s' % date


def _call_location(outer=False):
    """file:line of the caller of what warns."""
    frame = sys._getframe(3 if outer else 2)
    return '{}:{}'.format(frame.f_code.co_filename, frame.f_lineno)


def _with_notice(doc, date, instructions, no_doc, suffix, lines):
    return decorator_utils.add_notice_to_docstring(doc, instructions, no_doc, suffix, lines)


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """The same function or class, warning that it has another name."""
    def warn(outer):
        if _PRINT_DEPRECATION_WARNINGS and warned not in _PRINTED_WARNING:
            if warn_once:
                _PRINTED_WARNING[warned] = True
            frame = sys._getframe(2)
            logging.warning('From %s:%d: The name %s is deprecated. Please use %s instead.\n',
                            frame.f_code.co_filename, frame.f_lineno, deprecated_name, name)
        del outer

    warned = ('alias', deprecated_name)
    if inspect.isclass(func_or_class):
        def __init__(self, *args, **kwargs):
            warn(True)
            func_or_class.__init__(self, *args, **kwargs)
        return type(func_or_class.__name__, (func_or_class,),
                    {'__init__': __init__, '__doc__': func_or_class.__doc__,
                     '__module__': func_or_class.__module__})

    @functools.wraps(func_or_class)
    def new_func(*args, **kwargs):
        warn(True)
        return func_or_class(*args, **kwargs)
    return tf_decorator.make_decorator(func_or_class, new_func, 'deprecated')


def deprecated_endpoints(*args):
    """Notes which public names of a symbol are the old ones."""
    def deprecated_wrapper(func):
        if '_tf_deprecated_api_names' in func.__dict__:
            raise DeprecatedNamesAlreadySet(
                'Cannot set deprecated names for %s to %s. Deprecated names are already set to %s.'
                % (func.__name__, str(args), str(func._tf_deprecated_api_names)))
        func._tf_deprecated_api_names = args
        return func
    return deprecated_wrapper


def deprecated(date, instructions, warn_once=True):
    """Decorates a function that is to go, after a date or some time."""
    _validate_deprecation_args(date, instructions)

    def deprecated_wrapper(func_or_class):
        if inspect.isclass(func_or_class):
            func, cls = func_or_class.__init__, func_or_class
            shown = func_or_class.__name__
        else:
            func, cls = func_or_class, None
            decorator_utils.validate_callable(func, 'deprecated')
            shown = decorator_utils.get_qualified_name(func)

        def new_func(*args, **kwargs):
            if _PRINT_DEPRECATION_WARNINGS and new_func not in _PRINTED_WARNING:
                if warn_once:
                    _PRINTED_WARNING[new_func] = True
                logging.warning(
                    'From %s: %s (from %s) is deprecated and will be removed %s.\n'
                    'Instructions for updating:\n%s', _call_location(), shown,
                    func_or_class.__module__, _when(date), instructions)
            return func(*args, **kwargs)
        doc = _with_notice(func_or_class.__doc__, date, instructions, 'DEPRECATED FUNCTION',
                           '(deprecated)',
                           ['Warning: THIS FUNCTION IS DEPRECATED. It will be removed %s.'
                            % _when(date), 'Instructions for updating:'])
        if cls is None:
            return tf_decorator.make_decorator(func, new_func, 'deprecated', doc)
        cls.__init__ = functools.wraps(func)(new_func)
        cls.__doc__ = doc
        return cls
    return deprecated_wrapper


def _warn_argument(func, date, instructions, what):
    logging.warning('From %s: calling %s (from %s) with %s is deprecated and will be removed %s.\n'
                    'Instructions for updating:\n%s', _call_location(outer=True),
                    decorator_utils.get_qualified_name(func), func.__module__, what, _when(date),
                    instructions)


def _deprecated_positions(spec, names_to_ok):
    """name: where it stands, of the deprecated names that have a place of their own."""
    found = {name: DeprecatedArgSpec(i, name in names_to_ok and names_to_ok[name][0],
                                     names_to_ok[name][1])
             for i, name in enumerate(spec.args) if name in names_to_ok}
    return found


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Decorates a function with arguments that are to go: names, or (name, value that is fine)."""
    _validate_deprecation_args(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError('Specify which argument is deprecated.')
    warn_once = kwargs.pop('warn_once', True)
    if kwargs:
        raise TypeError('deprecated_args got unexpected keywords: %s' % sorted(kwargs))
    names = {}
    for item in deprecated_arg_names_or_tuples:
        if isinstance(item, str):
            names[item] = (False, None)
        else:
            names[item[0]] = (True, item[1]) if len(item) > 1 else (False, None)

    def deprecated_wrapper(func):
        decorator_utils.validate_callable(func, 'deprecated_args')
        spec = tf_inspect.getfullargspec(func)
        places = _deprecated_positions(spec, names)
        known = set(spec.args) | set(spec.kwonlyargs) | {spec.varargs, spec.varkw}
        if not all(name in known for name in names):
            raise ValueError(
                'The following deprecated arguments are not present in the function signature: %s. '
                'Found next arguments: %s.'
                % ([n for n in names if n not in known],
                   spec.args + [spec.varargs, spec.varkw] + spec.kwonlyargs))

        def is_ok(name, value):
            has_ok, ok = names[name]
            return has_ok and (value is ok or _plain_equal(value, ok))

        @functools.wraps(func)
        def new_func(*args, **kwargs):
            if not _PRINT_DEPRECATION_WARNINGS:
                return func(*args, **kwargs)
            used = [name for name, place in places.items()
                    if place.position < len(args) and not is_ok(name, args[place.position])]
            used += [name for name in names if name in kwargs and not is_ok(name, kwargs[name])]
            for name in sorted(used, key=list(names).index):
                if (func, name) not in _PRINTED_WARNING:
                    if warn_once:
                        _PRINTED_WARNING[(func, name)] = True
                    _warn_argument(func, date, instructions, name)
            return func(*args, **kwargs)
        doc = _with_notice(func.__doc__, date, instructions, 'DEPRECATED FUNCTION ARGUMENTS',
                           '(deprecated arguments)',
                           ['Warning: SOME ARGUMENTS ARE DEPRECATED: `(%s)`. They will be removed '
                            '%s.' % (', '.join(names), _when(date)), 'Instructions for updating:'])
        return tf_decorator.make_decorator(func, new_func, 'deprecated', doc)
    return deprecated_wrapper


def _plain_equal(a, b):
    """a == b of plain values; False where == makes something else than a bool."""
    try:
        return type(a) is type(b) and bool(a == b)
    except (TypeError, ValueError):
        return False


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Decorates a function some of whose arguments should no longer have some value."""
    _validate_deprecation_args(date, instructions)
    if not deprecated_kwargs:
        raise ValueError('Specify which argument values are deprecated.')

    def deprecated_wrapper(func):
        decorator_utils.validate_callable(func, 'deprecated_arg_values')

        @functools.wraps(func)
        def new_func(*args, **kwargs):
            if _PRINT_DEPRECATION_WARNINGS:
                given = tf_inspect.getcallargs(func, *args, **kwargs)
                for name, value in deprecated_kwargs.items():
                    same = name in given and (given[name] is value
                                              or _plain_equal(given[name], value))
                    if same and (func, name) not in _PRINTED_WARNING:
                        if warn_once:
                            _PRINTED_WARNING[(func, name)] = True
                        _warn_argument(func, date, instructions, '%s=%s' % (name, value))
            return func(*args, **kwargs)
        shown = ', '.join('%s=%r' % item for item in sorted(deprecated_kwargs.items()))
        doc = _with_notice(func.__doc__, date, instructions,
                           'DEPRECATED FUNCTION ARGUMENT VALUES', '(deprecated argument values)',
                           ['Warning: SOME ARGUMENT VALUES ARE DEPRECATED: `(%s)`. They will be '
                            'removed %s.' % (shown, _when(date)), 'Instructions for updating:'])
        return tf_decorator.make_decorator(func, new_func, 'deprecated', doc)
    return deprecated_wrapper


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The value of an argument that has two names, of which one may be given."""
    if old_value is not None:
        if new_value is not None:
            raise ValueError("Cannot specify both '%s' and '%s'" % (old_name, new_name))
        return old_value
    return new_value


def rewrite_argument_docstring(old_doc, old_argument, new_argument):
    """The docstring with one argument's name put for another."""
    return old_doc.replace('`%s`' % old_argument, '`%s`' % new_argument).replace(
        '%s:' % old_argument, '%s:' % new_argument)


@contextlib.contextmanager
def silence():
    """No such warnings within."""
    global _PRINT_DEPRECATION_WARNINGS
    before = _PRINT_DEPRECATION_WARNINGS
    _PRINT_DEPRECATION_WARNINGS = False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = before


class HiddenTfApiAttribute(property):
    """An attribute that a subclass does not have."""

    def __init__(self, deprecation_message):
        def raise_error(unused_self):
            raise AttributeError(deprecation_message)
        super().__init__(raise_error)


hide_attribute_from_api = HiddenTfApiAttribute
HIDDEN_ATTRIBUTE = HiddenTfApiAttribute('This attribute has been deprecated.')
