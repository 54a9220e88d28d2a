#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs of a build folder and counts.

    tools/run_tests.py BUILD [--tier quick|test|full] [--jobs N] [--slow FACTOR] [--wrap COMMAND]
                       [--verbose] [WORD...]

Every test program is its own process with its own timeout and its own temporary folder. WORDs pick
those whose path has one of them. A program says in its first lines what it needs:

    /* timeout: 300 */   seconds, instead of 120 (times FACTOR)
    /* tier: full */     left out of the quick tier
    /* needs: zlib */    not built where that library is out: skipped

Those of tests/python are unittest files: they run with the package of python/ and the extension of
BUILD, by a Python that has numpy (LEAT_PYTHON, this one, or /usr/bin/python3), and are skipped, one a
file, where either is missing; a BUILD with sanitizers needs clang's runtime to load before Python.

It counts by cmocka's summary, unittest's, or by a line `N passed, N failed, N skipped`; one that prints neither
counts as one test, and exit status 77 as a skipped one. Any other way to end badly (a signal, a
timeout, a status other than 0 without a failure counted) is a failure more. Programs see LEAT_TIER,
LEAT_BUILD and LEAT_ROOT, LEAT_SHARED where the given data lie beside the project, and LEAT_EMULATED
under qemu-user (which cannot fork a process that has threads, and is slow). The closing line is the sum; the exit status is 1 when anything failed.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fuzz_seeds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CMOCKA = re.compile(r'^\[  (PASSED|FAILED|SKIPPED) ? \] +(\d+) test\(s\)', re.M)
CMOCKA_OK = re.compile(r'^\[       OK \] ', re.M)
COUNTS = re.compile(r'^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$', re.M)
UNITTEST = re.compile(r'^Ran (\d+) tests? in .*\n\n(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$', re.M)
TIMEOUT = re.compile(r'/\* timeout: (\d+) \*/|^# timeout: (\d+)$', re.M)
TIER = re.compile(r'/\* tier: (\w+) \*/|^# tier: (\w+)$', re.M)
NEEDS = re.compile(r'/\* needs: ([a-z0-9_, ]+?) \*/')
SANITIZER = re.compile(r'^(==\d+==ERROR: |SUMMARY: \w*Sanitizer|.*: runtime error: )', re.M)
ASSERTED = 'assertion failed'
SHOWN_BYTES = 20000


class Test:
    def __init__(self, source, command):
        self.source, self.command = source, command
        with open(os.path.join(ROOT, source), encoding='utf-8', errors='replace') as f:
            head = f.read(4000)
        match = TIMEOUT.search(head)
        self.timeout = float(match.group(1) or match.group(2)) if match else 120.0
        match = NEEDS.search(head)
        self.needs = match.group(1) if match else ''
        match = TIER.search(head)
        self.tier = (match.group(1) or match.group(2)) if match else 'quick'
        self.python = source.startswith('tests/python')


def find_tests(build):
    tests = []
    for path, folders, names in os.walk(os.path.join(ROOT, 'tests')):
        folders.sort()
        folder = os.path.relpath(path, ROOT)
        if folder == 'tests' or folder.startswith(('tests/common', 'tests/mini', 'tests/interop')):
            continue
        for name in sorted(names):
            source = os.path.join(folder, name)
            stem = os.path.splitext(source[len('tests/'):])[0].replace('/', '-')
            program = os.path.join(build, 'tests', stem)
            if name.startswith('test_') and name.endswith('.c'):
                tests.append(Test(source, [program]))
            elif name.startswith('test_') and name.endswith('.py'):
                tests.append(Test(source, [sys.executable, os.path.join(ROOT, source)]))
            elif name.startswith('test_') and name.endswith('.sh'):
                tests.append(Test(source, ['bash', os.path.join(ROOT, source)]))
            elif folder == 'tests/fuzz' and name.startswith('fuzz_') and name.endswith('.c'):
                corpus = os.path.join(ROOT, 'tests/fuzz/corpus', name[len('fuzz_'):-2])
                tests.append(Test(source, [program, corpus] + fuzz_seeds.seeds(name[len('fuzz_'):-2])))
    return tests


