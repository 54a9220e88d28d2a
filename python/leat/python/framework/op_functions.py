# SPDX-License-Identifier: Apache-2.0
"""A Python function for each op, made from its spec when it is first asked for.

`from leat.python.ops import gen_math_ops`: each gen_* module is one of these and offers every op
under its name in small letters (MatMul: mat_mul), and with an underscore before it; arguments are
the inputs, the attrs without a default, those with one, and name.
"""
import functools
import keyword
import sys
import types

from leat._load import core
from leat.python.framework import op_def_library
from leat.python.util import dispatch

_names = {}
_functions = {}

# Ops whose arguments have other names, or another order, in TensorFlow's Python: name -> arguments
# in order, 'theirs=ours' where the names differ.
_REDUCTION = 'input axis=reduction_indices keep_dims'.split()
ARGUMENTS = {
    'ExpandDims': 'input axis=dim'.split(),
    'Select': 'condition x=t y=e'.split(),
    'Split': 'axis=split_dim value num_split'.split(),
    'SplitV': 'value size_splits axis=split_dim num_split'.split(),
    'Squeeze': 'input axis=squeeze_dims'.split(),
    'Where': 'condition=input'.split(),
}
ARGUMENTS.update((op, _REDUCTION) for op in (
    'All', 'Any', 'EuclideanNorm', 'Max', 'Mean', 'Min', 'Prod', 'Sum'))


def snake_case(name):
    """MatMul: mat_mul; Conv2D: conv2d; TopKV2: top_kv2."""
    out = []
    for i, c in enumerate(name):
        if c.isupper() and i and name[i - 1] != '_' and (
                name[i - 1].islower() or (i + 1 < len(name) and name[i + 1].islower())):
            out.append('_')
        out.append(c.lower())
    return ''.join(out)


def _op_of(name):
    """The op's name of a function's, or None."""
    for _ in range(2):
        op = _names.get(name) or _names.get(name.lstrip('_'))
        if op is not None:
            return op
        _names.update((snake_case(n), n) for n in core.op_names())
    return name if core.op_spec(name) is not None else None


def _parameters(spec):
    """[(Python's name, the spec's name, whether it is an input, default text or None)]."""
    rows = [(a.name, a.name, True, None) for a in spec.inputs]
    for attr in spec.explicit:
        rows.append((attr.name, attr.name, False,
                     None if attr.default is op_def_library.NO_DEFAULT else 'None'))
    order = ARGUMENTS.get(spec.name)
    if order:
        by_name = {r[1]: r for r in rows}
        rows = []
        for item in order:
            theirs, _, ours = item.partition('=')
            row = by_name.pop(ours or theirs)
            rows.append((theirs, row[1], row[2], row[3]))
        rows.extend(by_name.values())
        rows.sort(key=lambda r: r[3] is not None)
    return [(_safe(p), n, i, d) for p, n, i, d in rows]


def _safe(name):
    return name + '_' if keyword.iskeyword(name) or name in ('self',) else name


def _shown_default(attr):
    value = attr.default
    if attr.kind == 's':
        return repr(value.decode('latin-1'))
    if attr.kind[0] == 'l':
        return repr([v.decode('latin-1') if isinstance(v, bytes) else v for v in value])
    if attr.kind in 'ifb':
        return repr(value)
    return 'None'


def make(op_name):
    """The function of an op."""
    if op_name in _functions:
        return _functions[op_name]
    spec = op_def_library.spec_of(op_name)
    rows = _parameters(spec)
    parameters = []
    for python, name, is_input, default in rows:
        if default is None:
            parameters.append(python)
        else:
            parameters.append('%s=_d_%s' % (python, name))
    parameters.append('name=None')
    by_name = {n: p for p, n, _, _ in rows}
    inputs = ', '.join(by_name[a.name] for a in spec.inputs)
    attrs = ', '.join('%r: %s' % (n, p) for p, n, i, _ in rows if not i)
    source = _SOURCE % (
        _safe(snake_case(op_name)), ', '.join(parameters), inputs + (',' if inputs else ''), attrs,
        ', '.join([python for python, _, _, _ in rows] + ['name=name']))
    space = {'_apply': op_def_library.apply_spec, '_spec': spec,
             '_dispatch': dispatch.dispatch_or_raise}
    for attr in spec.explicit:
        if attr.default is not op_def_library.NO_DEFAULT:
            space['_d_' + attr.name] = _python_default(attr)
    exec(compile(source, __file__, 'exec'), space)
    function = space[_safe(snake_case(op_name))]
    function.__doc__ = spec.summary
    function.__module__ = __name__
    space['_self'] = dispatch.add_dispatch_list(function)
    _functions[op_name] = function
    return function


_SOURCE = '''def %s(%s):
    try:
        return _apply(_spec, name, (%s), {%s})
    except (TypeError, ValueError):
        return _dispatch(_self, %s)
'''


def _python_default(attr):
    value = attr.default
    if attr.kind == 's':
        return value.decode('latin-1')
    if attr.kind[0] == 'l':
        return [v.decode('latin-1') if isinstance(v, bytes) else v for v in value]
    if attr.kind in ('T', 'F'):
        return None
    return value


class OpModule(types.ModuleType):
    """A gen_* module: functions appear as they are asked for."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        op = _op_of(name)
        if op is None:
            raise AttributeError('module %r has no op %r here (docs/python-api.md)'
                                 % (self.__name__, name))
        function = make(op)
        setattr(self, name, function)
        return function

    def __dir__(self):
        _op_of('')
        return sorted(_names)


class RawOps(OpModule):
    """tf.raw_ops: by the op's own name, with keywords alone."""

    def __getattr__(self, name):
        if name.startswith('__') or core.op_spec(name) is None:
            raise AttributeError('module %r has no op %r here (docs/python-api.md)'
                                 % (self.__name__, name))
        function = make(name)

        @functools.wraps(function)
        def by_keywords(**kwargs):
            return function(**kwargs)
        setattr(self, name, by_keywords)
        return by_keywords

    def __dir__(self):
        return sorted(core.op_names())


def module(name, kind=OpModule):
    """The module of that full name, made once."""
    if name not in sys.modules:
        made = kind(name, 'Functions of ops, made on demand.')
        made.__file__ = __file__
        sys.modules[name] = made
    return sys.modules[name]
