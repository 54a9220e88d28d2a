# SPDX-License-Identifier: Apache-2.0
"""Finds the extension `_core`: in $LEAT_PYTHON_CORE, beside this file, or in the tree's build."""
import importlib.machinery
import importlib.util
import os
import sys

_NAME = '_core.abi3.so'


def _places():
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get('LEAT_PYTHON_CORE'):
        yield os.environ['LEAT_PYTHON_CORE']
    yield here
    yield os.path.join(os.path.dirname(os.path.dirname(here)), 'build', 'python')


def load():
    """The module, once a process."""
    if 'leat._core' in sys.modules:
        return sys.modules['leat._core']
    for folder in _places():
        path = os.path.join(folder, _NAME)
        if not os.path.exists(path):
            continue
        loader = importlib.machinery.ExtensionFileLoader('leat._core', path)
        spec = importlib.util.spec_from_file_location('leat._core', path, loader=loader)
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        sys.modules['leat._core'] = module
        return module
    raise ImportError('leat: %s is in none of %s: run make (it needs python3-dev)'
                      % (_NAME, ', '.join(_places())))


core = load()
