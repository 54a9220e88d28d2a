#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tier: full
# timeout: 300
"""The documentation is true: programs in README.md and docs/howto compile and run, and the files
that the texts name are there.

A block of C, C++, Go or Rust that has a main function is compiled against the build folder, without
warnings, and must end with status 0; one of Python that imports leat or tensorflow as tf runs by
`python3 -m leat` and must print what its comments `# prints` say; one of the library's own code (it begins with an SPDX line) is
compiled only. A language without its compiler is skipped; Go, which compiles its library first, is
left to the full tier.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get('LEAT_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('LEAT_BUILD') or os.path.join(ROOT, 'build'))
LIB = os.path.join(BUILD, 'lib')
INCLUDE = ['-I' + os.path.join(ROOT, 'include'), '-I' + os.path.join(BUILD, 'include')]
WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Werror', '-D_GNU_SOURCE']
LINK = ['-L' + LIB, '-lleat', '-lm', '-Wl,-rpath,' + LIB]
BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)
PATH = re.compile(r'(?<![\w./-])((?:src|docs|tests|tools|include|bench)/[\w./-]*\w)(?![\w*<{/.]*[*<{])')
MADE_UP = re.compile(r'_x\b|family|FAMILY|NAME|test_name|PREFIX|add_squared')


def run(words, folder, env=None):
    done = subprocess.run(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout.decode('utf-8', 'replace')


def command(language, text, folder):
    """The compiler's words, or None where there is none."""
    def source(name):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)
        return name

    cc = (os.environ.get('CC') or 'cc').split()
    if language == 'c' and text.startswith('/* SPDX'):
        return cc + ['-std=gnu17', '-fsyntax-only', '-I' + os.path.join(ROOT, 'src'), '-I' + os.path.join(ROOT, 'tests/ops'),
                     '-I' + os.path.join(BUILD, 'src')] + INCLUDE + WARNINGS + [source('own.c')]
    if language == 'python' and re.search(r'^import (leat|tensorflow) as tf', text, re.M):
        source('program.py')
        return [sys.executable, '-m', 'py_compile', 'program.py']
    if 'main' not in text:
        return None
    if language == 'c':
        return cc + ['-std=gnu17'] + INCLUDE + WARNINGS + [source('program.c'), '-o', 'program'] + LINK
    if language == 'cpp' and shutil.which('c++'):
        return ['c++', '-std=c++17'] + INCLUDE + WARNINGS + [source('program.cc'), '-o', 'program'] + LINK
    if language == 'rust' and shutil.which('rustc'):
        return ['rustc', '--edition', '2021', source('program.rs'), '-L', LIB, '-o', 'program']
    if language == 'go' and os.environ.get('LEAT_TIER') == 'full' and shutil.which('go') and shutil.which('pkg-config'):
        source('main.go')
        text = 'module program\n\ngo 1.20\n'
        source('go.mod')
        text = 'Name: leat\nDescription: leat\nVersion: 0\nCflags: %s\nLibs: -L%s -lleat\n' % (' '.join(INCLUDE), LIB)
        source('leat.pc')
        return ['go', 'build', '-o', 'program', '.']
    return None


def python_with_numpy():
    """A Python for the extension, or None where either is missing."""
    if os.path.exists(os.path.join(BUILD, 'python', '_core.abi3.so')):
        for python in (os.environ.get('LEAT_PYTHON'), sys.executable, '/usr/bin/python3'):
            if python and run([python, '-c', 'import numpy'], ROOT)[0]:
                return python
    return None


def check_block(where, language, text):
    """'passed', 'failed' or 'skipped'"""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, LD_LIBRARY_PATH=LIB, PKG_CONFIG_PATH=folder, GOFLAGS='-mod=mod',
                   GOCACHE=os.environ.get('GOCACHE', os.path.join(folder, 'cache')))
        words = command(language, text, folder)
        if not words:
            return 'skipped'
        ok, said = run(words, folder, env)
        if ok and language == 'python':
            python = python_with_numpy()
            if not python:
                return 'skipped'
            env.update(PYTHONPATH=os.path.join(ROOT, 'python'), LEAT_PYTHON_CORE=os.path.join(BUILD, 'python'))
            ok, said = run([python, '-m', 'leat', 'program.py'], folder, env)
            told = re.findall(r'# prints (.*)$', text, re.M)
            if ok and told and said.splitlines() != told:
                ok, said = False, 'prints %r, not %r' % (said.splitlines(), told)
        elif ok and '-fsyntax-only' not in words:
            ok, said = run(['./program'], folder, env)
        if not ok:
            print('%s: a program in %s fails:\n%s' % (where, language, said))
        return 'passed' if ok else 'failed'


def texts():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if not f.startswith(('.', 'build')))
        for name in sorted(names):
            if name.endswith('.md'):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def check_paths(where, text):
    missing = set()
    for path in PATH.findall(text):
        places = [ROOT, os.path.join(ROOT, os.path.dirname(where)), BUILD]
        if not MADE_UP.search(path) and not any(os.path.exists(os.path.join(p, path)) for p in places):
            missing.add(path)
    for path in sorted(missing):
        print('%s: names %s, which is not there' % (where, path))
    return 'failed' if missing else 'passed'


def main():
    count = {'passed': 0, 'failed': 0, 'skipped': 0}
    for where in texts():
        with open(os.path.join(ROOT, where), encoding='utf-8') as f:
            text = f.read()
        count[check_paths(where, text)] += 1
        if where == 'README.md' or where.startswith('docs' + os.sep):
            for language, block in BLOCK.findall(text):
                if language in ('c', 'cpp', 'go', 'rust') and ('main' in block or block.startswith('/* SPDX')):
                    count[check_block(where, language, block)] += 1
    print('%(passed)d passed, %(failed)d failed, %(skipped)d skipped' % count)
    return 1 if count['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
