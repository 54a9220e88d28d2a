# SPDX-License-Identifier: Apache-2.0
"""The public namespaces (tf, tf.nn, tf.train...) as modules that find their names when asked.

The rows of _api.py and _api_contrib.py say where each name lives; nothing is imported before it is
needed. A package with an __init__.py of its own may take its rows too, by hooks().
"""
import importlib
import importlib.machinery
import os
import sys

_ROOT = os.path.dirname(os.path.abspath(__file__))
_tables = {}


def _source(namespace):
    """The file of rows that a namespace's are in."""
    if namespace == 'contrib' or namespace.startswith('contrib.'):
        from leat import _api_contrib as rows
    else:
        from leat import _api as rows
    return rows


def table(namespace):
    """{public name: (module, name in it)} of a namespace."""
    found = _tables.get(namespace)
    if found is None:
        found = {}
        text = _source(namespace).ROWS.get(namespace, '').replace('\n  ', ' ')
        for line in text.split('\n'):
            module, _, names = line.partition(': ')
            module = 'leat' + module.replace('/', '.') if module[:1] == '/' else (
                'leat.python.' + module)
            for name in names.split():
                public, _, own = name.partition('=')
                found[public] = (module, own or public)
        _tables[namespace] = found
    return found


def is_namespace(namespace):
    """Whether there are rows for it, or for one below it."""
    rows = _source(namespace).ROWS
    return namespace in rows or any(name.startswith(namespace + '.') for name in rows)


def _plain(namespace):
    """tf.compat.v1.X is tf.X."""
    if namespace == 'compat.v1':
        return ''
    return namespace[len('compat.v1.'):] if namespace.startswith('compat.v1.') else namespace


def _children(namespace):
    """The names of the namespaces right below one."""
    prefix = namespace + '.' if namespace else ''
    rows = _source(namespace)
    names = {name[len(prefix):].split('.')[0] for name in [*rows.ROWS, *rows.MODULES]
             if name.startswith(prefix) and name != namespace}
    if not namespace:
        names |= {'contrib', 'compat', 'python'}
    if namespace == 'compat':
        names.add('v1')
    return names - {''}


def _missing(namespace, name, why=None):
    shown = '.'.join(part for part in ('tf', namespace, name) if part)
    module = 'tensorflow' + ('.' + namespace if namespace else '')
    return AttributeError('module %r has no attribute %r: %s is not there yet%s; '
                          'docs/python-api.md lists what is'
                          % (module, name, shown, ' (%s)' % why if why else ''))


def find(namespace, name):
    """The value of a public name; AttributeError when it is not there (yet)."""
    if name[0] == '_' and name[:2] != '__':  # not public: the import system asks for our modules
        raise AttributeError('module has no attribute %r' % name)
    namespace = _plain(namespace)
    row = table(namespace).get(name)
    if row is not None:
        try:
            return getattr(importlib.import_module(row[0]), row[1])
        except ModuleNotFoundError as error:
            if not (error.name or '').startswith('leat'):
                raise
            raise _missing(namespace, name, 'no %s' % error.name) from None
        except AttributeError:
            module = sys.modules.get(row[0])
            if module is None or hasattr(module, row[1]):
                raise
            raise _missing(namespace, name, 'no %s in %s' % (row[1], row[0])) from None
    if not name.startswith('__'):
        full = '%s.%s' % (namespace, name) if namespace else name
        try:
            return importlib.import_module('leat.' + full)
        except ModuleNotFoundError as error:
            if not (error.name or '').startswith('leat'):
                raise
    raise _missing(namespace, name)


def _exported(namespace, names):
    """What `from tensorflow import *` binds: the public names that are there."""
    found = []
    for name in names:
        try:
            if name[0] != '_' and find(namespace, name) is not None:
                found.append(name)
        except AttributeError:
            continue
    return found


def hooks(namespace, variables):
    """(__getattr__, __dir__) for the module of a namespace, whose dict is variables."""
    def __getattr__(name):
        if name == '__all__':  # a lazy module's dict has nothing that import * could bind
            value = _exported(namespace, [name for name in __dir__() if name not in variables])
            value += [name for name in variables if name[0] != '_']
        else:
            value = find(namespace, name)
        variables[name] = value
        return value

    def __dir__():
        plain = _plain(namespace)
        return sorted({*variables, *table(plain), *_children(plain)})
    return __getattr__, __dir__


class _Loader:
    """Makes the module of a namespace, or hands out the module that one is another name of."""

    def __init__(self, namespace, other):
        self._namespace, self._other = namespace, other

    def create_module(self, spec):
        if self._other is None:
            return None
        module = importlib.import_module(self._other)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        if self._other is not None:
            module.__spec__ = self._spec
            return
        module.__doc__ = 'tf.%s: see docs/python-api.md.' % self._namespace
        module.__getattr__, module.__dir__ = hooks(self._namespace, module.__dict__)


class _Finder:
    """Finds leat.X where X is a namespace with no file of its own."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        del path, target
        if not fullname.startswith('leat.') or (fullname + '.').startswith('leat.python.'):
            return None
        namespace = fullname[len('leat.'):]
        folder = os.path.join(_ROOT, *namespace.split('.'))
        if os.path.exists(folder + '.py') or os.path.exists(os.path.join(folder, '__init__.py')):
            return None
        plain = _plain(namespace)
        other = _source(plain).MODULES.get(plain) if plain else None
        if other is not None:
            other = 'leat.' + other
        elif plain and plain != namespace:
            other = 'leat.' + plain
        elif namespace not in ('compat.v1', 'compat') and not is_namespace(namespace):
            return None
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(namespace, other),
                                              is_package=True)
        spec.submodule_search_locations = [folder] if os.path.isdir(folder) else []
        return spec


def install():
    """Makes `import leat.nn` find the namespaces."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
