#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs what we compare with, from PyPI, each into a virtual environment build/peers/NAME.

    tools/peers.py NAME...        tf1 tf2 jax torch, or all; those that are there already stay
    tools/peers.py --check NAME   says whether it is there or could be installed, with the reason

tf1 is TensorFlow 1.15.5, which needs a Python 3.6 or 3.7: $TF1_PYTHON, python3.7 or python3.6 on the
path, or one of pyenv's. Where $TF1_PYTHON has that TensorFlow already it is used as it is. Nothing
of the project needs the peers; only make interop and make bench look at them.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(ROOT, 'build', 'peers')
WANTED = {
    'tf1': ((3, 6), (3, 7), ['tensorflow==1.15.5', 'protobuf<3.21', 'numpy<1.19']),
    'tf2': ((3, 9), (3, 11), ['tensorflow-cpu==2.15.1', 'numpy<2']),
    'jax': ((3, 9), (3, 13), ['jax[cpu]']),
    'torch': ((3, 9), (3, 13), ['torch', 'numpy']),
}
VERSION = 'import sys; print("%d %d" % sys.version_info[:2])'
HAS_TF1 = 'import tensorflow as tf; assert tf.__version__ == "1.15.5"'


def output(command, seconds=60):
    """What it prints, or None: a shim on the path may be there and not run."""
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return out.stdout.decode('utf-8', 'replace') if out.returncode == 0 else None


def candidates(low, high):
    if low == (3, 6) and os.environ.get('TF1_PYTHON'):
        yield os.environ['TF1_PYTHON']
    if low != (3, 6):
        yield sys.executable
    for minor in range(high[1], low[1] - 1, -1):
        path = shutil.which('python3.%d' % minor)
        if path:
            yield path
        for path in sorted(glob.glob(os.path.expanduser('~/.pyenv/versions/3.%d*/bin/python' % minor)), reverse=True):
            yield path


def find_python(name):
    low, high, _ = WANTED[name]
    for path in candidates(low, high):
        version = output([path, '-c', VERSION])
        if version and low <= tuple(int(x) for x in version.split()) <= high:
            return path
    return None


def done_stamp(name):
    return os.path.join(PEERS, name, '.done')


def is_done(name):
    try:
        with open(done_stamp(name), encoding='utf-8') as f:
            return f.read() == '\n'.join(WANTED[name][2])
    except OSError:
        return False


def why_not(name):
    """None where the peer is there, or can be had."""
    if is_done(name):
        return None
    python = find_python(name)
    if not python:
        return 'no Python %d.%d to %d.%d that runs' % (WANTED[name][0] + WANTED[name][1])
    if name == 'tf1' and output([python, '-c', HAS_TF1]) is not None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        if output([python, '-m', 'pip', 'download', '-q', '--no-deps', '--retries', '1', '-d', folder,
                   'six==1.16.0'], 90) is None:
            return 'PyPI cannot be reached'
    return None


def wrap(python, folder):
    """A folder that looks like a virtual environment around a Python that has everything."""
    os.makedirs(os.path.join(folder, 'bin'), exist_ok=True)
    path = os.path.join(folder, 'bin', 'python')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\nexec "%s" "$@"\n' % python)
    os.chmod(path, 0o755)


def install(name):
    if is_done(name):
        return True
    python = find_python(name)
    if not python:
        print('peers: %s: %s' % (name, why_not(name)))
        return False
    folder = os.path.join(PEERS, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(PEERS, exist_ok=True)
    if name == 'tf1' and output([python, '-c', HAS_TF1]) is not None:
        wrap(python, folder)
    else:
        print('peers: installing %s with %s' % (' '.join(WANTED[name][2]), python), flush=True)
        pip = [os.path.join(folder, 'bin', 'python'), '-m', 'pip', 'install', '-q',
               '--disable-pip-version-check']
        for command in ([python, '-m', 'venv', folder], pip + ['-U', 'pip'], pip + WANTED[name][2]):
            if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
                print('peers: %s: %s failed' % (name, ' '.join(command)))
                return False
    with open(done_stamp(name), 'w', encoding='utf-8') as f:
        f.write('\n'.join(WANTED[name][2]))
    return True


def main(argv):
    names = [n for n in argv[1:] if not n.startswith('-')]
    if names == ['all']:
        names = sorted(WANTED)
    if not names or set(names) - set(WANTED):
        print(__doc__, file=sys.stderr)
        return 2
    if '--check' in argv:
        reasons = [r for r in map(why_not, names) if r]
        print('\n'.join(reasons))
        return 1 if reasons else 0
    return 0 if all([install(n) for n in names]) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv))
