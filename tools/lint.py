#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the house rules promise of every source file.

    tools/lint.py BUILD [--only NAME]

Checks, by name: format (clang-format 14), start (the first lines), layers (who may include whom),
sizes (functions, files, headers, parameters, nesting), words (no bare TODO), readme (one a folder),
generated (nothing made by the build is committed), headers (each compiles alone; public ones as
C++17 and strict C11 too, TensorFlow's as C99), exports (libleat.so and .a show TF_* and leat_* only). A failure ends the run with status
1; a warning does not. Also: public (each public function's comment says who may call it and how it
fails; what the headers declare is exported, but for tools/not_yet.txt), and python (tools/lint_python.py). BUILD is a finished build folder: generated headers and the library.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import headers as public_headers # noqa: E402
import lint_python # noqa: E402
import lint_sizes # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wstrict-prototypes',
         '-Wmissing-prototypes', '-Wvla', '-Wwrite-strings', '-Werror', '-D_GNU_SOURCE']

# What a folder of src/ may include besides itself; `include` is the public headers. `x/y.h` allows
# that header alone. The C API's type headers (c_api_base.h and so on) are everybody's: the enums of
# dtypes and codes are defined there once.
LAYERS = {
    'base': [],
    'codec': ['base'],
    'proto': ['base'],
    'tensor': ['base'],
    'math': ['base', 'tensor'],
    'op': ['base', 'proto', 'tensor'],
    'ops': ['base', 'codec', 'proto', 'tensor', 'math', 'op', 'io'],
    'graph': ['base', 'proto', 'tensor', 'op'],
    'grad': ['base', 'proto', 'tensor', 'op', 'graph'],
    'device': ['base', 'tensor', 'math', 'op'],
    'runtime': ['base', 'proto', 'tensor', 'op', 'graph', 'grad', 'device/device.h'],
    'io': ['base', 'codec', 'proto', 'tensor'],
    'dist': ['base', 'proto', 'tensor', 'op', 'graph', 'runtime', 'io'],
    'api': ['include', 'base', 'codec', 'proto', 'tensor', 'math', 'op', 'graph', 'grad', 'runtime',
            'io', 'dist', 'device/device.h'],
    'build': ['include', 'base', 'proto', 'io'],
    'cli': ['include', 'base', 'io', 'proto'],
    'board': ['include', 'base', 'io', 'proto'],
}
TYPE_HEADERS = {'tensorflow/c/tf_datatype.h', 'tensorflow/c/tf_status.h', 'tensorflow/c/tf_attrtype.h',
                'tensorflow/c/tf_tensor.h', 'tensorflow/c/c_api_macros.h',
                'tensorflow/c/c_api_base.h'}
C_API_HEADERS = {'c_api.h', 'tf_tensor.h', 'tf_status.h', 'tf_datatype.h', 'ops.h', 'kernels.h'}
GENERATED = {'config.h', 'proto/leat_proto.h', 'leat/leat_ops.h'}
GENERATED_NAMES = re.compile(r'(^|/)(src/config\.h|registry\.c|leat_proto\.[ch]|leat_ops\.[ch]|ops\.md|'
                             r'[^/]*\.(o|a|so|pyc|pb-c\.[ch]))$')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
BARE_TODO = re.compile(r'\b(TODO|FIXME|XXX|HACK)\b')
SPDX = 'SPDX-License-Identifier: Apache-2.0'


class Report:
    def __init__(self):
        self.failures, self.warnings = [], []

    def fail(self, where, text):
        self.failures.append('%s: %s' % (where, text))

    def warn(self, where, text):
        self.warnings.append('%s: %s' % (where, text))


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
        return f.read()


def tracked_files():
    out = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    names = out.stdout.decode('utf-8', 'replace').split('\0')
    return [n for n in names if n and os.path.exists(os.path.join(ROOT, n))]


def compiled(files, endings=('.c', '.h')):
    return [f for f in files if f.endswith(endings)]


def parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(work, items))


def check_format(files, report, _):
    tool = shutil.which('clang-format-14')
    if not tool:
        report.fail('format', 'clang-format-14 is not installed (make deps)')
        return
    sources = compiled(files, ('.c', '.h', '.inc'))

    def run(path):
        out = subprocess.run([tool, '--dry-run', '-Werror', path], cwd=ROOT, stderr=subprocess.PIPE)
        return path, out.returncode, out.stderr.decode('utf-8', 'replace')
    for path, status, text in parallel(run, sources):
        if status:
            lines = re.findall(r':(\d+):\d+: ', text)
            report.fail(path, 'not as clang-format 14 writes it, %d places, first at line %s (make format)'
                        % (len(lines), lines[0] if lines else '?'))


def check_start(files, report, _):
    for path in files:
        if path.endswith(('.c', '.h', '.inc')):
            first = read(path).split('\n', 3)
            if first[0] != '/* %s */' % SPDX:
                report.fail(path, 'the first line is not /* %s */' % SPDX)
            elif len(first) < 2 or not first[1].startswith('/*'):
                report.fail(path, 'no comment after the first line that says what the file is')
        elif path.endswith(('.py', '.sh', 'meson.build', '.proto')):
            if SPDX not in '\n'.join(read(path).split('\n', 4)[:4]):
                report.fail(path, 'no line with %s at its start' % SPDX)


