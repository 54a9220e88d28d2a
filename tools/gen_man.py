#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages of section 3, one for each public function, from the headers' comments.

    tools/gen_man.py BUILD OUT [--version V] [--depfile FILE --stamp FILE]

writes OUT/man3/NAME.3 for every TF_* and leat_* function under include/ and BUILD/include: what it
does, who owns what, threads and errors, as its comment says, and what its header says of all of its
functions. Where a macro of the same name without _fn is what C programs call, a page of that name
leads to the function's. Pages of functions that are gone are removed.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import headers # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INTERNAL = re.compile(r'(_call|_)$|^leat_guard_end$')
INCLUDE = {'tensorflow/c/ops.h', 'tensorflow/c/kernels.h'}    # not part of an umbrella header


def escape(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\n'.join('\\&' + line if line[:1] in ("'", '.') else line for line in text.split('\n'))


def body(text):
    """Paragraphs are filled; indented lines are shown as they are."""
    out, shown = [], False
    for line in text.split('\n'):
        indented = line.startswith(('  ', '\t'))
        if indented != shown:
            out.append('.nf' if indented else '.fi')
            shown = indented
        if not line.strip():
            out.append('.PP')
        else:
            out.append(escape(('    ' + line.strip()) if indented else line.strip()))
    if shown:
        out.append('.fi')
    return '\n'.join(out)


def summary(text):
    """The first sentence, on one line and without its point."""
    flat = ' '.join(text.split('\n\n')[0].split())
    first = re.match(r'(.*?[^.])(?:\.(?= |$)|;(?= )|: |$)', flat)
    return (first.group(1) if first else flat)[:120] or 'a function of Leat'


def synopsis(function):
    """The prototype, broken after commas at 76 columns."""
    lines, line = [], ''
    for part in re.split(r'(?<=,) ', function.prototype):
        if line and len(line) + 1 + len(part) > 76:
            lines.append(line)
            line = '    ' + part
        else:
            line = line + ' ' + part if line else part
    return '\n'.join(lines + [line])


def umbrella(header):
    if header.startswith('tensorflow/') and header not in INCLUDE:
        return 'tensorflow/c/c_api.h'
    return header if header in INCLUDE else 'leat/leat.h'


def fallback(function):
    if function.name.endswith('_args_init'):
        return 'Fills in the defaults of *args. Any thread; cannot fail.'
    return 'See the members of the struct it takes, in <%s>.' % function.header


def page(function, header, neighbours, version):
    text = function.comment or fallback(function)
    parts = ['.TH "%s" 3 "" "Leat %s" "%s"' % (function.name.upper(), version,
                                              'TensorFlow C API' if function.name.startswith('TF_') else 'Leat C API'),
             '.SH NAME', '%s \\- %s' % (function.name, escape(summary(text))),
             '.SH SYNOPSIS', '.nf', '#include <%s>' % umbrella(function.header), '', escape(synopsis(function)), '.fi',
             '.SH DESCRIPTION', body(text)]
    if header.about:
        parts += ['.SH "OF ALL OF <%s>"' % function.header, body(header.about)]
    near = ['%s(3)' % n for n in neighbours if n != function.name][:12]
    if near:
        parts += ['.SH "SEE ALSO"', escape(',\n'.join(near))]
    return '\n'.join(parts) + '\n'


def neighbours_of(index, functions):
    """Those around it in the header, its section's first."""
    own = functions[index]
    near = [f.name for f in functions[max(0, index - 6):index + 7]
            if f.section == own.section and not INTERNAL.search(f.name)]
    return near


def macros(path):
    with open(path, encoding='utf-8') as f:
        return set(re.findall(r'^#define (leat_\w+)\(', f.read(), re.M))


def pages(build, version):
    """Name -> text, and the headers that were read."""
    found, sources = {}, []
    for header in headers.public(ROOT, build):
        path = next(p for p in (os.path.join(top, 'include', header.path) for top in (ROOT, build)) if os.path.exists(p))
        sources.append(path)
        with_macro = macros(path)
        for i, function in enumerate(header.functions):
            if INTERNAL.search(function.name):
                continue
            near = [] if header.path == 'leat/leat_ops.h' else neighbours_of(i, header.functions)
            found[function.name] = page(function, header, near, version)
            short = re.sub(r'_fn$', '', function.name)
            if short != function.name and short in with_macro:
                found[short] = '.so man3/%s.3\n' % function.name
    return found, sources


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('out')
    parser.add_argument('--version', default='')
    parser.add_argument('--depfile')
    parser.add_argument('--stamp')
    options = parser.parse_args()
    found, sources = pages(options.build, options.version)
    folder = os.path.join(options.out, 'man3')
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if name[:-2] not in found:
            os.remove(os.path.join(folder, name))
    for name, text in found.items():
        with open(os.path.join(folder, name + '.3'), 'w', encoding='utf-8') as f:
            f.write(text)
    if options.stamp:
        with open(options.stamp, 'w') as f:
            f.write('%d pages\n' % len(found))
    if options.depfile:
        with open(options.depfile, 'w') as f:
            f.write('%s: %s\n' % (options.stamp, ' '.join(sources)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
