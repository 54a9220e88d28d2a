# SPDX-License-Identifier: Apache-2.0
"""Operations from Python arguments: types are inferred, values converted, errors told as
TensorFlow tells them.

An op is known by its spec (leat_op_spec), parsed once when it is first used. apply_op makes any op
from keywords; the functions of the gen_* modules are made from the specs in op_functions.py.
"""
import collections
import re

from leat._load import core
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.util import compat

NO_DEFAULT = object()
_ARG = re.compile(r'^(?:Ref\((?P<ref>.*)\)|(?P<plain>.*))$')
_KINDS = {'string': 's', 'int': 'i', 'float': 'f', 'bool': 'b', 'type': 't', 'shape': 'h',
          'tensor': 'T', 'func': 'F'}


class ArgSpec(object):
    """An input or output: its type or the attr that tells it; how many."""

    __slots__ = ('name', 'type', 'type_attr', 'type_list_attr', 'number_attr', 'is_ref')

    def __init__(self, name, text, attrs):
        self.name = name
        match = _ARG.match(text)
        self.is_ref = match.group('ref') is not None
        text = match.group('ref') if self.is_ref else match.group('plain')
        self.type = self.type_attr = self.type_list_attr = self.number_attr = None
        if '*' in text:
            number, text = (w.strip() for w in text.split('*'))
            self.number_attr = number
            if text.startswith('Ref('):
                self.is_ref, text = True, text[4:-1]
        if text in attrs:
            if attrs[text].kind == 'lt':
                self.type_list_attr = text
            else:
                self.type_attr = text
        else:
            self.type = dtypes.as_dtype(text)

    @property
    def is_list(self):
        return self.number_attr is not None or self.type_list_attr is not None


class AttrSpec(object):
    """An attr: the letter of its kind (core/node.c), what it may be, its default."""

    __slots__ = ('name', 'kind', 'allowed', 'minimum', 'default', 'type_text')

    def __init__(self, name, text):
        self.name = name
        self.allowed = self.minimum = None
        text, has_default, default = _split_default(text)
        match = re.match(r'^(.*?)\s*>=\s*(-?\d+)$', text)
        if match:
            text, self.minimum = match.group(1), int(match.group(2))
        is_list = text.startswith('list(')
        if is_list:
            text = text[5:-1]
        self.type_text = text
        if text.startswith('{'):
            words = [w.strip() for w in text[1:-1].split(',')]
            if words[0].startswith('"'):
                self.kind, self.allowed = 's', [w[1:-1].encode() for w in words]
            else:
                self.kind = 't'
                self.allowed = [dtypes.as_dtype(w) for w in words]
        elif text in _TYPE_SETS:
            self.kind, self.allowed = 't', _TYPE_SETS[text]
        else:
            self.kind = _KINDS[text]
        if is_list:
            self.kind = 'l' + self.kind
        self.default = _parse_default(self.kind, default) if has_default else NO_DEFAULT


_NUMBERS = [dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint8, dtypes.int16, dtypes.int8,
            dtypes.complex64, dtypes.int64, dtypes.qint8, dtypes.quint8, dtypes.qint32,
            dtypes.bfloat16, dtypes.uint16, dtypes.complex128, dtypes.half, dtypes.uint32,
            dtypes.uint64]
_TYPE_SETS = {'numbertype': _NUMBERS, 'numerictype': _NUMBERS,
              'realnumbertype': [t for t in _NUMBERS if not t.is_complex and not t.is_quantized],
              'quantizedtype': [dtypes.qint8, dtypes.quint8, dtypes.qint32, dtypes.qint16,
                                dtypes.quint16]}


def _split_default(text):
    """(spec, whether there is a default, default): the '=' outside of quotes and braces."""
    depth, quoted, i = 0, False, 0
    while i < len(text):
        c = text[i]
        if quoted and c == '\\':
            i += 1
        elif c == '"':
            quoted = not quoted
        elif not quoted and c in '{[(':
            depth += 1
        elif not quoted and c in '}])':
            depth -= 1
        elif not quoted and depth == 0 and c == '=' and text[i - 1] not in '<>':
            return text[:i].strip(), True, text[i + 1:].strip()
        i += 1
    return text.strip(), False, None


def _unescape(text):
    return text[1:-1].encode('latin-1').decode('unicode_escape').encode('latin-1')


