# SPDX-License-Identifier: Apache-2.0
"""Lists and mappings of parts. Plain lists and dicts are parts too; these refuse other things."""
from leat.python.training.tracking import base
from leat.python.training.tracking import object_graph


class NoDependency(object):
    """Wraps a value that is assigned to an attribute, and is no part."""

    def __init__(self, value):
        self.value = value


def _checked(value):
    if isinstance(value, NoDependency):
        return value.value
    if not object_graph.is_trackable(value):
        raise ValueError('Only trackable objects (such as Layers or Optimizers) may be stored in a '
                         'List object. Got %s, which does not inherit from Trackable.' % (value,))
    return value


class List(base.Trackable, list):
    """A list to which is only added."""

    def __init__(self, *args, **kwargs):
        list.__init__(self, [_checked(value) for value in list(*args, **kwargs)])

    def append(self, value):
        list.append(self, _checked(value))

    def extend(self, values):
        list.extend(self, [_checked(value) for value in values])

    def __iadd__(self, values):
        self.extend(values)
        return self

    @property
    def _checkpoint_dependencies(self):
        return [base.TrackableReference(str(i), value) for i, value in enumerate(self)
                if object_graph.is_trackable(value)]

    __hash__ = object.__hash__

    def __eq__(self, other):
        return list.__eq__(self, other)


class Mapping(base.Trackable, dict):
    """A dict from strings, whose values stay."""

    def __init__(self, *args, **kwargs):
        dict.__init__(self)
        self.update(*args, **kwargs)

    def __setitem__(self, key, value):
        if not isinstance(key, str):
            raise TypeError('Mapping accepts only string keys, but got a key %s.' % repr(key))
        if key in self and self[key] is not value:
            raise ValueError('Mappings are an append-only data structure. Tried to overwrite the '
                             'key \'%s\' with value %s, but it already contains %s' % (
                                 key, value, self[key]))
        dict.__setitem__(self, key, _checked(value))

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    @property
    def _checkpoint_dependencies(self):
        return [base.TrackableReference(key, value) for key, value in self.items()
                if object_graph.is_trackable(value)]

    __hash__ = object.__hash__
