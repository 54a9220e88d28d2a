# SPDX-License-Identifier: Apache-2.0
"""TFModuleWrapper: a module whose names are looked up in another, or imported when asked for."""
import importlib
import inspect
import types

from leat.python.platform import tf_logging as logging
from leat.python.util import tf_decorator

_PER_MODULE_WARNING_LIMIT = 1


def get_rename_v2(name):
    """The name of 2.x of a symbol of 1.x, where it is known: Leat has no table of these."""
    del name
    return None


def _call_location():
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame.f_back if frame.f_back is not None else frame
    return '%s:%d' % (frame.f_code.co_filename, frame.f_lineno)


def contains_deprecation_decorator(decorators):
    return any(d.decorator_name == 'deprecated' for d in decorators)


def has_deprecation_decorator(symbol):
    """Whether a symbol, or its constructor, says that it is deprecated."""
    decorators, symbol = tf_decorator.unwrap(symbol)
    if contains_deprecation_decorator(decorators):
        return True
    if inspect.isfunction(symbol) or not hasattr(symbol, '__init__'):
        return False
    return contains_deprecation_decorator(tf_decorator.unwrap(symbol.__init__)[0])


class TFModuleWrapper(types.ModuleType):
    """Stands for a module; public_apis: {name: (module, name in it)} of what is imported late."""

    def __init__(self, wrapped, module_name, public_apis=None, deprecation=True, has_lite=False):
        super().__init__(wrapped.__name__)
        own = self.__dict__
        own.update(wrapped.__dict__)
        own['_tfmw_wrapped_module'] = wrapped
        own['_tfmw_module_name'] = module_name
        own['_tfmw_public_apis'] = public_apis or {}
        own['_tfmw_print_deprecation_warnings'] = deprecation
        own['_tfmw_has_lite'] = has_lite
        own['_tfmw_deprecated_checked'] = set()
        own['_tfmw_warning_count'] = 0

    def _tfmw_add_deprecation_warning(self, name, attr):
        """Warns once a module; whether it did."""
        if not self._tfmw_print_deprecation_warnings or name in self._tfmw_deprecated_checked or \
                self._tfmw_warning_count >= _PER_MODULE_WARNING_LIMIT:
            return False
        self._tfmw_deprecated_checked.add(name)
        renamed = get_rename_v2('tf.%s.%s' % (self._tfmw_module_name, name))
        if not renamed or has_deprecation_decorator(attr):
            return False
        logging.warning('From %s: The name %s is deprecated. Please use %s instead.\n',
                        _call_location(), name, renamed)
        self.__dict__['_tfmw_warning_count'] += 1
        return True

    def _tfmw_import_module(self, name):
        module, own = self._tfmw_public_apis[name]
        module = importlib.import_module(module)
        value = getattr(module, own) if own else module
        setattr(self._tfmw_wrapped_module, name, value)
        self.__dict__[name] = value
        return value

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if name[:1] != '_':
            self._tfmw_add_deprecation_warning(name, value)
        return value

    def __getattr__(self, name):
        wrapped = self.__dict__['_tfmw_wrapped_module']
        try:
            return getattr(wrapped, name)
        except AttributeError:
            if name not in self.__dict__['_tfmw_public_apis']:
                raise
        return self._tfmw_import_module(name)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        setattr(self.__dict__['_tfmw_wrapped_module'], name, value)

    def __delattr__(self, name):
        self.__dict__.pop(name, None)
        delattr(self._tfmw_wrapped_module, name)

    def __dir__(self):
        return sorted({*self._tfmw_public_apis, *dir(self._tfmw_wrapped_module)})

    def __repr__(self):
        return repr(self._tfmw_wrapped_module)

    def __reduce__(self):
        return importlib.import_module, (self.__name__,)