def _parse_default(kind, text):
    if kind[0] == 'l':
        inner = text.strip()[1:-1].strip()
        return [_parse_default(kind[1], t) for t in _split_list(inner)]
    if kind == 's':
        return _unescape(text)
    if kind == 'i':
        return int(text)
    if kind == 'f':
        return float(text)
    if kind == 'b':
        return text == 'true'
    if kind == 't':
        return dtypes.as_dtype(text)
    if kind == 'h':
        if text == '<unknown>':
            return tensor_shape.TensorShape(None)
        dims = [int(d) for d in text[1:-1].split(',') if d.strip()]
        return tensor_shape.TensorShape([None if d < 0 else d for d in dims])
    return text


def _split_list(text):
    items, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted and c == '\\':
            i += 1
        elif c == '"':
            quoted = not quoted
        elif not quoted and c in '[{(':
            depth += 1
        elif not quoted and c in ']})':
            depth -= 1
        elif not quoted and depth == 0 and c == ',':
            items.append(text[start:i].strip())
            start = i + 1
        i += 1
    if text[start:].strip():
        items.append(text[start:].strip())
    return items


class OpSpec(object):
    """An op's definition."""

    def __init__(self, name, text):
        self.name = name
        self.stateful = self.aggregate = self.commutative = self.uninitialized = False
        self.deprecated, self.summary = None, ''
        rows = {'in': [], 'out': [], 'attr': []}
        for line in text.splitlines():
            word, _, rest = line.partition(' ')
            if word in rows:
                key, _, spec = rest.partition(': ')
                rows[word].append((key, spec))
            elif word == 'deprecated':
                self.deprecated = rest
            elif word == 'summary':
                self.summary = rest
            elif word:
                setattr(self, word, True)
        self.attrs = collections.OrderedDict((k, AttrSpec(k, s)) for k, s in rows['attr'])
        self.inputs = [ArgSpec(k, s, self.attrs) for k, s in rows['in']]
        self.outputs = [ArgSpec(k, s, self.attrs) for k, s in rows['out']]
        inferred = set()
        for arg in self.inputs:
            inferred.update(a for a in (arg.type_attr, arg.type_list_attr, arg.number_attr) if a)
        self.inferred = inferred
        explicit = [a for a in self.attrs.values() if a.name not in inferred]
        self.explicit = ([a for a in explicit if a.default is NO_DEFAULT] +
                         [a for a in explicit if a.default is not NO_DEFAULT])
        self.result = None
        if len(self.outputs) > 1:
            self.result = collections.namedtuple(name.lstrip('_'), [o.name for o in self.outputs])


_specs = {}


def spec_of(op_type):
    """The OpSpec; RuntimeError for an op that is not there."""
    spec = _specs.get(op_type)
    if spec is None:
        text = core.op_spec(op_type)
        if text is None:
            raise RuntimeError('Unrecognized Op name %s' % op_type)
        spec = _specs[op_type] = OpSpec(op_type, text)
    return spec


def group_inputs(op_type, outputs, attrs):
    """Flat outputs as lists where the op takes lists; attrs: AttrValues, asked for lengths."""
    spec = spec_of(op_type)
    if not any(a.is_list for a in spec.inputs):
        return outputs
    grouped, at, rest = [], 0, len(outputs)
    lists = [a for a in spec.inputs if a.is_list]
    for arg in spec.inputs:
        n = 1
        if arg.is_list:
            key = arg.number_attr or arg.type_list_attr
            if key in attrs:
                value = attrs[key]
                n = value.i if arg.number_attr else len(value.list.type)
            elif len(lists) == 1:
                n = rest - (len(spec.inputs) - 1)
            else:
                raise ValueError('%s: the attr %s must be given' % (op_type, key))
            grouped.append(list(outputs[at:at + n]))
        else:
            grouped.extend(outputs[at:at + 1])
        at += n
    return grouped


# ---- attrs ----

def _make_str(v, name):
    if not isinstance(v, (str, bytes)):
        raise TypeError('Expected string for argument \'%s\' not %r.' % (name, v))
    return compat.as_bytes(v)


