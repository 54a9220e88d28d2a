# SPDX-License-Identifier: Apache-2.0
"""The names and tags of summaries, and the collections that they go to."""
import contextlib
import re

from leat.python.framework import ops
from leat.python.platform import tf_logging

_INVALID_TAG_CHARACTERS = re.compile(r'[^-/\w\.]')


def collect(val, collections, default_collections):
    """Adds val to the collections, or to the default ones."""
    for key in default_collections if collections is None else collections:
        ops.add_to_collection(key, val)


def clean_tag(name):
    """The name with what a node's name cannot have replaced."""
    if name is None:
        return None
    new_name = _INVALID_TAG_CHARACTERS.sub('_', name).lstrip('/')
    if new_name != name:
        tf_logging.info('Summary name %s is illegal; using %s instead.' % (name, new_name))
    return new_name


@contextlib.contextmanager
def summary_scope(name, family=None, default_name=None, values=None):
    """Enters the scope of a summary: (its tag, the scope). With a family the tag begins by it."""
    name = clean_tag(name)
    family = clean_tag(family)
    base = name if family is None else '{}/{}'.format(family, name)
    with ops.name_scope(base, default_name, values) as scope:
        tag = scope.rstrip('/')
        if family is not None:
            tag = '{}/{}'.format(family, tag)
        yield tag, scope


def skip_summary():
    return False
