# SPDX-License-Identifier: Apache-2.0
"""six.moves: what changed its place from Python 2 to 3; modules are imported when asked for."""
import functools
import importlib
import io
import itertools
import shlex

from leat._stand_ins import _MOVES

range = xrange = range
map, zip, filter, input = map, zip, filter, input
reduce, reload_module, intern = functools.reduce, importlib.reload, __import__('sys').intern
zip_longest, filterfalse = itertools.zip_longest, itertools.filterfalse
StringIO = cStringIO = io.StringIO
shlex_quote = shlex.quote
getcwd = __import__('os').getcwd


def __getattr__(name):
    if name not in _MOVES:
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    module = importlib.import_module(_MOVES[name])
    if name == 'urllib':
        for part in ('request', 'parse', 'error'):
            importlib.import_module('urllib.' + part)
    globals()[name] = module
    return module
