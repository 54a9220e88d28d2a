# SPDX-License-Identifier: Apache-2.0
"""assertProtoEqual: messages compared in tests, with a readable difference."""
import difflib

from leat.python.util import compat


def assertProtoEqual(self, a, b, check_initialized=True, normalize_numbers=False, msg=None):
    """Two messages are equal; either may be text of the other's kind."""
    from leat import _text_format
    kind = type(b) if isinstance(a, (str, bytes)) else type(a)
    pair = []
    for message in (a, b):
        if isinstance(message, (str, bytes)):
            parsed = kind()
            _text_format.Merge(compat.as_text(message), parsed)
            message = parsed
        elif normalize_numbers:
            copy = kind()
            copy.CopyFrom(message)
            message = copy
        if normalize_numbers:
            NormalizeNumberFields(message)
        pair.append(message)
    texts = [str(message) for message in pair]
    if texts[0] != texts[1]:
        lines = difflib.ndiff(texts[0].splitlines(True), texts[1].splitlines(True))
        self.fail('%s\n%s' % (msg or 'the messages differ', ''.join(lines)))


def NormalizeNumberFields(pb):
    """The same message: floats are compared as they are printed."""
    return pb


def ProtoEq(a, b):
    """Whether two messages, or values of their fields, are equal."""
    return a == b


class ProtoAssertions(object):
    """For test cases: assertProtoEqual as a method."""

    def assertProtoEqual(self, *args, **kwargs):
        return assertProtoEqual(self, *args, **kwargs)
