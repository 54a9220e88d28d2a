#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian packages of a finished build: libleat0, libleat-dev, leat and python3-leat. No network, no debhelper.

    tools/make_deb.py BUILD OUT [--fast]

The build is installed into a staging folder, shared out among package trees (PARTS), and
packed by dpkg-deb. libleat0 says which symbols it has since when (symbols, shlibs), so that packages
built against it get the right dependency. Dependencies on system libraries come from
dpkg-shlibdeps. Files are dated as the last commit (or SOURCE_DATE_EPOCH), so that the same source
gives the same packages. --fast packs with less effort.
"""
import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from email.utils import formatdate

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAINTAINER = 'Leat developers <leat@localhost>'
SUMMARY = {
    'libleat0': ('dataflow graphs of tensors: build, differentiate, train and run',
                 'The shared library: the C API of TensorFlow 1.15 and leat_* functions on top of it. The folder\n'
                 ' leat-tf has it under the names that programs built for TensorFlow load.'),
    'libleat-dev': ('headers, static library and manual pages of Leat',
                    'What programs are compiled with: tensorflow/c/*.h and leat/*.h, libleat.a, leat.pc, and a manual\n'
                    ' page for each function.'),
    'leat': ('command for graphs of tensors: run, inspect, train the demo, measure',
             'The leat command, and the data that its demo trains on.'),
    'python3-leat': ('TensorFlow 1.15\'s graph mode for Python, on Leat',
                     'import leat as tf, or python3 -m leat program.py: TensorFlow 1.x programs as they are.'),
}
# Path below the prefix -> package; the first that fits. {lib}: the library folder.
PARTS = [
    (r'lib/python3[\d.]*/', 'python3-leat'), (r'bin/', 'leat'), (r'share/leat/', 'leat'), (r'share/man/man1/', 'leat'),
    (r'{lib}/libleat\.so\.0', 'libleat0'), (r'{lib}/leat-tf/lib\w+\.so\.\d+$', 'libleat0'),
    (r'{lib}/', 'libleat-dev'), (r'include/', 'libleat-dev'), (r'share/man/man3/', 'libleat-dev'),
]


def run(words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, universal_newlines=True, **more).stdout


def version():
    with open(os.path.join(ROOT, 'meson.build'), encoding='utf-8') as f:
        return re.search(r"version: '([\d.]+)'", f.read()).group(1)


def date():
    if os.environ.get('SOURCE_DATE_EPOCH'):
        return int(os.environ['SOURCE_DATE_EPOCH'])
    try:
        return int(run(['git', '-C', ROOT, 'log', '-1', '--format=%ct'], stderr=subprocess.DEVNULL))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 0


def stage(build, folder):
    """Installs; the prefix's folder in it."""
    subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--destdir', folder], check=True,
                   stdout=subprocess.DEVNULL)
    for path, _, names in os.walk(folder):
        if 'leat.pc' in names:
            return path[:re.search(r'/lib(/[^/]+)?/pkgconfig$', path).start()]
    raise SystemExit('make_deb: the build installs no leat.pc')


def package_of(path, lib):
    for pattern, package in PARTS:
        if re.match(pattern.format(lib=re.escape(lib)), path):
            return package
    raise SystemExit('make_deb: %s belongs to no package: give it one in PARTS' % path)


def move(source, target):
    """A file into a package tree; manual pages are packed."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if '/share/man/' in target:
        with open(source, 'rb') as f, open(target + '.gz', 'wb') as out:
            out.write(gzip.compress(f.read(), mtime=0))
    elif os.path.islink(source):
        os.symlink(os.readlink(source), target)
    else:
        shutil.copyfile(source, target)
        os.chmod(target, 0o755 if os.access(source, os.X_OK) and '.so' not in os.path.basename(source) else 0o644)


def share_out(prefix, trees):
    lib = next(os.path.relpath(path, prefix) for path, _, names in os.walk(prefix) if 'libleat.so.0' in names)
    for path, folders, names in os.walk(prefix):
        for name in names + [f for f in folders if os.path.islink(os.path.join(path, f))]:
            source = os.path.join(path, name)
            below = os.path.relpath(source, prefix)
            if lib + '/leat-tf/libleat.so.0' == below:
                continue # the loader's own folder has it
            package = package_of(below, lib)
            below = re.sub(r'^lib/python3\.\d+/', 'lib/python3/', below)
            move(source, os.path.join(trees[package], 'usr', below))
    pc = os.path.join(trees['libleat-dev'], 'usr', lib, 'pkgconfig/leat.pc')
    with open(pc, encoding='utf-8') as f:
        text = re.sub(r'^prefix=.*', 'prefix=/usr', f.read(), flags=re.M)
    with open(pc, 'w', encoding='utf-8') as f:
        f.write(text)
    return lib


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def system_libraries(tree, work):
    """The packages of the libraries that the tree's programs are linked with."""
    files = [os.path.join(path, n) for path, _, names in os.walk(os.path.join(tree, 'usr')) for n in names
             if (n.startswith('libleat.so.') or path.endswith('/bin')) and not os.path.islink(os.path.join(path, n))]
    if not files or not shutil.which('dpkg-shlibdeps'):
        return 'libc6'
    write(os.path.join(work, 'debian/control'), 'Source: leat\n\nPackage: leat\nArchitecture: any\n')
    # libleat itself is not installed: it is named by hand
    out = run(['dpkg-shlibdeps', '-O', '--ignore-missing-info', '-xlibleat0', '-l' + work] + files,
              cwd=work, stderr=subprocess.DEVNULL)
    found = re.search(r'^shlibs:Depends=(.*)$', out, re.M)
    return found.group(1) if found else 'libc6'


