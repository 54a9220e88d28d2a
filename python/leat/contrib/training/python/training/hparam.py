# SPDX-License-Identifier: Apache-2.0
"""HParams: named values of few types, that a program overrides from text."""
import json
import numbers
import re

_PARAM = re.compile(r'(?P<name>[a-zA-Z][\w\.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*'
                    r'((?P<val>[^,\[]*)|\[(?P<vals>[^\]]*)\])($|,\s*)')


def _parse_fail(name, var_type, value, values):
    raise ValueError('Could not parse hparam \'%s\' of type \'%s\' with value \'%s\' in %s'
                     % (name, var_type.__name__, value, values))


def _reuse_fail(name, values):
    raise ValueError('Multiple assignments to variable \'%s\' in %s' % (name, values))


def _process_scalar_value(name, parse_fn, var_type, m_dict, values, results_dictionary):
    try:
        parsed = parse_fn(m_dict['val'])
    except ValueError:
        _parse_fail(name, var_type, m_dict['val'], values)
    if not m_dict['index']:
        if name in results_dictionary:
            _reuse_fail(name, values)
        results_dictionary[name] = parsed
        return
    if name in results_dictionary:
        if not isinstance(results_dictionary.get(name), dict):
            _reuse_fail(name, values)
    else:
        results_dictionary[name] = {}
    index = int(m_dict['index'])
    if index in results_dictionary[name]:
        _reuse_fail('{}[{}]'.format(name, index), values)
    results_dictionary[name][index] = parsed


def _process_list_value(name, parse_fn, var_type, m_dict, values, results_dictionary):
    if m_dict['index'] is not None:
        raise ValueError('Assignment of a list to a list index.')
    elements = filter(None, re.split('[ ,]', m_dict['vals']))
    if name in results_dictionary:
        raise _reuse_fail(name, values)
    try:
        results_dictionary[name] = [parse_fn(e) for e in elements]
    except ValueError:
        _parse_fail(name, var_type, m_dict['vals'], values)


def _cast_to_type_if_compatible(name, param_type, value):
    """The value as the type; ValueError where that would lose or change something."""
    message = 'Could not cast hparam \'%s\' of type \'%s\' from value %r' % (name, param_type,
                                                                             value)
    if issubclass(param_type, type(None)):
        return value
    if issubclass(param_type, (str, bytes)) and not isinstance(value, (str, bytes)):
        raise ValueError(message)
    if issubclass(param_type, bool) != isinstance(value, bool):
        raise ValueError(message)
    if issubclass(param_type, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise ValueError(message)
    if issubclass(param_type, numbers.Number) and not isinstance(value, numbers.Number):
        raise ValueError(message)
    return param_type(value)


def _parse_bool(value):
    if value in ('true', 'True'):
        return True
    if value in ('false', 'False'):
        return False
    try:
        return bool(int(value))
    except ValueError:
        raise ValueError('Could not parse %r as bool' % value) from None


def parse_values(values, type_map, ignore_unknown=False):
    """{name: value} of text like 'a=1,b=[2,3],c[4]=5'."""
    results = {}
    pos = 0
    while pos < len(values):
        match = _PARAM.match(values, pos)
        if not match:
            raise ValueError('Malformed hyperparameter value: %s' % values[pos:])
        pos = match.end()
        m_dict = match.groupdict()
        name = m_dict['name']
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError('Unknown hyperparameter type for %s' % name)
        var_type = type_map[name]
        parse = _parse_bool if var_type == bool else var_type
        if m_dict['val'] is not None:
            _process_scalar_value(name, parse, var_type, m_dict, values, results)
        elif m_dict['vals'] is not None:
            _process_list_value(name, parse, var_type, m_dict, values, results)
        else:
            _parse_fail(name, var_type, '', values)
    return results


class HParams(object):
    """Values by name, each of the type that it began with."""

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def is not None:
            raise NotImplementedError('HParamDef messages are not there')
        self._hparam_types = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """A new value."""
        if getattr(self, name, None) is not None:
            raise ValueError('Hyperparameter name is reserved: %s' % name)
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError('Multi-valued hyperparameters cannot be empty: %s' % name)
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Another value of the same type."""
        param_type, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError('Must not pass a list for single-valued parameter: %s' % name)
            setattr(self, name, [_cast_to_type_if_compatible(name, param_type, v)
                                 for v in value])
        else:
            if is_list:
                raise ValueError('Must pass a list for multi-valued parameter: %s.' % name)
            setattr(self, name, _cast_to_type_if_compatible(name, param_type, value))

    def del_hparam(self, name):
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Overrides by text."""
        type_map = {name: t[0] for name, t in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, type_map))

    def override_from_dict(self, values_dict):
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map):
        return self.override_from_dict(values_dict=values_map)

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """The values as text, without functions."""
        values = {k: v for k, v in self.values().items() if not callable(v)}
        return json.dumps(values, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json):
        return self.override_from_dict(json.loads(values_json))

    def values(self):
        return {n: getattr(self, n) for n in self._hparam_types}

    def get(self, key, default=None):
        """The value, or the default, whose type must go with the value's."""
        if key not in self._hparam_types:
            return default
        if default is not None:
            param_type, is_list = self._hparam_types[key]
            type_str = 'list<%s>' % param_type if is_list else str(param_type)
            message = 'Hparam \'%s\' of type \'%s\' is incompatible with default=%s' % (
                key, type_str, default)
            if isinstance(default, list) != is_list:
                raise ValueError(message)
            try:
                for value in default if is_list else [default]:
                    _cast_to_type_if_compatible(key, param_type, value)
            except ValueError as e:
                raise ValueError('%s. %s' % (message, e)) from None
        return getattr(self, key)

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return ','.join('%s=%s' % item for item in sorted(self.values().items()))

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, sorted(self.values().items()))

    def to_proto(self, export_scope=None):
        raise NotImplementedError('HParamDef messages are not there')
