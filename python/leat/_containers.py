# SPDX-License-Identifier: Apache-2.0
"""Values of message fields: what a field may hold, and the lists and maps of repeated ones.

A container belongs to a message and tells it, before it changes, to take its place in its parent.
"""
import array
import numbers
import operator


def _wrong(value, expected):
    return TypeError('%.1000r has type %s, but expected one of: %s'
                     % (value, _type_name(value), expected))


def _type_name(value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == 'builtins' else (
        '%s.%s' % (kind.__module__, kind.__name__))


def _int_checker(low, high):
    def check(value):
        if type(value) is not int:
            if not isinstance(value, numbers.Integral):
                raise _wrong(value, 'int')
            value = operator.index(value)
        if not low <= value <= high:
            raise ValueError('Value out of range: %d' % value)
        return value
    return check


def _is_number(value):
    return isinstance(value, numbers.Real) or (
        getattr(value, 'shape', None) == () and getattr(value, 'dtype', 'O') == bool)


def check_bool(value):
    """The value as a bool, from any number."""
    if not _is_number(value):
        raise _wrong(value, 'int, bool')
    return bool(value)


def check_double(value):
    """The value as a float."""
    if type(value) is not float:
        if not _is_number(value):
            raise _wrong(value, 'int, float')
        value = float(value)
    return value


def check_float(value):
    """The value as a float of 32 bits."""
    return array.array('f', (check_double(value),))[0]


def check_string(value):
    """The value as a str, from str or bytes of UTF-8."""
    if isinstance(value, str):
        if not value.isascii():
            value.encode('utf-8')
        return str(value)
    if not isinstance(value, bytes):
        raise _wrong(value, 'bytes, unicode')
    try:
        return value.decode('utf-8')
    except UnicodeDecodeError:
        raise ValueError(
            "%r has type str, but isn't valid UTF-8 encoding. Non-UTF-8 strings must be converted "
            'to unicode objects before being added.' % value) from None


def check_bytes(value):
    """The value, which is bytes."""
    if not isinstance(value, bytes):
        raise _wrong(value, 'bytes')
    return bytes(value)


_int32 = _int_checker(-1 << 31, (1 << 31) - 1)
_int64 = _int_checker(-1 << 63, (1 << 63) - 1)
_uint32 = _int_checker(0, (1 << 32) - 1)
_uint64 = _int_checker(0, (1 << 64) - 1)
CHECKERS = {1: check_double, 2: check_float, 3: _int64, 4: _uint64, 5: _int32, 6: _uint64,
            7: _uint32, 8: check_bool, 9: check_string, 12: check_bytes, 13: _uint32, 14: _int32,
            15: _int32, 16: _int64, 17: _int32, 18: _int64}


def enum_checker(descriptor):
    """Takes numbers, and names of the enum's values (which only constructors may pass)."""
    def check(value):
        if isinstance(value, str):
            found = descriptor.values_by_name.get(value)
            if found is None:
                raise ValueError('unknown enum label "%s"' % value)
            return found.number
        return _int32(value)
    return check


def copy_tree(value):
    """A deep copy of the value of a field, messages and containers as plain dicts and lists."""
    fields = getattr(value, '_f', None)
    if fields is not None:
        value = fields
    if isinstance(value, dict):
        return {k: copy_tree(v) for k, v in value.items()}
    if isinstance(value, list):
        if value and not isinstance(value[0], dict) and not hasattr(value[0], '_f'):
            return list(value)
        return [copy_tree(v) for v in value]
    return value


class _Owned:
    """A container's message."""

    __slots__ = ()
    __hash__ = None

    def _touch(self):
        owner = self._m
        if owner is not None and owner._up is not None:
            owner._attach()

    def __reduce__(self):
        return (list if isinstance(self, list) else dict), (copy_tree(self),)


class RepeatedScalar(_Owned, list):
    """A repeated field of numbers or texts."""

    __slots__ = ('_m', '_check')

    def __init__(self, owner, check, values=()):
        list.__init__(self, values)
        self._m, self._check = owner, check

    def _checked(self, values):
        dtype = getattr(values, 'dtype', None)
        if dtype is not None and getattr(dtype, 'kind', 'O') in 'biuf':
            values = values.tolist()
        try:
            values = iter(values)
        except TypeError:
            raise TypeError('Value must be iterable') from None
        if self._check is check_float:
            return array.array('f', map(check_double, values)).tolist()
        return list(map(self._check, values))

    def append(self, value):
        value = self._check(value)
        self._touch()
        list.append(self, value)

    def extend(self, values):
        if values is None:
            return
        values = self._checked(values)
        if values:
            self._touch()
            list.extend(self, values)

    def MergeFrom(self, other):
        self.extend(other)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def insert(self, index, value):
        value = self._check(value)
        self._touch()
        list.insert(self, index, value)

    def __setitem__(self, index, value):
        value = self._checked(value) if isinstance(index, slice) else self._check(value)
        self._touch()
        list.__setitem__(self, index, value)

    def __delitem__(self, index):
        self._touch()
        list.__delitem__(self, index)

    def remove(self, value):
        self._touch()
        list.remove(self, value)

    def pop(self, index=-1):
        self._touch()
        return list.pop(self, index)

    def sort(self, *, key=None, reverse=False, sort_function=None):
        del sort_function
        self._touch()
        list.sort(self, key=key, reverse=reverse)

    def __deepcopy__(self, memo):
        return RepeatedScalar(None, self._check, self)


class RepeatedComposite(_Owned, list):
    """A repeated field of messages."""

    __slots__ = ('_m', '_class')

    def __init__(self, owner, cls, values=()):
        wrap = cls._wrap
        list.__init__(self, [wrap(v) if type(v) is dict else v for v in values])
        self._m, self._class = owner, cls

    def add(self, **fields):
        """A new last message, which is returned."""
        made = self._class(**fields)
        self._touch()
        list.append(self, made)
        return made

    def _copied(self, value):
        self._class._expect(value, 'MergeFrom')
        return self._class._wrap(copy_tree(value))

    def append(self, value):
        value = self._copied(value)
        self._touch()
        list.append(self, value)

    def insert(self, index, value):
        value = self._copied(value)
        self._touch()
        list.insert(self, index, value)

    def extend(self, values):
        if values is None:
            return
        values = [self._copied(v) for v in values]
        if values:
            self._touch()
            list.extend(self, values)

    def MergeFrom(self, other):
        self.extend(other)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __setitem__(self, index, value):
        raise TypeError('does not support assignment')

    def __delitem__(self, index):
        self._touch()
        list.__delitem__(self, index)

    def remove(self, value):
        self._touch()
        list.remove(self, value)

    def pop(self, index=-1):
        self._touch()
        return list.pop(self, index)

    def sort(self, *, key=None, reverse=False, sort_function=None):
        del sort_function
        self._touch()
        list.sort(self, key=key, reverse=reverse)

    def __deepcopy__(self, memo):
        return RepeatedComposite(None, self._class, copy_tree(self))


class _Map(_Owned, dict):
    """What both kinds of maps share."""

    __slots__ = ()

    def GetEntryClass(self):
        return self._entry

    def get(self, key, default=None):
        return dict.get(self, self._key(key), default)

    def __contains__(self, key):
        return dict.__contains__(self, self._key(key))

    def __delitem__(self, key):
        if not dict.__contains__(self, key):
            raise KeyError('Key not present in map')
        self._touch()
        dict.__delitem__(self, key)

    def pop(self, *args):
        self._touch()
        return dict.pop(self, *args)

    def clear(self):
        self._touch()
        dict.clear(self)

    def copy(self):
        return dict(self)


class ScalarMap(_Map):
    """A map to numbers or texts. A key that is asked for and is not there gets the default."""

    __slots__ = ('_m', '_key', '_check', '_default', '_entry')

    def __init__(self, owner, key, check, default, entry, values=()):
        dict.__init__(self, values)
        self._m, self._key, self._check, self._default = owner, key, check, default
        self._entry = entry

    def __missing__(self, key):
        self[key] = self._default
        return self._default

    def __setitem__(self, key, value):
        key, value = self._key(key), self._check(value)
        self._touch()
        dict.__setitem__(self, key, value)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    MergeFrom = update

    def __deepcopy__(self, memo):
        return ScalarMap(None, self._key, self._check, self._default, self._entry, self)


class MessageMap(_Map):
    """A map to messages. A key that is asked for and is not there gets an empty one."""

    __slots__ = ('_m', '_key', '_class', '_entry')

    def __init__(self, owner, key, cls, entry, values=()):
        wrap = cls._wrap
        dict.__init__(self, {k: wrap(v) if type(v) is dict else v
                             for k, v in dict(values).items()})
        self._m, self._key, self._class, self._entry = owner, key, cls, entry

    def __missing__(self, key):
        key = self._key(key)
        found = dict.get(self, key)
        if found is None:
            found = self._class()
            self._touch()
            dict.__setitem__(self, key, found)
        return found

    def get_or_create(self, key):
        """The message of the key, made when there is none."""
        return self[key]

    def __setitem__(self, key, value):
        raise ValueError('Direct assignment of submessage not allowed')

    def setdefault(self, key, default=None):
        raise ValueError('Direct assignment of submessage not allowed')

    def update(self, *args, **kwargs):
        for key in dict(*args, **kwargs):
            self[key] = None

    def MergeFrom(self, other):
        for key, value in other.items():
            key = self._key(key)
            self._class._expect(value, 'MergeFrom')
            self._touch()
            dict.__setitem__(self, key, self._class._wrap(copy_tree(value)))

    def __deepcopy__(self, memo):
        return MessageMap(None, self._key, self._class, self._entry, copy_tree(self))
