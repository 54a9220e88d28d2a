#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies a folder of manual pages into the installation, for `meson install`.

    tools/install_man.py FROM TO    TO: under the prefix; DESTDIR is respected
"""
import os
import shutil
import sys


def main(argv):
    source, to = argv[1], os.path.join(os.environ['MESON_INSTALL_DESTDIR_PREFIX'], argv[2])
    os.makedirs(to, exist_ok=True)
    for name in sorted(os.listdir(source)):
        shutil.copyfile(os.path.join(source, name), os.path.join(to, name))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
