#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests where things go wrong on purpose.

    tools/torture.py BUILD [WORD...]

BUILD has tiny limits and sanitizers (make torture). First the quick tier must pass as it is, then
on one CPU, then with less of the CPU's instructions. Then the n-th allocation, buffer or thread fails,
for many n, and at random: there failed checks are expected, and only a crash, a hang or a
sanitizer's report counts; of leaks, those of the programs that go on after a failed check alone (what
a test holds when its check jumps out of it is nobody's). Those rounds run the programs that drive the public functions (unit tests
and fuzz targets may use what they asked for without looking).
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAILING = ['mem_try', 'buffer_new', 'pool_thread']
TIMES = ['1', '2', '3', '5', '8', '13', '34', '89', '233', '610', '2+', '100+', '1%', '10%']
GO_ON = ['tests/traces']
JUMP_OUT = ['tests/conformance', 'tests/faults', 'tests/e2e']


def run(build, label, extra, env, words):
    command = [sys.executable, os.path.join(ROOT, 'tools/run_tests.py'), build, '--tier', 'quick',
               '--slow', '5'] + extra + words
    out = subprocess.run(command, stdout=subprocess.PIPE, env=dict(os.environ, **env),
                         universal_newlines=True).stdout.strip().split('\n')
    words = out[-1].replace(',', '').split()
    counts = [int(words[i]) for i in (0, 2, 4)] if len(words) == 6 else [0, 1, 0]
    if counts[1]:
        print('\n'.join('  ' + line for line in out[:-1]))
    print('%-32s %d passed, %d failed, %d skipped' % (label + ':', *counts), flush=True)
    return counts


def main(argv):
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build, words = argv[1], argv[2:]
    rounds = [('as it is', [], {}, words),
              ('one CPU', ['--wrap', 'taskset -c 0'], {}, words),
              ('baseline instructions', [], {'LEAT_CPU': 'base'}, words),
              ('AVX2 at most', [], {'LEAT_CPU': 'avx2'}, words)]
    for name in FAILING:
        for times in TIMES:
            spec = '%s=%s' % (name, times)
            for leaks, chosen in ((1, GO_ON), (0, words or JUMP_OUT)):
                options = 'allocator_may_return_null=1:detect_leaks=%d' % leaks
                rounds.append((spec, ['--survive'], {'LEAT_FAILPOINTS': spec,
                               'ASAN_OPTIONS': options}, chosen))
    total = [0, 0, 0]
    for label, extra, env, chosen in rounds:
        total = [a + b for a, b in zip(total, run(build, label, extra, env, chosen))]
    print('%d passed, %d failed, %d skipped' % tuple(total))
    return 1 if total[1] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
