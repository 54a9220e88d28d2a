#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages: one for each public function, with its contract, and readable by man."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get('LEAT_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('LEAT_BUILD') or os.path.join(ROOT, 'build'))
sys.path.insert(0, os.path.join(ROOT, 'tools'))
import headers # noqa: E402


def main():
    wanted = {f.name for h in headers.public(ROOT) for f in h.functions
              if not re.search(r'(_call|_)$|^leat_guard_end$', f.name)}
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, 'tools/gen_man.py'), BUILD, folder], check=True)
        pages = {n[:-2] for n in os.listdir(os.path.join(folder, 'man3'))}
        bad += ['no page for %s' % name for name in sorted(wanted - pages)]
        for name, words in (('TF_NewTensor', 'deallocator'), ('TF_LoadLibrary', 'NOT_FOUND'), ('leat_run', 'so man3/leat_run_fn.3'),
                            ('leat_string_tensor', 'TF_DeleteTensor'), ('TF_StringCopy', 'One thread')):
            with open(os.path.join(folder, 'man3', name + '.3'), encoding='utf-8') as f:
                if words not in f.read():
                    bad.append('%s(3) does not speak of %s' % (name, words))
        if shutil.which('groff'):
            some = [os.path.join(folder, 'man3', n + '.3') for n in sorted(wanted)[::40]]
            done = subprocess.run(['groff', '-man', '-ww', '-z', '-Tutf8'] + some, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, universal_newlines=True)
            complaints = [line for line in done.stderr.splitlines() if 'cannot adjust' not in line and 'break' not in line]
            bad += complaints[:5]
    for line in bad:
        print(line)
    print('%d passed, %d failed' % (len(wanted) - len(bad), len(bad)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
