#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what codec/unicode_case.c asks of Unicode, from the tables of this Python.

    tools/gen_unicode.py OUTPUT

Mappings of single characters lie in rows of equal distance; those to several characters alone.
"""
import sys
import unicodedata

SIGMA = '\u03a3'
FINAL = '\u03c2'


def characters():
    return (chr(c) for c in range(0x110000) if not 0xd800 <= c < 0xe000)


# A sigma behind a letter, ignored characters between, is a final one: what lower() does with it
# tells of c.
def is_ignored(c):
    return not is_cased(c) and ('A' + c + SIGMA).lower().endswith(FINAL)


def is_cased(c):
    return (c + SIGMA).lower().endswith(FINAL)


def ranges(pairs):
    """(first, last, step, distance) of pairs (from, to), in order."""
    rows = []
    for c, to in pairs:
        if rows:
            first, last, step, distance = rows[-1]
            if to - c == distance and (c - last == step or (first == last and c - last <= 2)):
                rows[-1] = (first, c, c - last, distance)
                continue
        rows.append((c, c, 1, to - c))
    return rows


def runs(points):
    rows = []
    for c in points:
        if rows and rows[-1][1] == c - 1:
            rows[-1][1] = c
        else:
            rows.append([c, c])
    return rows


def table(out, kind, name, rows):
    out.append('static const struct %s %s[] = {' % (kind, name))
    out.extend('    {%s},' % ', '.join(str(v) for v in row) for row in rows)
    out.append('};')


def main():
    out = ['/* Made by tools/gen_unicode.py: Unicode %s. */' % unicodedata.unidata_version]
    for name, change in (('upper', str.upper), ('lower', str.lower)):
        single, several = [], []
        for c in characters():
            to = change(c)
            if to == c:
                continue
            if len(to) == 1:
                single.append((ord(c), ord(to)))
            else:
                points = [ord(p) for p in to] + [0, 0]
                several.append((ord(c), '{%d, %d, %d}' % tuple(points[:3])))
        table(out, 'case_range', name + '_ranges', ranges(single))
        table(out, 'case_several', name + '_several', several)
    table(out, 'code_range', 'cased', runs(ord(c) for c in characters() if is_cased(c)))
    table(out, 'code_range', 'ignored', runs(ord(c) for c in characters() if is_ignored(c)))
    with open(sys.argv[1], 'w', encoding='ascii') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()
