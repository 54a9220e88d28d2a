#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random graphs, by TensorFlow 1.15.5 and by Leat's C API, compared.

    run.py --build BUILD [--tier quick|test|full] [--seed N] [--op NAME]...

TensorFlow is $TF1_PYTHON's or that of build/peers/tf1 (tools/peers.py). The comparing is done by
worker.py, in processes of that Python: one that dies fails the case it was at, and another takes
up after it. The seed is 1 unless told; the same seed asks the same things. Then the scripts that list checks
of their own (programs.py --list): whole training programs, graphs with functions, files of one read by the other.
"""
import argparse
import collections
import os
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = {'quick': 4, 'test': 8, 'full': 24}
CASE_SECONDS = 300      # a worker that says nothing for so long hangs
SHOWN = 40              # failures told in full
LIST_OPS = 'import sys; sys.path.insert(0, %r); import cases; print(" ".join(cases.ops()))'


def find_python():
    """The Python that has TensorFlow 1.15.5, or None."""
    test = 'import tensorflow as tf; assert tf.__version__ == "1.15.5"'
    for path in (os.path.join(ROOT, 'build', 'peers', 'tf1', 'bin', 'python'),
                 os.environ.get('TF1_PYTHON')):
        if path and os.path.exists(path) and subprocess.run(
                [path, '-c', test], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL).returncode == 0:
            return path
    return None


def find_newer():
    """The Python that has TensorFlow 2 (tools/peers.py tf2), or None."""
    path = os.environ.get('TF2_PYTHON') or os.path.join(ROOT, 'build', 'peers', 'tf2', 'bin', 'python')
    return path if os.path.exists(path) else None


class Tally:
    def __init__(self):
        self.count = collections.Counter()
        self.missing = []
        self.unbuilt = collections.Counter()
        self.needs = collections.Counter()
        self.cannot = collections.Counter()

    def add(self, op, k, verdict, why):
        self.count[verdict] += 1
        if verdict == 'fail' and self.count['fail'] <= SHOWN:
            print('FAIL %s case %d: %s' % (op, k, why), flush=True)
        elif verdict == 'skip' and why == 'not in this build':
            self.missing.append(op)
        elif verdict == 'skip' and why.startswith('not in this build: '):
            self.needs[why.split(': ')[1]] += 1
        elif verdict == 'skip' and why.startswith('TensorFlow builds no such graph'):
            self.unbuilt[op] += 1
        elif verdict == 'skip':
            self.cannot[why] += 1


def work(command, ops, cases, tally):
    """Runs the command over the ops; returns those left, when it died, from the case after that one."""
    command = command + ops
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, universal_newlines=True)
    at, done = None, False
    timer = None
    for line in process.stdout:
        if timer:
            timer.cancel()
        timer = threading.Timer(CASE_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        word, _, rest = line.rstrip('\n').partition(' ')
        if word == 'try':
            op, _, k = rest.partition(' ')
            at, done = (op, int(k)), False
        elif word in ('pass', 'fail', 'skip') and at:
            tally.add(at[0], at[1], word, rest)
            done = True
    if timer:
        timer.cancel()
    code = process.wait()
    if code == 0:
        return []
    what = signal.Signals(-code).name if code < 0 else 'exit %d' % code
    if at is None:
        tally.add('worker', 0, 'fail', 'does not start: ' + what)
        return []
    if not done:
        tally.add(at[0], at[1], 'fail', 'the process died: ' + what)
    names = [o.partition(':')[0] for o in ops]
    left = ops[names.index(at[0]) + 1:]
    return (['%s:%d' % (at[0], at[1] + 1)] if at[1] + 1 < cases else []) + left


def whole_scripts():
    """Those whose first lines say that they take --list."""
    found = []
    for name in sorted(os.listdir(HERE)):
        if name.endswith('.py') and name != os.path.basename(__file__):
            with open(os.path.join(HERE, name), encoding='utf-8') as f:
                if '%s --list' % name in f.read(2000):
                    found.append(name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', default='build')
    parser.add_argument('--tier', choices=sorted(CASES), default='test')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--op', action='append', help='only this op; may be given again')
    args = parser.parse_args()
    os.environ['LEAT_TIER'] = args.tier  # python_graphs.py, python_programs.py: a part in the quick one
    python = find_python()
    if not python:
        print('interop is skipped: no TensorFlow 1.15.5 (tools/peers.py tf1 installs it)')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    library = os.path.abspath(os.path.join(args.build, 'lib', 'libleat.so'))
    listed = subprocess.run([python, '-c', LIST_OPS % HERE], stdout=subprocess.PIPE,
                            universal_newlines=True, check=True).stdout.split()
    unknown = sorted(set(args.op or []) - set(listed))
    if unknown or not os.path.exists(library):
        print('no cases for %s' % ' '.join(unknown) if unknown else 'no ' + library)
        print('0 passed, 1 failed, 0 skipped')
        return 1
    ops = args.op or listed
    print('seed %d, %d cases each of %d ops' % (args.seed, CASES[args.tier], len(ops)), flush=True)
    tally = Tally()
    command = [python, os.path.join(HERE, 'worker.py'), library, str(args.seed), str(CASES[args.tier])]
    while ops:
        ops = work(command, ops, CASES[args.tier], tally)
    scripts = [] if args.op else [(python, script) for script in whole_scripts()]
    if scripts and find_newer():  # clusters of both
        scripts.append((find_newer(), 'clusters.py'))
    elif scripts:
        tally.add('cluster2', 0, 'skip', 'no TensorFlow 2 (tools/peers.py tf2 installs it)')
    for which, script in scripts:
        whole = [which, os.path.join(HERE, script)]
        names = subprocess.run(whole + ['--list'], stdout=subprocess.PIPE,
                               universal_newlines=True, check=True).stdout.split()
        while names:
            names = work(whole + [library], names, 1, tally)
    if tally.missing:
        print('not in this build: ' + ' '.join(tally.missing))
    if tally.needs:
        print('gradients that need an op not in this build: ' + ', '.join(
            '%s %d' % item for item in sorted(tally.needs.items())))
    if tally.unbuilt:
        print('cases that TensorFlow builds no graph for: ' + ', '.join(
            '%s %d' % item for item in sorted(tally.unbuilt.items())))
    for why, n in sorted(tally.cannot.items()):
        print('%d skipped: %s' % (n, why))
    print('%d passed, %d failed, %d skipped' % tuple(
        tally.count[v] for v in ('pass', 'fail', 'skip')))
    return 1 if tally.count['fail'] else 0


if __name__ == '__main__':
    sys.exit(main())
