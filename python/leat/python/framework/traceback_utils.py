# SPDX-License-Identifier: Apache-2.0
"""Where in the user's program an operation is made."""
import linecache
import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


def take():
    """('file:line' of the innermost frame that is not Leat's own, what convert() makes a traceback
    of): cheap."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return None, []
    line = '%s:%d' % (frame.f_code.co_filename, frame.f_lineno)
    stack = []
    while frame is not None:
        stack.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return line, stack


def convert(stack):
    """[(file, line, function, text)], outermost first, as the traceback module has it."""
    if stack is None:
        return []
    rows = []
    for code, line in reversed(stack):
        linecache.checkcache(code.co_filename)
        text = linecache.getline(code.co_filename, line).strip()
        rows.append((code.co_filename, line, code.co_name, text or None))
    return rows