def _make_int(v, name):
    if isinstance(v, str):
        raise TypeError('Expected int for argument \'%s\' not %r.' % (name, v))
    try:
        value = int(v)
    except (ValueError, TypeError):
        raise TypeError('Expected int for argument \'%s\' not %r.' % (name, v)) from None
    if not -2**63 <= value < 2**63:
        raise ValueError('Value out of range: %d' % value)
    return value


def _make_float(v, name):
    if not isinstance(v, (int, float)) and not hasattr(v, '__float__'):
        raise TypeError('Expected float for argument \'%s\' not %r.' % (name, v))
    return float(v)


def _make_bool(v, name):
    if not isinstance(v, bool) and type(v).__name__ not in ('bool_', 'bool'):
        raise TypeError('Expected bool for argument \'%s\' not %r.' % (name, v))
    return bool(v)


def _make_type(v, name):
    try:
        return dtypes.as_dtype(v).base_dtype
    except TypeError:
        raise TypeError('Expected DataType for argument \'%s\' not %r.' % (name, v)) from None


def _make_shape(v, name):
    try:
        shape = tensor_shape.as_shape(v)
    except TypeError as e:
        raise TypeError('Error converting %s to a TensorShape: %s' % (name, e)) from None
    except ValueError as e:
        raise ValueError('Error converting %s to a TensorShape: %s' % (name, e)) from None
    return None if shape.ndims is None else shape.as_list()


def _make_func(v, name):
    if hasattr(v, 'add_to_graph'):
        v.add_to_graph(ops.get_default_graph())
        return v.name
    if isinstance(v, (str, bytes)):
        return v
    if hasattr(v, 'SerializeToString'):
        return v
    raise TypeError('Don\'t know how to convert %r to a func for argument %s' % (v, name))


_MAKE = {'s': _make_str, 'i': _make_int, 'f': _make_float, 'b': _make_bool, 't': _make_type,
         'h': _make_shape, 'F': _make_func}


def _check_allowed(attr, value, op_type):
    if attr.allowed is not None and value not in attr.allowed:
        if attr.kind[-1] == 't':
            raise TypeError('Value passed to parameter \'%s\' has DataType %s not in list of '
                            'allowed values: %s'
                            % (attr.name, value.name, ', '.join(t.name for t in attr.allowed)))
        allowed = '", "'.join(compat.as_text(a) for a in attr.allowed)
        raise ValueError('Attr \'%s\' of \'%s\' Op passed string \'%s\' not in: "%s".'
                         % (attr.name, op_type, compat.as_text(value), allowed))


def _encode_one(attr, kind, value, op_type):
    """The value as core/node.c wants it, and its kind."""
    if kind == 'T':
        if hasattr(value, 'SerializeToString'):
            return value, 'T'
        from leat.python.framework import tensor_util
        return tensor_util.make_tensor_proto(value), 'T'
    value = _MAKE[kind](value, attr.name)
    if kind in 'st':
        _check_allowed(attr, value, op_type)
        return (value.as_datatype_enum if kind == 't' else value), kind
    if attr.kind == 'i' and attr.minimum is not None and value < attr.minimum:
        raise ValueError('Attr \'%s\' of \'%s\' Op passed %d less than minimum %d.'
                         % (attr.name, op_type, value, attr.minimum))
    return value, kind


def encode_attr(spec, attr, value):
    """(name, kind, value) for _core."""
    if hasattr(value, 'SerializeToString') and type(value).__name__ == 'AttrValue':
        return (attr.name, 'v', value.SerializeToString())
    kind = attr.kind
    if kind[0] != 'l':
        value, kind = _encode_one(attr, kind, value, spec.name)
        if kind == 'T':
            return (attr.name, 'v', _attr_value(tensor=value))
        if kind == 'F':
            if hasattr(value, 'SerializeToString'):
                return (attr.name, 'v', _attr_value(func=value))
            return (attr.name, 'F', compat.as_bytes(value))
        return (attr.name, kind, value)
    if not isinstance(value, (list, tuple)):
        raise TypeError('Expected list for attr %s' % attr.name)
    if attr.minimum is not None and len(value) < attr.minimum:
        raise ValueError('Attr \'%s\' of \'%s\' Op passed list of length %d less than minimum %d.'
                         % (attr.name, spec.name, len(value), attr.minimum))
    items = [_encode_one(attr, kind[1], v, spec.name)[0] for v in value]
    if kind == 'lF':
        return (attr.name, 'v', _func_list(items))
    if kind == 'lT':
        return (attr.name, 'v', _attr_value(list_tensor=items))
    return (attr.name, kind, items)


