# SPDX-License-Identifier: Apache-2.0
"""Command-line flags: parsers of their texts, the Flag itself, and its errors (see flags.py)."""
import csv
import io


class Error(Exception):
    """What goes wrong with flags."""


class CantOpenFlagFileError(Error):
    """A --flagfile cannot be read."""


class DuplicateFlagError(Error):
    """A flag was defined twice."""


class IllegalFlagValueError(Error):
    """A text is no value of its flag."""


class ValidationError(Error):
    """A value does not satisfy its flag's validator."""


class FlagNameConflictsWithMethodError(Error):
    """A flag's name is one of FLAGS' methods."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was."""


class UnrecognizedFlagError(Error):
    """There is no flag of this name."""

    def __init__(self, flagname, flagvalue='', suggestions=None):
        self.flagname = flagname
        self.flagvalue = flagvalue
        tip = '. Did you mean: %s ?' % ', '.join(suggestions) if suggestions else ''
        super().__init__("Unknown command line flag '%s'%s" % (flagname, tip))


class ArgumentParser:
    """Turns a text into a value: here, the text."""

    syntactic_help = ''

    def parse(self, argument):
        """The value; ValueError or TypeError for what is none."""
        if not isinstance(argument, str):
            raise TypeError('flag value must be a string, found "%s"' % type(argument))
        return argument

    def flag_type(self):
        return 'string'


class ArgumentSerializer:
    """Turns a value into a text."""

    def serialize(self, value):
        return str(value)


class NumericParser(ArgumentParser):
    """A number, perhaps within bounds."""

    number_name, number_article = 'number', 'a'

    def __init__(self, lower_bound=None, upper_bound=None):
        super().__init__()
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.syntactic_help = '%s %s' % (self.number_article, self.number_name)
        if lower_bound is not None and upper_bound is not None:
            self.syntactic_help += ' in the range [%s, %s]' % (lower_bound, upper_bound)
        elif lower_bound is not None:
            self.syntactic_help += ' >= %s' % lower_bound
        elif upper_bound is not None:
            self.syntactic_help += ' <= %s' % upper_bound

    def is_outside_bounds(self, value):
        return ((self.lower_bound is not None and value < self.lower_bound)
                or (self.upper_bound is not None and value > self.upper_bound))

    def parse(self, argument):
        value = self.convert(argument)
        if self.is_outside_bounds(value):
            raise ValueError('%s is not %s' % (value, self.syntactic_help))
        return value


class FloatParser(NumericParser):
    """A float."""

    def convert(self, argument):
        if isinstance(argument, (int, float, str)) and not isinstance(argument, bool):
            return float(argument)
        try:
            return float(argument)
        except TypeError:
            raise TypeError('Expect argument to be a string, int, or float, found {}'.format(
                type(argument))) from None

    def flag_type(self):
        return 'float'


class IntegerParser(NumericParser):
    """An int: decimal, 0x..., 0o..."""

    number_name, number_article = 'integer', 'an'

    def convert(self, argument):
        if isinstance(argument, int) and not isinstance(argument, bool):
            return argument
        if isinstance(argument, str):
            base = 10
            if len(argument) > 2 and argument[0] == '0':
                base = {'o': 8, 'x': 16}.get(argument[1], 10)
            return int(argument, base)
        if hasattr(argument, '__index__') and not isinstance(argument, bool):
            return int(argument)
        raise TypeError('Expect argument to be a string or int, found {}'.format(type(argument)))

    def flag_type(self):
        return 'int'


class BooleanParser(ArgumentParser):
    """true, t, 1; false, f, 0."""

    def parse(self, argument):
        if isinstance(argument, str):
            if argument.lower() in ('true', 't', '1'):
                return True
            if argument.lower() in ('false', 'f', '0'):
                return False
            raise ValueError('Non-boolean argument to boolean flag', argument)
        if isinstance(argument, (int, float)) and argument == bool(argument):
            return bool(argument)
        raise TypeError('Non-boolean argument to boolean flag', argument)

    def flag_type(self):
        return 'bool'


