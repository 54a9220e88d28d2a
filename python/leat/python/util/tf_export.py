# SPDX-License-Identifier: Apache-2.0
"""The decorator that programs put on what they give a public name.

Leat's own names stand in leat/_api.py; here an export only leaves its names on the object.
"""
import collections
import functools
import sys

from leat.python.util import tf_decorator
from leat.python.util import tf_inspect

ESTIMATOR_API_NAME = 'estimator'
KERAS_API_NAME = 'keras'
TENSORFLOW_API_NAME = 'tensorflow'
SUBPACKAGE_NAMESPACES = [ESTIMATOR_API_NAME]

_Attributes = collections.namedtuple('ExportedApiAttributes', ['names', 'constants'])
API_ATTRS = {name: _Attributes('_%s_api_names' % short, '_%s_api_constants' % short)
             for name, short in ((TENSORFLOW_API_NAME, 'tf'), (ESTIMATOR_API_NAME, 'estimator'),
                                 (KERAS_API_NAME, 'keras'))}
API_ATTRS_V1 = {name: _Attributes(a.names + '_v1', a.constants + '_v1')
                for name, a in API_ATTRS.items()}


class SymbolAlreadyExposedError(Exception):
    """A name was exported for two objects."""


class InvalidSymbolNameError(Exception):
    """A name that cannot be exported."""


def get_canonical_name(api_names, deprecated_api_names):
    """The first name that is not deprecated; failing that the first; or None."""
    kept = [name for name in api_names if name not in deprecated_api_names]
    return kept[0] if kept else api_names[0] if api_names else None


def get_canonical_name_for_symbol(symbol, api_name=TENSORFLOW_API_NAME,
                                  add_prefix_to_v1_names=False):
    """The first public name of a symbol, or None: those of version 2 first."""
    _, symbol = tf_decorator.unwrap(symbol)
    deprecated = getattr(symbol, '_tf_deprecated_api_names', ())
    own = vars(symbol) if hasattr(symbol, '__dict__') else {}
    names = get_canonical_name(own.get(API_ATTRS[api_name].names, ()), deprecated)
    if names:
        return names
    name = get_canonical_name(own.get(API_ATTRS_V1[api_name].names, ()), deprecated)
    return 'compat.v1.' + name if name and add_prefix_to_v1_names else name


def _of_kinds(symbol, tables, field):
    found = []
    for api_name in (TENSORFLOW_API_NAME, ESTIMATOR_API_NAME, KERAS_API_NAME):
        found.extend(vars(symbol).get(getattr(tables[api_name], field), ()))
    return found


def _names(symbol, tables):
    _, symbol = tf_decorator.unwrap(symbol)
    return _of_kinds(symbol, tables, 'names') if hasattr(symbol, '__dict__') else []


def get_v1_names(symbol):
    """All names that a symbol has in version 1."""
    return _names(symbol, API_ATTRS_V1)


def get_v2_names(symbol):
    """All names that a symbol has in version 2."""
    return _names(symbol, API_ATTRS)


def get_v1_constants(module):
    """[(names in version 1, name in the module)] of the constants of a module."""
    return _of_kinds(module, API_ATTRS_V1, 'constants')


def get_v2_constants(module):
    """[(names in version 2, name in the module)] of the constants of a module."""
    return _of_kinds(module, API_ATTRS, 'constants')


class api_export:
    """Marks a function, class or constant with the names it has."""

    def __init__(self, *args, **kwargs):
        self._names = list(args)
        self._names_v1 = list(kwargs.get('v1', args))
        self._api_name = kwargs.get('api_name', TENSORFLOW_API_NAME)
        self._overrides = kwargs.get('overrides', [])
        self._allow_multiple = kwargs.get('allow_multiple_exports', False)
        self._check()

    def _check(self):
        for name in self._names + self._names_v1:
            subpackage = any(name.startswith(n + '.') for n in SUBPACKAGE_NAMESPACES)
            if self._api_name == TENSORFLOW_API_NAME and subpackage:
                raise InvalidSymbolNameError('@tf_export is not allowed to export symbols under '
                                             '%s.*' % name.partition('.')[0])
            if self._api_name in SUBPACKAGE_NAMESPACES and not subpackage:
                raise InvalidSymbolNameError(
                    'Can only export symbols under package name of component. e.g. '
                    'tensorflow_estimator must export all symbols under tf.estimator')

    def __call__(self, func):
        for other in self._overrides:
            _, plain = tf_decorator.unwrap(other)
            for table in (API_ATTRS, API_ATTRS_V1):
                if hasattr(plain, table[self._api_name].names):
                    delattr(plain, table[self._api_name].names)
        _, plain = tf_decorator.unwrap(func)
        for table, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            attribute = table[self._api_name].names
            if not self._allow_multiple and attribute in getattr(plain, '__dict__', ()):
                raise SymbolAlreadyExposedError('Symbol %s is already exposed as %s.'
                                                % (plain.__name__, getattr(plain, attribute)))
            try:
                setattr(plain, attribute, names)
            except (AttributeError, TypeError):
                break
        return func

    def export_constant(self, module_name, name):
        """Notes the names of a constant, which cannot carry them itself."""
        module = sys.modules.get(module_name)
        if module is None:
            return
        for table, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            known = module.__dict__.setdefault(table[self._api_name].constants, [])
            known.append((names, name))


def kwarg_only(f):
    """f, which takes keywords alone."""
    spec = tf_inspect.getfullargspec(f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        if args:
            raise TypeError('{f} only takes keyword args (possible keys: {kwargs}). Please pass '
                            'these args as kwargs instead.'.format(f=f.__name__, kwargs=spec.args))
        return f(**kwargs)
    return tf_decorator.make_decorator(f, wrapper, decorator_argspec=spec)


def tf_export(*args, **kwargs):
    """The names that a symbol has below `tf`."""
    return api_export(*args, api_name=TENSORFLOW_API_NAME, **kwargs)


def keras_export(*args, **kwargs):
    """The names that a symbol has below `tf`, for keras."""
    return api_export(*args, api_name=KERAS_API_NAME, **kwargs)


def estimator_export(*args, **kwargs):
    """The names that a symbol has below `tf`, for estimators."""
    return api_export(*args, api_name=ESTIMATOR_API_NAME, **kwargs)
