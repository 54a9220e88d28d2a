# SPDX-License-Identifier: Apache-2.0
"""Nested structures of lists, tuples, namedtuples, dicts (by sorted key) and attrs classes.

Anything else is a leaf, strings and numpy arrays too. With expand_composites the values that have
a _type_spec (sparse tensors, indexed slices) and type specs themselves open into their components.
"""
import collections
import collections.abc as _abc

_STRUCTURES_HAVE_MISMATCHING_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length "
    '{input_length}, while shallow structure has length {shallow_length}.')
_STRUCTURES_HAVE_MISMATCHING_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type "
    '{input_type}, while shallow structure has type {shallow_type}.')
_INPUT_TREE_SMALLER_THAN_SHALLOW_TREE = (
    'The input_tree has fewer elements than the shallow_tree. Input structure has length '
    '{input_size}, while shallow structure has length {shallow_size}.')
_SHALLOW_TREE_HAS_INVALID_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has "
    'the following keys that are not in the input_tree: {}.')
_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ = (
    'If shallow structure is a sequence, input must also be a sequence. Input has type: {}.')


def _is_attrs(o):
    return hasattr(type(o), '__attrs_attrs__')


def _get_attrs_items(obj):
    return [(a.name, getattr(obj, a.name)) for a in type(obj).__attrs_attrs__]


def _is_mapping(o):
    return isinstance(o, dict) or isinstance(o, _abc.Mapping)


def _is_mapping_view(o):
    return isinstance(o, _abc.MappingView)


def _is_composite_tensor(o):
    return hasattr(type(o), '_type_spec')


def _is_type_spec(o):
    return hasattr(type(o), '_component_specs')


def _is_namedtuple(instance, strict=False):
    kind = type(instance)
    if strict and kind.__bases__ != (tuple,):
        return False
    fields = getattr(kind, '_fields', None)
    return (isinstance(instance, tuple) and isinstance(fields, _abc.Sequence)
            and all(isinstance(field, str) for field in fields))


def _same_namedtuples(o1, o2):
    return type(o1).__name__ == type(o2).__name__ and type(o1)._fields == type(o2)._fields


def _sorted(dict_):
    """The keys in order; TypeError for keys that have none."""
    return sorted(dict_.keys())


def is_sequence(o):
    """Whether o is a structure rather than a leaf."""
    if isinstance(o, (list, tuple, dict)):
        return True
    if isinstance(o, (str, bytes)):
        return False
    return isinstance(o, (_abc.Sequence, _abc.Mapping, _abc.MappingView)) or _is_attrs(o)


def is_sequence_or_composite(o):
    """is_sequence, or a value that opens with expand_composites."""
    return is_sequence(o) or _is_composite_tensor(o) or _is_type_spec(o)


def is_nested(seq):
    """Another name of is_sequence."""
    return is_sequence(seq)


def _is_seq_function(expand_composites):
    return is_sequence_or_composite if expand_composites else is_sequence


def _yield_sorted_items(iterable):
    """(key, item) of one level: the keys of dicts, the fields of namedtuples, or positions."""
    if _is_mapping(iterable):
        for key in _sorted(iterable):
            yield key, iterable[key]
    elif _is_attrs(iterable):
        yield from _get_attrs_items(iterable)
    elif _is_namedtuple(iterable):
        for field in type(iterable)._fields:
            yield field, getattr(iterable, field)
    elif _is_composite_tensor(iterable):
        spec = iterable._type_spec
        yield type(spec).__name__, spec._to_components(iterable)
    elif _is_type_spec(iterable):
        yield type(iterable).__name__, iterable._component_specs
    else:
        yield from enumerate(iterable)


def _yield_value(iterable):
    for _, value in _yield_sorted_items(iterable):
        yield value


def _sequence_like(instance, args):
    """The items args, in _yield_value's order, in a structure as instance is."""
    args = list(args)
    if _is_mapping(instance):
        found = dict(zip(_sorted(instance), args))
        if isinstance(instance, collections.defaultdict):
            made = collections.defaultdict(instance.default_factory)
            made.update((key, found[key]) for key in instance)
            return made
        return type(instance)((key, found[key]) for key in instance)
    if _is_mapping_view(instance):
        return args
    if _is_namedtuple(instance) or _is_attrs(instance):
        return type(instance)(*args)
    if _is_composite_tensor(instance):
        return instance._type_spec._from_components(args[0])
    if _is_type_spec(instance):
        return instance._from_components(args[0])
    if isinstance(instance, range):
        return args
    return type(instance)(args)


