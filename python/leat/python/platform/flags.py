# SPDX-License-Identifier: Apache-2.0
"""tf.flags: command-line flags, with no package but Python's own.

FLAGS reads sys.argv when a flag's value is first asked for; tf.app.run reads it leniently, leaving
what it does not know to the program. The parsers and the Flag are in _flag_types.py.
"""
import difflib
import os as _os
import sys as _sys
import textwrap

from leat.python.platform import _flag_types
from leat.python.platform._flag_types import (  # noqa: F401
    ArgumentParser, ArgumentSerializer, BaseListParser, BooleanFlag, BooleanParser,
    CantOpenFlagFileError, CsvListSerializer, DuplicateFlagError, EnumClassFlag,
    EnumClassListSerializer, EnumClassParser, EnumClassSerializer, EnumFlag, EnumParser, Error,
    Flag, FlagNameConflictsWithMethodError, FloatParser, IllegalFlagValueError, IntegerParser,
    ListParser, ListSerializer, MultiEnumClassFlag, MultiFlag, UnparsedFlagAccessError,
    UnrecognizedFlagError, ValidationError, WhitespaceSeparatedListParser)

__all__ = [_name for _name in vars(_flag_types) if _name in globals() and _name[0] != '_']
_RENAMED_ARGUMENTS = {'flag_name': 'name', 'default_value': 'default', 'docstring': 'help'}
_HERE = (_os.path.normcase(__file__), _os.path.normcase(_flag_types.__file__))


def _calling_module():
    """The name of the module that defines a flag: the program's path for the main one."""
    frame = _sys._getframe(1)
    while frame is not None and _os.path.normcase(frame.f_code.co_filename) in _HERE:
        frame = frame.f_back
    name = frame.f_globals.get('__name__', '') if frame is not None else ''
    return _sys.argv[0] if name == '__main__' and _sys.argv else name


class FlagHolder:
    """What DEFINE_... returns: the flag's value, later."""

    def __init__(self, flag_values, flag):
        self._flag_values, self._flag = flag_values, flag

    @property
    def name(self):
        return self._flag.name

    @property
    def value(self):
        return getattr(self._flag_values, self._flag.name)

    @property
    def default(self):
        return self._flag.default

    @property
    def present(self):
        return bool(self._flag.present)