def layer_error(path, included):
    folder = path.split('/')[1]
    allowed = LAYERS.get(folder)
    top = included.split('/')[0]
    if allowed is None:
        return 'the layer table has no folder src/%s' % folder
    if included in GENERATED and included != 'leat/leat_ops.h' or included in TYPE_HEADERS:
        included_folder = included.split('/')[0]
        return None if included_folder != 'proto' or folder == 'proto' or 'proto' in allowed else \
            'src/%s may not include proto' % folder
    if top in ('tensorflow', 'leat'):
        if 'include' not in allowed:
            return 'src/%s may not include the public header %s' % (folder, included)
        if folder == 'api' and included in ('leat/leat.h', 'leat/leat_ops.h'):
            return '%s holds the generated wrappers, which are made after src/api' % included
        return None
    if '/' not in included:
        return None if os.path.exists(os.path.join(ROOT, os.path.dirname(path), included)) else \
            'include by the path from src/: "%s"' % included
    if top not in LAYERS:
        return 'no such folder in the layer table: "%s"' % included
    if top == 'ops' and folder == 'ops':
        same = included.split('/')[1:2] == path.split('/')[2:3]
        return None if same else 'an op family may not include another: "%s"' % included
    if top == 'device' and included.count('/') > 1:
        same = included.split('/')[1] == path.split('/')[2]
        return None if folder == 'device' and same else 'nobody includes a device: "%s"' % included
    if top == folder or top in allowed or included in allowed:
        return None
    return 'src/%s may not include "%s"' % (folder, included)


def check_layers(files, report, _):
    for path in compiled(files, ('.c', '.h', '.inc')):
        if not path.startswith('src/') or path.count('/') < 2:
            continue
        text = read(path)
        for match in INCLUDE.finditer(text):
            wrong = layer_error(path, match.group(1))
            if wrong:
                report.fail('%s:%d' % (path, text.count('\n', 0, match.start()) + 1), wrong)


def check_sizes(files, report, _):
    for path in compiled(files):
        lint_sizes.check(path, read(path), report)


def check_words(files, report, _):
    for path in files:
        if path == 'tools/lint.py' or not path.endswith(('.c', '.h', '.inc', '.py', '.sh', '.proto')):
            continue
        for number, line in enumerate(read(path).split('\n'), 1):
            match = BARE_TODO.search(line)
            if match:
                report.fail('%s:%d' % (path, number), 'a bare %s: do it, or file it' % match.group(1))


def check_python(_, report, build):
    lint_python.check(build, lambda where, what: report.fail(where, what),
                      lambda where, what: report.warn(where, what))


def check_readme(files, report, _):
    known = set(files)
    for folder in sorted({'/'.join(f.split('/')[:2]) for f in files
                          if f.startswith('src/') and f.count('/') > 1}):
        path = folder + '/README.md'
        if path not in known:
            report.fail(folder, 'no README.md')
        elif read(path).count('\n') > 40:
            report.fail(path, 'longer than 40 lines')
    if 'ARCHITECTURE.md' in known and read('ARCHITECTURE.md').count('\n') > 300:
        report.fail('ARCHITECTURE.md', 'longer than 300 lines')


def check_generated(files, report, _):
    for path in files:
        if GENERATED_NAMES.search(path) and not path.startswith('tests/'):
            report.fail(path, 'is made by the build and may not be committed')


def include_flags(build):
    return ['-I' + os.path.join(base, folder) for base in (ROOT, build) for folder in ('src', 'include')]


def as_users_compile(path):
    """What a public header is in: C99 or C11 to the letter, and C++17."""
    strict = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']
    standard = '-std=c99' if path.startswith('include/tensorflow/') else '-std=c11'
    commands = [['gcc', standard, '-x', 'c'] + strict]
    if shutil.which('g++'):
        commands.append(['g++', '-std=c++17', '-x', 'c++'] + strict)
    return commands


def check_headers(files, report, build):
    levels = ['-DLEAT_LEVEL=base', '-march=x86-64-v2'] if os.uname().machine == 'x86_64' else ['-DLEAT_LEVEL=base']
    jobs = []
    for path in [f for f in files if f.endswith('.h') and f.startswith(('src/', 'include/', 'tests/'))]:
        tests = ['-I' + os.path.join(ROOT, 'tests'), '-I' + os.path.join(ROOT, os.path.dirname(path))] \
            if path.startswith('tests/') else []
        if path.startswith('tests/mini/'):
            continue
        jobs.append((path, ['gcc', '-std=gnu17', '-x', 'c'] + FLAGS + levels + tests))
        if path.startswith('include/'):
            jobs += [(path, command) for command in as_users_compile(path)]
    made = os.path.join(build, 'include/leat/leat_ops.h')
    if os.path.exists(made):
        jobs += [(made, command) for command in as_users_compile(made)]

    def run(job):
        path, command = job
        # a file that includes it, so that the header is not the main file
        source = '#include "%s"\ntypedef int some_declaration;\n' % os.path.join(ROOT, path)
        out = subprocess.run(command + ['-fsyntax-only'] + include_flags(build) + ['-'], cwd=ROOT,
                             input=source.encode(), stderr=subprocess.PIPE)
        return path, ' '.join(command[:2]), out.returncode, out.stderr.decode('utf-8', 'replace')
    for path, compiler, status, text in parallel(run, jobs):
        if status:
            errors = [line for line in text.split('\n') if 'error' in line]
            report.fail(path, 'does not compile alone (%s): %s' % (compiler, (errors or [text])[0].strip()))