def _flatten_into(structure, is_seq, out):
    if not is_seq(structure):
        out.append(structure)
        return
    if type(structure) in (list, tuple):
        values = structure
    else:
        values = _yield_value(structure)
    for value in values:
        _flatten_into(value, is_seq, out)


def flatten(structure, expand_composites=False):
    """The leaves, in order, as a list."""
    if not expand_composites and not is_sequence(structure):
        return [structure]
    out = []
    _flatten_into(structure, _is_seq_function(expand_composites), out)
    return out


class _DotString:
    """Prints as a dot: a leaf, in messages about structures."""

    def __str__(self):
        return '.'

    __repr__ = __str__


_DOT = _DotString()


def _describe(value):
    return 'type=%s str=%s' % (type(value).__name__, value)


def _check_types(first, second):
    """TypeError when two structures are not of the same kind: dicts of any class are."""
    kind1, kind2 = type(first), type(second)
    if kind1 is kind2:
        return
    if _is_namedtuple(first) and _is_namedtuple(second):
        same = _same_namedtuples(first, second)
    elif _is_namedtuple(first) or _is_namedtuple(second):
        same = False
    else:
        same = (_is_mapping(first) and _is_mapping(second)
                or isinstance(first, list) and isinstance(second, list)
                or issubclass(kind1, kind2) or issubclass(kind2, kind1))
    if not same:
        raise TypeError(
            "The two namedtuples don't have the same sequence type. First structure %s has type "
            '%s, while second structure %s has type %s'
            % (_describe(first), kind1.__name__, _describe(second), kind2.__name__))


def _check_keys(first, second):
    if set(first.keys()) != set(second.keys()):
        raise ValueError(
            "The two dictionaries don't have the same set of keys. First structure has keys %s, "
            'while second structure has keys %s'
            % (_describe(list(first.keys())), _describe(list(second.keys()))))


def _assert_same(first, second, check_types, is_seq):
    seq1, seq2 = is_seq(first), is_seq(second)
    if seq1 != seq2:
        inner, outer = (first, second) if seq1 else (second, first)
        raise ValueError('Substructure "%s" is a sequence, while substructure "%s" is not'
                         % (_describe(inner), _describe(outer)))
    if not seq1:
        return
    if check_types:
        _check_types(first, second)
        if _is_mapping(first) and _is_mapping(second):
            _check_keys(first, second)
    values1, values2 = list(_yield_value(first)), list(_yield_value(second))
    for a, b in zip(values1, values2):
        _assert_same(a, b, check_types, is_seq)
    if len(values1) != len(values2):
        raise ValueError("The two structures don't have the same number of elements. First "
                         'structure: %s. Second structure: %s'
                         % (_describe(first), _describe(second)))


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """ValueError, or TypeError, when the two are not the same but for their leaves."""
    try:
        _assert_same(nest1, nest2, check_types, _is_seq_function(expand_composites))
    except (ValueError, TypeError) as error:
        dots1 = map_structure(lambda _: _DOT, nest1, expand_composites=expand_composites)
        dots2 = map_structure(lambda _: _DOT, nest2, expand_composites=expand_composites)
        raise type(error)(
            "The two structures don't have the same nested structure.\n\nFirst structure: %s\n\n"
            'Second structure: %s\n\nMore specifically: %s\nEntire first structure:\n%s\n'
            'Entire second structure:\n%s'
            % (_describe(nest1), _describe(nest2), error, dots1, dots2)) from None


def flatten_dict_items(dictionary):
    """A dict whose keys that are structures are opened, beside values of the same structure."""
    if not isinstance(dictionary, (dict, _abc.Mapping)):
        raise TypeError('input must be a dictionary')
    flat = {}
    for key, value in dictionary.items():
        if is_sequence(key):
            keys, values = flatten(key), flatten(value)
            if len(keys) != len(values):
                raise ValueError(
                    'Could not flatten dictionary. Key had %d elements, but value had %d '
                    'elements. Key: %s, value: %s.' % (len(keys), len(values), keys, values))
        else:
            keys, values = [key], [value]
        for one, item in zip(keys, values):
            if one in flat:
                raise ValueError('Could not flatten dictionary: key %s is not unique.' % (one,))
            flat[one] = item
    return flat


