#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the modules of python/leat; meson calls it, and tools/make_wheel.py asks it for them.

    tools/install_python.py FOLDER     below the prefix (MESON_INSTALL_DESTDIR_PREFIX), where leat/ goes
"""
import os
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def modules():
    """(path in the tree, path below the folder of packages) of every module, sorted."""
    above = os.path.join(ROOT, 'python')
    found = []
    for path, folders, names in os.walk(os.path.join(above, 'leat')):
        folders[:] = sorted(f for f in folders if f != '__pycache__')
        found += [(os.path.join(path, name), os.path.relpath(os.path.join(path, name), above))
                  for name in sorted(names) if name.endswith('.py')]
    return found


def main():
    prefix = os.environ.get('MESON_INSTALL_DESTDIR_PREFIX', '')
    folder = os.path.join(prefix, sys.argv[1])
    for source, below in modules():
        target = os.path.join(folder, below)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
        os.chmod(target, 0o644)


if __name__ == '__main__':
    main()
