# SPDX-License-Identifier: Apache-2.0
"""Python functions as ops. A function lives as long as the graph that calls it."""
import threading
import weakref

import numpy as np

from leat._load import core
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import gen_script_ops


class _Function(object):
    """A function and the types that it gives, held by its graph."""

    def __init__(self, function, types):
        self._function = function
        self._types = types

    def __call__(self, args):
        result = self._function(*args)
        if isinstance(result, (tuple, list)):
            return [_convert(value, self._type(i)) for i, value in enumerate(result)]
        if result is None:
            return []
        return [_convert(result, self._type(0))]

    def _type(self, i):
        return self._types[i] if i < len(self._types) else None


def _convert(value, dtype):
    """The value as an array of native order; texts as an array of bytes."""
    if dtype == dtypes.string:
        result = np.asarray(value)
        if result.dtype.kind == 'U':
            return np.asarray(np.char.encode(result, 'utf-8'), dtype=object).reshape(result.shape)
        if result.dtype.kind == 'S':
            return np.asarray(value, order='C', dtype=object)
        return result
    result = np.asarray(value, order='C')
    if result.dtype.byteorder == '>':
        result = result.astype(result.dtype.newbyteorder('='))
    return result


class FuncRegistry(object):
    """Functions by the tokens that nodes call them by."""

    def __init__(self):
        self._lock = threading.Lock()
        self._unique_id = 0
        self._functions = weakref.WeakValueDictionary()

    @property
    def _ctx(self):
        return None

    def insert(self, function):
        with self._lock:
            token = 'pyfunc_%d' % self._unique_id
            self._unique_id += 1
        self._functions[token] = function
        return token

    def remove(self, token):
        self._functions.pop(token, None)

    def size(self):
        return len(self._functions)

    def __call__(self, token, args):
        function = self._functions.get(token)
        if function is None:
            raise ValueError('callback %s is not found' % token)
        return function(args)


_py_funcs = FuncRegistry()
core.set_py_func(_py_funcs)


def py_func_common(func, inp, Tout, stateful=True, name=None):
    """An op that calls func with arrays."""
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    if not callable(func):
        raise ValueError('Expected func to be callable, got func of type {}'.format(type(func)))
    held = _Function(func, types)
    token = _py_funcs.insert(held)
    graph = ops.get_default_graph()
    while graph.building_function and getattr(graph, '_outer_graph', None) is not None:
        graph = graph._outer_graph
    graph._py_funcs_used_in_graph.append(held)
    make = gen_script_ops.py_func if stateful else gen_script_ops.py_func_stateless
    result = make(input=inp, token=token, Tout=types, name=name)
    if isinstance(result, ops.Operation) or is_list:
        return result
    return result[0]


def py_func(func, inp, Tout, stateful=True, name=None):
    """func of arrays as an op; Tout is a type, or a list of those of several results."""
    return py_func_common(func, inp, Tout, stateful, name=name)


def numpy_function(func, inp, Tout, name=None):
    return py_func_common(func, inp, Tout, stateful=True, name=name)


def eager_py_func(func, inp, Tout, name=None):
    """func of tensors whose values are there (`x.numpy()`, `if x > 0`), as an op with gradients."""
    from leat.python.ops import values_at_once
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    if not callable(func):
        raise ValueError('Expected func to be callable, got func of type {}'.format(type(func)))
    return _eager_op(values_at_once.caller(func, types), values_at_once.gradient_of(func, types),
                     inp, types, is_list, name)


def _eager_op(call, gradient, inp, types, is_list, name):
    held = _Function(call, types)
    held.gradient = gradient
    graph = ops.get_default_graph()
    while graph.building_function and getattr(graph, '_outer_graph', None) is not None:
        graph = graph._outer_graph
    graph._py_funcs_used_in_graph.append(held)
    result = gen_script_ops.eager_py_func(input=inp, token=_py_funcs.insert(held), Tout=types,
                                          name=name)
    if isinstance(result, ops.Operation) or is_list:
        return result
    return result[0]


@ops.RegisterGradient('EagerPyFunc')
def _eager_py_func_grad(op, *dy):
    held = _py_funcs._functions.get(op.get_attr('token').decode())
    if held is None:
        raise ValueError('callback %s is not found' % op.get_attr('token'))
    types = [x.dtype for x in op.inputs]
    return _eager_op(held.gradient, None, list(dy) + list(op.inputs), types, True, None)