def python_setting(build):
    """(Python that can run tests/python, more environment), or (None, why not)."""
    if not os.path.exists(os.path.join(build, 'python', '_core.abi3.so')):
        return None, 'left out: no _core.abi3.so (python3-dev was missing)'
    env = {'PYTHONPATH': os.path.join(ROOT, 'python'),
           'LEAT_PYTHON_CORE': os.path.join(build, 'python'), 'PYTHONDONTWRITEBYTECODE': '1'}
    sanitized = subprocess.run(['nm', '-D', os.path.join(build, 'python', '_core.abi3.so')],
                               capture_output=True, text=True).stdout
    for runtime in ('asan', 'tsan'):
        if '__%s_' % runtime in sanitized:
            found = subprocess.run(['clang-14', '-print-file-name=libclang_rt.%s-x86_64.so' % runtime],
                                   capture_output=True, text=True).stdout.strip()
            if runtime == 'tsan' or not os.path.isabs(found):
                return None, 'left out: no %s runtime to load before Python' % runtime
            # the interpreter itself keeps what it allocated
            env.update(LD_PRELOAD=found, ASAN_OPTIONS='detect_leaks=0:intercept_tls_get_addr=0')
    for python in (os.environ.get('LEAT_PYTHON'), sys.executable, '/usr/bin/python3'):
        if python and subprocess.run([python, '-c', 'import numpy'], capture_output=True).returncode == 0:
            return python, env
    return None, 'left out: no Python with numpy'


def environment(options, scratch):
    build, tier, wrap = options.build, options.tier, options.wrap
    env = dict(os.environ)
    env.update(LEAT_TIER=tier, LEAT_BUILD=build, LEAT_ROOT=ROOT, TMPDIR=scratch)
    shared = os.path.join(os.path.dirname(ROOT), 'shared')
    if 'LEAT_SHARED' not in env and os.path.isdir(shared):
        env['LEAT_SHARED'] = shared
    supp = os.path.join(ROOT, 'tests')
    env.setdefault('ASAN_OPTIONS', 'detect_leaks=1:detect_stack_use_after_return=1:'
                   'allocator_may_return_null=1:strict_string_checks=1:check_initialization_order=1:'
                   # the leak check walks thread storage of libraries opened at run time, and falls
                   # over storage that is gone (clang 14 on glibc 2.36)
                   'intercept_tls_get_addr=0')
    env.setdefault('LSAN_OPTIONS', 'suppressions=%s/lsan.supp:print_suppressions=0' % supp)
    env.setdefault('UBSAN_OPTIONS', 'print_stacktrace=1:halt_on_error=1')
    env.setdefault('TSAN_OPTIONS', 'suppressions=%s/tsan.supp:halt_on_error=0:exitcode=66:'
                   'second_deadlock_stack=1' % supp)
    if wrap and wrap[0].startswith('qemu'):
        env['LEAT_EMULATED'] = '1'
    env.setdefault('CMOCKA_MESSAGE_OUTPUT', 'STDOUT')
    return env


def run_process(command, seconds, env):
    """(exit status or None after a timeout, output)"""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, env=env, cwd=ROOT,
                                   start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        try: # also what it left behind
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()
        out.seek(0)
        return status, out.read().decode('utf-8', 'replace')


def count(status, text):
    """[passed, failed, skipped], and what went wrong or ''"""
    counts = [0, 0, 0]
    summed = False
    for word, number in CMOCKA.findall(text):
        summed = True
        counts[('PASSED', 'FAILED', 'SKIPPED').index(word)] += int(number)
    for match in COUNTS.findall(text):
        summed = True
        for i in range(3):
            counts[i] += int(match[i] or 0)
    for ran, details in UNITTEST.findall(text):
        summed = True
        wrong = dict(item.split('=') for item in details.split(', ')) if details else {}
        failed = sum(int(wrong.get(k, 0)) for k in ('failures', 'errors', 'unexpected successes'))
        skipped = int(wrong.get('skipped', 0))
        counts[0] += max(int(ran) - failed - skipped, 0)
        counts[1] += failed
        counts[2] += skipped
    if status == 77 and not summed:
        return [0, 0, 1], ''
    if status == 0 and not summed:
        return [1, 0, 0], ''
    if not summed:
        counts[0] = len(CMOCKA_OK.findall(text))
    if status == 0:
        return counts, 'failed' if counts[1] else ''
    if status is None or status < 0 or not counts[1]:
        counts[1] += 1
    if status is None:
        return counts, 'timed out'
    if status < 0:
        return counts, 'ended by signal %d (%s)' % (-status, signal.Signals(-status).name)
    return counts, 'exit status %d' % status


