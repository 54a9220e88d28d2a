# SPDX-License-Identifier: Apache-2.0
"""Dicts and sets by identity, for keys that have no hash or an == that makes ops."""
import collections.abc as collections_abc
import weakref


class _ObjectIdentityWrapper:
    """A key that is equal to those of the same object."""

    __slots__ = ('_wrapped', '__weakref__')

    def __init__(self, wrapped):
        self._wrapped = wrapped

    @property
    def unwrapped(self):
        return self._wrapped

    def __eq__(self, other):
        if other is None:
            return False
        if not isinstance(other, _ObjectIdentityWrapper):
            raise TypeError('Cannot compare wrapped object with unwrapped object')
        return self.unwrapped is other.unwrapped

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return id(self._wrapped)

    def __repr__(self):
        return '<%s wrapping %r>' % (type(self).__name__, self._wrapped)


class _WeakObjectIdentityWrapper(_ObjectIdentityWrapper):
    """The same, of an object that may go away."""

    __slots__ = ('_hash',)

    def __init__(self, wrapped):
        super().__init__(weakref.ref(wrapped))
        self._hash = id(wrapped)

    @property
    def unwrapped(self):
        return self._wrapped()

    def __hash__(self):
        return self._hash


class Reference(_ObjectIdentityWrapper):
    """A hashable stand-in for an object."""

    __slots__ = ()
    unwrapped = property()

    def deref(self):
        """The object."""
        return self._wrapped

    def __eq__(self, other):
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    __hash__ = _ObjectIdentityWrapper.__hash__


class ObjectIdentityDictionary(collections_abc.MutableMapping):
    """A dict that compares keys by `is`."""

    def __init__(self):
        self._storage = {}

    def _wrap_key(self, key):
        return _ObjectIdentityWrapper(key)

    def __getitem__(self, key):
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key, value):
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key):
        del self._storage[self._wrap_key(key)]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in self._storage:
            yield key.unwrapped

    def __repr__(self):
        return '%s(%r)' % (type(self).__name__, self._storage)


class _WeakItems:
    """Iteration and length over what is still alive."""

    def _wrap_key(self, key):
        return _WeakObjectIdentityWrapper(key)

    def __len__(self):
        return len(list(self))

    def __iter__(self):
        for key in list(self._storage):
            alive = key.unwrapped
            if alive is not None:
                yield alive
            elif isinstance(self._storage, dict):
                self._storage.pop(key, None)
            else:
                self._storage.discard(key)


class ObjectIdentityWeakKeyDictionary(_WeakItems, ObjectIdentityDictionary):
    """A dict that compares keys by `is` and does not keep them."""


class ObjectIdentitySet(collections_abc.MutableSet):
    """A set that compares by `is`."""

    def __init__(self, *args):
        self._storage = {self._wrap_key(key) for key in list(*args)}

    @staticmethod
    def _from_storage(storage):
        result = ObjectIdentitySet()
        result._storage = storage
        return result

    def _wrap_key(self, key):
        return _ObjectIdentityWrapper(key)

    def __contains__(self, key):
        return self._wrap_key(key) in self._storage

    def discard(self, key):
        """Takes key out if it is in."""
        self._storage.discard(self._wrap_key(key))

    def add(self, key):
        """Puts key in."""
        self._storage.add(self._wrap_key(key))

    def update(self, items):
        """Puts all items in."""
        self._storage.update([self._wrap_key(item) for item in items])

    def clear(self):
        """Takes all out."""
        self._storage.clear()

    def intersection(self, items):
        """Those that are in items too."""
        return self._from_storage(self._storage.intersection(
            [self._wrap_key(item) for item in items]))

    def difference(self, items):
        """Those that are not in items."""
        return self._from_storage(self._storage.difference(
            [self._wrap_key(item) for item in items]))

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(_WeakItems, ObjectIdentitySet):
    """A set that compares by `is` and does not keep its members."""
