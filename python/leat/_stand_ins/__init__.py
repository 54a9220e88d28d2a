# SPDX-License-Identifier: Apache-2.0
"""absl and six for programs run by `python3 -m leat` where those packages are not installed.

install() puts a finder behind all others, so that a package that is there is taken. What is here is
what TensorFlow 1.x programs and its tests use of them.
"""
import importlib
import importlib.machinery
import sys

_MOVES = {
    'cPickle': 'pickle', 'queue': 'queue', 'builtins': 'builtins', 'configparser': 'configparser',
    'http_client': 'http.client', 'socketserver': 'socketserver', 'urllib': 'urllib',
    'urllib.request': 'urllib.request', 'urllib.parse': 'urllib.parse',
    'urllib.error': 'urllib.error', 'copyreg': 'copyreg', 'reprlib': 'reprlib',
    'html_parser': 'html.parser', 'http_cookiejar': 'http.cookiejar', 'tkinter': 'tkinter',
}
_OURS = ('absl', 'absl.app', 'absl.flags', 'absl.logging', 'absl.testing', 'absl.testing.absltest',
         'absl.testing.flagsaver', 'absl.testing.parameterized', 'six', 'six.moves')


class _Loader:
    """Hands out the module of another name."""

    def __init__(self, real):
        self._real = real

    def create_module(self, spec):
        del spec
        module = importlib.import_module(self._real)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec


class _Finder:
    """Finds what no other finder found."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        del path, target
        if fullname in _OURS:
            real = __name__ + '.' + fullname
        elif fullname.startswith('six.moves.') and fullname[10:] in _MOVES:
            real = _MOVES[fullname[10:]]
        else:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(real), is_package=True)


def install():
    """From now on absl and six can be imported."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)
