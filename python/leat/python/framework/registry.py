# SPDX-License-Identifier: Apache-2.0
"""A table of named things, each given once."""
import traceback

from leat.python.util import compat


class Registry(object):
    """Names to objects; says where a name was first registered when it is again."""

    def __init__(self, name):
        self._name = name
        self._registry = {}

    def register(self, candidate, name=None):
        if not name:
            name = candidate.__name__
        if name in self._registry:
            where = self._registry[name][1]
            raise KeyError('Registering two %s with name \'%s\'! (Previous registration was in '
                           '%s %s:%s)' % (self._name, name, where.name, where.filename,
                                          where.lineno))
        stack = traceback.extract_stack(limit=3)
        self._registry[name] = (candidate, stack[0])

    def list(self):
        return self._registry.keys()

    def lookup(self, name):
        name = compat.as_str(name)
        if name in self._registry:
            return self._registry[name][0]
        raise LookupError('%s registry has no entry for: %s' % (self._name, name))

    def __contains__(self, name):
        return name in self._registry
