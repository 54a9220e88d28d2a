# SPDX-License-Identifier: Apache-2.0
"""Objects whose attributes are their parts."""
from leat.python.training.tracking import base
from leat.python.training.tracking import data_structures
from leat.python.training.tracking import object_graph


class NotTrackable(object):
    """What is never a part."""


class AutoTrackable(base.Trackable):
    """Each attribute that can be saved is a part of the object, under its name."""

    def __setattr__(self, name, value):
        if isinstance(value, data_structures.NoDependency):
            value = value.value
        elif name not in base.OWN_ATTRIBUTES and not isinstance(value, NotTrackable) and (
                object_graph.is_trackable(value)):
            self._track_trackable(value, name=name, overwrite=True)
        elif name not in base.OWN_ATTRIBUTES and self._lookup_dependency(name) is not None:
            self._forget(name)
        super(AutoTrackable, self).__setattr__(name, value)

    def __delattr__(self, name):
        self._forget(name)
        super(AutoTrackable, self).__delattr__(name)
