# SPDX-License-Identifier: Apache-2.0
"""tf.Module: a named object that knows the variables and the modules in its attributes."""
from collections import abc as collections_abc
import re

from leat.python.framework import ops
from leat.python.ops import variables
from leat.python.training.tracking import base
from leat.python.training.tracking import tracking
from leat.python.util import tf_decorator

_CAMEL = re.compile(r'((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))')
_IDENTIFIER = re.compile(r'^[a-zA-Z_]([a-zA-Z0-9_])*$')


def camel_to_snake(value):
    return _CAMEL.sub(r'_\1', value).lower()


def valid_identifier(name):
    return bool(_IDENTIFIER.match(name))


class Module(tracking.AutoTrackable):
    """Base of layers, operators and models that keep variables as attributes."""

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(base.OWN_ATTRIBUTES)

    def __init__(self, name=None):
        if name is None:
            name = camel_to_snake(type(self).__name__)
        elif not valid_identifier(name):
            raise ValueError('%r is not a valid module name. Module names must be valid Python '
                             'identifiers (e.g. a valid class name).' % name)
        self._name = name
        with ops.name_scope(name) as scope_name:
            self._scope_name = scope_name

    @property
    def name(self):
        """The name that was given, or the class's in small letters."""
        return self._name

    @property
    def name_scope(self):
        """The scope of this module's ops: the same one each time."""
        return ops.name_scope(self._scope_name)

    @property
    def variables(self):
        """The variables of this module and of those in it, attributes in order of their names."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self):
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and
                                   getattr(v, 'trainable', False)))

    @property
    def submodules(self):
        """The modules in this one, and in those."""
        return tuple(self._flatten(predicate=lambda v: isinstance(v, Module)))

    def _flatten(self, recursive=True, predicate=None, attribute_traversal_key=None,
                 with_path=False):
        """What satisfies predicate among the attributes; with_path: (path, value)."""
        if predicate is None:
            def predicate(_):
                return True
        return _walk(self, recursive, predicate, attribute_traversal_key, with_path, (), {id(self)})

    @classmethod
    def with_name_scope(cls, method):
        """method within the module's name scope."""
        def method_with_name_scope(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return tf_decorator.make_decorator(method, method_with_name_scope)


def _is_variable(value):
    return isinstance(value, variables.Variable)


def _walk(module, recursive, predicate, key, with_path, path, seen):
    later = []
    attributes = vars(module)
    for name in sorted(attributes, key=key):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for leaf_path, leaf in _leaves(attributes[name]):
            full = path + (name,) + leaf_path
            if id(leaf) in seen:
                continue
            if predicate(leaf):
                seen.add(id(leaf))
                yield (full, leaf) if with_path else leaf
            if recursive and isinstance(leaf, Module):
                later.append((full, leaf))
    for full, inner in later:
        yield from _walk(inner, recursive, predicate, key, with_path, full, seen)


def _leaves(value):
    """(path, leaf) of lists, tuples and dicts."""
    if isinstance(value, collections_abc.Mapping):
        for key in sorted(value, key=str):
            for path, leaf in _leaves(value[key]):
                yield (key,) + path, leaf
    elif isinstance(value, collections_abc.Sequence) and not isinstance(value, (str, bytes)):
        for i, item in enumerate(value):
            for path, leaf in _leaves(item):
                yield (i,) + path, leaf
    else:
        yield (), value