class FlagValues:
    """All flags, as attributes; calling it with an argv reads that."""

    def __init__(self):
        self.__dict__['_table'] = {}
        self.__dict__['_modules'] = {}
        self.__dict__['_state'] = {'parsed': False, 'gnu': True}
        self.__dict__['_validators'] = []

    def _flags(self):
        return self._table

    def is_gnu_getopt(self):
        return self._state['gnu']

    def set_gnu_getopt(self, gnu_getopt=True):
        """Whether flags may stand after arguments (they may)."""
        self._state['gnu'] = gnu_getopt

    def is_parsed(self):
        """Whether a command line was read."""
        return self._state['parsed']

    def mark_as_parsed(self):
        """Defaults may be read from now on."""
        self._state['parsed'] = True

    def unparse_flags(self):
        """All flags back to their defaults, as if no command line had been read."""
        for flag in self._table.values():
            flag.unparse()
        self._state['parsed'] = False

    def __setitem__(self, name, flag):
        if not isinstance(flag, Flag):
            raise IllegalFlagValueError('Expect Flag instances, found type %s. Maybe you didn\'t '
                                        'mean to use FlagValue.__setitem__?' % type(flag))
        if not isinstance(name, str) or not name or ' ' in name:
            raise Error('Flag name must be a string without spaces, not %r' % (name,))
        module = _calling_module()
        for key in (name, flag.short_name):
            old = self._table.get(key) if key else None
            if old is not None and old is not flag and not (flag.allow_override
                                                            or old.allow_override):
                raise DuplicateFlagError(
                    "The flag '%s' is defined twice. First from %s, Second from %s.  Description "
                    'from first occurrence: %s'
                    % (key, self._modules.get(key, 'unknown'), module, old.help))
        for key in (name, flag.short_name):
            if key:
                self._table[key] = flag
                self._modules[key] = module

    def __getitem__(self, name):
        return self._table[name]

    def __delattr__(self, name):
        flag = self._table.get(name)
        if flag is None:
            raise AttributeError(name)
        for key in [k for k, f in self._table.items() if f is flag]:
            del self._table[key]

    def __getattr__(self, name):
        if name == '__flags':
            return self._table
        flag = self._table.get(name)
        if flag is None:
            raise AttributeError(name)
        if not self._state['parsed']:
            self(_sys.argv)
        return flag.value

    def __setattr__(self, name, value):
        flag = self._table.get(name)
        if flag is None:
            raise UnrecognizedFlagError(name)
        flag.value = value
        flag.using_default_value = False
        self._validate([v for v in self._validators if name in v[0]])

    def __contains__(self, name):
        return name in self._table

    def __len__(self):
        return len(self._table)

    def __iter__(self):
        return iter(self._table)

    def __dir__(self):
        return sorted(self._table)

    def get_flag_value(self, name, default):
        """The value, or default where it is None or there is no such flag."""
        value = getattr(self, name, None)
        return default if value is None else value

    def set_default(self, name, value):
        """Another default."""
        if name not in self._table:
            raise UnrecognizedFlagError(name)
        self._table[name]._set_default(value)
        self._validate([v for v in self._validators if name in v[0]])

    def flag_values_dict(self):
        """{name: value}."""
        return {name: flag.value for name, flag in self._table.items()}

    def flags_into_string(self):
        """The flags as lines of a flag file."""
        seen, lines = set(), []
        for _, flag in sorted(self._table.items()):
            if id(flag) not in seen and flag.value is not None:
                lines.append(flag.serialize())
            seen.add(id(flag))
        return '\n'.join(lines) + ('\n' if lines else '')

    def append_flag_values(self, flag_values):
        """Takes the flags of another FlagValues in."""
        for name, flag in flag_values._flags().items():
            if name == flag.name:
                self[name] = flag

    def remove_flag_values(self, flag_values):
        """Takes those of another FlagValues out."""
        for name in list(flag_values._flags()):
            if name in self._table:
                delattr(self, name)

    def find_module_defining_flag(self, flagname, default=None):
        """The module that defined a flag."""
        return self._modules.get(flagname, default)

    def register_validator(self, names, check, message):
        """check({name: value}) must hold after the command line was read, and ever after."""
        self._validators.append((tuple(names), check, message))
        if self._state['parsed']:
            self._validate([self._validators[-1]])

    def _validate(self, validators):
        for names, check, message in validators:
            if not check({name: self._table[name].value for name in names}):
                shown = ', '.join('--%s=%s' % (n, self._table[n].value) for n in names)
                word = 'flag' if len(names) == 1 else 'flags'
                raise IllegalFlagValueError('%s %s: %s' % (word, shown, message))

    def __call__(self, argv, known_only=False):
        """Reads a command line: what is no flag, the program's name first.

        With known_only, flags that there are not stay among those."""
        if isinstance(argv, (str, bytes)):
            raise TypeError('argv should be a tuple/list of strings, not bytes or string.')
        if not argv:
            raise ValueError('argv cannot be an empty list, and must contain the program name as '
                             'the first element.')
        for flag in self._table.values():
            flag.present = 0
        rest = self._parse(self._with_files(list(argv[1:])), known_only)
        self._state['parsed'] = True
        self._validate(self._validators)
        return [argv[0]] + rest

    def _with_files(self, args, depth=0):
        """args with the lines of each --flagfile=FILE in its place."""
        out = []
        for i, arg in enumerate(args):
            if arg == '--':
                return out + args[i:]
            name, _, path = arg.lstrip('-').partition('=')
            if not arg.startswith('-') or name != 'flagfile' or not path:
                out.append(arg)
                continue
            if depth > 16:
                raise Error('flag files within flag files, deeper than 16: %s' % path)
            try:
                with open(_os.path.expanduser(path)) as lines:
                    texts = [line.strip() for line in lines]
            except OSError as error:
                raise CantOpenFlagFileError('ERROR:: Unable to open flagfile: %s' % error
                                            ) from None
            out += self._with_files([t for t in texts if t and not t.startswith(('#', '//'))],
                                    depth + 1)
        return out

    def _parse(self, args, known_only):
        rest, unknown, undefok = [], [], set()
        args = iter(args)
        for arg in args:
            if not arg.startswith('-') or arg == '-':
                rest.append(arg)
                if not self._state['gnu']:
                    break
                continue
            if arg == '--':
                if known_only:
                    rest.append(arg)
                break
            name, equals, value = arg[2 if arg.startswith('--') else 1:].partition('=')
            if name == 'undefok':
                names = value if equals else next(args, '')
                undefok.update(n.strip() for n in names.split(','))
                undefok.update('no' + n.strip() for n in names.split(','))
                continue
            if not self._take(name, value if equals else None, args):
                if known_only:
                    rest.append(arg)
                else:
                    unknown.append((name, arg))
        rest.extend(args)
        for name, arg in unknown:
            if name not in undefok:
                near = difflib.get_close_matches(name, list(self._table), 3, 0.8)
                raise UnrecognizedFlagError(name, arg, near)
        return rest

    def _take(self, name, value, args):
        """Gives one flag its value: False when there is no such flag."""
        flag = self._table.get(name)
        if flag is not None:
            if value is None and flag.boolean:
                value = 'true'
            elif value is None:
                value = next(args, None)
                if value is None:
                    raise Error('Missing value for flag --%s' % name)
        elif name.startswith('no'):
            flag = self._table.get(name[2:])
            if flag is None or not flag.boolean:
                return False
            if value is not None:
                raise IllegalFlagValueError('flag --%s=%s: takes no value' % (name, value))
            value = 'false'
        else:
            return False
        flag.parse(value)
        return True

    def _help_of(self, flags, prefix=''):
        lines = []
        for flag in sorted({id(f): f for f in flags}.values(), key=lambda f: f.name):
            head = '-%s,' % flag.short_name if flag.short_name else ''
            head += '--%s%s: ' % ('[no]' if flag.boolean else '', flag.name)
            lines += textwrap.wrap(prefix + '  ' + head + flag.help, get_help_width(),
                                   subsequent_indent=prefix + '    ') or [prefix + '  ' + head]
            if flag.default_as_str:
                lines.append(prefix + '    (default: %s)' % flag.default_as_str)
            if flag.parser.syntactic_help:
                lines.append(prefix + '    (%s)' % flag.parser.syntactic_help)
            if isinstance(flag, MultiFlag):
                lines.append(prefix + '    (an option that may be repeated)')
        return '\n'.join(lines)

    def module_help(self, module):
        """The help of one module's flags."""
        name = module if isinstance(module, str) else module.__name__
        flags = [f for key, f in self._table.items() if self._modules.get(key) == name]
        return '\n%s:\n%s' % (name, self._help_of(flags)) if flags else ''

    def main_module_help(self):
        """The help of the program's own flags."""
        return self.module_help(_sys.argv[0])

    def get_help(self, prefix='', include_special_flags=True):
        """The help of all flags, the program's first."""
        del include_special_flags
        modules = sorted(set(self._modules.values()), key=lambda m: (m != _sys.argv[0], m))
        return '\n'.join(prefix + self.module_help(module) for module in modules)

    def _parse_flags(self, args=None):
        """What programs older than 1.5 call before they read flags."""
        self(([_sys.argv[0]] + list(args)) if args is not None else _sys.argv, known_only=True)


