# SPDX-License-Identifier: Apache-2.0
"""Checks of the Python front end, for tools/lint.py: python/leat, tests/python and the extension.

Every file compiles for Python 3.8, begins with the SPDX line and a docstring, keeps to the lengths of
the house rules, imports no module that it does not use and none from outside. The extension refers
to nothing of CPython but its stable ABI of 3.8 (tools/stable_abi_3_8.txt).
"""
import ast
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPDX = '# SPDX-License-Identifier: Apache-2.0'
LINE, FUNCTION, FILE, FILE_WARNED = 100, 60, 1000, 700
FOREIGN = {'google', 'six', 'absl', 'protobuf', 'wrapt', 'termcolor', 'attr'}


def _names_used(tree):
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):  # __all__ and texts of annotations
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            used.add(node.value)
    return used


def _unused_imports(tree, lines):
    used = _names_used(tree)
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or getattr(node, 'module', '') == '__future__':
            continue
        if 'noqa' in lines[node.lineno - 1]:  # what others import from here
            continue
        for alias in node.names:
            name = (alias.asname or alias.name).split('.')[0]
            if name != '*' and name not in used and alias.asname is None:
                yield node.lineno, 'imports %s and does not use it' % name


def _foreign_imports(tree):
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or '']
        for name in names:
            if name.split('.')[0] in FOREIGN:
                yield node.lineno, 'imports %s: only numpy and the standard library' % name


def _function_sizes(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            size = node.end_lineno - node.lineno + 1
            if size > FUNCTION:
                yield node.lineno, 'function %s has %d lines, more than %d' % (node.name, size, FUNCTION)


def check_file(path, product):
    """[(line, what is wrong, whether it fails)]."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    lines = text.splitlines()
    try:
        tree = ast.parse(text, path, feature_version=(3, 8))
    except SyntaxError as error:
        return [(error.lineno or 1, 'does not parse as Python 3.8: %s' % error.msg, True)]
    wrong = []
    if not lines or SPDX not in lines[:2]:
        wrong.append((1, 'does not begin with ' + SPDX, True))
    if tree.body and not ast.get_docstring(tree):
        wrong.append((1, 'has no docstring', True))
    wrong += [(i, 'is longer than %d' % LINE, True) for i, line in enumerate(lines, 1)
              if len(line) > LINE]
    wrong += [(i, 'ends in spaces', True) for i, line in enumerate(lines, 1) if line != line.rstrip()]
    if len(lines) > FILE_WARNED:
        wrong.append((len(lines), 'the file has %d lines' % len(lines), len(lines) > FILE))
    wrong += [(line, what, True) for line, what in _unused_imports(tree, lines)]
    if product:
        wrong += [(line, what, True) for line, what in _foreign_imports(tree)]
        wrong += [(line, what, False) for line, what in _function_sizes(tree)]
    return sorted(wrong)


def _files(folder):
    for path, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders[:] = sorted(f for f in folders if f != '__pycache__')
        for name in sorted(names):
            if name.endswith('.py'):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def check_extension(build):
    """The names of CPython that _core refers to and that are not in the stable ABI."""
    library = os.path.join(build, 'python', '_core.abi3.so')
    if not os.path.exists(library):
        return []
    with open(os.path.join(ROOT, 'tools/stable_abi_3_8.txt'), encoding='utf-8') as f:
        stable = {line.strip() for line in f if not line.startswith('#')}
    out = subprocess.run(['nm', '-D', '--undefined-only', library], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    return sorted(name for name in re.findall(r' U (_?Py\w+)', out) if name not in stable)


def check(build, fail, warn):
    """Everything; fail(where, what) and warn(where, what) are told."""
    for folder, product in (('python/leat', True), ('tests/python', False)):
        for path in _files(folder):
            for line, what, fails in check_file(os.path.join(ROOT, path), product):
                (fail if fails else warn)('%s:%d' % (path, line), what)
    for name in check_extension(build):
        fail('python/core', '_core.abi3.so refers to %s, which is not in the stable ABI of 3.8' % name)
