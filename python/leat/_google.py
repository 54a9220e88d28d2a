# SPDX-License-Identifier: Apache-2.0
"""google.protobuf for programs that import its text_format, message, json_format and so on.

install() puts Leat's own in the place of a google.protobuf that is not installed. One that is
installed stays, and its text_format and json_format learn to hand Leat's messages over to Leat's.
"""
import importlib
import importlib.machinery
import importlib.util
import sys
import types

_OURS = {'text_format': 'leat._text_format', 'json_format': 'leat._json_format'}
_VERSION = '3.20.3'


def _descriptor_module(module):
    from leat import _descriptor
    for name in ('FieldDescriptor', 'EnumDescriptor', 'EnumValueDescriptor', 'OneofDescriptor',
                 'Descriptor', 'FileDescriptor'):
        setattr(module, name, getattr(_descriptor, name))


def _message_module(module):
    from leat import _message
    for name in ('Message', 'Error', 'DecodeError', 'EncodeError'):
        setattr(module, name, getattr(_message, name))


def _containers_module(module):
    from leat import _containers
    module.RepeatedScalarFieldContainer = _containers.RepeatedScalar
    module.RepeatedCompositeFieldContainer = _containers.RepeatedComposite
    module.ScalarMap, module.MessageMap = _containers.ScalarMap, _containers.MessageMap


def _enum_module(module):
    from leat import _descriptor
    module.EnumTypeWrapper = _descriptor.EnumTypeWrapper


def _types_module(*names):
    def fill(module):
        from leat import _message
        for name in names:
            setattr(module, name, _message.message_class('google.protobuf.' + name))
    return fill


def _alias(target):
    def fill(module):
        ours = importlib.import_module(target)
        module.__dict__.update((k, v) for k, v in vars(ours).items() if not k.startswith('_'))
    return fill


def _package(module):
    module.__version__ = _VERSION


_MODULES = {
    'google': lambda module: None,
    'google.protobuf': _package,
    'google.protobuf.internal': lambda module: None,
    'google.protobuf.message': _message_module,
    'google.protobuf.descriptor': _descriptor_module,
    'google.protobuf.internal.containers': _containers_module,
    'google.protobuf.internal.enum_type_wrapper': _enum_module,
    'google.protobuf.any_pb2': _types_module('Any'),
    'google.protobuf.wrappers_pb2': _types_module(
        'DoubleValue', 'FloatValue', 'Int64Value', 'UInt64Value', 'Int32Value', 'UInt32Value',
        'BoolValue', 'StringValue', 'BytesValue'),
    'google.protobuf.text_format': _alias(_OURS['text_format']),
    'google.protobuf.json_format': _alias(_OURS['json_format']),
}
_PACKAGES = ('google', 'google.protobuf', 'google.protobuf.internal')


class _Finder:
    """Makes the modules of google.protobuf."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in _MODULES:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname in _PACKAGES)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        _MODULES[module.__name__](module)


class _Both:
    """Loads google.protobuf's own module, then makes it hand our messages to ours."""

    def __init__(self, short, loader):
        self.short, self.loader = short, loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        teach(module, self.short)

    def __getattr__(self, name):
        return getattr(self.loader, name)


class _TeachingFinder:
    """Wraps the loaders of the modules that have to learn."""

    def find_spec(self, fullname, path=None, target=None):
        package, _, short = fullname.rpartition('.')
        if package != 'google.protobuf' or short not in _OURS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Both(short, spec.loader)
        return spec


def teach(module, short):
    """Makes the functions of a text_format or json_format take our messages too."""
    for name, theirs in list(vars(module).items()):
        if not name.startswith('_') and isinstance(theirs, types.FunctionType):
            setattr(module, name, _either(theirs, short, name))


def _either(theirs, short, name):
    def function(*args, **kwargs):
        from leat import _message
        given = args[:2] + tuple(kwargs.values())
        if any(isinstance(a, _message.Message) for a in given):
            ours = getattr(importlib.import_module(_OURS[short]), name, None)
            if ours is not None:
                return ours(*args, **kwargs)
        return theirs(*args, **kwargs)
    function.__name__, function.__doc__ = name, theirs.__doc__
    return function


def install():
    """Makes google.protobuf know our messages; once a process, however often it is called."""
    if any(type(f) in (_Finder, _TeachingFinder) for f in sys.meta_path):
        return
    try:
        there = importlib.util.find_spec('google.protobuf') is not None
    except ImportError:
        there = False
    if not there:
        sys.meta_path.append(_Finder())
        return
    for short in _OURS:
        module = sys.modules.get('google.protobuf.' + short)
        if module is not None:
            teach(module, short)
    sys.meta_path.insert(0, _TeachingFinder())