FLAGS = FlagValues()


def _renamed(define):
    """define, taking the names that arguments had before 1.5 too."""
    def call(*args, **kwargs):
        for old, new in _RENAMED_ARGUMENTS.items():
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return define(*args, **kwargs)
    call.__name__, call.__doc__, call.__wrapped__ = define.__name__, define.__doc__, define
    return call


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):
    """Adds a Flag that was made by hand."""
    del module_name
    if required and flag.default is not None:
        raise ValueError('Required flag --%s cannot have a non-None default' % flag.name)
    flag_values[flag.name] = flag
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag)


def DEFINE(parser, name, default, help, flag_values=FLAGS, serializer=None, module_name=None,
           required=False, **args):
    """A flag with a parser of one's own."""
    return DEFINE_flag(Flag(parser, serializer, name, default, help, **args), flag_values,
                       module_name, required)


@_renamed
def DEFINE_string(name, default, help, flag_values=FLAGS, required=False, **args):
    """A flag whose value is a text."""
    return DEFINE(ArgumentParser(), name, default, help, flag_values, ArgumentSerializer(),
                  required=required, **args)


@_renamed
def DEFINE_boolean(name, default, help, flag_values=FLAGS, module_name=None, required=False,
                   **args):
    """A flag that is --name or --noname."""
    return DEFINE_flag(BooleanFlag(name, default, help, **args), flag_values, module_name,
                       required)