def _attr_value(tensor=None, func=None, list_tensor=None):
    from leat.core.framework import attr_value_pb2
    value = attr_value_pb2.AttrValue()
    if tensor is not None:
        value.tensor.CopyFrom(tensor)
    elif func is not None:
        value.func.CopyFrom(func)
    else:
        value.list.tensor.extend(list_tensor)
    return value.SerializeToString()


def _func_list(items):
    from leat.core.framework import attr_value_pb2
    value = attr_value_pb2.AttrValue()
    for item in items:
        func = value.list.func.add()
        if hasattr(item, 'SerializeToString'):
            func.CopyFrom(item)
        else:
            func.name = compat.as_str(item)
    return value.SerializeToString()


# ---- inputs ----

def _describe(dtype):
    return dtype.base_dtype.name


def _convert_one(spec, arg, value, known):
    """The tensor of a single input; known gets what its type tells."""
    dtype = arg.type
    hint = None
    if dtype is None and arg.type_attr in known:
        dtype = known[arg.type_attr][0]
    elif dtype is None:
        attr = spec.attrs[arg.type_attr]
        hint = None if attr.default is NO_DEFAULT else attr.default
    try:
        if isinstance(value, ops.Tensor):
            tensor = value
        else:
            tensor = ops.internal_convert_to_tensor(value, dtype=dtype, name=arg.name,
                                                    as_ref=arg.is_ref, preferred_dtype=hint)
    except TypeError as error:
        if dtype is None:
            raise
        raise TypeError('Expected %s passed to parameter \'%s\' of op \'%s\', got %r of type '
                        '\'%s\' instead. Error: %s'
                        % (dtype.name, arg.name, spec.name, value, type(value).__name__,
                           error)) from None
    except ValueError as error:
        observed = getattr(value, 'dtype', None)
        if dtype is not None and observed is not None and arg.type_attr in known and \
                isinstance(value, ops._TensorLike):
            _mismatch(spec, arg, observed, known)
        if dtype is not None and observed is not None and arg.type is not None:
            observed = dtypes.as_dtype(observed)
            raise TypeError('Input \'%s\' of \'%s\' Op has type %s that does not match expected '
                            'type of %s.' % (arg.name, spec.name,
                                             (observed if arg.is_ref else observed.base_dtype).name,
                                             arg.type.name)) from None
        raise ValueError('Tried to convert \'%s\' to a tensor and failed. Error: %s'
                         % (arg.name, error)) from None
    _check_type(spec, arg, tensor, known)
    return tensor


def _mismatch(spec, arg, dtype, known):
    raise TypeError('Input \'%s\' of \'%s\' Op has type %s that does not match type %s of '
                    'argument \'%s\'.'
                    % (arg.name, spec.name, dtype.name if arg.is_ref else _describe(dtype),
                       known[arg.type_attr][0].name, known[arg.type_attr][1])) from None


def _check_type(spec, arg, tensor, known):
    dtype = tensor.dtype
    base = dtype.base_dtype
    if arg.type is not None:
        if base != arg.type:
            raise TypeError('Input \'%s\' of \'%s\' Op has type %s that does not match expected '
                            'type of %s.' % (arg.name, spec.name, base.name, arg.type.name))
    elif arg.type_attr in known:
        if base != known[arg.type_attr][0]:
            _mismatch(spec, arg, dtype, known)
    else:
        _check_type_allowed(spec, arg, base)
        known[arg.type_attr] = (base, arg.name)
    if arg.is_ref and not dtype._is_ref_dtype:
        raise TypeError('\'%s\' Op requires that input \'%s\' be a mutable tensor (e.g.: a '
                        'tf.Variable)' % (spec.name, arg.name))


def _check_type_allowed(spec, arg, base):
    attr = spec.attrs[arg.type_attr or arg.type_list_attr]
    if attr.allowed is not None and base not in attr.allowed:
        raise TypeError('Value passed to parameter \'%s\' has DataType %s not in list of allowed '
                        'values: %s' % (arg.name, base.name,
                                        ', '.join(t.name for t in attr.allowed)))


