# SPDX-License-Identifier: Apache-2.0
"""Message classes that behave as google.protobuf's, made on demand from the library's tables.

A message keeps the dict of its present fields (_f), just as the codec gives and takes it: what is
inside stays a plain tree until somebody asks for it. A message that was asked for and is not there
yet knows its parent (_up) and takes its place there at its first change.
"""
from leat import _containers, _descriptor
from leat._descriptor import MAP, REPEATED
from leat._load import core

_classes = {}


class Error(Exception):
    """What goes wrong with messages."""


class DecodeError(Error):
    """Bytes that are no such message."""


class EncodeError(Error):
    """A message that cannot be written."""


class _MessageType(type):
    """Finds nested types, enums, their values and field numbers of a message class."""

    def __getattr__(cls, name):
        descriptor = cls.__dict__.get('DESCRIPTOR')
        if descriptor is None or name.startswith('__'):
            raise AttributeError(name)
        full = descriptor.full_name + '.' + name
        names, enums = _descriptor.tables()
        if full in enums:
            value = _descriptor.EnumTypeWrapper(_descriptor.enum(full))
        elif full in names or _is_entry(descriptor, name):
            value = message_class(full)
        elif name.endswith('_FIELD_NUMBER'):
            value = _field_number(descriptor, name)
        else:
            value = descriptor.enum_values_by_name.get(name)
            value = value.number if value is not None else None
        if value is None:
            raise AttributeError("type object '%s' has no attribute '%s'" % (cls.__name__, name))
        setattr(cls, name, value)
        return value


def _is_entry(descriptor, name):
    return any(f.kind == MAP and f.message_type.name == name for f in descriptor.fields)


def _field_number(descriptor, name):
    for field in descriptor.fields:
        if field.name.upper() + '_FIELD_NUMBER' == name:
            return field.number
    return None