DEFINE_bool = DEFINE_boolean


@_renamed
def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS,
                 required=False, **args):
    """A flag whose value is a float."""
    return DEFINE(FloatParser(lower_bound, upper_bound), name, default, help, flag_values,
                  ArgumentSerializer(), required=required, **args)


@_renamed
def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS,
                   required=False, **args):
    """A flag whose value is an int."""
    return DEFINE(IntegerParser(lower_bound, upper_bound), name, default, help, flag_values,
                  ArgumentSerializer(), required=required, **args)


@_renamed
def DEFINE_enum(name, default, enum_values, help, flag_values=FLAGS, module_name=None,
                required=False, **args):
    """A flag whose value is one of some texts."""
    return DEFINE_flag(EnumFlag(name, default, help, enum_values, **args), flag_values,
                       module_name, required)


@_renamed
def DEFINE_enum_class(name, default, enum_class, help, flag_values=FLAGS, module_name=None,
                      case_sensitive=False, required=False, **args):
    """A flag whose value is a member of an enum.Enum."""
    return DEFINE_flag(EnumClassFlag(name, default, help, enum_class,
                                     case_sensitive=case_sensitive, **args), flag_values,
                       module_name, required)


@_renamed
def DEFINE_list(name, default, help, flag_values=FLAGS, required=False, **args):
    """A flag whose value is a list of texts between commas."""
    return DEFINE(ListParser(), name, default, help, flag_values, CsvListSerializer(','),
                  required=required, **args)


@_renamed
def DEFINE_spaceseplist(name, default, help, comma_compat=False, flag_values=FLAGS,
                        required=False, **args):
    """A flag whose value is a list of texts between spaces."""
    return DEFINE(WhitespaceSeparatedListParser(comma_compat), name, default, help, flag_values,
                  ListSerializer(' '), required=required, **args)


def DEFINE_multi(parser, serializer, name, default, help, flag_values=FLAGS, module_name=None,
                 required=False, **args):
    """A flag that may be given many times, with a parser of one's own."""
    return DEFINE_flag(MultiFlag(parser, serializer, name, default, help, **args), flag_values,
                       module_name, required)


@_renamed
def DEFINE_multi_string(name, default, help, flag_values=FLAGS, required=False, **args):
    """Texts, one each time that it is given."""
    return DEFINE_multi(ArgumentParser(), ArgumentSerializer(), name, default, help, flag_values,
                        required=required, **args)


@_renamed
def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None,
                         flag_values=FLAGS, required=False, **args):
    """Ints, one each time that it is given."""
    return DEFINE_multi(IntegerParser(lower_bound, upper_bound), ArgumentSerializer(), name,
                        default, help, flag_values, required=required, **args)


@_renamed
def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None,
                       flag_values=FLAGS, required=False, **args):
    """Floats, one each time that it is given."""
    return DEFINE_multi(FloatParser(lower_bound, upper_bound), ArgumentSerializer(), name, default,
                        help, flag_values, required=required, **args)


@_renamed
def DEFINE_multi_enum(name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True,
                      required=False, **args):
    """Some of some texts."""
    return DEFINE_multi(EnumParser(enum_values, case_sensitive), ArgumentSerializer(), name,
                        default, '<%s>: %s' % ('|'.join(enum_values), help), flag_values,
                        required=required, **args)


@_renamed
def DEFINE_multi_enum_class(name, default, enum_class, help, flag_values=FLAGS, module_name=None,
                            case_sensitive=False, required=False, **args):
    """Members of an enum.Enum."""
    return DEFINE_flag(MultiEnumClassFlag(name, default, help, enum_class, case_sensitive, **args),
                       flag_values, module_name, required)


def DEFINE_alias(name, original_name, flag_values=FLAGS, module_name=None):
    """Another name of a flag."""
    del module_name
    if original_name not in flag_values:
        raise UnrecognizedFlagError(original_name)
    flag = flag_values[original_name]
    if name in flag_values:
        raise DuplicateFlagError("The flag '%s' is defined twice." % name)
    flag_values._flags()[name] = flag
    return FlagHolder(flag_values, flag)