def _packed_nest_with_indices(structure, flat, index, is_seq):
    """(next index, items of one level of structure, filled from flat)."""
    packed = []
    for value in _yield_value(structure):
        if is_seq(value):
            index, child = _packed_nest_with_indices(value, flat, index, is_seq)
            packed.append(_sequence_like(value, child))
        else:
            packed.append(flat[index])
            index += 1
    return index, packed


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The structure with its leaves, in order, replaced by those of flat_sequence."""
    is_seq = _is_seq_function(expand_composites)
    if not is_seq(flat_sequence):
        raise TypeError('flat_sequence must be a sequence')
    if not is_seq(structure):
        if len(flat_sequence) != 1:
            raise ValueError('Structure is a scalar but len(flat_sequence) == %d > 1'
                             % len(flat_sequence))
        return flat_sequence[0]
    flat_sequence = list(flat_sequence)
    expected = len(flatten(structure, expand_composites))
    if expected != len(flat_sequence):
        raise ValueError(
            'Could not pack sequence. Structure had %d elements, but flat_sequence had %d '
            'elements.  Structure: %s, flat_sequence: %s.'
            % (expected, len(flat_sequence), structure, flat_sequence))
    return _sequence_like(structure, _packed_nest_with_indices(structure, flat_sequence, 0,
                                                               is_seq)[1])


def _take_options(kwargs, allowed=('check_types', 'expand_composites')):
    for name in kwargs:
        if name not in allowed:
            raise ValueError('Only valid keyword arguments are `check_types` and '
                             '`expand_composites`, not: `%s`' % '`, `'.join(kwargs))
    return kwargs.get('check_types', True), kwargs.get('expand_composites', False)


def map_structure(func, *structure, **kwargs):
    """The structure of func's results on the leaves of one or more of the same structure."""
    if not callable(func):
        raise TypeError('func must be callable, got: %s' % func)
    if not structure:
        raise ValueError('Must provide at least one structure')
    check_types, expand = _take_options(kwargs)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    flats = [flatten(one, expand) for one in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flats)], expand)


def map_structure_with_paths(func, *structure, **kwargs):
    """map_structure with func(path, *leaves), the path as text joined by /."""
    def with_text(path, *leaves):
        return func('/'.join(str(step) for step in path), *leaves)
    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """map_structure with func(path, *leaves), the path a tuple of keys and positions."""
    if not structure:
        raise ValueError('Must provide at least one structure')
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def _yield_flat_up_to(shallow_tree, input_tree, is_seq, path=()):
    """(path, item of input_tree) where shallow_tree has leaves."""
    if not is_seq(shallow_tree):
        yield path, input_tree
        return
    items = dict(_yield_sorted_items(input_tree))
    for key, shallow in _yield_sorted_items(shallow_tree):
        yield from _yield_flat_up_to(shallow, items[key], is_seq, path + (key,))


def _check_shallow_types(shallow_tree, input_tree):
    kind = type(shallow_tree)
    if isinstance(input_tree, kind):
        return
    named1, named2 = _is_namedtuple(shallow_tree), _is_namedtuple(input_tree)
    if named1 and named2:
        same = _same_namedtuples(shallow_tree, input_tree)
    elif _is_composite_tensor(shallow_tree) or _is_type_spec(shallow_tree):
        same = _is_composite_tensor(input_tree) or _is_type_spec(input_tree)
    else:
        same = _is_mapping(shallow_tree) and _is_mapping(input_tree)
    if not same:
        raise TypeError(_STRUCTURES_HAVE_MISMATCHING_TYPES.format(
            input_type=type(input_tree), shallow_type=kind))


