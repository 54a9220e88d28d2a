# SPDX-License-Identifier: Apache-2.0
"""Ragged tensors of dense and sparse ones, and back."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import gen_ragged_conversion_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def from_tensor(tensor, lengths=None, padding=None, ragged_rank=1, name=None,
                row_splits_dtype=dtypes.int64):
    """The rows of a dense tensor as a RaggedTensor, cut to lengths or freed of padding."""
    row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError('Specify lengths or padding, but not both')
    if not isinstance(ragged_rank, int):
        raise TypeError('ragged_rank expected int, got %r' % ragged_rank)
    if ragged_rank <= 0:
        raise ValueError('ragged_rank must be greater than 0; got %s' % ragged_rank)
    with ops.name_scope(name, 'RaggedFromTensor', [tensor, lengths, padding]):
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        tensor.shape.with_rank_at_least(ragged_rank + 1)
        shape = array_ops.shape(tensor, out_type=row_splits_dtype)
        ncols = shape[1]
        if lengths is not None and (isinstance(lengths, (list, tuple)) and len(lengths) and
                                    not isinstance(lengths[0], (int, float))):
            return _from_nested_lengths(tensor, lengths, ragged_rank, name, row_splits_dtype)
        if ragged_rank > 1:
            return _merged_rows(tensor, shape, lengths, padding, ragged_rank, row_splits_dtype)
        if padding is not None:
            lengths = _lengths_without(tensor, padding, ncols, row_splits_dtype)
        if lengths is not None:
            return _cut_to_lengths(tensor, lengths, ncols, row_splits_dtype)
        values = array_ops.reshape(tensor, array_ops.concat([[shape[0] * shape[1]], shape[2:]],
                                                            axis=0))
        known = tensor.shape
        if known.ndims is not None:
            rows, cols = known.dims[0].value, known.dims[1].value
            count = None if rows is None or cols is None else rows * cols
            values.set_shape(tensor_shape.TensorShape([count]).concatenate(known[2:]))
        splits = math_ops.range(shape[0] + 1) * ncols
        return ragged_tensor.RaggedTensor.from_row_splits(values, splits, validate=False)


def _from_nested_lengths(tensor, lengths, ragged_rank, name, row_splits_dtype):
    """lengths: a list of the lengths of each ragged dimension."""
    if ragged_rank not in (1, len(lengths)):
        raise ValueError('If lengths is a tuple of row_lengths, then ragged_rank must be '
                         'len(lengths).')
    inner = [ragged_util.convert_to_int_tensor(n, 'row_lengths', row_splits_dtype)
             for n in lengths]
    if len(inner) == 1:
        return from_tensor(tensor, lengths=inner[0], name=name, row_splits_dtype=row_splits_dtype)
    outer = from_tensor(tensor, lengths=inner[0], name=name, row_splits_dtype=row_splits_dtype)
    return outer.with_values(from_tensor(outer.values, lengths=inner[1:],
                                         row_splits_dtype=row_splits_dtype))


def _merged_rows(tensor, shape, lengths, padding, ragged_rank, row_splits_dtype):
    """The outer two dimensions as one, cut as one of less rank, under uniform rows."""
    merged = array_ops.reshape(tensor, array_ops.concat([[shape[0] * shape[1]], shape[2:]],
                                                        axis=0))
    values = from_tensor(merged, lengths, padding, ragged_rank - 1,
                         row_splits_dtype=row_splits_dtype)
    splits = math_ops.range(shape[0] + 1) * shape[1]
    return ragged_tensor.RaggedTensor.from_row_splits(values, splits, validate=False)


def _lengths_without(tensor, padding, ncols, row_splits_dtype):
    """The length of each row without the padding at its end."""
    padding = ops.convert_to_tensor(padding, name='padding', dtype=tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_padding = math_ops.equal(tensor, padding)
    rank = tensor.shape.ndims
    if rank is None or rank > 2:
        inner = math_ops.range(2, array_ops.rank(tensor))
        is_padding = math_ops.reduce_all(is_padding, axis=inner)
    has_value = math_ops.cast(math_ops.logical_not(is_padding), row_splits_dtype)
    position = math_ops.range(1, ncols + 1)
    return math_ops.maximum(math_ops.reduce_max(position * has_value, axis=1),
                            math_ops.cast(0, row_splits_dtype))


def _cut_to_lengths(tensor, lengths, ncols, row_splits_dtype):
    lengths = ragged_util.convert_to_int_tensor(lengths, 'lengths', row_splits_dtype)
    lengths.shape.assert_has_rank(1)
    lengths = math_ops.minimum(lengths, ncols)
    lengths = math_ops.maximum(lengths, 0)
    splits = array_ops.concat([[0], math_ops.cumsum(lengths)], axis=0)
    values = array_ops.boolean_mask(tensor, array_ops.sequence_mask(lengths, ncols))
    return ragged_tensor.RaggedTensor.from_row_splits(values, splits, validate=False)


def to_tensor(rt_input, default_value=None, name=None):
    """A dense tensor with short rows filled by default_value."""
    with ops.name_scope(name, 'RaggedToTensor', [rt_input, default_value]):
        rt_input = ragged_tensor.convert_to_tensor_or_ragged_tensor(rt_input, name='rt_input')
        if not ragged_tensor.is_ragged(rt_input):
            return rt_input
        if default_value is not None:
            default_value = ops.convert_to_tensor(default_value, name='default_value',
                                                  dtype=rt_input.dtype)
            inner = rt_input.flat_values.shape.ndims
            if inner is not None:
                default_value.shape.with_rank_at_most(inner - 1)
        return _dense(rt_input, default_value, None)


def ragged_to_dense(rt_input, default_value=None, shape=None):
    """A dense tensor of a shape (None: as long as the longest row)."""
    return _dense(rt_input, default_value, shape)


def _dense(ragged, default_value, shape):
    if default_value is None:
        default_value = array_ops.zeros((), ragged.dtype)
    if shape is None:
        wanted = constant_op.constant(-1, dtypes.int64)
    else:
        wanted = ops.convert_to_tensor(
            [-1 if d is None else d for d in tensor_shape.as_shape(shape).as_list()]
            if isinstance(shape, (list, tuple, tensor_shape.TensorShape)) else shape,
            dtype=None if isinstance(shape, ops.Tensor) else dtypes.int64)
    splits = ragged.nested_row_splits
    result = gen_ragged_conversion_ops.ragged_tensor_to_tensor(
        shape=wanted, values=ragged.flat_values, default_value=default_value,
        row_partition_types=['ROW_SPLITS'] * len(splits), row_partition_tensors=list(splits))
    if shape is None:
        result.set_shape(ragged.shape)
    return result


def to_sparse(rt_input, name=None):
    """A SparseTensor of all values."""
    if not ragged_tensor.is_ragged(rt_input):
        raise TypeError('Expected RaggedTensor, got %s' % type(rt_input).__name__)
    with ops.name_scope(name, 'RaggedToSparse', [rt_input]):
        rt_input = ragged_tensor.convert_to_tensor_or_ragged_tensor(rt_input, name='rt_input')
        result = gen_ragged_conversion_ops.ragged_tensor_to_sparse(
            list(rt_input.nested_row_splits), rt_input.flat_values, name=name)
        return sparse_tensor.SparseTensor(result.sparse_indices, result.sparse_values,
                                          result.sparse_dense_shape)


def from_sparse(st_input, name=None, row_splits_dtype=dtypes.int64):
    """A RaggedTensor of a SparseTensor of rank 2 whose rows begin at column 0 without gaps."""
    row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
    if not sparse_tensor.is_sparse(st_input):
        raise TypeError('Expected SparseTensor, got %s' % type(st_input).__name__)
    with ops.name_scope(name, 'RaggedFromSparse', [st_input]):
        st_input = sparse_tensor.convert_to_tensor_or_sparse_tensor(st_input, name='st_input')
        rank = st_input.dense_shape.shape.ndims and st_input.dense_shape.shape.dims[0].value
        columns = st_input.indices.shape.ndims and st_input.indices.shape.dims[1].value
        if rank is None and columns is None:
            raise ValueError('rank(st_input) must be 2')
        if rank not in (None, 2) or columns not in (None, 2):
            raise ValueError('rank(st_input) must be 2')
        with ops.control_dependencies(_assert_right_ragged(st_input.indices)):
            rowids = math_ops.cast(st_input.indices[:, 0], row_splits_dtype)
            nrows = math_ops.cast(st_input.dense_shape[0], row_splits_dtype)
            return ragged_tensor.RaggedTensor.from_value_rowids(st_input.values, rowids, nrows,
                                                                validate=False)


def _assert_right_ragged(indices):
    """Each column is 0 where a row begins, else one more than the column before."""
    previous, current = indices[:-1], indices[1:]
    same_row = math_ops.cast(math_ops.equal(previous[:, 0], current[:, 0]), dtypes.int64)
    wanted = same_row * (previous[:, 1] + 1)
    message = 'SparseTensor is not right-ragged'
    return [check_ops.assert_equal(current[:, 1], wanted, message=message,
                                   data=['SparseTensor.indices =', indices]),
            check_ops.assert_equal(indices[:1, 1], array_ops.zeros_like(indices[:1, 1]),
                                   message=message)]


@ops.RegisterGradient('RaggedTensorToTensor')
def _to_tensor_grad(op, grad):
    """The gradient of each value is that of its place; what padding got is the default's."""
    shape, values, default = op.inputs[0], op.inputs[1], op.inputs[2]
    splits = op.inputs[3:]
    types = [t.decode() if isinstance(t, bytes) else t for t in op.get_attr('row_partition_types')]
    if any(t != 'ROW_SPLITS' for t in types):
        raise NotImplementedError('gradient of RaggedTensorToTensor with partitions that are no '
                                  'row splits')
    place = math_ops.range(array_ops.shape(values)[0])
    ragged = ragged_tensor.RaggedTensor.from_nested_row_splits(place, splits, validate=False)
    at = gen_ragged_conversion_ops.ragged_tensor_to_tensor(
        shape=_outer_shape(shape, grad, len(splits)), values=ragged.flat_values,
        default_value=constant_op.constant(-1), row_partition_types=types,
        row_partition_tensors=list(splits))
    flat_at = array_ops.reshape(at, [-1])
    flat_grad = array_ops.reshape(grad, array_ops.concat(
        [[-1], array_ops.shape(values)[1:]], axis=0))
    filled = math_ops.greater_equal(flat_at, 0)
    count = array_ops.shape(values)[0]
    values_grad = math_ops.unsorted_segment_sum(
        array_ops.boolean_mask(flat_grad, filled), array_ops.boolean_mask(flat_at, filled), count)
    padding = array_ops.boolean_mask(flat_grad, math_ops.logical_not(filled))
    rank = default.shape.ndims or 0
    axes = np.arange(padding.shape.ndims - rank) if padding.shape.ndims is not None else 0
    default_grad = math_ops.reduce_sum(padding, axis=axes)
    return [None, values_grad, default_grad] + [None] * len(splits)


def _outer_shape(shape, grad, ragged_rank):
    return math_ops.cast(array_ops.shape(grad)[:ragged_rank + 1], dtypes.int64)