class EnumParser(ArgumentParser):
    """One of some texts."""

    def __init__(self, enum_values, case_sensitive=True):
        if not enum_values:
            raise ValueError('enum_values cannot be empty, found "%s"' % (enum_values,))
        super().__init__()
        self.enum_values = list(enum_values)
        self.case_sensitive = case_sensitive

    def parse(self, argument):
        for value in self.enum_values:
            if argument == value or (not self.case_sensitive and isinstance(argument, str)
                                     and argument.lower() == value.lower()):
                return value
        raise ValueError('value should be one of <%s>' % '|'.join(self.enum_values))

    def flag_type(self):
        return 'string enum'


class EnumClassParser(ArgumentParser):
    """A member of an enum.Enum, by name."""

    def __init__(self, enum_class, case_sensitive=True):
        super().__init__()
        self.enum_class, self.case_sensitive = enum_class, case_sensitive
        self._members = {(m if case_sensitive else m.lower()): enum_class[m]
                         for m in enum_class.__members__}
        self.enum_names = list(self._members)

    def parse(self, argument):
        if isinstance(argument, self.enum_class):
            return argument
        if not isinstance(argument, str):
            raise ValueError('value should be one of <%s>' % '|'.join(self.enum_names))
        found = self._members.get(argument if self.case_sensitive else argument.lower())
        if found is None:
            raise ValueError('value should be one of <%s>' % '|'.join(self.enum_names))
        return found

    def flag_type(self):
        return 'enum class'


class EnumClassSerializer(ArgumentSerializer):
    """The name of a member."""

    def __init__(self, lowercase=False):
        self._lowercase = lowercase

    def serialize(self, value):
        return value.name.lower() if self._lowercase else value.name


class BaseListParser(ArgumentParser):
    """A list of texts between separators."""

    def __init__(self, token=None, name=None):
        super().__init__()
        self._token, self._name = token, name
        self.syntactic_help = 'a %s separated list' % name

    def parse(self, argument):
        if isinstance(argument, list):
            return argument
        if not argument:
            return []
        return [s.strip() for s in argument.split(self._token)]

    def flag_type(self):
        return '%s separated list of strings' % self._name


class ListParser(BaseListParser):
    """Texts between commas, quoted as in CSV."""

    def __init__(self):
        super().__init__(',', 'comma')

    def parse(self, argument):
        if isinstance(argument, (list, tuple)):
            return list(argument)
        if not argument:
            return []
        try:
            return [s.strip() for s in next(iter(csv.reader([argument], strict=True)))]
        except csv.Error as error:
            raise ValueError('Unable to parse the value %r as a %s: %s'
                             % (argument, self.flag_type(), error)) from None


class WhitespaceSeparatedListParser(BaseListParser):
    """Texts between spaces (and commas, when told so)."""

    def __init__(self, comma_compat=False):
        self._comma_compat = comma_compat
        super().__init__(None, 'whitespace or comma' if comma_compat else 'whitespace')

    def parse(self, argument):
        if isinstance(argument, (list, tuple)):
            return list(argument)
        if not argument:
            return []
        return (argument.replace(',', ' ') if self._comma_compat else argument).split()


class ListSerializer(ArgumentSerializer):
    """Items joined by a separator."""

    def __init__(self, list_sep):
        self.list_sep = list_sep

    def serialize(self, value):
        return self.list_sep.join(str(item) for item in value)


class CsvListSerializer(ListSerializer):
    """Items as a line of CSV."""

    def serialize(self, value):
        out = io.StringIO()
        csv.writer(out, delimiter=self.list_sep).writerow([str(item) for item in value])
        return out.getvalue().strip()


class EnumClassListSerializer(ListSerializer):
    """Names of members joined by a separator."""

    def __init__(self, list_sep, **kwargs):
        super().__init__(list_sep)
        self._element = EnumClassSerializer(**kwargs)

    def serialize(self, value):
        return self.list_sep.join(self._element.serialize(item) for item in value)


