# SPDX-License-Identifier: Apache-2.0
"""Shapes that may be known in part: Dimension and TensorShape, with the semantics of 1.x.

A comparison of dimensions of which one is not known is None: neither true nor false.
"""
from leat.python.util.tf_export import tf_export

_TENSORSHAPE_V2_OVERRIDE = None


@tf_export(v1=['enable_v2_tensorshape'])
def enable_v2_tensorshape():
    """From now on items of shapes are ints or None, not Dimensions."""
    global _TENSORSHAPE_V2_OVERRIDE
    _TENSORSHAPE_V2_OVERRIDE = True


@tf_export(v1=['disable_v2_tensorshape'])
def disable_v2_tensorshape():
    """From now on items of shapes are Dimensions, as at the start."""
    global _TENSORSHAPE_V2_OVERRIDE
    _TENSORSHAPE_V2_OVERRIDE = False


@tf_export('compat.dimension_value', v1=['dimension_value', 'compat.dimension_value'])
def dimension_value(dimension):
    """The int or None of a Dimension; anything else as it is."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


@tf_export('compat.dimension_at_index', v1=['dimension_at_index', 'compat.dimension_at_index'])
def dimension_at_index(shape, index):
    """The Dimension of a shape at an index, not known where the rank is not."""
    assert isinstance(shape, TensorShape)
    return Dimension(None) if shape.rank is None else shape.dims[index]


@tf_export(v1=['Dimension'])
class Dimension:
    """A size of one axis: an int, or None when not known."""

    __slots__ = ('_value', '__weakref__')

    def __init__(self, value):
        if value is None or type(value) is int:
            self._value = value
        elif isinstance(value, Dimension):
            self._value = value._value
        else:
            if hasattr(value, 'as_datatype_enum'):
                raise TypeError('Cannot convert %s to Dimension' % value)
            self._value = int(value)
            if not isinstance(value, (str, bytes)) and self._value != value:
                raise ValueError('Ambiguous dimension: %s' % value)
        if self._value is not None and self._value < 0:
            raise ValueError('Dimension %d must be >= 0' % self._value)

    def __repr__(self):
        return 'Dimension(%s)' % repr(self._value)

    def __str__(self):
        return '?' if self._value is None else str(self._value)

    __hash__ = None

    def __int__(self):
        return self._value

    def __long__(self):
        return self._value

    def __index__(self):
        return self._value

    @property
    def value(self):
        return self._value

    def is_compatible_with(self, other):
        """Whether both can be the same size."""
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other):
        """ValueError unless both can be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError('Dimensions %s and %s are not compatible' % (self, other))

    def merge_with(self, other):
        """What is known of the size when both are the same."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def __reduce__(self):
        return Dimension, (self._value,)

    def __div__(self, other):
        return self // other

    def __rdiv__(self, other):
        return other // self

    def __truediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: 'Dimension' and '%s', "
                        'please use // instead' % type(other).__name__)

    def __rtruediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: '%s' and 'Dimension', "
                        'please use // instead' % type(other).__name__)


def _operators():
    """Arithmetic and comparisons of Dimension: unknown when either side is."""
    def arithmetic(compute, swapped):
        def method(self, other):
            try:
                other = as_dimension(other)
            except (TypeError, ValueError):
                return NotImplemented
            left, right = (other, self) if swapped else (self, other)
            if left._value is None or right._value is None:
                return Dimension(None)
            return Dimension(compute(left._value, right._value))
        return method

    def comparison(compute, strict):
        def method(self, other):
            try:
                other = as_dimension(other)
            except (TypeError, ValueError):
                if strict:
                    raise
                return NotImplemented
            if self._value is None or other._value is None:
                return None
            return compute(self._value, other._value)
        return method

    for name, compute in (('add', int.__add__), ('sub', int.__sub__), ('mul', int.__mul__),
                          ('floordiv', int.__floordiv__), ('mod', int.__mod__)):
        for prefix in ('', 'r'):
            method = arithmetic(compute, bool(prefix))
            method.__name__ = '__%s%s__' % (prefix, name)
            setattr(Dimension, method.__name__, method)
    for name in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
        method = comparison(getattr(int, '__%s__' % name), name not in ('eq', 'ne'))
        method.__name__ = '__%s__' % name
        setattr(Dimension, method.__name__, method)


_operators()


def as_dimension(value):
    """value as a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _dims_of(dims):
    """The list of Dimensions, or None, of whatever a TensorShape can be made from."""
    if dims is None:
        return None
    if isinstance(dims, (list, tuple)):
        return [as_dimension(d) for d in dims]
    if isinstance(dims, (str, bytes)):
        raise TypeError('A string has ambiguous TensorShape, please wrap in a list or convert '
                        'to an int: %s' % dims)
    if isinstance(dims, TensorShape):
        return None if dims._dims is None else list(dims._dims)
    if hasattr(dims, 'unknown_rank') and hasattr(dims, 'dim'):
        if dims.unknown_rank:
            return None
        return [Dimension(d.size if d.size != -1 else None) for d in dims.dim]
    try:
        items = iter(dims)
    except TypeError:
        return [as_dimension(dims)]
    return [as_dimension(d) for d in items]


