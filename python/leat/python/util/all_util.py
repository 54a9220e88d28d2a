# SPDX-License-Identifier: Apache-2.0
"""What a module exports: __all__ from its docstring's @@name lines."""
import re as _re
import sys as _sys

_reference_pattern = _re.compile(r'^@@(\w+)$', flags=_re.MULTILINE)
_HIDDEN_ATTRIBUTES = {}


def make_all(module_name, doc_string_modules=None):
    """The public names of a module that the docstrings of doc_string_modules list."""
    if doc_string_modules is None:
        doc_string_modules = [_sys.modules[module_name]]
    module = _sys.modules[module_name]
    members = {name for name in vars(module) if not name.startswith('_')}
    listed = set()
    for documented in doc_string_modules:
        listed.update(_reference_pattern.findall(documented.__doc__ or ''))
    return sorted(members & listed) if listed else sorted(members)


def reveal_undocumented(symbol_name, target_module=None):
    """Puts a name that remove_undocumented hid back into its module."""
    if symbol_name not in _HIDDEN_ATTRIBUTES:
        raise LookupError('Symbol %s is not a hidden symbol' % symbol_name)
    module, name = symbol_name.rsplit('.', 1)
    original, value = _HIDDEN_ATTRIBUTES[symbol_name]
    del module
    setattr(target_module or original, name, value)


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Takes names that no docstring lists, and that are not allowed, out of a module."""
    module = _sys.modules[module_name]
    should_have = set(make_all(module_name, doc_string_modules)) | set(allowed_exception_list
                                                                        or ())
    for name in [n for n in vars(module) if not n.startswith('_') and n not in should_have]:
        _HIDDEN_ATTRIBUTES[module_name + '.' + name] = (module, getattr(module, name))
        delattr(module, name)
