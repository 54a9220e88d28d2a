# SPDX-License-Identifier: Apache-2.0
"""The places of nodes in the texts of errors: {{node NAME}} becomes NAME and the line that made
it."""
import collections
import itertools
import re

_NAME_REGEX = r'[A-Za-z0-9_.][A-Za-z0-9_.\-/]*?'
_TAG_REGEX = r'{{(%s) (%s)}}' % (_NAME_REGEX, _NAME_REGEX)
_INTERPOLATION_PATTERN = re.compile(r'^(.*?)(%s)' % _TAG_REGEX, re.DOTALL)
_ParseTag = collections.namedtuple('_ParseTag', ['type', 'name'])
_PACKAGE = __file__.rsplit('/leat/', 1)[0] + '/leat/'


def parse_message(message):
    """(what is between the tags, the tags)."""
    between, tags, at = [], [], 0
    while at < len(message):
        match = _INTERPOLATION_PATTERN.match(message[at:])
        if not match:
            break
        between.append(match.group(1))
        tags.append(_ParseTag(match.group(3), match.group(4)))
        at += match.end()
    between.append(message[at:])
    return between, tags


def _find_index_of_defining_frame_for_op(op):
    """The innermost frame that is not the library's."""
    frames = op.traceback
    for i in reversed(range(len(frames))):
        if not frames[i][0].startswith(_PACKAGE):
            return i
    return 0


def _get_defining_frame_from_op(op):
    return op.traceback[_find_index_of_defining_frame_for_op(op)]


def compute_field_dict(op, strip_file_prefix=''):
    """{what: text} of an operation."""
    frame = _get_defining_frame_from_op(op)
    name = frame[0]
    if strip_file_prefix and name.startswith(strip_file_prefix):
        name = name[len(strip_file_prefix):]
    return {'file': name, 'line': frame[1],
            'defined_at': ' (defined at %s:%d) ' % (name, frame[1])}


def interpolate(error_message, graph):
    """The message with the places of the nodes that it names."""
    between, tags = parse_message(error_message)
    found = []
    for tag in tags:
        text = '{{%s %s}}' % tag
        try:
            op = graph.get_operation_by_name(tag.name)
        except KeyError:
            op = None
        if op is not None and tag.type in ('node', 'function_node'):
            text = '%s %s%s' % (tag.type, tag.name, compute_field_dict(op)['defined_at'])
        found.append(text)
    return ''.join(itertools.chain(*itertools.zip_longest(between, found, fillvalue='')))