def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False,
                             check_subtrees_length=True):
    """ValueError or TypeError unless input_tree is shallow_tree with leaves opened further."""
    is_seq = _is_seq_function(expand_composites)
    if not is_seq(shallow_tree):
        return
    if not is_seq(input_tree):
        raise TypeError(_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ.format(type(input_tree)))
    if check_types:
        _check_shallow_types(shallow_tree, input_tree)
    composite = _is_composite_tensor(shallow_tree) or _is_type_spec(shallow_tree)
    if not composite:
        long, short = len(input_tree), len(shallow_tree)
        if _is_mapping(shallow_tree) and _is_mapping(input_tree):
            absent = [key for key in shallow_tree if key not in input_tree]
            if absent:
                raise ValueError(_SHALLOW_TREE_HAS_INVALID_KEYS.format(sorted(absent)))
        if check_subtrees_length and long != short:
            raise ValueError(_STRUCTURES_HAVE_MISMATCHING_LENGTHS.format(
                input_length=long, shallow_length=short))
        if long < short:
            raise ValueError(_INPUT_TREE_SMALLER_THAN_SHALLOW_TREE.format(
                input_size=long, shallow_size=short))
    if _is_mapping(shallow_tree) and _is_mapping(input_tree):
        pairs = [(shallow_tree[key], input_tree[key]) for key in _sorted(shallow_tree)]
    else:
        pairs = zip(_yield_value(shallow_tree), _yield_value(input_tree))
    for shallow, deep in pairs:
        assert_shallow_structure(shallow, deep, check_types, expand_composites,
                                 check_subtrees_length)


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False,
                  check_subtrees_length=True):
    """The items of input_tree that stand where shallow_tree has leaves."""
    return [item for _, item in flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length)]


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True,
                                   expand_composites=False, check_subtrees_length=True):
    """[(path, item)] of input_tree where shallow_tree has leaves."""
    is_seq = _is_seq_function(expand_composites)
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites,
                             check_subtrees_length)
    return list(_yield_flat_up_to(shallow_tree, input_tree, is_seq))


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """map_structure over the items that stand where shallow_tree has leaves."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """map_structure_up_to with func(path, *items)."""
    if not inputs:
        raise ValueError('Cannot map over no sequences')
    check_types = kwargs.pop('check_types', True)
    expand = kwargs.pop('expand_composites', False)
    check_length = kwargs.pop('check_subtrees_length', True)
    if kwargs:
        raise ValueError('Only valid keyword arguments are `check_types`, `expand_composites` '
                         'and `check_subtrees_length`, not: `%s`' % '`, `'.join(kwargs))
    is_seq = _is_seq_function(expand)
    lists = [flatten_with_tuple_paths_up_to(shallow_tree, one, check_types, expand, check_length)
             for one in inputs]
    results = [func(items[0][0], *[item for _, item in items]) for items in zip(*lists)]
    return pack_sequence_as(shallow_tree, results, expand) if is_seq(shallow_tree) else results[0]



def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """A tree of bools, opened where traverse_fn(substructure) says so (a bool, or one an item)."""
    is_seq = _is_seq_function(expand_composites)
    to_traverse = traverse_fn(structure)
    if not is_seq(structure):
        if not isinstance(to_traverse, bool):
            raise TypeError('traverse_fn returned structure: %s for non-structure: %s'
                            % (to_traverse, structure))
        return to_traverse
    values = list(_yield_value(structure))
    if isinstance(to_traverse, bool):
        if not to_traverse:
            return False
        decisions = [True] * len(values)
    elif not is_seq(to_traverse):
        raise TypeError('traverse_fn returned a non-bool scalar: %s for input: %s'
                        % (to_traverse, structure))
    else:
        assert_shallow_structure(to_traverse, structure, expand_composites=expand_composites)
        decisions = list(_yield_value(to_traverse))
    level = []
    for decision, value in zip(decisions, values):
        if not isinstance(decision, bool):
            raise TypeError("traverse_fn didn't return a depth=1 structure of bools.  saw: %s "
                            ' for structure: %s' % (to_traverse, structure))
        level.append(get_traverse_shallow_structure(traverse_fn, value, expand_composites)
                     if decision else False)
    return _sequence_like(structure, level)


def yield_flat_paths(nest, expand_composites=False):
    """The path of each leaf, a tuple of keys, fields and positions."""
    is_seq = _is_seq_function(expand_composites)
    for path, _ in _yield_flat_up_to(nest, nest, is_seq):
        yield path


def flatten_with_joined_string_paths(structure, separator='/', expand_composites=False):
    """[(path as text, leaf)]."""
    paths = [separator.join(str(step) for step in path)
             for path in yield_flat_paths(structure, expand_composites)]
    return list(zip(paths, flatten(structure, expand_composites)))


def flatten_with_tuple_paths(structure, expand_composites=False):
    """[(path as a tuple, leaf)]."""
    return list(zip(yield_flat_paths(structure, expand_composites),
                    flatten(structure, expand_composites)))
