#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the libFuzzer targets of a build folder one after another.

    tools/run_fuzz.py BUILD [--seconds N] [WORD...]

Each starts from tests/fuzz/corpus/NAME and keeps what it finds in BUILD/corpus/NAME, inputs that
crash in BUILD/crashes/NAME. A crash, a leak, an input that takes 10 s or 2 GB is a failure; put the
input into tests/fuzz/corpus/NAME with the fix.
"""
import argparse
import os
import shutil
import subprocess
import sys

import fuzz_seeds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fuzz(build, name, seconds):
    found = os.path.join(build, 'corpus', name)
    crashes = os.path.join(build, 'crashes', name)
    os.makedirs(found, exist_ok=True)
    os.makedirs(crashes, exist_ok=True)
    for i, path in enumerate(fuzz_seeds.seeds(name)):
        shutil.copyfile(path, os.path.join(found, 'seed%d' % i))
    given = os.path.join(ROOT, 'tests/fuzz/corpus', name)
    command = [os.path.join(build, 'tests/fuzz-fuzz_' + name), found] + ([given] if os.path.isdir(given) else [])
    command += ['-max_total_time=%d' % seconds, '-timeout=10', '-rss_limit_mb=2048', '-verbosity=1',
                '-print_final_stats=1', '-artifact_prefix=%s/' % crashes]
    env = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1',
               UBSAN_OPTIONS='print_stacktrace=1:halt_on_error=1')
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    text = out.stdout.decode('utf-8', 'replace').split('\n')
    if out.returncode:
        print('\n'.join('    | ' + line for line in text[-60:]))
    stats = [line.split(':')[-1].strip() for line in text if 'number_of_executed_units' in line]
    print('fuzz %-20s %s, %s inputs' % (name, 'FAILED' if out.returncode else 'ok', stats[0] if stats else '?'), flush=True)
    return out.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('words', nargs='*')
    parser.add_argument('--seconds', type=int, default=60)
    options = parser.parse_intermixed_args()
    names = sorted(n[len('fuzz_'):-2] for n in os.listdir(os.path.join(ROOT, 'tests/fuzz'))
                   if n.startswith('fuzz_') and n.endswith('.c'))
    names = [n for n in names if not options.words or any(w in n for w in options.words)]
    results = [fuzz(os.path.abspath(options.build), n, options.seconds) for n in names]
    print('%d passed, %d failed, 0 skipped' % (results.count(True), results.count(False)))
    return 0 if results and all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
