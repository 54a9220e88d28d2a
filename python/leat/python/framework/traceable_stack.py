# SPDX-License-Identifier: Apache-2.0
"""A stack whose items know the line that pushed them."""
from leat.python.util import tf_inspect


class TraceableObject(object):
    """Something, and the line where it came from."""

    SUCCESS, HEURISTIC_USED, FAILURE = 0, 1, 2

    def __init__(self, obj, filename=None, lineno=None):
        self.obj = obj
        self.filename = filename
        self.lineno = lineno

    def set_filename_and_line_from_caller(self, offset=0):
        """The line that called the caller, or so many calls above it."""
        frames = tf_inspect.stack()
        place = 1 + 1 + offset
        found = self.SUCCESS
        if place >= len(frames):
            place, found = len(frames) - 1, self.HEURISTIC_USED
        if place < 0:
            return self.FAILURE
        self.filename, self.lineno = frames[place][1], frames[place][2]
        return found

    def copy_metadata(self):
        return self.__class__(None, filename=self.filename, lineno=self.lineno)


class TraceableStack(object):
    """The stack."""

    def __init__(self, existing_stack=None):
        self._stack = existing_stack[:] if existing_stack else []

    def push_obj(self, obj, offset=0):
        traceable = TraceableObject(obj)
        self._stack.append(traceable)
        return traceable.set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self):
        return self._stack.pop().obj

    def peek_top_obj(self):
        return self._stack[-1].obj

    def peek_objs(self):
        """The items, the last pushed first."""
        return [t.obj for t in reversed(self._stack)]

    def peek_traceable_objs(self):
        return reversed(self._stack)

    def __len__(self):
        return len(self._stack)

    def copy(self):
        return TraceableStack(self._stack)
