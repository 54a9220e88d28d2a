# SPDX-License-Identifier: Apache-2.0
"""The text form of messages: what google.protobuf.text_format offers, over the library's codec."""
import re

from leat import _descriptor, _message
from leat._load import core


class Error(Exception):
    """What goes wrong with texts."""


class ParseError(Error):
    """A text that is no such message."""

    def __init__(self, message=None, line=None, column=None):
        super().__init__(message)
        self._line, self._column = line, column

    def GetLine(self):
        return self._line

    def GetColumn(self):
        return self._column


def _parse_error(text):
    found = re.match(r'[^:]*: (\d+):(\d+): (.*)', text, re.S)
    if not found:
        return ParseError(text)
    line, column, rest = int(found.group(1)), int(found.group(2)), found.group(3)
    return ParseError('%d:%d : %s' % (line, column, rest), line, column)


def _merge(text, message, **unused):
    del unused
    if isinstance(text, bytes):
        text = text.decode('utf-8')
    try:
        tree = core.message_parse(message.DESCRIPTOR.full_name, text)
    except core.Error as e:
        raise _parse_error(e.args[-1]) from None
    message._merge(tree)
    return message


def Merge(text, message, allow_unknown_extension=False, allow_field_number=False,
          descriptor_pool=None, allow_unknown_field=False):
    """Merges a text into the message, which is returned."""
    return _merge(text, message)


Parse = Merge


def MergeLines(lines, message, allow_unknown_extension=False, allow_field_number=False,
               descriptor_pool=None, allow_unknown_field=False):
    """Merges lines of text into the message, which is returned."""
    lines = [line.decode('utf-8') if isinstance(line, bytes) else line for line in lines]
    return _merge('\n'.join(line.rstrip('\n') for line in lines), message)


ParseLines = MergeLines


def MessageToString(message, as_utf8=False, as_one_line=False, use_short_repeated_primitives=False,
                    pointy_brackets=False, use_index_order=False, float_format=None,
                    double_format=None, use_field_number=False, descriptor_pool=None, indent=0,
                    message_formatter=None, print_unknown_fields=False, force_colon=False):
    """The message as text."""
    del use_index_order, descriptor_pool, print_unknown_fields
    special = (as_utf8, as_one_line, use_short_repeated_primitives, pointy_brackets, float_format,
               double_format, use_field_number, indent, message_formatter, force_colon)
    if not any(special):
        return core.message_print(message.DESCRIPTOR.full_name, message)
    printer = _Printer(*special)
    printer.message(message, indent)
    text = ''.join(printer.out)
    return text.rstrip() if as_one_line else text


def MessageToBytes(message, **kwargs):
    """The message as text in bytes."""
    return MessageToString(message, **kwargs).encode(
        'utf-8' if kwargs.get('as_utf8') else 'ascii', 'backslashreplace')


def PrintMessage(message, out, indent=0, **kwargs):
    """Writes the message's text to the file out."""
    out.write(MessageToString(message, indent=indent, **kwargs))


def PrintField(field, value, out, indent=0, **kwargs):
    """Writes one field, as a line of its own."""
    printer = _printer(indent=indent, **kwargs)
    printer.field(field, value, indent)
    out.write(''.join(printer.out))


def PrintFieldValue(field, value, out, indent=0, **kwargs):
    """Writes the value of one field that is no message."""
    out.write(_printer(indent=indent, **kwargs).value(field, value))


def _printer(as_utf8=False, as_one_line=False, use_short_repeated_primitives=False,
             pointy_brackets=False, float_format=None, double_format=None, use_field_number=False,
             indent=0, message_formatter=None, force_colon=False, **unused):
    del unused
    return _Printer(as_utf8, as_one_line, use_short_repeated_primitives, pointy_brackets,
                    float_format, double_format, use_field_number, indent, message_formatter,
                    force_colon)


class _Printer:
    """Text with options; what the library prints is this without any."""

    def __init__(self, as_utf8, one_line, short, pointy, float_format, double_format, numbers,
                 indent, formatter, colon):
        self.as_utf8, self.one_line, self.short, self.pointy = as_utf8, one_line, short, pointy
        self.float_format, self.double_format = float_format, double_format or float_format
        self.numbers, self.formatter, self.colon = numbers, formatter, colon
        self.out = []
        del indent

    def message(self, message, indent):
        if self.formatter is not None:
            text = self.formatter(message, indent, self.one_line)
            if text:
                self.out.append(' ' * indent + text + (' ' if self.one_line else '\n'))
                return
        for field, value in message.ListFields():
            if field.kind == _descriptor.MAP:
                self._map(field, value, indent)
            elif field.kind != _descriptor.REPEATED:
                self.field(field, value, indent)
            elif self.short and field.type not in (9, 11, 12):
                self._start(field, indent)
                self.out.append(': [%s]' % ', '.join(self.value(field, v) for v in value))
                self.out.append(' ' if self.one_line else '\n')
            else:
                for item in value:
                    self.field(field, item, indent)

    def _start(self, field, indent):
        if not self.one_line:
            self.out.append(' ' * indent)
        self.out.append(str(field.number) if self.numbers else field.name)

    def _map(self, field, values, indent):
        entry = _message.message_class(field.message_type.full_name)
        for key in sorted(values):
            pair = entry()
            pair.key = key
            if field.message_type.fields[1].type == 11:
                pair._f['value'] = values[key]
            else:
                pair.value = values[key]
            self.field(field, pair, indent)

    def field(self, field, value, indent):
        self._start(field, indent)
        end = ' ' if self.one_line else '\n'
        if field.type == 11:
            opening, closing = ('<', '>') if self.pointy else ('{', '}')
            self.out.append('%s %s%s' % (':' if self.colon else '', opening, end))
            self.message(value, indent + 2)
            self.out.append('' if self.one_line else ' ' * indent)
            self.out.append(closing + end)
        else:
            self.out.append(': %s%s' % (self.value(field, value), end))

    def value(self, field, value):
        if field.type in (9, 12):
            return '"%s"' % _escaped(value, self.as_utf8)
        if field.type == 8:
            return 'true' if value else 'false'
        if field.type == 14:
            found = field.enum_type.values_by_number.get(value)
            return found.name if found else str(value)
        if field.type == 2 and self.float_format is not None:
            return format(value, self.float_format)
        if field.type == 1 and self.double_format is not None:
            return format(value, self.double_format)
        if field.type in (1, 2):
            return _number(field, value)
        return str(value)


def _number(field, value):
    """A float as the library prints it."""
    wrapper, name = (('tensorflow.FloatList' if field.type == 2 else 'tensorflow.HistogramProto'),
                     ('value' if field.type == 2 else 'bucket'))
    return core.message_print(wrapper, {name: [value]})[len(name) + 2:-1]


def _escaped(value, as_utf8):
    if isinstance(value, str):
        if as_utf8:
            return ''.join(_ESCAPES.get(c, c) for c in value)
        value = value.encode('utf-8')
    return ''.join(_ESCAPES.get(chr(b)) or (chr(b) if 0x20 <= b < 0x7f else '\\%03o' % b)
                   for b in value)


_ESCAPES = {'"': '\\"', "'": "\\'", '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
