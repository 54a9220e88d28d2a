# SPDX-License-Identifier: Apache-2.0
"""RaggedTensorDynamicShape: the shape of a ragged tensor when it runs, and broadcasting to it.

A shape is a list of partitioned dimensions, each a scalar (all slices have that size) or a vector
of the size of each slice, and a vector of the sizes of the inner dimensions, which are uniform.
"""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_array_ops
from leat.python.ops.ragged import ragged_config
from leat.python.ops.ragged import ragged_conversion_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


class RaggedTensorDynamicShape(object):
    """Sizes of partitioned and of inner dimensions."""

    def __init__(self, partitioned_dim_sizes, inner_dim_sizes, dim_size_dtype=None):
        if not isinstance(partitioned_dim_sizes, (list, tuple)):
            raise TypeError('partitioned_dim_sizes must be a list or tuple of Tensors')
        with ops.name_scope(None, 'RaggedTensorDynamicShape',
                            list(partitioned_dim_sizes) + [inner_dim_sizes]):
            sizes = [ops.convert_to_tensor(size, name='partitioned_dimension_size_%d' % i)
                     for i, size in enumerate(partitioned_dim_sizes)]
            inner = ops.convert_to_tensor(inner_dim_sizes, name='inner_dim_sizes',
                                          preferred_dtype=dtypes.int64)
            if sizes:
                for i, size in enumerate(sizes):
                    if size.shape.ndims is None:
                        raise ValueError('rank of partitioned_dim_sizes[%d] is unknown' % i)
                    size.shape.with_rank_at_most(1)
                if sizes[0].shape.ndims == 1:
                    raise ValueError('outermost partitioned dimension must be uniform')
                if sizes[-1].shape.ndims == 0:
                    raise ValueError('innermost partitioned dimension must be ragged')
            inner.shape.assert_has_rank(1)
            dim_size_dtype = _common_type(sizes + [inner], dim_size_dtype)
            sizes = [math_ops.cast(s, dim_size_dtype) for s in sizes]
            inner = math_ops.cast(inner, dim_size_dtype)
            self._partitioned_dim_sizes = tuple(sizes)
            self._inner_dim_sizes = inner
            self._dim_size_dtype = dim_size_dtype

    @staticmethod
    def from_dim_sizes(dim_sizes):
        """Of one scalar (uniform) or vector (ragged) for each dimension."""
        with ops.name_scope(None, 'RaggedTensorDynamicShapeFromDimensionSizes', [dim_sizes]):
            sizes = [ops.convert_to_tensor(s, preferred_dtype=dtypes.int64, name='dim_sizes')
                     for s in dim_sizes]
            ragged = [i for i, s in enumerate(sizes) if s.shape.ndims == 1]
            cut = ragged[-1] + 1 if ragged else 0
            inner = sizes[cut:]
            return RaggedTensorDynamicShape(sizes[:cut], array_ops.stack(inner) if inner else
                                            constant_op.constant([], dtypes.int64))

    @classmethod
    def from_tensor(cls, rt_input, dim_size_dtype=None):
        """Of a ragged or dense tensor."""
        with ops.name_scope(None, 'RaggedTensorDynamicShapeFromTensor', [rt_input]):
            rt_input = ragged_tensor.convert_to_tensor_or_ragged_tensor(rt_input)
            if not ragged_tensor.is_ragged(rt_input):
                return cls([], array_ops.shape(rt_input), dim_size_dtype)
            sizes = (rt_input.nrows(),) + rt_input.nested_row_lengths()
            return cls(sizes, array_ops.shape(rt_input.flat_values)[1:],
                       dim_size_dtype=dim_size_dtype)

    def dimension_size(self, axis):
        """A scalar or vector."""
        if not isinstance(axis, int):
            raise TypeError('axis must be an integer')
        partitioned = len(self._partitioned_dim_sizes)
        return self._partitioned_dim_sizes[axis] if axis < partitioned else \
            self._inner_dim_sizes[axis - partitioned]

    def is_ragged(self, axis):
        """Whether the slices of that dimension differ in size."""
        if not isinstance(axis, int):
            raise TypeError('axis must be an integer')
        if axis < 0:
            raise ValueError('Negative axis values are not supported')
        if self.rank is not None and axis >= self.rank:
            raise ValueError('Expected axis=%s < rank=%s' % (axis, self.rank))
        return axis < len(self._partitioned_dim_sizes) and \
            self._partitioned_dim_sizes[axis].shape.ndims == 1

    @property
    def rank(self):
        """The number of dimensions; None where it is not known."""
        inner = tensor_shape.dimension_value(self._inner_dim_sizes.shape[0])
        return None if inner is None else len(self._partitioned_dim_sizes) + inner

    partitioned_dim_sizes = property(lambda self: self._partitioned_dim_sizes)
    inner_dim_sizes = property(lambda self: self._inner_dim_sizes)
    dim_size_dtype = property(lambda self: self._dim_size_dtype)
    num_partitioned_dimensions = property(lambda self: len(self._partitioned_dim_sizes))

    @property
    def num_inner_dimensions(self):
        return tensor_shape.dimension_value(self._inner_dim_sizes.shape[0])

    def num_slices_in_dimension(self, axis):
        """How many slices the dimension has in all."""
        if axis < 0:
            return constant_op.constant(1, dtype=self._dim_size_dtype)
        if self.is_ragged(axis):
            return math_ops.reduce_sum(self._partitioned_dim_sizes[axis])
        return self.dimension_size(axis) * self.num_slices_in_dimension(axis - 1)

    def with_dim_size_dtype(self, dtype):
        """The same with sizes of int32 or int64."""
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError('dtype must be int32 or int64')
        if self.dim_size_dtype == dtype:
            return self
        return RaggedTensorDynamicShape(
            [math_ops.cast(p, dtype) for p in self._partitioned_dim_sizes],
            math_ops.cast(self._inner_dim_sizes, dtype), dtype)

    def broadcast_to_rank(self, rank):
        """The shape with dimensions of 1 in front until it has that rank."""
        if self.rank is None:
            raise ValueError('Unable to broadcast: self.rank is unknown')
        missing = rank - self.rank
        if missing < 0:
            raise ValueError('Unable to broadcast: rank=%d must be greater than self.rank=%d.'
                             % (rank, self.rank))
        if missing == 0:
            return self
        if self._partitioned_dim_sizes:
            ones = (constant_op.constant(1, self._dim_size_dtype),) * missing
            return RaggedTensorDynamicShape(ones + self._partitioned_dim_sizes,
                                            self._inner_dim_sizes, self._dim_size_dtype)
        inner = array_ops.concat([array_ops.ones([missing], self._dim_size_dtype),
                                  self._inner_dim_sizes], axis=0)
        return RaggedTensorDynamicShape([], inner, self._dim_size_dtype)

    def broadcast_dimension(self, axis, lengths):
        """The shape with a dimension made as large as lengths, where its size was 1."""
        lengths = ragged_util.convert_to_int_tensor(lengths, 'lengths', self._dim_size_dtype)
        if lengths.shape.ndims is None:
            raise ValueError('lengths must have a known rank.')
        if lengths.shape.ndims > 1:
            raise ValueError('lengths must be a scalar or vector')
        lengths_is_scalar = lengths.shape.ndims == 0
        size = self.dimension_size(axis)
        same = math_ops.reduce_all(math_ops.equal(size, lengths))
        if not self.is_ragged(axis):
            same = math_ops.logical_or(math_ops.equal(size, 1), same)
        if lengths_is_scalar:
            same = math_ops.logical_or(math_ops.equal(lengths, 1), same)
        condition = control_flow_ops.Assert(
            same, ['Unable to broadcast: dimension size mismatch in dimension', axis,
                   'lengths=', lengths, 'dim_size=', size])
        with ops.control_dependencies([condition]):
            lengths = array_ops.identity(lengths)
            if axis < len(self._partitioned_dim_sizes):
                if self.is_ragged(axis):
                    return self
                if lengths_is_scalar:
                    return self._uniform_to_uniform(axis, lengths)
                return self._uniform_to_ragged(axis, lengths)
            if lengths_is_scalar:
                return self._inner_to_uniform(axis, lengths)
            if axis == 0:
                raise ValueError('Unable to broadcast: outermost dimension must be uniform.')
            return self._inner_to_ragged(axis, lengths)

    def _uniform_to_uniform(self, axis, size):
        """A partitioned uniform dimension repeated: the ragged ones below it are tiled."""
        old = self.dimension_size(axis)
        multiple = array_ops.where(math_ops.equal(old, 1), size, array_ops.ones_like(old))
        sizes = list(self._partitioned_dim_sizes[:axis]) + [old * multiple]
        outer = self.num_slices_in_dimension(axis - 1)
        for ragged in self._partitioned_dim_sizes[axis + 1:]:
            if ragged.shape.ndims == 0:
                sizes.append(ragged)
                continue
            grouped = array_ops.reshape(ragged, array_ops.stack([outer, -1]))
            sizes.append(array_ops.reshape(array_ops.tile(
                grouped, array_ops.stack([array_ops.ones_like(multiple), multiple])), [-1]))
        return RaggedTensorDynamicShape(sizes, self._inner_dim_sizes, self._dim_size_dtype)

    def _uniform_to_ragged(self, axis, lengths):
        """A partitioned dimension of size 1 made as long as each of lengths."""
        sizes = list(self._partitioned_dim_sizes[:axis]) + [lengths]
        repeats = lengths
        for ragged in self._partitioned_dim_sizes[axis + 1:]:
            if ragged.shape.ndims == 0:
                sizes.append(ragged)
                repeats = ragged_util.repeat(repeats, ragged, axis=0)
                continue
            repeated = ragged_util.repeat(ragged, repeats, axis=0)
            sizes.append(repeated)
            repeats = ragged_util.repeat(repeats, ragged, axis=0)
        return RaggedTensorDynamicShape(sizes, self._inner_dim_sizes, self._dim_size_dtype)

    def _inner_to_uniform(self, axis, size):
        inner = axis - len(self._partitioned_dim_sizes)
        old = self._inner_dim_sizes[inner]
        new = array_ops.where(math_ops.equal(old, 1), size, old)
        sizes = array_ops.concat([self._inner_dim_sizes[:inner], [new],
                                  self._inner_dim_sizes[inner + 1:]], axis=0)
        return RaggedTensorDynamicShape(self._partitioned_dim_sizes, sizes, self._dim_size_dtype)

    def _inner_to_ragged(self, axis, lengths):
        inner = axis - len(self._partitioned_dim_sizes)
        before = [self._inner_dim_sizes[i] for i in range(inner)]
        return RaggedTensorDynamicShape(
            list(self._partitioned_dim_sizes) + before + [lengths],
            self._inner_dim_sizes[inner + 1:], self._dim_size_dtype)