def _convert_list(spec, arg, values, known):
    """The tensors of a list input."""
    if not isinstance(values, (list, tuple)):
        if hasattr(values, '__iter__') and not isinstance(values, (ops.Tensor, str, bytes)):
            values = list(values)
        else:
            raise TypeError('Expected list for \'%s\' argument to \'%s\' Op, not %s.'
                            % (arg.name, spec.name, values))
    if arg.number_attr:
        return _convert_same(spec, arg, values, known)
    tensors = _convert_each(spec, arg, values, known)
    for t in tensors:
        _check_type_allowed(spec, arg, t.dtype.base_dtype)
    minimum = spec.attrs[arg.type_list_attr].minimum
    if minimum is not None and len(tensors) < minimum:
        raise ValueError('Attr \'%s\' of \'%s\' Op passed list of length %d less than minimum %d.'
                         % (arg.type_list_attr, spec.name, len(tensors), minimum))
    known[arg.type_list_attr] = ([t.dtype.base_dtype for t in tensors], arg.name)
    return tensors


def _convert_each(spec, arg, values, known):
    """The tensors of a list whose types are free, or those that were given with the op."""
    given = known.get(arg.type_list_attr)
    types = [None] * len(values)
    if given is not None and given[1] == arg.type_list_attr and len(given[0]) == len(values):
        types = given[0]
    try:
        tensors = [ops.internal_convert_to_tensor(v, dtype=t, as_ref=arg.is_ref,
                                                  name='%s_%d' % (arg.name, i))
                   for i, (v, t) in enumerate(zip(values, types))]
    except (TypeError, ValueError):
        if types and types[0] is not None:
            raise
        raise TypeError('Tensors in list passed to \'%s\' of \'%s\' Op have types [%s] that are '
                        'invalid. Tensors: %s' % (arg.name, spec.name, _type_names(arg, values),
                                                  values)) from None
    found = [t.dtype.base_dtype for t in tensors]
    if given is not None and found != list(given[0]):
        raise TypeError('Input \'%s\' of \'%s\' Op has type list of %s that does not match type '
                        'list %s of argument \'%s\'.'
                        % (arg.name, spec.name, ', '.join(t.name for t in found),
                           ', '.join(t.name for t in given[0]), given[1]))
    return tensors


def _convert_same(spec, arg, values, known):
    """A list of tensors of one type: that of those that are tensors already, if any is."""
    dtype = arg.type
    if dtype is None and arg.type_attr in known:
        dtype = known[arg.type_attr][0]
    if dtype is None:
        for v in values:
            if isinstance(v, ops._TensorLike):
                dtype = v.dtype.base_dtype
                break
    hint = None
    if dtype is None and arg.type_attr and spec.attrs[arg.type_attr].default is not NO_DEFAULT:
        hint = spec.attrs[arg.type_attr].default
    try:
        tensors = []
        for i, v in enumerate(values):
            t = ops.internal_convert_to_tensor(v, dtype=dtype, as_ref=arg.is_ref,
                                               name='%s_%d' % (arg.name, i),
                                               preferred_dtype=hint)
            tensors.append(t)
    except (TypeError, ValueError):
        raise _list_error(spec, arg, values, known) from None
    minimum = spec.attrs[arg.number_attr].minimum or 0
    if len(tensors) < minimum:
        raise ValueError('List argument \'%s\' to \'%s\' Op with length %d shorter than minimum '
                         'length %d.' % (arg.name, spec.name, len(tensors), minimum))
    if arg.number_attr in known and known[arg.number_attr][0] != len(tensors):
        raise ValueError('List argument \'%s\' to \'%s\' Op with length %d must match length %d '
                         'of argument \'%s\'.'
                         % (arg.name, spec.name, len(tensors), known[arg.number_attr][0],
                            known[arg.number_attr][1]))
    known[arg.number_attr] = (len(tensors), arg.name)
    if arg.type_attr and tensors:
        for t in tensors:
            if t.dtype.base_dtype != tensors[0].dtype.base_dtype:
                raise _list_error(spec, arg, values, known)
        _check_type(spec, arg, tensors[0], known)
    elif tensors:
        for t in tensors:
            _check_type(spec, arg, t, known)
    elif arg.type_attr and arg.type_attr not in known:
        default = spec.attrs[arg.type_attr].default
        if default is NO_DEFAULT:
            raise _cannot_infer(spec, arg.name)
        known[arg.type_attr] = (dtypes.as_dtype(default), arg.name)
    return tensors


