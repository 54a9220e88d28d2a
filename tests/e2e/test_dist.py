#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tier: test
# timeout: 120
"""The Debian packages: built, unpacked into a folder, and used from there by pkg-config, the
compiler and the command. Skipped where dpkg-deb is missing."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get('LEAT_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('LEAT_BUILD') or os.path.join(ROOT, 'build'))
PROGRAM = r'''
#include <leat/leat.h>
#include <stdio.h>
int main(void) { printf("%s %d\n", TF_Version(), leat_num_ops() > 100); return 0; }
'''


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)
    if done.returncode:
        raise AssertionError('%s: status %d\n%s' % (' '.join(words), done.returncode, done.stdout))
    return done.stdout


def want(text, *words):
    for word in words:
        if word not in text:
            raise AssertionError('wanted "%s" in:\n%s' % (word, text[:2000]))


def check_fields(debs):
    lib = debs['libleat0']
    want(run(['dpkg-deb', '--field', lib]), 'Package: libleat0', 'Depends: libc6')
    want(run(['dpkg-deb', '--field', debs['libleat-dev']]), 'Depends: libleat0 (= ')
    want(run(['dpkg-deb', '--field', debs['leat']]), 'Depends: libleat0 (= ')
    with tempfile.TemporaryDirectory() as folder:
        run(['dpkg-deb', '--control', lib, folder])
        with open(os.path.join(folder, 'symbols')) as f:
            want(f.read(), 'libleat.so.0 libleat0 #MINVER#\n', ' TF_Version@Base ', ' leat_num_ops@Base ')
        with open(os.path.join(folder, 'shlibs')) as f:
            want(f.read(), 'libleat 0 libleat0 (>= ')


def check_use(root):
    """A program by pkg-config, the command, the manual, the drop-in folder."""
    lib = os.path.dirname(glob.glob(os.path.join(root, 'usr/lib/**/libleat.so.0'), recursive=True)[0])
    env = dict(os.environ, LD_LIBRARY_PATH=lib)
    want(run([os.path.join(root, 'usr/bin/leat'), 'info', 'ops'], env=env), 'MatMul')
    for path in ('usr/share/man/man3/TF_SessionRun.3.gz', 'usr/share/doc/libleat0/copyright',
                 'usr/share/doc/leat/changelog.Debian.gz'):
        if not os.path.exists(os.path.join(root, path)):
            raise AssertionError('no %s' % path)
    if not os.path.exists(os.path.join(lib, 'leat-tf/libtensorflow.so.1')):
        raise AssertionError('the drop-in folder leads nowhere')
    source, program = os.path.join(root, 'p.c'), os.path.join(root, 'p')
    with open(source, 'w') as f:
        f.write(PROGRAM)
    words = ['-I' + os.path.join(root, 'usr/include'), '-L' + lib, '-lleat']
    if shutil.which('pkg-config'):
        words = run(['pkg-config', '--cflags', '--libs', 'leat'], env=dict(
            os.environ, PKG_CONFIG_LIBDIR=os.path.join(lib, 'pkgconfig'), PKG_CONFIG_SYSROOT_DIR=root)).split()
    if shutil.which('cc'):
        run(['cc', '-std=gnu17', source, '-o', program] + words)
        want(run([program], env=env), '1.15.5 1\n')


def main():
    shown = run(['nm', '-D', os.path.join(BUILD, 'lib/libleat.so')]) if shutil.which('nm') else ''
    if not shutil.which('dpkg-deb') or not shutil.which('meson') or any(n in shown for n in ('__asan_', '__ubsan_', '__tsan_')):
        print('skipped: no dpkg-deb, no meson, or a build with a sanitizer\n0 passed, 0 failed, 1 skipped')
        return 0
    with tempfile.TemporaryDirectory() as folder:
        out = run([sys.executable, os.path.join(ROOT, 'tools/make_deb.py'), BUILD, folder, '--fast'])
        debs = {os.path.basename(path).split('_')[0]: path for path in out.split()}
        try:
            check_fields(debs)
            root = os.path.join(folder, 'root')
            for deb in debs.values():
                run(['dpkg-deb', '--extract', deb, root])
            check_use(root)
        except AssertionError as error:
            print(error)
            print('0 passed, 1 failed')
            return 1
    print('1 passed, 0 failed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
