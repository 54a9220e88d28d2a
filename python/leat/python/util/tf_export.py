# SPDX-License-Identifier: Apache-2.0
"""The decorator that programs put on what they give a public name.

Leat's own names stand in leat/_api.py; here an export only leaves its names on the object.
"""
import sys

ESTIMATOR_API_NAME = 'estimator'
KERAS_API_NAME = 'keras'
TENSORFLOW_API_NAME = 'tensorflow'

_NAMES = {}


class SymbolAlreadyExposedError(Exception):
    """A name was exported for two objects."""


class InvalidSymbolNameError(Exception):
    """A name that cannot be exported."""


def get_canonical_name_for_symbol(symbol, api_name=TENSORFLOW_API_NAME,
                                  add_prefix_to_v1_names=False):
    """The first public name of a symbol, or None: prefer what is not deprecated."""
    names = getattr(symbol, '_tf_api_names', None)
    prefix = ''
    if not names:
        names = getattr(symbol, '_tf_api_names_v1', None)
        prefix = 'compat.v1.' if add_prefix_to_v1_names else ''
    del api_name
    return prefix + names[0] if names else None


class api_export:
    """Marks a function, class or constant with the names it has."""

    def __init__(self, *args, **kwargs):
        self._names = args
        self._names_v1 = tuple(kwargs.get('v1', args))
        self._api_name = kwargs.get('api_name', TENSORFLOW_API_NAME)
        self._allow_multiple = kwargs.get('allow_multiple_exports', False)

    def __call__(self, func):
        for attribute, names in (('_tf_api_names', self._names),
                                 ('_tf_api_names_v1', self._names_v1)):
            try:
                setattr(func, attribute, names)
            except (AttributeError, TypeError):
                break
        return func

    def export_constant(self, module_name, name):
        """Notes the names of a constant, which cannot carry them itself."""
        for public in self._names_v1:
            _NAMES[public] = (module_name, name)
        module = sys.modules.get(module_name)
        if module is not None:
            known = module.__dict__.setdefault('_tf_api_constants_v1', [])
            known.append((self._names_v1, name))


def tf_export(*args, **kwargs):
    """The names that a symbol has below `tf`."""
    return api_export(*args, api_name=TENSORFLOW_API_NAME, **kwargs)


def keras_export(*args, **kwargs):
    """The names that a symbol has below `tf`, for keras."""
    return api_export(*args, api_name=KERAS_API_NAME, **kwargs)


def estimator_export(*args, **kwargs):
    """The names that a symbol has below `tf`, for estimators."""
    return api_export(*args, api_name=ESTIMATOR_API_NAME, **kwargs)