def _common_type(tensors, dim_size_dtype):
    if dim_size_dtype is not None:
        return dim_size_dtype
    found = {t.dtype for t in tensors}
    if len(found) == 1:
        return found.pop()
    if not ragged_config.auto_cast_partition_dtype() and not found <= {dtypes.int32, dtypes.int64}:
        raise ValueError('partitioned_dim_sizes must have matching dtypes')
    return dtypes.int64


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that both broadcast to."""
    if not isinstance(shape_x, RaggedTensorDynamicShape):
        raise TypeError('shape_x must be a RaggedTensorDynamicShape')
    if not isinstance(shape_y, RaggedTensorDynamicShape):
        raise TypeError('shape_y must be a RaggedTensorDynamicShape')
    if shape_x.rank is None or shape_y.rank is None:
        raise ValueError('Unable to broadcast: unknown rank')
    rank = max(shape_x.rank, shape_y.rank)
    dtype = dtypes.int64 if dtypes.int64 in (shape_x.dim_size_dtype, shape_y.dim_size_dtype) \
        else dtypes.int32
    shape_x = shape_x.with_dim_size_dtype(dtype).broadcast_to_rank(rank)
    shape_y = shape_y.with_dim_size_dtype(dtype).broadcast_to_rank(rank)
    for axis in range(rank):
        shape_x = shape_x.broadcast_dimension(axis, shape_y.dimension_size(axis))
        shape_y = shape_y.broadcast_dimension(axis, shape_x.dimension_size(axis))
    return shape_x


def broadcast_to(rt_input, shape, broadcast_inner_dimensions=True):
    """A tensor, ragged where the shape is, with rt_input's values repeated."""
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError('shape must be a RaggedTensorDynamicShape')
    rt_input = ragged_tensor.convert_to_tensor_or_ragged_tensor(rt_input)
    if shape.num_partitioned_dimensions == 0:
        if not broadcast_inner_dimensions:
            return rt_input
        return array_ops.broadcast_to(rt_input, shape.inner_dim_sizes)
    return _ragged_broadcast_to(rt_input, shape, broadcast_inner_dimensions)


