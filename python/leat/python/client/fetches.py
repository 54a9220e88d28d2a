# SPDX-License-Identifier: Apache-2.0
"""What a run fetches and feeds, taken apart: nested structures, composite tensors, names.

A fetch structure becomes the list of its unique elements and a function that puts their values into
the same structure. A feed becomes pairs of a tensor and an array.
"""
import collections
import collections.abc

import numpy as np

from leat._load import core
from leat.python.framework import errors_impl
from leat.python.framework import ops

_HANDLE_OPS = ('GetSessionHandle', 'GetSessionHandleV2')


# --- conversions by type ---

def _slices_of(fetch):
    parts = [fetch.values, fetch.indices]
    if fetch.dense_shape is not None:
        parts.append(fetch.dense_shape)
    return parts


def _slices_value(values):
    shape = values[2] if len(values) == 3 else None
    return ops.IndexedSlicesValue(values[0], values[1], shape)


def _sparse_parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _sparse_value(values):
    from leat.python.framework import sparse_tensor
    return sparse_tensor.SparseTensorValue(*values)


def _is_sparse(kind):
    return kind.__name__ == 'SparseTensor' and hasattr(kind, 'dense_shape')


class _SparseLike(type):
    """isinstance(x, _Sparse) without importing the module of sparse tensors."""

    def __instancecheck__(cls, x):
        return any(_is_sparse(k) for k in type(x).__mro__)


class _Sparse(metaclass=_SparseLike):
    """Any SparseTensor."""


# (type, fetch -> (parts, values -> value), feed and its value -> pairs, feed -> tensors)
_REGISTERED_EXPANSIONS = [
    (_Sparse, lambda x: (_sparse_parts(x), _sparse_value),
     lambda x, value: list(zip(_sparse_parts(x), value)), _sparse_parts),
    (ops.IndexedSlices, lambda x: (_slices_of(x), _slices_value),
     lambda x, value: list(zip(_slices_of(x), value)), _slices_of),
    (object, lambda x: ([x], lambda values: values[0]),
     lambda x, value: [(x, value)], lambda x: [x]),
]