class Message(metaclass=_MessageType):
    """The base of all message classes."""

    __slots__ = ('_f', '_up', '_pending', '__weakref__')
    __hash__ = None
    DESCRIPTOR = None

    def __init__(self, *args, **fields):
        if args:
            raise TypeError('No positional arguments allowed')
        self._f, self._up, self._pending = {}, None, None
        known = self.DESCRIPTOR.fields_by_name
        for name, value in fields.items():
            field = known.get(name)
            if field is None:
                raise ValueError('Protocol message %s has no "%s" field.'
                                 % (self.DESCRIPTOR.name, name))
            if value is not None:
                self._construct(field, value)

    @classmethod
    def _wrap(cls, tree):
        made = cls.__new__(cls)
        made._f, made._up, made._pending = tree, None, None
        return made

    @classmethod
    def _expect(cls, other, function):
        if type(other) is not cls:
            given = getattr(getattr(other, 'DESCRIPTOR', None), 'full_name', type(other).__name__)
            raise TypeError('Parameter to %s() must be instance of same class: expected %s got %s.'
                            % (function, cls.DESCRIPTOR.full_name, given))

    def _construct(self, field, value):
        """One keyword of the constructor."""
        name = field.name
        if field.kind == MAP:
            getattr(self, name).MergeFrom(value)
        elif field.kind == REPEATED:
            held = getattr(self, name)
            if field.type == 11:
                for item in value:
                    held.add(**item) if isinstance(item, dict) else held.append(item)
            elif field.type == 14:
                check = _containers.enum_checker(field.enum_type)
                held.extend([check(item) for item in value])
            else:
                held.extend(value)
        elif field.type == 11:
            held = getattr(self, name)
            held.MergeFrom(type(held)(**value) if isinstance(value, dict) else value)
        else:
            if field.type == 14:
                value = _containers.enum_checker(field.enum_type)(value)
            setattr(self, name, value)

    # ---- presence ----

    def _attach(self):
        """Takes its place in its parent."""
        (parent, field), self._up = self._up, None
        parent._clear_oneof(field)
        parent._f[field.name] = self
        parent._pending.pop(field.name, None)
        if parent._up is not None:
            parent._attach()

    def _touch(self):
        if self._up is not None:
            self._attach()

    def _clear_oneof(self, field):
        if field.containing_oneof is not None:
            for other in field.containing_oneof.fields:
                if other is not field:
                    self._f.pop(other.name, None)

    def _orphan(self, name):
        """A message inside that waits for its first change no longer does."""
        child = self._pending.pop(name, None) if self._pending else None
        if child is not None:
            child._up = None

    def _field(self, name, text):
        field = self.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise ValueError(text % {'type': self.DESCRIPTOR.name, 'name': name})
        return field

    def HasField(self, name):
        if name in self.DESCRIPTOR.oneofs_by_name:
            return self.WhichOneof(name) is not None
        field = self._field(name, 'Protocol message %(type)s has no field %(name)s.')
        if field.kind:
            raise ValueError('Protocol message %s has no singular "%s" field.'
                             % (self.DESCRIPTOR.name, name))
        if field.type != 11 and field.containing_oneof is None:
            raise ValueError('Can\'t test non-optional, non-submessage field "%s.%s" for presence '
                             'in proto3.' % (self.DESCRIPTOR.name, name))
        return name in self._f

    def WhichOneof(self, name):
        oneof = self.DESCRIPTOR.oneofs_by_name.get(name)
        if oneof is None:
            raise ValueError('Protocol message has no oneof "%s" field.' % name)
        for field in oneof.fields:
            if field.name in self._f:
                return field.name
        return None

    def ClearField(self, name):
        if name in self.DESCRIPTOR.oneofs_by_name:
            set_one = self.WhichOneof(name)
            if set_one is not None:
                self.ClearField(set_one)
            return
        self._field(name, 'Protocol message has no "%(name)s" field.')
        self._touch()
        self._f.pop(name, None)
        self._orphan(name)

    def Clear(self):
        self._touch()
        for name in list(self._pending or ()):
            self._orphan(name)
        self._f = {}

    def SetInParent(self):
        self._touch()

    def ListFields(self):
        held = self._f
        return [(f, getattr(self, f.name)) for f in self.DESCRIPTOR.fields
                if f.name in held and not (f.kind and not held[f.name])]

    def IsInitialized(self, errors=None):
        return True

    def FindInitializationErrors(self):
        return []

    def DiscardUnknownFields(self):
        _discard_unknown(self._f)

    # ---- whole messages ----

    def CopyFrom(self, other):
        if other is self:
            return
        self._expect(other, 'CopyFrom')
        tree = _containers.copy_tree(other)
        self.Clear()
        self._f = tree

    def MergeFrom(self, other):
        self._expect(other, 'MergeFrom')
        self._merge(_containers.copy_tree(other))

    def _merge(self, tree):
        """Merges a tree, of which it may keep parts."""
        self._touch()
        if not self._f and not self._pending:
            self._f = tree
            return
        for name, value in tree.items():
            if name == '':
                self._f[''] = self._f.get('', b'') + value
                continue
            field = self.DESCRIPTOR.fields_by_name[name]
            if field.kind == MAP:
                dict.update(getattr(self, name), _wrapped_map(field, value))
            elif field.kind == REPEATED:
                held = getattr(self, name)
                if field.type == 11:
                    value = [held._class._wrap(v) for v in value]
                list.extend(held, value)
            elif field.type == 11:
                getattr(self, name)._merge(value)
            else:
                self._clear_oneof(field)
                self._f[name] = value

    def SerializePartialToString(self, deterministic=None, **kwargs):
        try:
            return core.message_encode(self.DESCRIPTOR.full_name, self, bool(deterministic))
        except core.Error as e:
            raise EncodeError(e.args[-1]) from None

    SerializeToString = SerializePartialToString

    def ByteSize(self):
        return len(self.SerializePartialToString())

    def _decoded(self, data):
        if not isinstance(data, bytes):
            if isinstance(data, str):
                raise TypeError("a bytes-like object is required, not 'str'")
            data = bytes(memoryview(data))
        try:
            return core.message_decode(self.DESCRIPTOR.full_name, data)
        except core.Error as e:
            raise DecodeError("Error parsing message with type '%s': %s"
                              % (self.DESCRIPTOR.full_name, e.args[-1])) from None

    def ParseFromString(self, serialized):
        tree = self._decoded(serialized)
        self.Clear()
        self._f = tree
        return len(serialized)

    def MergeFromString(self, serialized):
        self._merge(self._decoded(serialized))
        return len(serialized)

    @classmethod
    def FromString(cls, data):
        made = cls()
        made.ParseFromString(data)
        return made

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self is other or (self.SerializePartialToString(deterministic=True) ==
                                 other.SerializePartialToString(deterministic=True))

    def __str__(self):
        return core.message_print(self.DESCRIPTOR.full_name, self, True)

    __repr__ = __str__

    def __deepcopy__(self, memo=None):
        return self._wrap(_containers.copy_tree(self))

    def __reduce__(self):
        return _unpickle, (self.DESCRIPTOR.full_name, self.SerializePartialToString())

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        try:
            return getattr(type(self), name)
        except AttributeError:
            raise AttributeError(name) from None


def _unpickle(full_name, data):
    return message_class(full_name).FromString(data)