@tf_export('TensorShape')
class TensorShape:
    """A shape: not known, of known rank with some sizes not known, or known."""

    __slots__ = ('_dims', '__weakref__')

    def __init__(self, dims):
        self._dims = _dims_of(dims)

    @property
    def _v2_behavior(self):
        return bool(_TENSORSHAPE_V2_OVERRIDE)

    def __repr__(self):
        if self._v2_behavior and self._dims is not None:
            return 'TensorShape(%s)' % [d._value for d in self._dims]
        return 'TensorShape(%r)' % (self._dims,)

    def __str__(self):
        if self._dims is None:
            return '<unknown>'
        if self._v2_behavior:
            return str(tuple(d._value for d in self._dims))
        return '(%s%s)' % (', '.join(map(str, self._dims)), ',' if len(self._dims) == 1 else '')

    @property
    def rank(self):
        return None if self._dims is None else len(self._dims)

    @property
    def dims(self):
        """The list of Dimensions, or None."""
        return self._dims

    @property
    def ndims(self):
        return None if self._dims is None else len(self._dims)

    def __len__(self):
        if self._dims is None:
            raise ValueError('Cannot take the length of shape with unknown rank.')
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self):
        if self._dims is None:
            raise ValueError('Cannot iterate over a shape with unknown rank.')
        if self._v2_behavior:
            return iter([d._value for d in self._dims])
        return iter(list(self._dims))

    def __getitem__(self, key):
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            return self._dims[key]._value if self._v2_behavior else self._dims[key]
        if not isinstance(key, slice):
            return None if self._v2_behavior else Dimension(None)
        if key.step is not None:
            raise ValueError('Steps are not yet handled')
        start = 0 if key.start is None else key.start
        if key.stop is None or start < 0 or key.stop < 0:
            return unknown_shape()
        return unknown_shape(rank=max(key.stop - start, 0))

    def num_elements(self):
        """The product of the sizes; None when one is not known."""
        if not self.is_fully_defined():
            return None
        product = 1
        for dim in self._dims:
            product *= dim._value
        return product

    def merge_with(self, other):
        """What is known of the shape when both are the same; ValueError when they cannot be."""
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        try:
            self.assert_same_rank(other)
            return TensorShape([a.merge_with(b) for a, b in zip(self._dims, other._dims)])
        except ValueError:
            raise ValueError('Shapes %s and %s are not compatible' % (self, other)) from None

    def __add__(self, other):
        if not isinstance(other, TensorShape):
            other = TensorShape(other)
        return self.concatenate(other)

    def __radd__(self, other):
        if not isinstance(other, TensorShape):
            other = TensorShape(other)
        return other.concatenate(self)

    def __concat__(self, other):
        return self.concatenate(other)

    def concatenate(self, other):
        """The axes of this, then those of other."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def assert_same_rank(self, other):
        """ValueError when both ranks are known and differ."""
        other = as_shape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError('Shapes %s and %s must have the same rank' % (self, other))

    def assert_has_rank(self, rank):
        """ValueError when the rank is known and not this."""
        if self.rank not in (None, rank):
            raise ValueError('Shape %s must have rank %d' % (self, rank))

    def with_rank(self, rank):
        """The shape, now of known rank; ValueError when it is of another."""
        try:
            return self.merge_with(unknown_shape(rank=rank))
        except ValueError:
            raise ValueError('Shape %s must have rank %d' % (self, rank)) from None

    def with_rank_at_least(self, rank):
        """The shape; ValueError when its rank is known to be less."""
        if self.rank is not None and self.rank < rank:
            raise ValueError('Shape %s must have rank at least %d' % (self, rank))
        return self

    def with_rank_at_most(self, rank):
        """The shape; ValueError when its rank is known to be more."""
        if self.rank is not None and self.rank > rank:
            raise ValueError('Shape %s must have rank at most %d' % (self, rank))
        return self

    def is_compatible_with(self, other):
        """Whether both can be the same shape."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a.is_compatible_with(b) for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other):
        """ValueError unless both can be the same shape."""
        if not self.is_compatible_with(other):
            raise ValueError('Shapes %s and %s are incompatible' % (self, other))

    def most_specific_compatible_shape(self, other):
        """What is known of a shape that can be either of the two."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return unknown_shape()
        return TensorShape([a if a._value is not None and a._value == b._value else None
                            for a, b in zip(self._dims, other._dims)])

    def is_fully_defined(self):
        """Whether the rank and all sizes are known."""
        return self._dims is not None and all(d._value is not None for d in self._dims)

    def assert_is_fully_defined(self):
        """ValueError unless the rank and all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError('Shape %s is not fully defined' % self)

    def as_list(self):
        """The sizes as a list of ints and Nones; ValueError when the rank is not known."""
        if self._dims is None:
            raise ValueError('as_list() is not defined on an unknown TensorShape.')
        return [d._value for d in self._dims]

    def as_proto(self):
        """The shape as a TensorShapeProto."""
        from leat.core.framework import tensor_shape_pb2
        if self._dims is None:
            return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
        proto = tensor_shape_pb2.TensorShapeProto
        return proto(dim=[proto.Dim(size=-1 if d._value is None else d._value)
                          for d in self._dims])

    def __eq__(self, other):
        try:
            other = as_shape(other)
        except TypeError:
            return NotImplemented
        return self._dims == other._dims

    def __ne__(self, other):
        try:
            other = as_shape(other)
        except TypeError:
            return NotImplemented
        if self._dims is None or other._dims is None:
            raise ValueError('The inequality of unknown TensorShapes is undefined.')
        return len(self._dims) != len(other._dims) or self._dims != other._dims

    __hash__ = None

    def __reduce__(self):
        return TensorShape, (self._dims,)


def as_shape(shape):
    """shape as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None, **kwargs):
    """A shape of which nothing, or the rank alone, is known."""
    if rank is None and 'ndims' in kwargs:
        rank = kwargs.pop('ndims')
    if kwargs:
        raise TypeError('Unknown argument: %s' % kwargs)
    return TensorShape(None if rank is None else [Dimension(None)] * rank)


def scalar():
    """The shape of a scalar."""
    return TensorShape([])


def vector(length):
    """The shape of a vector."""
    return TensorShape([length])


def matrix(rows, cols):
    """The shape of a matrix."""
    return TensorShape([rows, cols])
