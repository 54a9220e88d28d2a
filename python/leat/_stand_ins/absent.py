# SPDX-License-Identifier: Apache-2.0
"""Modules of TensorFlow that Leat has not, and that TensorFlow's own tests import at their head.

Such a module can be imported, so that the tests that do not need it run; what is asked of it is an
error that says so, by which a test that asks is skipped.
"""
import importlib.machinery
import sys
import types
import unittest

_PACKAGES = frozenset((
    'autograph', 'autograph.core', 'autograph.impl', 'autograph.lang', 'data', 'data.experimental',
    'data.experimental.ops', 'data.kernel_tests', 'data.ops', 'data.util', 'debug', 'debug.cli',
    'debug.lib', 'debug.wrappers', 'distribute', 'grappler', 'keras', 'keras.engine',
    'keras.layers', 'keras.optimizer_v2', 'keras.utils', 'ops.ragged', 'ops.signal', 'profiler',
    'tpu', 'training.tracking'))
_MODULES = frozenset((
    'framework.auto_control_deps', 'framework.config', 'framework.func_graph',
    'framework.kernels', 'framework.proto_ops', 'framework.test_ops', 'ops.proto_ops'))


class AbsentError(AttributeError, unittest.SkipTest):
    """Something of a module that is not there."""


class _Module(types.ModuleType):
    """A module with nothing in it."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        raise AbsentError('Leat has no %s, of which %s is asked (docs/python-api.md)'
                          % (self.__name__.replace('leat', 'tensorflow', 1), name))


def _kind(name):
    """None, or whether leat.python.X is a package. What is in a package, and has a name such as
    modules have, is a module."""
    head, found, rest = name.partition('leat.python.')
    if head or not found:
        return None
    if rest in _PACKAGES:
        return True
    above, _, last = rest.rpartition('.')
    if rest in _MODULES or (above in _PACKAGES and last.islower() and last[0] != '_'):
        return False
    return None


class _Finder:
    """Finds what no other finder found; makes it."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        del path, target
        is_package = _kind(fullname)
        if is_package is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Finder, is_package=is_package)

    @staticmethod
    def create_module(spec):
        return _Module(spec.name, 'Not there.')

    @staticmethod
    def exec_module(module):
        """Nothing is in it."""


def install():
    """From now on they can be imported."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)
