# SPDX-License-Identifier: Apache-2.0
"""What is known of message types: descriptors as google.protobuf has them, from our tables.

Made when first asked for, one a type. The classes of messages are made in _message.
"""
from leat._load import core

_SHOWN = {1: 'TYPE_DOUBLE', 2: 'TYPE_FLOAT', 3: 'TYPE_INT64', 4: 'TYPE_UINT64', 5: 'TYPE_INT32',
          6: 'TYPE_FIXED64', 7: 'TYPE_FIXED32', 8: 'TYPE_BOOL', 9: 'TYPE_STRING',
          10: 'TYPE_GROUP', 11: 'TYPE_MESSAGE', 12: 'TYPE_BYTES', 13: 'TYPE_UINT32',
          14: 'TYPE_ENUM', 15: 'TYPE_SFIXED32', 16: 'TYPE_SFIXED64', 17: 'TYPE_SINT32',
          18: 'TYPE_SINT64'}
_CPP_TYPE = {1: 5, 2: 6, 3: 2, 4: 4, 5: 1, 6: 4, 7: 3, 8: 7, 9: 9, 11: 10, 12: 9, 13: 3, 14: 8,
             15: 1, 16: 2, 17: 1, 18: 2}
_CPP_NAMES = ('INT32', 'INT64', 'UINT32', 'UINT64', 'DOUBLE', 'FLOAT', 'BOOL', 'ENUM', 'STRING',
              'MESSAGE')
_DEFAULT = {1: 0.0, 2: 0.0, 8: False, 9: '', 11: None, 12: b''}
SINGULAR, REPEATED, MAP = 0, 1, 2

_messages, _enums = {}, {}
_tables = []


def tables():
    """(names of all messages, {enum: its values}), read once."""
    if not _tables:
        _tables.append((core.message_types(), core.message_enums()))
    return _tables[0]


class Options:
    """Options of a descriptor: only map_entry is ever set."""

    def __init__(self, map_entry=False):
        self.map_entry = map_entry
        self.packed = self.deprecated = self.lazy = self.allow_alias = False

    def HasField(self, name):
        return name == 'map_entry' and self.map_entry


class _Described:
    """What all descriptors have."""

    has_options = False

    def GetOptions(self):
        return Options()

    def __repr__(self):
        return '<leat %s %s>' % (type(self).__name__, self.full_name)


class FieldDescriptor(_Described):
    """A field of a message type."""

    LABEL_OPTIONAL, LABEL_REQUIRED, LABEL_REPEATED = 1, 2, 3
    is_extension = False
    extension_scope = None
    has_default_value = False

    def __init__(self, owner, index, row):
        (self.name, self.number, self.type, self.kind, oneof, self._message, self._enum) = row
        self.index, self.containing_type = index, owner
        self.full_name = owner.full_name + '.' + self.name
        self.label = self.LABEL_OPTIONAL if self.kind == SINGULAR else self.LABEL_REPEATED
        self.cpp_type = _CPP_TYPE[self.type]
        self.default = _DEFAULT.get(self.type, 0)
        self.default_value = self.default if self.kind == SINGULAR else []
        self.containing_oneof = None
        if oneof is not None:
            self.containing_oneof = owner.oneofs_by_name.setdefault(
                oneof, OneofDescriptor(owner, oneof))
            self.containing_oneof.fields.append(self)
        first, *rest = self.name.split('_')
        self.camelcase_name = self.json_name = first + ''.join(p[:1].upper() + p[1:] for p in rest)

    @property
    def message_type(self):
        return message(self._message) if self._message else None

    @property
    def enum_type(self):
        return enum(self._enum) if self._enum else None

    @property
    def file(self):
        return self.containing_type.file


for _number, _name in _SHOWN.items():
    setattr(FieldDescriptor, _name, _number)
for _number, _name in enumerate(_CPP_NAMES):
    setattr(FieldDescriptor, 'CPPTYPE_' + _name, _number + 1)


class OneofDescriptor(_Described):
    """A oneof of a message type."""

    def __init__(self, owner, name):
        self.name, self.full_name = name, owner.full_name + '.' + name
        self.containing_type, self.fields = owner, []

    @property
    def index(self):
        return self.containing_type.oneofs.index(self)


class EnumValueDescriptor(_Described):
    """A value of an enum."""

    def __init__(self, owner, index, name, number):
        self.name, self.number, self.index, self.type = name, number, index, owner
        self.full_name = owner.full_name.rpartition('.')[0] + '.' + name