def _ragged_broadcast_to(rt_input, dst_shape, broadcast_inner):
    dtype = rt_input.row_splits.dtype if ragged_tensor.is_ragged(rt_input) else \
        dst_shape.dim_size_dtype
    dst_shape = dst_shape.with_dim_size_dtype(dtype)
    if rt_input.shape.ndims == 0:
        rt_input = array_ops.expand_dims(rt_input, 0)
    while rt_input.shape.ndims < dst_shape.rank:
        rt_input = ragged_array_ops.expand_dims(rt_input, axis=0)
    if not ragged_tensor.is_ragged(rt_input) or \
            rt_input.ragged_rank < dst_shape.num_partitioned_dimensions - 1:
        rt_input = _with_ragged_rank(rt_input, dst_shape.num_partitioned_dimensions - 1, dtype)
    for axis in range(dst_shape.num_partitioned_dimensions):
        rt_input = _repeated(rt_input, axis, dst_shape.dimension_size(axis))
    if broadcast_inner:
        inner_rank = dst_shape.num_inner_dimensions
        if inner_rank:
            flat = rt_input.flat_values
            rt_input = rt_input.with_flat_values(array_ops.broadcast_to(flat, array_ops.concat(
                [array_ops.shape(flat, out_type=dtype)[:1], dst_shape.inner_dim_sizes], axis=0)))
    return rt_input


