# SPDX-License-Identifier: Apache-2.0
"""`tensorflow` as another name of `leat`: install(), and every import of tensorflow... is leat...

The modules are the same objects under both names, so that classes are the same too.
"""
import importlib
import importlib.machinery
import importlib.util
import sys


class _Loader:
    """Hands out the module of the real name."""

    def __init__(self, real):
        self._real = real

    def create_module(self, spec):
        del spec
        module = importlib.import_module(self._real)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec  # the import system put the alias's there


class _Finder:
    """Finds tensorflow and what is below it."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        del path, target
        if fullname != 'tensorflow' and not fullname.startswith('tensorflow.'):
            return None
        real = 'leat' + fullname[len('tensorflow'):]
        try:
            spec = importlib.util.find_spec(real) if real not in sys.modules else True
        except ModuleNotFoundError as error:
            if not (error.name or '').startswith('leat'):
                raise
            spec = None
        if spec is None:
            raise ModuleNotFoundError(
                'No module named %r: Leat has no %s yet; docs/python-api.md lists what there is'
                % (fullname, real), name=fullname)
        alias = importlib.machinery.ModuleSpec(fullname, _Loader(real), origin=real,
                                               is_package=True)
        return alias


def install():
    """From now on `import tensorflow` means Leat."""
    if _Finder in sys.meta_path:
        return
    sys.meta_path.insert(0, _Finder)
    import leat
    from leat import _google, _stand_ins
    from leat._stand_ins import absent, numpy_names
    _google.install()
    _stand_ins.install()
    numpy_names.install()
    absent.install()
    sys.modules['tensorflow'] = leat
    for name, module in list(sys.modules.items()):
        if name.startswith('leat.') and not name.startswith('leat._'):
            sys.modules.setdefault('tensorflow' + name[len('leat'):], module)
