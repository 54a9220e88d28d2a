# SPDX-License-Identifier: Apache-2.0
"""Trackable: an object that names the objects it is made of.

tf.train.Checkpoint (util.py) saves and restores by these names; what has saveables of its own
(_gather_saveables_for_checkpoint) is saved and restored by tf.train.Saver under its name too."""
import collections
import functools

VARIABLE_VALUE_KEY = 'VARIABLE_VALUE'
OBJECT_GRAPH_PROTO_KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'
OBJECT_CONFIG_JSON_KEY = 'OBJECT_CONFIG_JSON'

# What a Trackable keeps of itself: never parts.
OWN_ATTRIBUTES = frozenset(['_unconditional_checkpoint_dependencies',
                            '_unconditional_dependency_names', '_save_counter',
                            '_save_assign_op', '_saver'])

TrackableReference = collections.namedtuple('TrackableReference', ['name', 'ref'])


class Trackable(object):
    """Base class of objects with named parts."""

    def _maybe_initialize_trackable(self):
        if not hasattr(self, '_unconditional_checkpoint_dependencies'):
            self._unconditional_checkpoint_dependencies = []
            self._unconditional_dependency_names = {}

    @property
    def _checkpoint_dependencies(self):
        self._maybe_initialize_trackable()
        return self._unconditional_checkpoint_dependencies

    def _lookup_dependency(self, name):
        self._maybe_initialize_trackable()
        return self._unconditional_dependency_names.get(name)

    def _track_trackable(self, trackable, name, overwrite=False):
        """Takes note of a part; the part."""
        self._maybe_initialize_trackable()
        from leat.python.training.tracking import object_graph
        if not object_graph.is_trackable(trackable):
            raise TypeError('Trackable._track_trackable() passed type %s, not a Trackable.'
                            % (type(trackable),))
        current = self._lookup_dependency(name)
        if current is not None and current is not trackable:
            if not overwrite:
                raise ValueError('Called Trackable._track_trackable() with name=\'%s\', but a '
                                 'Trackable with this name is already declared as a dependency. '
                                 'Names must be unique (or overwrite=True).' % (name,))
            self._forget(name)
        if current is not trackable:
            self._unconditional_checkpoint_dependencies.append(TrackableReference(name, trackable))
        self._unconditional_dependency_names[name] = trackable
        return trackable

    def _forget(self, name):
        """Takes a part away."""
        self._maybe_initialize_trackable()
        self._unconditional_checkpoint_dependencies = [
            r for r in self._unconditional_checkpoint_dependencies if r.name != name]
        self._unconditional_dependency_names.pop(name, None)

    def _gather_saveables_for_checkpoint(self):
        """{local name: SaveableObject, or a function that makes one of a full name}."""
        return {}


def no_automatic_dependency_tracking(method):
    """A method whose assignments are no parts: none are, unless they are said to be."""
    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        return method(self, *args, **kwargs)
    return wrapped