def register_session_run_conversion_functions(tensor_type, fetch_function, feed_function=None,
                                              feed_function_for_partial_run=None):
    """Says how objects of tensor_type are fetched (the list of what to fetch for one, and the
    function that makes a value of that list's values) and fed (pairs of a tensor and a value)."""
    for row in _REGISTERED_EXPANSIONS:
        if issubclass(tensor_type, row[0]) and row[0] is not object:
            raise ValueError('%s has already been registered so ignore it.' % tensor_type)
    _REGISTERED_EXPANSIONS.insert(
        0, (tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def _expansion(x):
    for row in _REGISTERED_EXPANSIONS:
        if isinstance(x, row[0]):
            return row
    raise TypeError('%r is of no registered type' % (x,))


# --- fetches ---

def _element(graph, fetch):
    """The tensor or operation that a fetch or its name means."""
    try:
        return graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except TypeError as e:
        raise TypeError('Fetch argument %r has invalid type %r, must be a string or Tensor. (%s)'
                        % (fetch, type(fetch), str(e))) from None
    except (ValueError, KeyError) as e:
        raise ValueError('Fetch argument %r cannot be interpreted as a Tensor. (%s)'
                         % (fetch, str(e))) from None


def _is_attrs(x):
    return hasattr(type(x), '__attrs_attrs__')


class FetchHandler:
    """One fetch structure on a graph."""

    def __init__(self, graph, fetches):
        self._graph = graph
        self._places = {}    # element: its place in _elements
        self._elements = []  # unique
        self._handle_types = {}
        self.is_flat = True
        self._flat = None    # the places of a flat structure's elements
        self._build = self._compile(fetches, 0)
        self._structure = type(fetches)
        self.num_tensors = sum(1 for e in self._elements if isinstance(e, ops.Tensor))

    def _place(self, fetch):
        element = _element(self._graph, fetch)
        place = self._places.get(element)
        if place is None:
            if not self._graph.is_fetchable(element):
                raise errors_impl.InaccessibleTensorError(
                    'Operation %r has been marked as not fetchable. Typically this happens when '
                    'it is defined in another function or code block. Use return values,'
                    'explicit Python locals or TensorFlow collections to access it.'
                    % (element.op.name if isinstance(element, ops.Tensor) else element.name))
            place = self._places[element] = len(self._elements)
            self._elements.append(element)
            if isinstance(element, ops.Tensor) and element.op.type in _HANDLE_OPS:
                self._handle_types[place] = element.op.inputs[0].dtype
                self.is_flat = False
        return place

    def _compile(self, fetch, depth):
        """The function that takes all elements' values, and gives those of this structure."""
        if fetch is None:
            raise TypeError('Fetch argument %r has invalid type %r' % (fetch, type(fetch)))
        if isinstance(fetch, (list, tuple)):
            return self._compile_sequence(fetch, depth)
        self.is_flat &= depth == 0 or not isinstance(fetch, collections.abc.Mapping)
        if isinstance(fetch, collections.abc.Mapping):
            return self._compile_mapping(fetch, depth)
        if _is_attrs(fetch):
            return self._compile_attrs(fetch, depth)
        row = _expansion(fetch)
        parts, contract = row[1](fetch)
        places = [self._place(part) for part in parts]
        if row[0] is object:
            place = places[0]
            if depth == 0:
                self._flat = place
            return lambda values: values[place]
        self.is_flat = False
        return lambda values: contract([values[p] for p in places])

    def _compile_sequence(self, fetch, depth):
        parts = [self._compile(part, depth + 1) for part in fetch]
        kind = type(fetch)
        if depth > 0 or (kind is not list and kind is not tuple):
            self.is_flat = False
        if depth == 0 and self.is_flat:
            self._flat = [self._place(part) for part in fetch]
        if kind is list:
            return lambda values: [part(values) for part in parts]
        if hasattr(kind, '_fields'):
            return lambda values: kind(*[part(values) for part in parts])
        return lambda values: kind([part(values) for part in parts])

    def _compile_mapping(self, fetch, depth):
        self.is_flat = False
        kind = type(fetch)
        parts = [(key, self._compile(value, depth + 1)) for key, value in fetch.items()]

        def build(values):
            made = kind()
            for key, part in parts:
                made[key] = part(values)
            return made
        return build

    def _compile_attrs(self, fetch, depth):
        self.is_flat = False
        kind = type(fetch)
        parts = [self._compile(getattr(fetch, a.name), depth + 1) for a in kind.__attrs_attrs__]
        return lambda values: kind(*[part(values) for part in parts])

    def wanted(self, feeds):
        """(tensors to fetch, operations to run): what is fed is not fetched."""
        tensors = [e for e in self._elements if isinstance(e, ops.Tensor) and e not in feeds]
        return tensors, [e for e in self._elements if isinstance(e, ops.Operation)]

    def build(self, values, feeds, session):
        """The structure, of the values of wanted's tensors."""
        values = iter(values)
        every = []
        for place, e in enumerate(self._elements):
            if not isinstance(e, ops.Tensor):
                value = None
            elif e in feeds:
                value = feeds[e]
            else:
                value = next(values)
            if place in self._handle_types:
                from leat.python.ops import session_ops
                value = session_ops.TensorHandle(value, self._handle_types[place], session)
            every.append(value)
        return self._build(every)

    def shape_of_result(self):
        """How _core puts a flat structure together: (0 a value, 1 a list, 2 a tuple; for each item
        its place among the fetched values or None, or None when they are those values)."""
        at, n = {}, 0
        for place, e in enumerate(self._elements):
            if isinstance(e, ops.Tensor):
                at[place] = n
                n += 1
        if not isinstance(self._flat, list):
            return 0, None
        places = tuple(at.get(place) for place in self._flat)
        return (1 if self._structure is list else 2), (
            None if places == tuple(range(n)) else places)


# --- feeds ---


def _key_tensor(graph, key, what):
    try:
        return graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except Exception as e:
        raise TypeError('Cannot interpret %s key as Tensor: %s'
                        % (what, e.args[0] if e.args else e)) from None


def _keeps_value(kind, value):
    """Whether an int is itself as a number of a numpy type."""
    try:
        if issubclass(kind, np.integer):
            limits = np.iinfo(kind)
            return limits.min <= value <= limits.max
        return bool(kind(value) == value)
    except (OverflowError, TypeError, ValueError):
        return False


def _array_of(graph, tensor, key, value):
    """The value as it is fed."""
    if isinstance(value, ops.Tensor):
        raise TypeError('The value of a feed cannot be a tf.Tensor object. Acceptable feed values '
                        'include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. '
                        'For reference, the tensor object was %s which was passed to the feed with '
                        'key %s.' % (str(value), str(key)))
    if isinstance(value, core.Value):
        return value
    kind = tensor.dtype.as_numpy_dtype
    if isinstance(value, int) and not _keeps_value(kind, value):
        raise TypeError('Type of feed value %s with type %s is not compatible with Tensor type %s. '
                        'Try explicitly setting the type of the feed tensor to a larger type '
                        '(e.g. int64).' % (value, type(value), kind))
    if type(value).__name__ == 'TensorHandle' and hasattr(value, 'to_numpy_array'):
        value = value.eval()
    array = np.asarray(value, dtype=kind)
    shape = tensor.get_shape()
    if not shape.is_compatible_with(array.shape):
        raise ValueError('Cannot feed value of shape %r for Tensor %r, which has shape %r'
                         % (array.shape, tensor.name, str(shape)))
    if not graph.is_feedable(tensor):
        raise ValueError('Tensor %s may not be fed.' % tensor)
    return array


def _flattened(feed_dict):
    """Keys that are sequences of feeds go with sequences of values."""
    if not isinstance(feed_dict, dict):
        raise TypeError('input must be a dictionary')
    if not any(isinstance(key, tuple) for key in feed_dict):
        return feed_dict
    from leat.python.util import nest
    return nest.flatten_dict_items(feed_dict)


def resolve_feeds(graph, feed_dict):
    """(tensors with the arrays that are fed for them; whether each key is one tensor)."""
    if not feed_dict:
        return {}, True
    resolved = {}
    flat = True
    for key, value in _flattened(feed_dict).items():
        row = _expansion(key)
        flat &= row[0] is object
        if row[2] is None:
            raise TypeError('%r cannot be fed' % (key,))
        for part, part_value in row[2](key, value):
            tensor = _key_tensor(graph, part, 'feed_dict')
            resolved[tensor] = _array_of(graph, tensor, part, part_value)
    return resolved, flat and len(resolved) == len(feed_dict)


def resolve_feed_list(graph, feeds):
    """The tensors that will be fed to a step in pieces."""
    resolved = []
    for key in feeds:
        row = _expansion(key)
        if row[3] is None:
            raise TypeError('%r cannot be fed' % (key,))
        for part in row[3](key):
            tensor = _key_tensor(graph, part, 'feed_list')
            if tensor not in resolved:
                resolved.append(tensor)
            if not graph.is_feedable(tensor):
                raise ValueError('Tensor %s may not be fed.' % tensor)
    return resolved
