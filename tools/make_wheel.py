#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel of a finished build: the modules, the extension and the library, for any Python from 3.8.

    tools/make_wheel.py BUILD OUT

No network and no package but Python's own: a wheel is a zip file with three files of metadata. Files
are dated as the last commit (or SOURCE_DATE_EPOCH), so that the same source gives the same wheel.
"""
import base64
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import install_python # noqa: E402
import make_deb # noqa: E402

METADATA = '''Metadata-Version: 2.1
Name: leat
Version: %s
Summary: TensorFlow 1.15's graph mode, in C
License: Apache-2.0
Requires-Python: >=3.8
Requires-Dist: numpy
'''
WHEEL = '''Wheel-Version: 1.0
Generator: leat make_wheel
Root-Is-Purelib: false
Tag: %s
'''


def content(build, work, number, tag):
    """[(name in the wheel, bytes, mode)], metadata last and RECORD not among them."""
    prefix = make_deb.stage(build, os.path.join(work, 'stage'))
    files = []
    for source, below in install_python.modules():
        with open(source, 'rb') as f:
            files.append((below, f.read(), 0o644))
    found = {}
    for path, _, names in os.walk(prefix):
        for name in names:
            if name in ('_core.abi3.so', 'libleat.so.0') and '/leat-tf' not in path:
                found[name] = os.path.realpath(os.path.join(path, name))
    for name in ('_core.abi3.so', 'libleat.so.0'):
        if name not in found:
            raise SystemExit('make_wheel: the build installs no %s (it needs python3-dev)' % name)
        with open(found[name], 'rb') as f:
            files.append(('leat/' + name, f.read(), 0o755))
    info = 'leat-%s.dist-info/' % number
    with open(os.path.join(install_python.ROOT, 'LICENSE'), 'rb') as f:
        files.append((info + 'LICENSE', f.read(), 0o644))
    files.append((info + 'METADATA', (METADATA % number).encode(), 0o644))
    files.append((info + 'WHEEL', (WHEEL % tag).encode(), 0o644))
    return files, info + 'RECORD'


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    build, out = (os.path.abspath(path) for path in sys.argv[1:])
    if not shutil.which('meson'):
        sys.stderr.write('make_wheel: meson is missing\n')
        return 1
    number = make_deb.version()
    tag = 'cp38-abi3-linux_' + platform.machine()
    when = max(time.gmtime(make_deb.date())[:6], (1980, 1, 1, 0, 0, 0))
    os.makedirs(out, exist_ok=True)
    target = os.path.join(out, 'leat-%s-%s.whl' % (number, tag))
    with tempfile.TemporaryDirectory() as work:
        files, record = content(build, work, number, tag)
    rows = []
    for name, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        rows.append('%s,sha256=%s,%d\n' % (name, digest, len(data)))
    files.append((record, (''.join(rows) + record + ',,\n').encode(), 0o644))
    with zipfile.ZipFile(target + '.part', 'w', zipfile.ZIP_DEFLATED) as wheel:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    os.replace(target + '.part', target)
    print(os.path.relpath(target))
    return 0


if __name__ == '__main__':
    sys.exit(main())
