#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of TensorFlow 1.15's Python interface is there, for make python-api.

    tools/gen_python_api.py BUILD [--check]

Each symbol of facts/python_api.tsv (below LEAT_SHARED) is looked up in the package: it works when it
is there and takes the same arguments with the same defaults; partly, when arguments differ (the table
says which); else it is not yet there. BUILD/docs/python-api.md gets a row for each symbol, and the end
of docs/python-api.md, which says what the words mean, a line for each module. --check writes nothing,
and fails when the latter says of something that it works, and it does not. Needs a Python with numpy
and the extension: runs itself again under one, if this one is not. The counts are printed too.
"""
import ast
import inspect
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_YET, PARTLY, WORKS = 'not yet', 'partly', 'works'
DOCUMENT = os.path.join(ROOT, 'docs/python-api.md')
MARK = '## What there is'


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
        owner = value
        value = inspect.getattr_static(value, part, None) if (
            inspect.isclass(value) and part != '__init__') else getattr(value, part)
        if value is None:  # what the class's own class finds: messages in messages
            value = getattr(owner, part)
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
    counts, kinds, lines, states = {}, {}, [], {}
    for symbol, kind, spec in rows(path):
        state, what = state_of(tf, symbol, kind, spec)
        counts[state] = counts.get(state, 0) + 1
        states[symbol] = kind, state, what
        kinds.setdefault(kind, {}).setdefault(state, 0)
        kinds[kind][state] += 1
        lines.append('| `%s` | %s | %s |' % (symbol, kind, state + (': ' + what if what else '')))
    return counts, kinds, lines, states


def head_of(counts, kinds):
    total = sum(counts.values())
    head = ['Of the %d symbols of TensorFlow 1.15 (without keras, tpu and lite): **%d work, %d work '
            'partly, %d are not there yet**.' % (total, counts.get(WORKS, 0), counts.get(PARTLY, 0),
                                                 counts.get(NOT_YET, 0)), '',
            '| kind | works | partly | not yet |', '| --- | --- | --- | --- |']
    for kind in sorted(kinds):
        head.append('| %s | %s |' % (kind, ' | '.join(str(kinds[kind].get(s, 0))
                                                      for s in (WORKS, PARTLY, NOT_YET))))
    return head


def text_of(counts, kinds, lines):
    head = ['# The Python interface', ''] + head_of(counts, kinds)
    return '\n'.join(head + ['', '| symbol | kind | state |', '| --- | --- | --- |'] + lines) + '\n'


# ---- docs/python-api.md: a line for each module ----


def items_of(states):
    """{module: {name: [(member or '', state, what differs)]}} of {symbol: (kind, state, what)}."""
    classes = {symbol for symbol, (kind, _, _) in states.items() if kind == 'class'}
    modules = {}
    for symbol, (_, state, what) in states.items():
        parts = symbol.split('.')
        at = next((i for i in range(2, len(parts)) if '.'.join(parts[:i]) in classes), len(parts))
        module, name, member = '.'.join(parts[:at - 1]), parts[at - 1], '.'.join(parts[at:])
        modules.setdefault(module, {}).setdefault(name, []).append((member, state, what))
    return modules


def state_of_item(members):
    """(state, what differs) of a function, or of a class with its members."""
    own = [m for m in members if not m[0]]
    if own and own[0][1] == NOT_YET or all(m[1] == NOT_YET for m in members):
        return NOT_YET, ''
    notes = [what for _, state, what in own if state == PARTLY]
    absent = [m for m, state, _ in members if state == NOT_YET]
    if absent:
        notes.append('without ' + ', '.join(absent))
    notes += ['%s: %s' % (m, what) for m, state, what in members if m and state == PARTLY]
    return (PARTLY, '; '.join(notes)) if notes else (WORKS, '')


def module_lines(module, items):
    by_state = {WORKS: [], PARTLY: [], NOT_YET: []}
    for name in sorted(items):
        state, what = state_of_item(items[name])
        by_state[state].append('`%s`' % name + (' (%s)' % what if what else ''))
    text = '; '.join('%s: %s' % (state, ', '.join(names))
                     for state, names in by_state.items() if names)
    return textwrap.fill('- **%s** %s' % (module, text), width=118, subsequent_indent='  ',
                         break_long_words=False, break_on_hyphens=False)


def summary(counts, kinds, states):
    modules = items_of(states)
    lines = head_of(counts, kinds) + [
        '', 'A class works when all its members do. `make python-api` writes what follows.', '']
    return '\n'.join(lines + [module_lines(m, modules[m]) for m in sorted(modules)]) + '\n'


def said_to_work(text):
    """The symbols of which a summary says that they work."""
    found = set()
    for entry in re.split(r'^- \*\*', text, flags=re.M)[1:]:
        module, _, rest = entry.partition('** ')
        works = re.match(r'works: (.*?)(;|\Z)', rest, flags=re.S)
        if works:
            found.update('%s.%s' % (module, name) for name in re.findall(r'`(\w+)`',
                                                                        works.group(1)))
    return found


def check(states):
    """Prints what docs/python-api.md promises and is not there; whether that is nothing."""
    with open(DOCUMENT, encoding='utf-8') as f:
        promised = said_to_work(f.read().partition(MARK)[2])
    broken = sorted('%s.%s' % (module, name) for module, items in items_of(states).items()
                    for name, members in items.items()
                    if '%s.%s' % (module, name) in promised and state_of_item(members)[0] != WORKS)
    for symbol in broken:
        print('docs/python-api.md says that %s works' % symbol)
    if not promised:
        print('docs/python-api.md has no table: run make python-api')
    return bool(promised) and not broken


def write_summary(text):
    with open(DOCUMENT, encoding='utf-8') as f:
        prose = f.read().partition(MARK)[0].rstrip('\n')
    with open(DOCUMENT, 'w', encoding='utf-8') as f:
        f.write('%s\n\n%s\n\n%s' % (prose, MARK, text))


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
    counts, kinds, lines, states = report(tf, path)
    if '--check' in sys.argv:
        return 0 if check(states) else 1
    write_summary(summary(counts, kinds, states))
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
