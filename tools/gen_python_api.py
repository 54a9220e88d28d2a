#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of TensorFlow 1.15's Python interface is there: BUILD/docs/python-api.md, for make python-api.

    tools/gen_python_api.py BUILD

Each symbol of facts/python_api.tsv (below LEAT_SHARED) is looked up in the package: it works when it
is there and takes the same arguments with the same defaults; partly, when arguments differ (the table
says which); else it is not yet there. Needs a Python with numpy and the extension: runs itself again
under one, if this one is not. The counts are printed too; docs/python-api.md says what the words mean.
"""
import ast
import inspect
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_YET, PARTLY, WORKS = 'not yet', 'partly', 'works'


def rows(path):
    with open(path, encoding='utf-8') as f:
        next(f)
        for line in f:
            symbol, kind, spec = (line.rstrip('\n').split('\t') + ['', ''])[:3]
            yield symbol, kind, spec


def wanted_arguments(spec):
    """(names, {name: default as text}, takes *, takes **) of an argspec, or None for none."""
    spec = spec.replace('\\"', '"')
    match = re.match(r"(\[.*?\])", spec)
    if not match:
        return None
    names = ast.literal_eval(match.group(1))
    varargs = re.search(r"varargs=(\w+)", spec)
    keywords = re.search(r"keywords=(\w+)", spec)
    found = re.search(r"defaults=(\[.*\])", spec)
    defaults = ast.literal_eval(found.group(1)) if found else []  # texts, each as str() gave it
    return (names, dict(zip(names[len(names) - len(defaults):], map(str, defaults))),
            bool(varargs and varargs.group(1) != 'None'),
            bool(keywords and keywords.group(1) != 'None'))


def found_arguments(value):
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    names = [p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY,
                                                      kinds.POSITIONAL_OR_KEYWORD,
                                                      kinds.KEYWORD_ONLY)]
    defaults = {p.name: p.default for p in parameters if p.default is not kinds.empty}
    return (names, defaults, any(p.kind == kinds.VAR_POSITIONAL for p in parameters),
            any(p.kind == kinds.VAR_KEYWORD for p in parameters))


def same_default(text, value):
    """Whether a default is the one of the facts; objects that print their address count as same."""
    if text in (str(value), repr(value)) or ' object at 0x' in text or '<function' in text:
        return True
    if hasattr(value, 'name') and text in ("<dtype: '%s'>" % value.name, value.name):
        return True
    try:
        return float(text) == float(value)
    except (TypeError, ValueError):
        return '<' in text and '<' in str(value)


def difference(spec, value):
    """'' when a function takes what the facts say, else which arguments differ."""
    wanted, found = wanted_arguments(spec), found_arguments(value)
    if wanted is None or found is None:
        return ''
    names, defaults, _, _ = wanted
    have, have_defaults, any_place, any_keyword = found
    skip_self = 1 if names[:1] in (['self'], ['cls']) and have[:1] != names[:1] else 0
    names = names[skip_self:]
    absent = [n for n in names if n not in have and not any_keyword]
    more = [n for n in have if n not in names and n not in have_defaults]
    order = [n for n in have if n in names] != [n for n in names if n in have]
    other = [n for n in names if n in have and (n in defaults) != (n in have_defaults)]
    other += [n for n in names if n in defaults and n in have_defaults
              and not same_default(defaults[n], have_defaults[n])]
    del any_place
    parts = []
    for word, items in (('without', absent), ('needs', more), ('another default of', other)):
        if items:
            parts.append('%s %s' % (word, ', '.join(items)))
    if order:
        parts.append('another order of arguments')
    return '; '.join(parts)


def look_up(tf, symbol):
    value = tf
    for part in symbol.split('.')[1:]:
        value = inspect.getattr_static(value, part) if (
            inspect.isclass(value) and part != '__init__') else getattr(value, part)
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
    return value


def state_of(tf, symbol, kind, spec):
    """(state, what differs)."""
    try:
        value = look_up(tf, symbol)
    except AttributeError:
        return NOT_YET, ''
    except Exception as error:  # a module that cannot be imported is not there
        return NOT_YET, '%s: %s' % (type(error).__name__, str(error).split('\n')[0][:80])
    if kind in ('function', 'method') and spec:
        what = difference(spec, value)
        return (PARTLY, what) if what else (WORKS, '')
    return WORKS, ''


def report(tf, path):
    counts, kinds, lines = {}, {}, []
    for symbol, kind, spec in rows(path):
        state, what = state_of(tf, symbol, kind, spec)
        counts[state] = counts.get(state, 0) + 1
        kinds.setdefault(kind, {}).setdefault(state, 0)
        kinds[kind][state] += 1
        lines.append('| `%s` | %s | %s |' % (symbol, kind, state + (': ' + what if what else '')))
    return counts, kinds, lines


def text_of(counts, kinds, lines):
    total = sum(counts.values())
    head = ['# The Python interface', '',
            'Of the %d symbols of TensorFlow 1.15 (without keras, tpu and lite): **%d work, %d work '
            'partly, %d are not there yet**.' % (total, counts.get(WORKS, 0), counts.get(PARTLY, 0),
                                                 counts.get(NOT_YET, 0)), '',
            '| kind | works | partly | not yet |', '| --- | --- | --- | --- |']
    for kind in sorted(kinds):
        head.append('| %s | %s |' % (kind, ' | '.join(str(kinds[kind].get(s, 0))
                                                      for s in (WORKS, PARTLY, NOT_YET))))
    return '\n'.join(head + ['', '| symbol | kind | state |', '| --- | --- | --- |'] + lines) + '\n'


def setting(build):
    """The environment in which `import leat` works."""
    return dict(os.environ, PYTHONPATH=os.path.join(ROOT, 'python'),
                LEAT_PYTHON_CORE=os.path.join(build, 'python'), LEAT_PYTHON_API='1')


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith('--')]
    if not arguments:
        sys.stderr.write(__doc__)
        return 2
    build = os.path.abspath(arguments[0])
    if not os.environ.get('LEAT_PYTHON_API'):
        for python in (os.environ.get('LEAT_PYTHON'), sys.executable, '/usr/bin/python3'):
            if python and not subprocess.run([python, '-c', 'import numpy'],
                                             stderr=subprocess.DEVNULL).returncode:
                return subprocess.run([python, *sys.argv], env=setting(build)).returncode
        sys.stderr.write('gen_python_api: no Python with numpy\n')
        return 1
    path = os.path.join(os.environ.get('LEAT_SHARED') or os.path.join(os.path.dirname(ROOT), 'shared'),
                        'facts/python_api.tsv')
    if not os.path.exists(path):
        sys.stderr.write('gen_python_api: no %s\n' % path)
        return 1
    import leat as tf
    import leat._load  # noqa: F401 - without the extension the table would say nothing
    counts, kinds, lines = report(tf, path)
    target = os.path.join(build, 'docs/python-api.md')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, 'w', encoding='utf-8') as f:
        f.write(text_of(counts, kinds, lines))
    said = '%d work, %d partly, %d not yet' % tuple(counts.get(s, 0)
                                                    for s in (WORKS, PARTLY, NOT_YET))
    print('%s: %s' % (os.path.relpath(target), said))
    return 0


if __name__ == '__main__':
    sys.exit(main())
