#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds every source file of the project, so that none is listed anywhere.

    tools/list_sources.py                   one line a file: GROUP PATH NEEDS (commas, or -)
    tools/list_sources.py --changed FILE    exit 1, and FILE rewritten, when the list is another

Groups are what the build treats alike: proto, lower (what the command links too), simd (compiled
once per instruction level), core, front (on the public API; sees the generated op wrappers), cli,
common (test helpers), test, public_test (sees libleat.so alone), helper (linked into the tests of
its folder), fuzz, python (the extension _core), example, plugin (a shared object of its own), bench. A file that works only with an optional library says so in its first
lines, `/* needs: openblas */`, and is left out where that is absent.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOWER = {'base', 'codec', 'proto', 'tensor', 'io'}
OWN_GROUP = {'build': 'front', 'cli': 'cli', 'board': 'cli'}
PUBLIC_TESTS = {'conformance', 'traces', 'e2e'}
NEEDS = re.compile(r'/\* needs: ([a-z0-9_, ]+?) \*/')


def walk(folder, ending):
    for path, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders.sort()
        folders[:] = [f for f in folders if not f.startswith('.') and f != '__pycache__']
        for name in sorted(names):
            if name.endswith(ending) and not name.startswith('.'):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def source_group(path):
    parts = path.split('/')
    if len(parts) < 3:
        return None
    if parts[1] == 'math' and parts[2] == 'simd':
        return 'simd'
    if parts[1] == 'ops' and parts[-1].startswith('simd_'):
        return 'simd'
    if parts[1] in LOWER:
        return 'lower'
    return OWN_GROUP.get(parts[1], 'core')


def test_group(path):
    parts = path.split('/')
    if len(parts) < 3:
        return None
    if parts[1] == 'common':
        return 'common'
    if parts[1] == 'fuzz':
        return 'fuzz' if parts[-1].startswith('fuzz_') else None
    if not parts[-1].startswith('test_'):
        return 'helper'
    return 'public_test' if parts[1] in PUBLIC_TESTS else 'test'


def needs(path):
    try:
        with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
            head = f.read(2000)
    except FileNotFoundError:
        return '-'
    found = NEEDS.search(head)
    return ','.join(re.split(r'[ ,]+', found.group(1))) if found else '-'


def sources():
    for path in walk('src', '.proto'):
        yield 'proto', path
    for path in walk('src', '.c'):
        yield source_group(path), path
    for path in walk('tests', '.c'):
        yield test_group(path), path
    for path in walk('bench', '.c'):
        yield 'bench' if path.count('/') == 2 else None, path
    for path in walk('python', '.c'):
        yield 'python', path
    for path in walk('examples', '.c'):
        yield 'plugin' if path.startswith('examples/plugin/op_') else 'example', path
    if os.path.exists(os.path.join(ROOT, 'tools/gen_ops.c')):
        yield 'gen_ops', 'tools/gen_ops.c'


def main(argv):
    text = ''.join('%s %s %s\n' % (group, path, needs(path)) for group, path in sources() if group)
    if argv[1:2] != ['--changed']:
        sys.stdout.write(text)
        return 0
    try:
        with open(argv[2], encoding='utf-8') as f:
            if f.read() == text:
                return 0
    except FileNotFoundError:
        pass
    with open(argv[2], 'w', encoding='utf-8') as f:
        f.write(text)
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv))
