#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes libleat.a: one relinked object in which only TF_* and leat_* can be seen.

    tools/make_archive.py LD OBJCOPY AR OUT.a ARCHIVE...

One object, so that nobody needs --whole-archive for the ops to be there, and no internal name
meets one of the program's.
"""
import os
import subprocess
import sys


def main(argv):
    if len(argv) < 6:
        print(__doc__, file=sys.stderr)
        return 2
    ld, objcopy, ar, out = argv[1:5]
    whole = out + '.o'
    subprocess.run([ld, '-r', '-o', whole, '--whole-archive'] + argv[5:], check=True)
    subprocess.run([objcopy, '--wildcard', '--localize-hidden', '-G', 'TF_*', '-G', 'leat_*', whole], check=True)
    if os.path.exists(out):
        os.unlink(out)
    subprocess.run([ar, 'rcsD', out, whole], check=True)
    os.unlink(whole)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
