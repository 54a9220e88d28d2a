# SPDX-License-Identifier: Apache-2.0
"""Runs test files over and over in one process, and says what they leave behind.

    leaks.py [--runs N] FILE...

A reference that an extension forgets to drop keeps an object, and so blocks of memory that
Python counts (sys.getallocatedblocks: any build of it has that). Of objects that live as long as
the process (None, small numbers, built-in types, numpy's types) the references are counted
instead, one by one: the total of a debug build says nothing, since extensions built without it do
not add to it. A file is run twice, for what is kept on purpose; then N times (3); graphs and cycles
are collected after each. What is left must not grow with every run by more than a few. Prints a
line a file, and what kinds of objects grew."""
import array
import builtins
import collections
import contextlib
import gc
import importlib.util
import io
import os
import sys
import unittest

import numpy as np

SLACK = 40  # blocks a run: dicts that grow, interned strings, the interpreter's own caches
# Names and types that tests register, and writers of summaries, for the life of the process.
REGISTERED = {'test_contrib_values.py': 80, 'test_gradients.py': 120,
              'test_monitored_session.py': 80, 'test_session.py': 80}
LASTING = [None, True, False, (), '', b'', NotImplemented, Ellipsis] + list(range(-5, 257)) + \
    [v for v in vars(builtins).values() if isinstance(v, type)] + \
    [v for v in vars(np).values() if isinstance(v, type)] + \
    [np.dtype(c) for c in '?bBhHiIlLefdFDSUO']


def load(path):
    spec = importlib.util.spec_from_file_location(
        'leaks_' + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def settle():
    """Lets go of the default graph and session, and of cycles."""
    from leat.python.framework import ops
    ops._default_graph_stack.reset()
    for _ in range(3):
        gc.collect()


def run(module):
    """One run of all tests of a module; how many failed."""
    sink = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
        result = unittest.TextTestRunner(stream=sink, verbosity=0).run(suite)
    failed = len(result.errors) + len(result.failures)
    del result, suite
    return failed


def kinds():
    return collections.Counter(type(obj).__qualname__ for obj in gc.get_objects())


def count_references(to):
    """Into an array of numbers, which hold no references themselves."""
    at = 0
    for thing in LASTING:
        to[at] = sys.getrefcount(thing)
        at += 1


def growth(module, runs):
    """[blocks each run left], {what lasts: references each left}, {kind of object: more}"""
    for _ in range(2):
        run(module)
    settle()
    before, left = kinds(), []
    counts = [array.array('q', [0]) * len(LASTING) for _ in range(runs + 1)]
    count_references(counts[0])
    for i in range(runs):
        settle()
        blocks = sys.getallocatedblocks()
        run(module)
        settle()
        left.append(sys.getallocatedblocks() - blocks)
        count_references(counts[i + 1])
    grown = kinds()
    grown.subtract(before)
    held = {repr(thing): min(b[i] - a[i] for a, b in zip(counts, counts[1:]))
            for i, thing in enumerate(LASTING)}
    return left, held, {kind: n for kind, n in grown.items() if n >= runs}


def main():
    arguments = sys.argv[1:]
    runs = 3
    if arguments[:1] == ['--runs']:
        runs, arguments = int(arguments[1]), arguments[2:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    bad = 0
    for path in arguments:
        left, held, grown = growth(load(path), runs)
        slack = REGISTERED.get(os.path.basename(path), SLACK)
        held = {thing: n for thing, n in held.items() if n > slack}
        leaks = min(left) > slack  # in each of the runs: caches fill up once
        bad += leaks or bool(held)
        print('%-32s %s%s%s' % (os.path.basename(path), ' '.join('%+d' % n for n in left),
                                '  GROWS: %s' % grown if leaks else '',
                                '  REFERENCES: %s' % held if held else ''), flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