def _discard_unknown(tree):
    fields = getattr(tree, '_f', tree)
    if isinstance(fields, dict):
        if isinstance(fields.get(''), bytes):
            del fields['']
        values = fields.values()
    else:
        values = fields
    for value in values:
        if isinstance(value, (dict, list, Message)):
            _discard_unknown(value)


def _map_parts(field):
    return field.message_type.fields


def _wrapped_map(field, values):
    value_field = _map_parts(field)[1]
    if value_field.type != 11:
        return values
    wrap = message_class(value_field.message_type.full_name)._wrap
    return {k: wrap(v) for k, v in values.items()}


# ---- fields as properties ----

def _scalar(field):
    name, default, check = field.name, field.default, _containers.CHECKERS[field.type]
    in_oneof = field.containing_oneof is not None

    def get(self):
        return self._f.get(name, default)

    def put(self, value):
        value = check(value)
        if in_oneof:
            self._clear_oneof(field)
            self._f[name] = value
        elif value or value != default:
            self._f[name] = value
        else:
            self._f.pop(name, None)
        if self._up is not None:
            self._attach()
    return get, put


def _singular(field):
    name, full_name = field.name, field.message_type.full_name

    def get(self):
        held = self._f.get(name)
        if type(held) is dict:
            held = self._f[name] = message_class(full_name)._wrap(held)
        elif held is None:
            if self._pending is None:
                self._pending = {}
            held = self._pending.get(name)
            if held is None:
                held = self._pending[name] = message_class(full_name)()
                held._up = (self, field)
        return held

    def put(self, value):
        raise AttributeError('Assignment not allowed to field "%s" in protocol message object.'
                             % name)
    return get, put


def _many(field, make, plain):
    name = field.name

    def get(self):
        held = self._f.get(name)
        if held is None or type(held) is plain:
            held = self._f[name] = make(self, held or ())
        return held

    def put(self, value):
        raise AttributeError('Assignment not allowed to repeated field "%s" in protocol message '
                             'object.' % name)
    return get, put


def _repeated(field):
    if field.type == 11:
        full_name = field.message_type.full_name
        return _many(field, lambda owner, values: _containers.RepeatedComposite(
            owner, message_class(full_name), values), list)
    check = _containers.CHECKERS[field.type]
    return _many(field, lambda owner, values: _containers.RepeatedScalar(owner, check, values),
                 list)


def _map(field):
    key, value = _map_parts(field)
    check_key = _containers.CHECKERS[key.type]
    entry = field.message_type.full_name
    if value.type == 11:
        full_name = value.message_type.full_name
        return _many(field, lambda owner, values: _containers.MessageMap(
            owner, check_key, message_class(full_name), message_class(entry), values), dict)
    check = _containers.CHECKERS[value.type]
    return _many(field, lambda owner, values: _containers.ScalarMap(
        owner, check_key, check, value.default, message_class(entry), values), dict)


def _no_delete(self):
    raise AttributeError('Cannot delete field attribute')


def message_class(full_name):
    """The class of the messages of that type; KeyError when there is none."""
    found = _classes.get(full_name)
    if found is not None:
        return found
    from leat import _protos
    descriptor = _descriptor.message(full_name)
    names = {'__slots__': (), 'DESCRIPTOR': descriptor, '__module__': _protos.module_of(full_name),
             '__qualname__': _protos.qualname_of(full_name)}
    for field in descriptor.fields:
        if field.kind == MAP:
            get, put = _map(field)
        elif field.kind == REPEATED:
            get, put = _repeated(field)
        else:
            get, put = _singular(field) if field.type == 11 else _scalar(field)
        names[field.name] = property(get, put, _no_delete)
    if full_name == 'google.protobuf.Any':
        names.update(_any_methods())
    return _classes.setdefault(full_name, type(Message)(descriptor.name, (Message,), names))


def _any_methods():
    """What a google.protobuf.Any can do more than others."""
    def pack(self, msg, type_url_prefix='type.googleapis.com/', deterministic=None):
        if not type_url_prefix.endswith('/'):
            type_url_prefix += '/'
        self.type_url = type_url_prefix + msg.DESCRIPTOR.full_name
        self.value = msg.SerializeToString(deterministic=deterministic)

    def unpack(self, msg):
        if not self.Is(msg.DESCRIPTOR):
            return False
        msg.ParseFromString(self.value)
        return True

    def type_name(self):
        return self.type_url.rpartition('/')[2]

    def is_type(self, descriptor):
        return '/' in self.type_url and self.TypeName() == descriptor.full_name
    return {'Pack': pack, 'Unpack': unpack, 'TypeName': type_name, 'Is': is_type}