def visible(path, flags):
    out = subprocess.run(['nm', '--defined-only', '-P'] + flags + [path], stdout=subprocess.PIPE,
                         check=True, universal_newlines=True).stdout
    return [line.split()[0] for line in out.splitlines() if len(line.split()) > 2 and line.split()[1] not in 'a']


def check_exports(_, report, build):
    library = os.path.join(build, 'lib/libleat.so')
    if not os.path.exists(library):
        report.fail('exports', '%s is not built' % library)
        return
    archive = os.path.join(build, 'lib/libleat.a')
    checked = [(library, ['-D'])] + ([(archive, ['-g'])] if os.path.exists(archive) else [])
    for path, flags in checked:
        names = [n.split('@')[0] for n in visible(path, flags)]
        for name in names:
            if not name.startswith(('TF_', 'leat_')) or re.match(r'leat_(op|kernel|pass|device)_def_|leat_all_\w+_(defs|groups)$', name):
                report.fail(os.path.relpath(path, ROOT), 'shows %s' % name)
        if not any(n.startswith('TF_') for n in names):
            report.fail(os.path.relpath(path, ROOT), 'shows no TF_ function at all')


def check_contract(function, about, report):
    own = function.name.startswith('TF_')
    text = function.comment + ' ' + about
    if not function.comment and (own or not re.search(r'struct leat_\w+_(args|call)\b|_\($', function.prototype)) \
            and not re.search(r'_$|^leat_guard_end$', function.name):
        report.fail(function.header, '%s has no comment' % function.name)
    elif not re.search(r'\bthreads?\b', text, re.I):
        report.fail(function.header, 'the comment of %s does not say which threads may call it' % function.name)
    elif function.takes_status() and not re.search(r'errors?\b|cannot fail|TF_OK|OK', text, re.I):
        report.fail(function.header, 'the comment of %s does not say how it fails' % function.name)


def check_public(_, report, build):
    declared = set()
    for header in public_headers.public(ROOT):
        declared.update(f.name for f in header.functions if f.name.startswith('TF_') and not f.prototype.startswith('static'))
        for function in header.functions:
            check_contract(function, header.about, report)
    not_yet = set(re.findall(r'^(TF_\w+)', read('tools/not_yet.txt'), re.M))
    library = os.path.join(build, 'lib/libleat.so')
    shown = {n.split('@')[0] for n in visible(library, ['-D'])} if os.path.exists(library) else declared
    for name in sorted(declared - shown - not_yet):
        report.fail('lib/libleat.so', 'does not have %s, which a header declares' % name)
    for name in sorted(not_yet & shown):
        report.warn('tools/not_yet.txt', '%s is there: take it off the list' % name)
    for name in sorted(not_yet - declared):
        report.fail('tools/not_yet.txt', 'no header declares %s' % name)
    facts = os.path.join(os.environ.get('LEAT_SHARED') or os.path.join(ROOT, '../shared'), 'facts/c_api.tsv')
    if os.path.exists(facts):
        with open(facts, encoding='utf-8') as f:
            rows = [line.split('\t') for line in f]
        wanted = {r[1] for r in rows if len(r) > 3 and r[3] in C_API_HEADERS}
        for name in sorted(wanted - declared):
            report.fail('include/tensorflow/c', 'does not declare %s' % name)


CHECKS = [('format', check_format), ('start', check_start), ('layers', check_layers),
          ('sizes', check_sizes), ('words', check_words), ('readme', check_readme),
          ('generated', check_generated), ('headers', check_headers), ('exports', check_exports),
          ('public', check_public), ('python', check_python)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--only', action='append', choices=[name for name, _ in CHECKS])
    parser.add_argument('--warnings', action='store_true', help='print them all')
    options = parser.parse_args()
    files = tracked_files()
    failed = passed = 0
    for name, check in CHECKS:
        if options.only and name not in options.only:
            continue
        report = Report()
        check(files, report, os.path.abspath(options.build))
        for line in report.warnings if options.warnings else []:
            print('warning: %s' % line)
        for line in report.failures:
            print('%s: %s' % (name, line))
        print('lint %-10s %s%s' % (name, 'FAILED (%d)' % len(report.failures) if report.failures else 'ok',
                                   ', %d warnings' % len(report.warnings) if report.warnings else ''))
        failed += bool(report.failures)
        passed += not report.failures
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
