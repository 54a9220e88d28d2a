# SPDX-License-Identifier: Apache-2.0
"""The stack of Python frames, with what programs hide of it or show in its place."""
import collections
import inspect
import linecache
import sys
import threading

TB_FILENAME, TB_LINENO, TB_FUNCNAME, TB_CODEDICT = 0, 1, 2, 3
_source_filter_stacks = collections.defaultdict(list)
_source_mapper_stacks = collections.defaultdict(list)


class StackFrame(object):
    """A frame: what is read of it is what was there when it was taken."""
    __slots__ = ('filename', 'lineno', 'name', 'globals', 'func_start_lineno')

    def __init__(self, filename, lineno, name, frame_globals, func_start_lineno):
        self.filename, self.lineno, self.name = filename, lineno, name
        self.globals, self.func_start_lineno = frame_globals, func_start_lineno


class StackTraceTransform(object):
    """Something that changes the stacks taken in its `with` block, on its thread."""
    _stack_dict = None
    _thread_key = None

    def __enter__(self):
        if self._thread_key is None:
            self._thread_key = threading.get_ident()
            self._stack_dict[self._thread_key].append(self)
        self.reset()
        return self

    def __exit__(self, *unused):
        assert self._stack_dict[self._thread_key].pop() is self
        self._thread_key = None

    def reset(self):
        """Begins anew."""


class StackTraceMapper(StackTraceTransform):
    """Shows other places than those where the frames are."""
    _stack_dict = _source_mapper_stacks

    def get_effective_source_map(self):
        """{(file, line): (file, line, function)}."""
        raise NotImplementedError('subclasses need to override this')


class StackTraceFilter(StackTraceTransform):
    """Hides the frames of some files."""
    _stack_dict = _source_filter_stacks

    def get_filtered_filenames(self):
        """A set of files."""
        raise NotImplementedError('subclasses need to override this')


class CurrentModuleFilter(StackTraceFilter):
    """Hides the frames of the module that makes it."""

    def __init__(self):
        frame = sys._getframe(1)
        self._filename = inspect.getsourcefile(frame.f_code) or frame.f_code.co_filename
        self._names = {self._filename, frame.f_code.co_filename}

    def get_filtered_filenames(self):
        return self._names


def extract_stack(limit=-1):
    """The frames of the caller, outermost first; limit: so many of the innermost."""
    thread = threading.get_ident()
    hidden = set()
    for transform in _source_filter_stacks.get(thread, ()):
        hidden |= set(transform.get_filtered_filenames())
    places = {}
    for transform in _source_mapper_stacks.get(thread, ()):
        places.update(transform.get_effective_source_map())
    rows, frame = [], sys._getframe(1)
    while frame is not None and limit != len(rows):
        code = frame.f_code
        place = (code.co_filename, frame.f_lineno, code.co_name)
        place = places.get(place[:2], place)
        if place[0] not in hidden:
            rows.append(StackFrame(place[0], place[1], place[2], frame.f_globals,
                                   code.co_firstlineno))
        frame = frame.f_back
    return rows[::-1]


def convert_stack(stack, include_func_start_lineno=False):
    """Tuples of file, line, function, text (and where the function begins) of extract_stack's."""
    rows = []
    for frame in stack:
        linecache.checkcache(frame.filename)
        text = linecache.getline(frame.filename, frame.lineno, frame.globals)
        row = (frame.filename, frame.lineno, frame.name, text.strip() if text else None)
        rows.append(row + (frame.func_start_lineno,) if include_func_start_lineno else row)
    return tuple(rows)