def _cannot_infer(spec, name):
    return TypeError('Don\'t know how to infer type variable from empty input list passed to input '
                     '\'%s\' of \'%s\' Op.' % (name, spec.name))


def _type_names(arg, values):
    names = []
    for v in values:
        try:
            names.append(ops.internal_convert_to_tensor(v, as_ref=arg.is_ref).dtype.name)
        except (TypeError, ValueError):
            names.append('<NOT CONVERTIBLE TO TENSOR>')
    return ', '.join(names)


def _list_error(spec, arg, values, known):
    prefix = 'Tensors in list passed to \'%s\' of \'%s\' Op have types [%s]' % (
        arg.name, spec.name, _type_names(arg, values))
    if arg.type is not None:
        return TypeError('%s that do not match expected type %s.' % (prefix, arg.type.name))
    if arg.type_attr in known:
        return TypeError('%s that do not match type %s inferred from earlier arguments.'
                         % (prefix, known[arg.type_attr][0].name))
    return TypeError('%s that don\'t all match.' % prefix)


def apply_spec(spec, name, values, attrs, graph=None):
    """The result of an op: values are its inputs in order, attrs a dict of explicit attrs."""
    graph = ops._get_graph_from_inputs(_flat(values)) if graph is None else graph
    if graph is not ops.get_default_graph():
        with graph.as_default():
            return _apply(spec, name, values, attrs, graph)
    return _apply(spec, name, values, attrs, graph)


def _flat(values):
    flat = []
    for v in values:
        if isinstance(v, (list, tuple)):
            flat.extend(i for i in v if isinstance(i, ops._TensorLike))
        elif isinstance(v, ops._TensorLike) or hasattr(v, '_as_graph_element'):
            flat.append(v)
    return flat


def _needs_conversion(values):
    for v in values:
        if type(v) is not ops.Tensor:
            return True
    return False


# Ops of one tensor that keep zeros: of a SparseTensor they are taken of its values.
_OF_SPARSE_VALUES = frozenset(('BesselI0e', 'BesselI1e', 'Erf', 'Neg', 'Sign', 'Sqrt', 'Square',
                               'Tanh'))


def _is_sparse_tensor(value):
    from leat.python.framework import sparse_tensor
    return isinstance(value, sparse_tensor.SparseTensor)


def _of_sparse_values(spec, name, value, attrs, graph):
    from leat.python.framework import sparse_tensor
    graph.unique_name(name or spec.name)  # TensorFlow takes this name too, before it looks again
    return sparse_tensor.SparseTensor(
        value.indices, _apply(spec, name, (value.values,), attrs, graph), value.dense_shape)


def _apply(spec, name, values, attrs, graph):
    known = {}
    for key in spec.inferred:
        if key in attrs and attrs[key] is not None:
            attr = spec.attrs[key]
            if attr.kind == 't':
                known[key] = (_make_type(attrs[key], key), key)
            elif attr.kind == 'lt':
                known[key] = ([_make_type(t, key) for t in attrs[key]], key)
            elif attr.kind == 'i':
                known[key] = (int(attrs[key]), key)
    if name is not None and not ops.valid_scope_name(name, graph):
        raise ValueError('\'%s\' is not a valid scope name' % name)
    if graph._building_function or _needs_conversion(values):
        if spec.name in _OF_SPARSE_VALUES and _is_sparse_tensor(values[0]):
            return _of_sparse_values(spec, name, values[0], attrs, graph)
        with graph.name_scope(name or spec.name) as scope:
            inputs = _convert_inputs(spec, values, known, graph)
            node_name = scope
            return _finish(spec, graph, node_name, inputs, known, attrs)
    inputs = _convert_inputs(spec, values, known, graph)
    return _finish(spec, graph, name, inputs, known, attrs)


def _convert_inputs(spec, values, known, graph):
    inputs = []
    capture = graph.capture if graph._building_function else None
    for arg, value in zip(spec.inputs, values):
        if arg.is_list:
            tensors = _convert_list(spec, arg, value, known)
            inputs.append([t._c for t in tensors] if capture is None else
                          [capture(t)._c for t in tensors])
        else:
            tensor = _convert_one(spec, arg, value, known)
            inputs.append(tensor._c if capture is None else capture(tensor)._c)
    return inputs


