#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes C structs and descriptor tables from .proto files (proto3).

    tools/gen_proto.py OUTDIR FILE.proto...

writes OUTDIR/leat_proto.h and OUTDIR/leat_proto.c, to be included as "proto/leat_proto.h". All
files are read as one set; names are resolved as protobuf resolves them. Errors name file and
line. What the C side looks like is told in src/proto/pb.h.
"""
import os
import re
import sys

# name: (number, C type, list type)
SCALARS = {
    'double': (1, 'double', 'pb_f64s'),
    'float': (2, 'float', 'pb_f32s'),
    'int64': (3, 'int64_t', 'pb_i64s'),
    'uint64': (4, 'uint64_t', 'pb_u64s'),
    'int32': (5, 'int32_t', 'pb_i32s'),
    'fixed64': (6, 'uint64_t', 'pb_u64s'),
    'fixed32': (7, 'uint32_t', 'pb_u32s'),
    'bool': (8, 'bool', 'pb_bools'),
    'string': (9, 'struct str', 'pb_strs'),
    'bytes': (12, 'struct str', 'pb_strs'),
    'uint32': (13, 'uint32_t', 'pb_u32s'),
    'sfixed32': (15, 'int32_t', 'pb_i32s'),
    'sfixed64': (16, 'int64_t', 'pb_i64s'),
    'sint32': (17, 'int32_t', 'pb_i32s'),
    'sint64': (18, 'int64_t', 'pb_i64s'),
}
C_WORDS = set('''auto break case char const continue default do double else enum extern float for
goto if inline int long register restrict return short signed sizeof static struct switch typedef
union unsigned void volatile while bool true false base'''.split())
MAX_FIELDS = 128  # the text reader keeps a bit per field

TOKEN = re.compile(r'''\s+|//[^\n]*|/\*.*?\*/|([A-Za-z_][\w.]*|\.[A-Za-z_][\w.]*|-?\d\w*|"[^"]*"|.)''',
                   re.S)


class Bad(Exception):
    pass


class Message:
    def __init__(self, name, package, parent=None, is_entry=False):
        self.name, self.package, self.parent, self.is_entry = name, package, parent, is_entry
        self.fields, self.oneofs = [], []

    def full(self):
        return (self.parent.full() if self.parent else self.package) + '.' + self.name


class Enum:
    def __init__(self, name, package, parent):
        self.name, self.package, self.parent, self.values = name, package, parent, []

    full = Message.full


class Field:
    def __init__(self, name, number, kind, label, oneof, where):
        self.name, self.number, self.kind, self.label = name, number, kind, label
        self.oneof, self.where, self.target = oneof, where, None


class Parser:
    """One file; messages and enums are appended to the lists in the order in which they end."""

    def __init__(self, path, messages, enums):
        self.path, self.messages, self.enums = path, messages, enums
        self.package = ''
        with open(path, encoding='utf-8') as f:
            text = f.read()
        self.tokens, pos, line = [], 0, 1
        while pos < len(text):
            m = TOKEN.match(text, pos)
            if m.group(1):
                self.tokens.append((m.group(1), line))
            line += m.group(0).count('\n')
            pos = m.end()
        self.at = 0

    def where(self):
        line = self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 1
        return '%s:%d' % (self.path, line)

    def fail(self, what):
        raise Bad('%s: %s' % (self.where(), what))

    def peek(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ''

    def take(self, want=None):
        tok = self.peek()
        if not tok or (want is not None and tok != want):
            self.fail('expected %s, found %r' % (want or 'more', tok))
        self.at += 1
        return tok

    def ident(self):
        tok = self.take()
        if not re.match(r'\.?[A-Za-z_]', tok):
            self.fail('expected a name, found %r' % tok)
        return tok

    def number(self):
        tok = self.take()
        try:
            return int(tok, 0)
        except ValueError:
            self.fail('expected a number, found %r' % tok)

    def skip_statement(self):
        while self.take() != ';':
            pass

    def file(self):
        syntax = None
        while self.peek():
            word = self.take()
            if word == 'syntax':
                self.take('=')
                syntax = self.take()
                self.take(';')
            elif word == 'package':
                self.package = self.ident()
                self.take(';')
            elif word in ('import', 'option'):
                self.skip_statement()
            elif word == 'message':
                self.message(None)
            elif word == 'enum':
                self.enum(None)
            elif word != ';':
                self.fail('unexpected %r' % word)
        if syntax != '"proto3"':
            self.fail('only syntax = "proto3" is known')

    def message(self, parent):
        m = Message(self.ident(), self.package, parent)
        self.messages.append(m)
        self.take('{')
        while self.peek() != '}':
            self.member(m, None)
        self.take('}')

    def member(self, m, oneof):
        word = self.peek()
        if word == 'message' and oneof is None:
            self.take()
            self.message(m)
        elif word == 'enum' and oneof is None:
            self.take()
            self.enum(m)
        elif word == 'oneof' and oneof is None:
            self.take()
            m.oneofs.append(self.ident())
            self.take('{')
            while self.peek() != '}':
                self.member(m, len(m.oneofs) - 1)
            self.take('}')
        elif word in ('option', 'reserved'):
            self.skip_statement()
        elif word == ';':
            self.take()
        else:
            self.field(m, oneof)

    def field(self, m, oneof):
        label, where = 'PB_SINGULAR', self.where()
        if self.peek() == 'repeated' and oneof is None:
            self.take()
            label = 'PB_REPEATED'
        kind = self.ident()
        if kind == 'map' and self.peek() == '<' and oneof is None and label == 'PB_SINGULAR':
            label = 'PB_MAP'
            self.take('<')
            key = self.ident()
            if key not in SCALARS or key in ('double', 'float', 'bytes'):
                self.fail('%r cannot be the key of a map' % key)
            self.take(',')
            kind = (key, self.ident())
            self.take('>')
        name = self.ident()
        self.take('=')
        number = self.number()
        if self.peek() == '[':
            while self.take() != ']':
                pass
        self.take(';')
        if not 0 < number < 1 << 29:
            self.fail('field number %d' % number)
        if label == 'PB_MAP':
            entry = Message(camel(name) + 'Entry', m.package, m, is_entry=True)
            entry.fields = [Field('key', 1, kind[0], 'PB_SINGULAR', None, where),
                            Field('value', 2, kind[1], 'PB_SINGULAR', None, where)]
            self.messages.append(entry)
            kind = '.' + entry.full()
        m.fields.append(Field(name, number, kind, label, oneof, where))

    def enum(self, parent):
        e = Enum(self.ident(), self.package, parent)
        self.enums.append(e)
        self.take('{')
        while self.peek() != '}':
            if self.peek() in ('option', 'reserved'):
                self.skip_statement()
                continue
            name = self.ident()
            self.take('=')
            e.values.append((name, self.number()))
            self.take(';')
        self.take('}')
        if not e.values or e.values[0][1] != 0:
            self.fail('the first value of enum %s must be 0' % e.full())


def camel(name):
    return ''.join(part[:1].upper() + part[1:] for part in name.split('_'))


def snake(name):
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name)
    return re.sub(r'([A-Z])([A-Z][a-z])', r'\1_\2', name).lower()


def c_name(thing):
    """pb_tensor_shape_proto_dim; the packages tensorflow and google.protobuf leave no trace."""
    package = re.sub(r'^(tensorflow|google\.protobuf)\.?', '', thing.package)
    path = thing.full()[len(thing.package) + 1:]
    return 'pb_' + '_'.join(snake(p) for p in (package + '.' + path).split('.') if p)


def c_member(name):
    return name + '_' if name in C_WORDS else name


def resolve(messages, enums):
    """Finds the message or enum of each field, from the innermost scope outwards."""
    known = {}
    for thing in messages + enums:
        if thing.full() in known:
            raise Bad('%s is defined twice' % thing.full())
        known[thing.full()] = thing
    for m in messages:
        for f in m.fields:
            if f.kind in SCALARS:
                continue
            if f.kind.startswith('.'):
                f.target = known.get(f.kind[1:])
            else:
                scope = m.full()
                while f.target is None and scope:
                    f.target = known.get(scope + '.' + f.kind)
                    scope = scope.rpartition('.')[0]
                f.target = f.target or known.get(f.kind)
            if f.target is None:
                raise Bad('%s: unknown type %s' % (f.where, f.kind))


def check(messages):
    seen = {}
    for m in messages:
        if seen.setdefault(c_name(m), m) is not m:
            raise Bad('%s and %s have one C name' % (m.full(), seen[c_name(m)].full()))
        names, numbers = set(), set()
        for f in m.fields:
            if f.name in names or f.number in numbers:
                raise Bad('%s: %s.%s: name or number used twice' % (f.where, m.full(), f.name))
            names.add(f.name)
            numbers.add(f.number)
        if len(m.fields) > MAX_FIELDS:
            raise Bad('%s has more than %d fields' % (m.full(), MAX_FIELDS))


def member_type(f):
    if isinstance(f.target, Message):
        name = 'struct ' + c_name(f.target)
        return name + ' *' if f.label == 'PB_SINGULAR' else name + '_vec '
    single, many = ('int32_t', 'pb_i32s') if f.target else SCALARS[f.kind][1:]
    return (single if f.label == 'PB_SINGULAR' else 'struct ' + many) + ' '


def write_header(out, messages, enums):
    out.append('/* Generated by tools/gen_proto.py from the .proto files of src/proto; do not edit. */')
    out += ['#ifndef LEAT_PROTO_LEAT_PROTO_H', '#define LEAT_PROTO_LEAT_PROTO_H', '',
            '#include "proto/pb.h"', '']
    for e in enums:
        out.append('enum %s {' % c_name(e))
        prefix = c_name(e).upper()
        for name, number in e.values:
            out.append('    %s_%s = %d,' % (prefix, name, number))
        out += ['};', 'extern const struct pb_enum %s_enum;' % c_name(e), '']
    for m in messages:
        out.append('PB_LIST(%s_vec, struct %s *);' % (c_name(m), c_name(m)))
    out.append('')
    for m in messages:
        out += ['struct %s {' % c_name(m), '    struct pb_base base;']
        for name in m.oneofs:
            out.append('    int which_%s;' % name)
        for f in m.fields:
            note = '' if not isinstance(f.target, Enum) else ' /* enum %s */' % c_name(f.target)
            out.append('    %s%s;%s' % (member_type(f), c_member(f.name), note))
        out += ['};', 'extern const struct pb_desc %s_desc;' % c_name(m), '']
    for m in messages:
        out.append('PB_TYPED(%s)' % c_name(m))
    out += ['', '#endif']


def write_tables(out, messages, enums):
    out.append('/* Generated by tools/gen_proto.py from the .proto files of src/proto; do not edit. */')
    out += ['#include "proto/leat_proto.h"', '#include "proto/pb_reflect.h"', '']
    for e in enums:
        out.append('static const struct pb_enum_value %s_values[] = {' % c_name(e))
        out += ['    {"%s", %d},' % v for v in e.values]
        out.append('};')
        out.append('const struct pb_enum %s_enum = {"%s", %d, %s_values};' %
                   (c_name(e), e.full(), len(e.values), c_name(e)))
    for m in messages:
        write_desc(out, m)
    for what, things in (('desc', messages), ('enum', enums)):
        out.append('const struct pb_%s *const pb_all_%ss[] = {' % (what, what))
        out += ['    &%s_%s,' % (c_name(t), what) for t in sorted(things, key=lambda t: t.full())]
        out += ['};', 'const int pb_num_%ss = %d;' % (what, len(things))]


def write_desc(out, m):
    name, fields = c_name(m), sorted(m.fields, key=lambda f: f.number)
    if fields:
        out.append('static const struct pb_field %s_fields[] = {' % name)
        for f in fields:
            is_message = isinstance(f.target, Message)
            kind = 11 if is_message else 14 if f.target else SCALARS[f.kind][0]
            out.append('    {"%s", %d, %d, %s, %d, offsetof(struct %s, %s), %s, %s},' % (
                f.name, f.number, kind, f.label, -1 if f.oneof is None else f.oneof, name,
                c_member(f.name), '&%s_desc' % c_name(f.target) if is_message else 'NULL',
                '&%s_enum' % c_name(f.target) if f.target and not is_message else 'NULL'))
        out.append('};')
        order = sorted(range(len(fields)), key=lambda i: fields[i].name)
        out.append('static const uint16_t %s_names[] = {%s};' %
                   (name, ', '.join(str(i) for i in order)))
    if m.oneofs:
        out.append('static const struct pb_oneof %s_oneofs[] = {' % name)
        out += ['    {"%s", offsetof(struct %s, which_%s)},' % (o, name, o) for o in m.oneofs]
        out.append('};')
    out.append('const struct pb_desc %s_desc = {"%s", "%s", sizeof(struct %s), %d, %d, %s, %s, %s, %s};'
               % (name, m.full(), m.package, name, len(fields), len(m.oneofs),
                  'true' if m.is_entry else 'false', name + '_fields' if fields else 'NULL',
                  name + '_names' if fields else 'NULL', name + '_oneofs' if m.oneofs else 'NULL'))


def main(argv):
    if len(argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    messages, enums = [], []
    try:
        for path in argv[2:]:
            Parser(path, messages, enums).file()
        resolve(messages, enums)
        check(messages)
    except Bad as e:
        print('gen_proto: %s' % e, file=sys.stderr)
        return 1
    for name, write in (('leat_proto.h', write_header), ('leat_proto.c', write_tables)):
        out = ['/* SPDX-License-Identifier: Apache-2.0 */']
        write(out, messages, enums)
        with open(os.path.join(argv[1], name), 'w', encoding='utf-8') as f:
            f.write('\n'.join(out) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