class Flag:
    """A flag: name, help, default, and the value that it has now."""

    boolean = False
    allow_override = False
    allow_hide_cpp = False

    def __init__(self, parser, serializer, name, default, help_string, short_name=None,
                 boolean=False, allow_override=False, allow_override_cpp=False,
                 allow_hide_cpp=False, allow_overwrite=True, allow_using_method_names=False):
        self.parser, self.serializer = parser, serializer
        self.name, self.short_name = name, short_name
        self.help = help_string or '(no help available)'
        self.boolean, self.allow_override = boolean, allow_override
        self.allow_overwrite = allow_overwrite
        self.present = 0
        self.using_default_value = True
        self.validators = []
        self._value = None
        self._set_default(default)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value

    def _set_default(self, value):
        self.default_unparsed = value
        self.default = None if value is None else self._parse_from_default(value)
        self.default_as_str = self._text_of(self.default)
        if self.using_default_value:
            self._value = self.default

    def _parse_from_default(self, value):
        return self._parse(value)

    def _parse(self, argument):
        try:
            return self.parser.parse(argument)
        except (TypeError, ValueError, OverflowError) as error:
            raise IllegalFlagValueError('flag --%s=%s: %s' % (self.name, argument, error)
                                        ) from None

    def _text_of(self, value):
        if value is None:
            return None
        if self.serializer:
            return repr(self.serializer.serialize(value))
        if self.boolean:
            return repr('true' if value else 'false')
        return repr(str(value))

    def parse(self, argument):
        """Takes a value from the command line."""
        if self.present and not self.allow_overwrite:
            raise IllegalFlagValueError('flag --%s=%s: already defined as %s'
                                        % (self.name, argument, self.value))
        self.value = self._parse(argument)
        self.present += 1
        self.using_default_value = False

    def unparse(self):
        """Back to the default."""
        self.value = self.default
        self.using_default_value = True
        self.present = 0

    def serialize(self):
        """The flag as it stands on a command line."""
        if self.value is None:
            return ''
        if self.boolean:
            return '--%s%s' % ('' if self.value else 'no', self.name)
        text = self.serializer.serialize(self.value) if self.serializer else str(self.value)
        return '--%s=%s' % (self.name, text)

    def flag_type(self):
        return self.parser.flag_type()


class BooleanFlag(Flag):
    """--name, --noname, --name=true."""

    def __init__(self, name, default, help, short_name=None, **args):
        super().__init__(BooleanParser(), None, name, default, help, short_name, True, **args)


class EnumFlag(Flag):
    """A flag with one of some texts."""

    def __init__(self, name, default, help, enum_values, short_name=None, case_sensitive=True,
                 **args):
        super().__init__(EnumParser(enum_values, case_sensitive), ArgumentSerializer(), name,
                         default, '<%s>: %s' % ('|'.join(enum_values),
                                                help or '(no help available)'), short_name, **args)


class EnumClassFlag(Flag):
    """A flag with a member of an enum.Enum."""

    def __init__(self, name, default, help, enum_class, short_name=None, case_sensitive=False,
                 **args):
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassSerializer(not case_sensitive), name, default,
                         '<%s>: %s' % ('|'.join(parser.enum_names),
                                       help or '(no help available)'), short_name, **args)


class MultiFlag(Flag):
    """A flag that may be given many times: its value is the list."""

    def parse(self, arguments):
        items = self._parse(arguments)
        if self.present:
            self.value.extend(items)
        else:
            self.value = items
        self.present += len(items)
        self.using_default_value = False

    def _parse(self, arguments):
        if isinstance(arguments, (list, tuple)):
            return [Flag._parse(self, item) for item in arguments]
        return [Flag._parse(self, arguments)]

    def _text_of(self, value):
        if value is None:
            return None
        texts = [self.serializer.serialize(v) if self.serializer else str(v) for v in value]
        return repr(texts)

    def serialize(self):
        if self.value is None:
            return ''
        return '\n'.join('--%s=%s' % (self.name, self.serializer.serialize(v) if self.serializer
                                      else v) for v in self.value)

    def flag_type(self):
        return 'multi ' + self.parser.flag_type()


class MultiEnumClassFlag(MultiFlag):
    """A list of members of an enum.Enum."""

    def __init__(self, name, default, help_string, enum_class, case_sensitive=False, **args):
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassListSerializer(',', lowercase=not case_sensitive), name,
                         default, '<%s>: %s' % ('|'.join(parser.enum_names),
                                                help_string or '(no help available)'), **args)

    def _text_of(self, value):
        return None if value is None else repr(self.serializer.serialize(value))