def _finish(spec, graph, name, inputs, known, attrs):
    encoded = []
    for attr in spec.attrs.values():
        if attr.name in known:
            value = known[attr.name][0]
            kind = attr.kind
            if kind == 't':
                value = value.as_datatype_enum
            elif kind == 'lt':
                value = [t.as_datatype_enum for t in value]
            encoded.append((attr.name, kind, value))
            continue
        value = attrs.get(attr.name)
        if value is None and attr.kind == 'h' and attr.name in attrs and \
                attr.default is NO_DEFAULT:
            encoded.append((attr.name, 'h', None))
        elif value is not None:
            encoded.append(encode_attr(spec, attr, value))
        elif attr.default is NO_DEFAULT:
            if attr.name in spec.inferred:
                raise _cannot_infer(spec, _arg_of(spec, attr.name))
            if attr.name in attrs:
                encode_attr(spec, attr, None)
            raise TypeError('No argument for attr %s' % attr.name)
    if graph._container and spec.stateful and 'container' in spec.attrs and \
            not attrs.get('container'):
        encoded = [e for e in encoded if e[0] != 'container']
        encoded.append(('container', 's', compat.as_bytes(graph._container)))
    try:
        op = graph._make_op(spec.name, name, inputs, encoded)
    except core.Error as e:
        if 'It has been removed in version' in e.args[1]:
            raise NotImplementedError(e.args[1].partition(' [node ')[0]) from None
        ops.raise_build_error(e)
    return _result(spec, op, known)


def _arg_of(spec, attr):
    for arg in spec.inputs:
        if attr in (arg.type_attr, arg.type_list_attr, arg.number_attr):
            return arg.name
    return attr


def _result(spec, op, known):
    outputs = op.outputs
    if not outputs and (not spec.outputs or (spec.stateful and len(spec.outputs) == 1)):
        return op  # a list of nothing, of an op that is run for what it does, is the operation
    if len(spec.outputs) == 1:
        return list(outputs) if spec.outputs[0].is_list else outputs[0]
    parts, at = [], 0
    for arg in spec.outputs:
        if not arg.is_list:
            parts.append(outputs[at])
            at += 1
            continue
        if arg.number_attr:
            n = op.get_attr(arg.number_attr)
        else:
            n = len(op.get_attr(arg.type_list_attr))
        parts.append(list(outputs[at:at + n]))
        at += n
    return spec.result._make(parts)


def apply_op(op_type_name, name=None, **keywords):
    """The op of that name; keywords are its inputs and attrs."""
    spec = spec_of(op_type_name)
    values = []
    for arg in spec.inputs:
        key = arg.name if arg.name in keywords else arg.name + '_'
        if key not in keywords:
            raise TypeError('No argument for input %s' % arg.name)
        values.append(keywords.pop(key))
    attrs = {}
    for key in list(keywords):
        plain = key if key in spec.attrs else key.rstrip('_')
        if plain not in spec.attrs:
            raise TypeError('apply_op() got unexpected keyword arguments: %s'
                            % ', '.join(sorted(keywords)))
        attrs[plain] = keywords[key]
    return apply_spec(spec, name, values, attrs)


class OpDefLibrary(object):
    """What programs that load ops of their own make functions with."""

    def add_op(self, op_def):
        """Ops are known by being registered."""

    def add_op_list(self, op_list):
        """Ops are known by being registered."""

    def apply_op(self, op_type_name, name=None, **keywords):
        """As apply_op; each attr that no input tells must be given, and none else."""
        spec = spec_of(op_type_name)
        for attr in spec.inferred:
            if attr in keywords and attr not in [a.name for a in spec.inputs]:
                raise TypeError('Should not specify value for inferred attr \'%s\'.' % attr)
        inputs = {a.name for a in spec.inputs}
        if all(n in keywords or n + '_' in keywords for n in inputs):
            for attr in spec.explicit:
                if attr.name not in keywords and attr.name + '_' not in keywords:
                    raise TypeError('No argument for attr ' + attr.name)
        return apply_op(op_type_name, name, **keywords)

    def _apply_op_helper(self, op_type_name, name=None, **keywords):
        result = apply_op(op_type_name, name, **keywords)
        return None, None, _op_of_result(result), result


def _op_of_result(result):
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result if isinstance(result, ops.Operation) else result.op
