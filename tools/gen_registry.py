#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects what OP_DEF, KERNEL_DEF, PASS_DEF, DEVICE_DEF, SESSION_KIND_DEF and REPLICATED_DEF define into tables.

    tools/gen_registry.py NM OUT.c ARCHIVE...

reads the archives' symbols with the toolchain's nm and writes the NULL-terminated arrays
leat_all_op_defs, leat_all_kernel_defs, leat_all_pass_defs, leat_all_device_defs,
leat_all_session_kind_defs and leat_all_replicated_defs, sorted by name, and beside the first leat_all_op_groups: the folder of ops/ that each op stands in, "" for one
that stands elsewhere. So a definition is registered by being there, and nothing runs before main. The declarations
are hidden: with that the linker keeps the definitions themselves out of the library's exports.
OUT.c is left alone when nothing changed.
"""
import re
import subprocess
import sys

KINDS = ('op', 'kernel', 'pass', 'device', 'session_kind', 'replicated')
MEMBER = re.compile(r'^.*\[(?:.*[/_])?ops_([a-z0-9]+)_[^\]]*\]: *(.*)$')
SYMBOL = re.compile(r'^leat_(op|kernel|pass|device|session_kind|replicated)_def_(\w+)$')
HIDDEN = '__attribute__((visibility("hidden")))'


def definitions(nm, archives):
    out = subprocess.run([nm, '-A', '-g', '-P', '--defined-only'] + archives, check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = {kind: [] for kind in KINDS}
    groups = {}
    for line in out.splitlines():
        member = MEMBER.match(line)
        match = SYMBOL.match(re.sub(r'^.*?\]?: +', '', line, count=1).split(' ', 1)[0])
        if match:
            found[match.group(1)].append(match.group(2))
            if match.group(1) == 'op' and member:
                groups[match.group(2)] = member.group(1)
    return found, groups


def group_table(names, groups):
    lines = ['extern %s const char *const leat_all_op_groups[];' % HIDDEN,
             'const char *const leat_all_op_groups[] = {']
    lines += ['    "%s",' % groups.get(name, '') for name in names]
    return lines + ['    0,', '};', '']


def table(kind, names):
    lines = ['struct %s_def;' % kind]
    for name in names:
        lines.append('extern %s const struct %s_def leat_%s_def_%s;' % (HIDDEN, kind, kind, name))
    lines.append('extern %s const struct %s_def *const leat_all_%s_defs[];' % (HIDDEN, kind, kind))
    lines.append('const struct %s_def *const leat_all_%s_defs[] = {' % (kind, kind))
    lines += ['    &leat_%s_def_%s,' % (kind, name) for name in names]
    lines += ['    0,', '};', '']
    return lines


def main(argv):
    if len(argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    found, groups = definitions(argv[1], argv[3:])
    bad = 0
    lines = ['/* Made by tools/gen_registry.py. */']
    for kind in KINDS:
        names = sorted(found[kind])
        for twice in sorted(set(n for n in names if names.count(n) > 1)):
            print('gen_registry: %s %s is defined twice' % (kind, twice), file=sys.stderr)
            bad = 1
        lines += table(kind, names)
    lines += group_table(sorted(found['op']), groups)
    text = '\n'.join(lines)
    try:
        with open(argv[2], encoding='utf-8') as f:
            if f.read() == text:
                return bad
    except FileNotFoundError:
        pass
    with open(argv[2], 'w', encoding='utf-8') as f:
        f.write(text)
    return bad


if __name__ == '__main__':
    sys.exit(main(sys.argv))