def _with_ragged_rank(value, ragged_rank, dtype):
    if ragged_tensor.is_ragged(value):
        return value.with_values(_with_ragged_rank(value.values, ragged_rank - 1, dtype))
    return ragged_conversion_ops.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=dtype)


def _repeated(value, axis, lengths):
    """value with a dimension of 1 repeated to lengths; others stay."""
    if axis > 1:
        return value.with_values(_repeated(value.values, axis - 1, lengths))
    from leat.python.ops.ragged import ragged_gather_ops
    if axis == 0:
        count = math_ops.maximum(value.nrows(), 0)
        many = array_ops.where(math_ops.equal(count, 1), lengths, array_ops.ones_like(lengths))
        order = array_ops.tile(math_ops.range(count), array_ops.expand_dims(many, 0))
        return ragged_gather_ops.gather(value, order)
    old = value.row_lengths()
    wanted = old * 0 + lengths if lengths.shape.ndims == 0 else lengths
    many = array_ops.where(math_ops.equal(old, 1), wanted, array_ops.ones_like(old))
    splits = ragged_util.lengths_to_splits(old * many)
    rows = ragged_util.repeat(math_ops.range(value.nrows()), many, axis=0)
    repeated = ragged_gather_ops.gather(value, rows)
    values = array_ops.identity(repeated.values) if isinstance(repeated.values, ops.Tensor) \
        else repeated.values
    return ragged_tensor.RaggedTensor.from_row_splits(values, splits, validate=False)
