# SPDX-License-Identifier: Apache-2.0
"""A module that is imported when first used."""
import importlib
import types

from leat.python.platform import tf_logging as logging


class LazyLoader(types.ModuleType):
    """Stands for the module `name` in parent_module_globals[local_name] until it is needed."""

    def __init__(self, local_name, parent_module_globals, name, warning=None):
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals
        self._warning = warning
        super().__init__(name)

    def _load(self):
        module = importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        if self._warning:
            logging.warning(self._warning)
            self._warning = None
        self.__dict__.update(module.__dict__)
        return module

    def __getattr__(self, item):
        return getattr(self._load(), item)

    def __dir__(self):
        return dir(self._load())