def register_validator(flag_name, checker, message='Flag validation failed', flag_values=FLAGS):
    """checker(value) must hold."""
    if flag_name not in flag_values:
        raise UnrecognizedFlagError(flag_name)
    flag_values.register_validator([flag_name], lambda values: checker(values[flag_name]), message)


def register_multi_flags_validator(flag_names, multi_flags_checker,
                                   message='Flags validation failed', flag_values=FLAGS):
    """multi_flags_checker({name: value}) must hold."""
    flag_values.register_validator(flag_names, multi_flags_checker, message)


def validator(flag_name, message='Flag validation failed', flag_values=FLAGS):
    """Decorates a function that checks a flag's value."""
    def decorate(function):
        register_validator(flag_name, function, message, flag_values)
        return function
    return decorate


def multi_flags_validator(flag_names, message='Flag validation failed', flag_values=FLAGS):
    """Decorates a function that checks several flags' values."""
    def decorate(function):
        register_multi_flags_validator(flag_names, function, message, flag_values)
        return function
    return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    """The flag must not be None."""
    if flag_values[flag_name].default is not None:
        import warnings
        warnings.warn('Flag --%s has a non-None default value; therefore, mark_flag_as_required '
                      'will pass even if flag is not specified in the command line!' % flag_name,
                      stacklevel=2)
    register_validator(flag_name, lambda value: value is not None,
                       'Flag --{} must have a value other than None.'.format(flag_name),
                       flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    """None of them may be None."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """At most one of them (with required, one) may be other than None."""
    def check(values):
        given = sum(value is not None for value in values.values())
        return given == 1 or (not required and given == 0)
    register_multi_flags_validator(
        flag_names, check, '%s one of (%s) must have a value other than None.'
        % ('Exactly' if required else 'At most', ', '.join(flag_names)), flag_values)


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """At most one of them (with required, one) may be True."""
    def check(values):
        given = sum(bool(value) for value in values.values())
        return given == 1 or (not required and given == 0)
    register_multi_flags_validator(
        flag_names, check, '%s one of (%s) must be True.'
        % ('Exactly' if required else 'At most', ', '.join(flag_names)), flag_values)


def adopt_module_key_flags(module, flag_values=FLAGS):
    """Counts another module's flags as one's own in the help: they are listed anyway."""
    del module, flag_values


def declare_key_flag(flag_name, flag_values=FLAGS):
    """Counts a flag as one's own in the help: it is listed anyway."""
    if flag_name not in flag_values:
        raise UnrecognizedFlagError(flag_name)


def disclaim_key_flags():
    """Takes back what declare_key_flag said."""


def set_default(flag_holder, value):
    """Another default for a flag."""
    flag_holder._flag_values.set_default(flag_holder.name, value)


def override_value(flag_holder, value):
    """Another value for a flag, checked as if it came from the command line."""
    flag = flag_holder._flag
    flag.value = flag._parse(value)
    flag.using_default_value = False


def get_help_width():
    """Columns of the help."""
    return 80


def text_wrap(text, length=None, indent='', firstline_indent=None):
    """A text in lines of a width."""
    first = indent if firstline_indent is None else firstline_indent
    return '\n'.join(textwrap.fill(part, length or get_help_width(), initial_indent=first,
                                   subsequent_indent=indent) for part in text.splitlines())


def doc_to_help(doc):
    """A docstring as a help text."""
    return textwrap.dedent(doc).strip()


def flag_dict_to_args(flag_map, multi_flags=None):
    """{name: value} as arguments of a command line."""
    for name, value in flag_map.items():
        if value is None:
            yield '--%s' % name
        elif isinstance(value, bool):
            yield '--%s' % name if value else '--no%s' % name
        elif isinstance(value, (bytes, str)):
            yield '--%s=%s' % (name, value)
        elif multi_flags and name in multi_flags:
            for item in value:
                yield '--%s=%s' % (name, item)
        else:
            try:
                yield '--%s=%s' % (name, ','.join(str(item) for item in value))
            except TypeError:
                yield '--%s=%s' % (name, value)


__all__ += [_name for _name in list(globals())
            if _name.startswith(('DEFINE', 'mark_', 'register_')) or _name in (
                'FLAGS', 'FlagHolder', 'FlagValues', 'validator', 'multi_flags_validator',
                'set_default', 'override_value')]
