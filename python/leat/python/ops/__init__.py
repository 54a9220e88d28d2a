# SPDX-License-Identifier: Apache-2.0
"""Ops by family; gen_* modules have a function for each op (framework/op_functions.py)."""
import importlib.abc
import importlib.machinery
import sys

_PREFIX = __name__ + '.gen_'


# Where TensorFlow registers gradients; the library has them, so that importing these is enough.
_GRADIENTS = frozenset(_PREFIX[:-4] + name + '_grad' for name in (
    'array', 'control_flow', 'ctc', 'cudnn_rnn', 'data_flow', 'functional', 'image', 'linalg',
    'list', 'manip', 'math', 'nn', 'optional', 'random', 'resource_variable', 'rnn', 'sparse',
    'spectral', 'state', 'tensor_array', 'while_v2'))


class _GenFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """leat.python.ops.gen_anything is a module of op functions."""

    def find_spec(self, name, path=None, target=None):
        if name in _GRADIENTS:
            return importlib.machinery.ModuleSpec(name, self)
        if not name.startswith(_PREFIX) or '.' in name[len(_PREFIX):]:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        if spec.name in _GRADIENTS:
            return None
        from leat.python.framework import op_functions
        return op_functions.OpModule(spec.name, 'Functions of ops, made on demand.')

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, _GenFinder())