def symbols(library, number):
    out = run(['nm', '-D', '--defined-only', library])
    names = sorted({line.split()[-1] for line in out.splitlines() if re.search(r' (TF_|leat_)\w+$', line)})
    return 'libleat.so.0 libleat0 #MINVER#\n' + ''.join(' %s@Base %s\n' % (n, number) for n in names)


def documents(tree, package, number, when):
    folder = os.path.join(tree, 'usr/share/doc', package)
    os.makedirs(folder)
    text = 'leat (%s-1) unstable; urgency=medium\n\n  * Built from source by make dist.\n\n -- %s  %s\n' % (
        number, MAINTAINER, formatdate(when))
    with open(os.path.join(folder, 'changelog.Debian.gz'), 'wb') as f:
        f.write(gzip.compress(text.encode(), mtime=0))
    write(os.path.join(folder, 'copyright'),
          'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: leat\n\n'
          'Files: *\nCopyright: the authors of Leat\nLicense: Apache-2.0\n\nLicense: Apache-2.0\n'
          ' On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.\n')


def control(package, number, depends, size, lib):
    short, text = SUMMARY[package]
    fields = [('Package', package), ('Source', 'leat'), ('Version', number + '-1'),
              ('Architecture', run(['dpkg', '--print-architecture']).strip()), ('Maintainer', MAINTAINER),
              ('Installed-Size', str(size)), ('Depends', depends)]
    if package == 'libleat0':
        fields += [('Recommends', 'libdnnl3 | libdnnl2, libopenblas0-serial | libopenblas0'),
                   ('Suggests', 'libgrpc29, libucx0, libopenmpi3 | libmpich12')]
        fields += [('Multi-Arch', 'same')] if '/' in lib else []
    fields += [('Section', {'libleat0': 'libs', 'libleat-dev': 'libdevel', 'leat': 'science', 'python3-leat': 'python'}[package]),
               ('Priority', 'optional'), ('Description', short + '\n ' + text)]
    return ''.join('%s: %s\n' % field for field in fields)


def finish(tree, package, number, depends, when, lib):
    """What dpkg-deb wants beside the files."""
    documents(tree, package, number, when)
    if package == 'libleat0':
        library = os.path.join(tree, 'usr', lib, os.path.basename(os.path.realpath(os.path.join(tree, 'usr', lib, 'libleat.so.0'))))
        write(os.path.join(tree, 'DEBIAN/shlibs'), 'libleat 0 libleat0 (>= %s)\n' % number)
        write(os.path.join(tree, 'DEBIAN/symbols'), symbols(library, number))
        write(os.path.join(tree, 'DEBIAN/triggers'), 'activate-noawait ldconfig\n')
    sums, size = [], 0
    for path, _, names in sorted(os.walk(os.path.join(tree, 'usr'))):
        for name in sorted(names):
            full = os.path.join(path, name)
            if os.path.islink(full):
                continue
            with open(full, 'rb') as f:
                sums.append('%s  %s\n' % (hashlib.md5(f.read()).hexdigest(), os.path.relpath(full, tree)))
            size += os.path.getsize(full) // 1024 + 1
    write(os.path.join(tree, 'DEBIAN/md5sums'), ''.join(sums))
    write(os.path.join(tree, 'DEBIAN/control'), control(package, number, depends, size, lib))
    for path, folders, names in os.walk(tree):
        os.chmod(path, 0o755)
        for name in folders + names:
            os.utime(os.path.join(path, name), (when, when), follow_symlinks=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('out')
    parser.add_argument('--fast', action='store_true')
    options = parser.parse_args()
    for tool in ('dpkg-deb', 'dpkg', 'nm', 'meson'):
        if not shutil.which(tool):
            print('make_deb: %s is missing (on Debian: dpkg-dev, binutils, meson)' % tool, file=sys.stderr)
            return 1
    number, when, out = version(), date(), os.path.abspath(options.out)
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        trees = {package: os.path.join(work, package) for package in SUMMARY}
        lib = share_out(stage(os.path.abspath(options.build), os.path.join(work, 'stage')), trees)
        exact = 'libleat0 (= %s-1)' % number
        shutil.copyfile(os.path.join(trees['libleat0'], 'usr', lib, 'libleat.so.0'), os.path.join(work, 'libleat.so.0'))
        depends = {'libleat0': system_libraries(trees['libleat0'], work), 'libleat-dev': exact,
                   'leat': '%s, %s' % (exact, system_libraries(trees['leat'], work)),
                   'python3-leat': exact + ', python3 (>= 3.8), python3-numpy, libc6'}
        for package, tree in trees.items():
            if not os.path.isdir(os.path.join(tree, 'usr')): # built without python3-dev
                continue
            finish(tree, package, number, depends[package], when, lib)
            name = '%s_%s-1_%s.deb' % (package, number, run(['dpkg', '--print-architecture']).strip())
            subprocess.run(['dpkg-deb', '--root-owner-group'] + (['-Zgzip', '-z1'] if options.fast else []) +
                           ['--build', tree, os.path.join(out, name)], check=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, SOURCE_DATE_EPOCH=str(when)))
            print(os.path.join(options.out, name))
    return 0


if __name__ == '__main__':
    sys.exit(main())