def survived(status, text):
    """The same where failed checks are expected, since allocations fail on purpose."""
    if status is None:
        return [0, 1, 0], 'timed out'
    if status < 0 or SANITIZER.search(text) or ASSERTED in text:
        return [0, 1, 0], 'crashed, exit status %d' % status
    return [1, 0, 0], ''


def run_test(test, options):
    if not os.path.exists(test.command[-1 if test.command[0] == 'bash' else 0]):
        if test.needs: # the build says which optional libraries it has
            return test, [0, 0, 1], 'left out: needs ' + test.needs, '', 0.0
        return test, [0, 1, 0], 'not built', '', 0.0
    command, more = test.command, {}
    if test.python:
        python, more = options.python
        if not python or options.wrap:
            return test, [0, 0, 1], more if not python else 'left out: emulated', '', 0.0
        command = [python, '-W', 'error::SyntaxWarning', test.command[-1]]
    scratch = tempfile.mkdtemp(prefix='leat-test-')
    start = time.monotonic()
    try:
        env = dict(environment(options, scratch), **more)
        status, text = run_process(options.wrap + command, test.timeout * options.slow, env)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if options.survive:
        counts, wrong = survived(status, text)
    else:
        counts, wrong = count(status, text)
    return test, counts, wrong, text, time.monotonic() - start


def report(result, verbose):
    test, counts, wrong, text, seconds = result
    print('%-58s %5d passed %3d failed %4d skipped %7.1f s  %s'
          % (test.source, counts[0], counts[1], counts[2], seconds, wrong), flush=True)
    if text.strip() and (wrong or verbose):
        if len(text) > SHOWN_BYTES:
            half = SHOWN_BYTES // 2
            text = text[:half] + '\n[... %d characters ...]\n' % (len(text) - SHOWN_BYTES) + text[-half:]
        # the programs' own closing lines are not ours: keep them off the first column
        print('\n'.join('    | ' + line for line in text.splitlines()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('words', nargs='*')
    parser.add_argument('--tier', choices=('quick', 'test', 'full'), default='test')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--slow', type=float, default=1.0)
    parser.add_argument('--wrap', default='', help='runs each test, such as qemu-user')
    parser.add_argument('--survive', action='store_true',
                        help='failed checks are no failure: only a crash, a hang or a sanitizer is')
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_intermixed_args()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in a shell's background, and tests
        signal.signal(signal.SIGINT, signal.default_int_handler)  # of Ctrl-C would inherit that
    options.build = os.path.abspath(options.build)
    options.wrap = options.wrap.split()
    tests = [t for t in find_tests(options.build)
             if not (options.tier == 'quick' and t.tier == 'full')
             and not (options.words and not any(w in t.source for w in options.words))]
    options.python = python_setting(options.build) if any(t.python for t in tests) else None
    total = [0, 0, 0]
    failing = []
    # the slowest allowed first: they do not run alone at the end
    tests.sort(key=lambda t: -t.timeout)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_test, t, options) for t in tests]):
            result = future.result()
            report(result, options.verbose)
            total = [a + b for a, b in zip(total, result[1])]
            if result[1][1]:
                failing.append(result[0].source)
    if not tests:
        print('run_tests: no test program found', file=sys.stderr)
    for source in sorted(failing):
        print('FAILED %s' % source)
    print('%d passed, %d failed, %d skipped' % tuple(total), flush=True)
    return 1 if total[1] or not tests else 0


if __name__ == '__main__':
    sys.exit(main())
