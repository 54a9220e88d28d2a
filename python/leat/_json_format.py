# SPDX-License-Identifier: Apache-2.0
"""Messages as JSON: what google.protobuf.json_format offers for TensorFlow's messages."""
import base64
import json
import math

from leat._containers import check_float
from leat._descriptor import MAP, REPEATED
from leat._message import Error as _Error


class Error(_Error):
    """What goes wrong with JSON."""


class SerializeToJsonError(Error):
    """A message that cannot be written."""


class ParseError(Error):
    """A text that is no such message."""


_LONG = (3, 4, 6, 16, 18)  # types whose numbers JSON keeps as texts
_FLOATS = {'NaN': math.nan, 'Infinity': math.inf, '-Infinity': -math.inf}


def _is_wrapper(descriptor):
    name = descriptor.full_name
    return name.startswith('google.protobuf.') and name.endswith('Value')


def MessageToDict(message, including_default_value_fields=False, preserving_proto_field_name=False,
                  use_integers_for_enums=False, descriptor_pool=None, float_precision=None):
    """The message as dicts, lists and scalars."""
    del descriptor_pool
    return _Writer(including_default_value_fields, preserving_proto_field_name,
                   use_integers_for_enums, float_precision).message(message)


def MessageToJson(message, including_default_value_fields=False, preserving_proto_field_name=False,
                  indent=2, sort_keys=False, use_integers_for_enums=False, descriptor_pool=None,
                  float_precision=None, ensure_ascii=True):
    """The message as a text of JSON."""
    tree = MessageToDict(message, including_default_value_fields, preserving_proto_field_name,
                         use_integers_for_enums, descriptor_pool, float_precision)
    return json.dumps(tree, indent=indent, sort_keys=sort_keys, ensure_ascii=ensure_ascii)


class _Writer:
    """The options of one message's writing."""

    def __init__(self, defaults, proto_names, enum_numbers, precision):
        self.defaults, self.proto_names = defaults, proto_names
        self.enum_numbers = enum_numbers
        self.precision = '.%dg' % precision if precision else None

    def message(self, message):
        if _is_wrapper(message.DESCRIPTOR):
            return self.value(message.DESCRIPTOR.fields[0], message.value)
        tree = {}
        for field, value in message.ListFields():
            name = field.name if self.proto_names else field.json_name
            if field.kind == MAP:
                inner = field.message_type.fields_by_name['value']
                tree[name] = {self.key(k): self.value(inner, value[k]) for k in value}
            elif field.kind == REPEATED:
                tree[name] = [self.value(field, v) for v in value]
            else:
                tree[name] = self.value(field, value)
        if self.defaults:
            self.add_defaults(message, tree)
        return tree

    def add_defaults(self, message, tree):
        for field in message.DESCRIPTOR.fields:
            name = field.name if self.proto_names else field.json_name
            if name in tree or field.containing_oneof is not None:
                continue
            if field.kind:
                tree[name] = {} if field.kind == MAP else []
            elif field.type != 11:
                tree[name] = self.value(field, field.default)

    @staticmethod
    def key(key):
        return str(key).lower() if isinstance(key, bool) else str(key)

    def value(self, field, value):
        if field.type == 11:
            return self.message(value)
        if field.type == 14 and not self.enum_numbers:
            found = field.enum_type.values_by_number.get(value)
            return found.name if found else value
        if field.type == 12:
            return base64.b64encode(value).decode('ascii')
        if field.type in _LONG:
            return str(value)
        if field.type in (1, 2):
            return self.number(field, value)
        return value

    def number(self, field, value):
        if math.isinf(value):
            return '-Infinity' if value < 0 else 'Infinity'
        if math.isnan(value):
            return 'NaN'
        if self.precision:
            return float(format(value, self.precision))
        if field.type == 2:
            for digits in (6, 7, 8):
                short = float(format(value, '.%dg' % digits))
                if check_float(short) == value:
                    return short
        return value


def Parse(text, message, ignore_unknown_fields=False, descriptor_pool=None,
          max_recursion_depth=100):
    """Reads a text of JSON into the message, which is returned."""
    if isinstance(text, bytes):
        text = text.decode('utf-8')
    try:
        tree = json.loads(text)
    except ValueError as e:
        raise ParseError('Failed to load JSON: %s.' % e) from None
    return ParseDict(tree, message, ignore_unknown_fields, descriptor_pool, max_recursion_depth)


def ParseDict(js_dict, message, ignore_unknown_fields=False, descriptor_pool=None,
              max_recursion_depth=100):
    """Reads dicts, lists and scalars into the message, which is returned."""
    del descriptor_pool
    _Reader(ignore_unknown_fields).message(js_dict, message, max_recursion_depth)
    return message


class _Reader:
    """The options of one message's reading."""

    def __init__(self, ignore_unknown):
        self.ignore_unknown = ignore_unknown

    def message(self, tree, message, depth):
        descriptor = message.DESCRIPTOR
        if depth <= 0:
            raise ParseError('Message too deep.')
        if _is_wrapper(descriptor):
            message.value = self.scalar(descriptor.fields[0], tree)
            return
        if not isinstance(tree, dict):
            raise ParseError('%s must be in a dict which is %r.' % (descriptor.full_name, tree))
        by_json = descriptor.fields_by_camelcase_name
        for name, value in tree.items():
            field = by_json.get(name) or descriptor.fields_by_name.get(name)
            if field is None:
                if self.ignore_unknown:
                    continue
                raise ParseError('Message type "%s" has no field named "%s".'
                                 % (descriptor.full_name, name))
            if value is None:
                continue
            try:
                self.field(field, value, message, depth - 1)
            except (TypeError, ValueError) as e:
                raise ParseError('Failed to parse %s field: %s.' % (name, e)) from None

    def field(self, field, value, message, depth):
        held = getattr(message, field.name)
        if field.kind == MAP:
            self.map(field, value, held, depth)
        elif field.kind == REPEATED:
            if not isinstance(value, list):
                raise ParseError('repeated field %s must be in [] which is %r.'
                                 % (field.name, value))
            for item in value:
                if field.type == 11:
                    self.message(item, held.add(), depth)
                else:
                    held.append(self.scalar(field, item))
        elif field.type == 11:
            held.SetInParent()
            self.message(value, held, depth)
        else:
            setattr(message, field.name, self.scalar(field, value))

    def map(self, field, value, held, depth):
        if not isinstance(value, dict):
            raise ParseError('Map field %s must be in a dict which is %r.' % (field.name, value))
        key_field, value_field = field.message_type.fields
        for key, item in value.items():
            key = {'true': True, 'false': False}[key] if key_field.type == 8 else (
                self.scalar(key_field, key))
            if value_field.type == 11:
                self.message(item, held[key], depth)
            else:
                held[key] = self.scalar(value_field, item)

    @staticmethod
    def scalar(field, value):
        if field.type == 14 and isinstance(value, str):
            found = field.enum_type.values_by_name.get(value)
            return found.number if found else int(value)
        if field.type == 12:
            return base64.b64decode(value)
        if field.type in (1, 2) and isinstance(value, str):
            return _FLOATS[value] if value in _FLOATS else float(value)
        if field.type not in (8, 9):
            if isinstance(value, str) or (
                    isinstance(value, float) and value.is_integer() and field.type not in (1, 2)):
                return int(value)
        if field.type == 8 and not isinstance(value, bool):
            raise ValueError('Expected true or false without quotes')
        return value