class EnumDescriptor(_Described):
    """An enum."""

    def __init__(self, full_name, values):
        self.full_name, self.name = full_name, full_name.rpartition('.')[2]
        self.values = [EnumValueDescriptor(self, i, *v) for i, v in enumerate(values)]
        self.values_by_name = {v.name: v for v in self.values}
        self.values_by_number = {}
        for value in self.values:
            self.values_by_number.setdefault(value.number, value)

    @property
    def containing_type(self):
        return message(self.full_name.rpartition('.')[0], None)

    @property
    def file(self):
        return FileDescriptor(self.full_name)


class FileDescriptor(_Described):
    """The file that a type comes from."""

    syntax = 'proto3'

    def __init__(self, full_name, name=None):
        from leat import _protos
        self.package = 'tensorflow'
        self.name = self.full_name = name or _protos.file_of(full_name)


class Descriptor(_Described):
    """A message type."""

    syntax = 'proto3'
    extensions = []
    extensions_by_name = {}
    is_extendable = False

    def __init__(self, full_name, rows):
        self.full_name, self.name = full_name, full_name.rpartition('.')[2]
        self.oneofs_by_name = {}
        self.fields = [FieldDescriptor(self, i, row) for i, row in enumerate(rows)]
        self.oneofs = list(self.oneofs_by_name.values())
        self.fields_by_name = {f.name: f for f in self.fields}
        self.fields_by_number = {f.number: f for f in self.fields}
        self.is_map_entry = full_name not in tables()[0]
        self.has_options = self.is_map_entry

    def GetOptions(self):
        return Options(self.is_map_entry)

    @property
    def fields_by_camelcase_name(self):
        return {f.camelcase_name: f for f in self.fields}

    @property
    def containing_type(self):
        return message(self.full_name.rpartition('.')[0], None)

    @property
    def file(self):
        return FileDescriptor(self.full_name)

    @property
    def nested_types(self):
        found = [n for n in tables()[0] if n.rpartition('.')[0] == self.full_name]
        return [message(n) for n in found] + [
            f.message_type for f in self.fields if f.kind == MAP]

    @property
    def nested_types_by_name(self):
        return {d.name: d for d in self.nested_types}

    @property
    def enum_types(self):
        return [enum(n) for n in tables()[1] if n.rpartition('.')[0] == self.full_name]

    @property
    def enum_types_by_name(self):
        return {e.name: e for e in self.enum_types}

    @property
    def enum_values_by_name(self):
        return {v.name: v for e in self.enum_types for v in e.values}

    @property
    def _concrete_class(self):
        from leat import _message
        return _message.message_class(self.full_name)

    def EnumValueName(self, enum_name, number):
        return self.enum_types_by_name[enum_name].values_by_number[number].name


def message(full_name, *default):
    """The descriptor of a message type; KeyError (or the default) when there is none."""
    found = _messages.get(full_name)
    if found is None:
        try:
            found = Descriptor(full_name, core.message_fields(full_name))
        except KeyError:
            if default:
                return default[0]
            raise
        found = _messages.setdefault(full_name, found)
    return found


def enum(full_name):
    """The descriptor of an enum; KeyError when there is none."""
    if full_name not in _enums:
        _enums[full_name] = EnumDescriptor(full_name, tables()[1][full_name])
    return _enums[full_name]


class EnumTypeWrapper:
    """An enum as programs see it: numbers of names, names of numbers."""

    ValueType = int

    def __init__(self, descriptor):
        self.DESCRIPTOR = descriptor

    def Name(self, number):
        found = None
        if not isinstance(number, str):
            found = self.DESCRIPTOR.values_by_number.get(number)
        if found is not None:
            return found.name
        if not hasattr(number, '__index__'):
            raise TypeError('Enum value for %s must be an int, but got %s %r.'
                            % (self.DESCRIPTOR.name, type(number), number))
        raise ValueError('Enum %s has no name defined for value %r'
                         % (self.DESCRIPTOR.name, number))

    def Value(self, name):
        found = self.DESCRIPTOR.values_by_name.get(name)
        if found is None:
            raise ValueError('Enum %s has no value defined for name %r'
                             % (self.DESCRIPTOR.name, name))
        return found.number

    def keys(self):
        return [v.name for v in self.DESCRIPTOR.values]

    def values(self):
        return [v.number for v in self.DESCRIPTOR.values]

    def items(self):
        return [(v.name, v.number) for v in self.DESCRIPTOR.values]

    def __getattr__(self, name):
        found = self.__dict__['DESCRIPTOR'].values_by_name.get(name)
        if found is None:
            raise AttributeError('Enum %s has no value with name %r'
                                 % (self.__dict__['DESCRIPTOR'].name, name))
        return found.number
