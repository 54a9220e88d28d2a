# SPDX-License-Identifier: Apache-2.0
"""SparseTensors reordered, reshaped, combined, and made dense.

Reshaping is in sparse_shapes; a name that is in neither is the op's own function."""
import numbers

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import gen_sparse_ops
from leat.python.ops import math_ops
from leat.python.ops.sparse_shapes import (  # noqa: F401
    KeywordRequired, _convert_to_sparse_tensor, _make_int64_tensor, sparse_concat,
    sparse_concat_v2, sparse_expand_dims, sparse_reorder, sparse_reset_shape, sparse_reshape,
    sparse_retain, sparse_slice, sparse_split, sparse_split_v2, sparse_transpose)
from leat.python.util import deprecation

_DEFAULT_HASH_KEY = 0xDECAFCAFFE
_lookup = deprecation.deprecated_argument_lookup


def __getattr__(name):
    return getattr(gen_sparse_ops, name)


def _sparse_of(parts):
    return sparse_tensor.SparseTensor(parts[0], parts[1], parts[2])


def _convert_to_sparse_tensors(sp_inputs):
    if isinstance(sp_inputs, (list, tuple)):
        return [_convert_to_sparse_tensor(sp) for sp in sp_inputs]
    raise TypeError('Inputs must be a list or tuple.')


# ---- made of dense ones, and made dense ----

def from_dense(tensor, name=None):
    """The elements that are not 0."""
    with ops.name_scope(name, 'dense_to_sparse'):
        tensor = ops.convert_to_tensor(tensor)
        zero = constant_op.constant('' if tensor.dtype == dtypes.string else 0,
                                    dtype=tensor.dtype)
        indices = array_ops.where(math_ops.not_equal(tensor, zero))
        values = array_ops.gather_nd(tensor, indices)
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        return sparse_tensor.SparseTensor(indices, values, shape)


def sparse_eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """A sparse identity matrix."""
    with ops.name_scope(name, default_name='eye', values=[num_rows, num_columns]):
        num_rows = _make_int64_tensor(num_rows, 'num_rows')
        num_columns = num_rows if num_columns is None else _make_int64_tensor(num_columns,
                                                                              'num_columns')
        size = math_ops.minimum(num_rows, num_columns)
        places = math_ops.range(size, dtype=dtypes.int64)
        return sparse_tensor.SparseTensor(
            indices=array_ops.stack([places, places], axis=1),
            values=array_ops.ones(size, dtype=dtype), dense_shape=[num_rows, num_columns])


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0,
                    validate_indices=True, name=None):
    """A tensor of default_value with values put at indices."""
    return gen_sparse_ops.sparse_to_dense(sparse_indices, output_shape, sparse_values,
                                          default_value=default_value,
                                          validate_indices=validate_indices, name=name)


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The SparseTensor as a tensor."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    if default_value is None:
        default_value = array_ops.zeros([], dtype=sp_input.dtype)
    return sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values,
                           default_value=default_value, validate_indices=validate_indices,
                           name=name)


def sparse_to_indicator(sp_input, vocab_size, name=None):
    """True where an id occurs."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    with ops.name_scope(name, 'SparseToIndicator', [sp_input]) as name:
        count = array_ops.shape(sp_input.indices)[0]
        ones = array_ops.fill(array_ops.expand_dims(count, 0), True)
        values = sparse_tensor.SparseTensor(sp_input.indices, ones, sp_input.dense_shape)
        merged = sparse_merge_impl(sp_input, values, vocab_size, name)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False,
                                      name=name)


def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """The last dim replaced by ids."""
    return sparse_merge_impl(sp_ids, sp_values, vocab_size, name, already_sorted)


def _checked_ids(sp_ids, vocab_size):
    if isinstance(sp_ids, sparse_tensor.SparseTensorValue) or isinstance(
            sp_ids, sparse_tensor.SparseTensor):
        sp_ids = [sp_ids]
        if not (isinstance(vocab_size, ops.Tensor) or isinstance(vocab_size, numbers.Integral)):
            raise TypeError('vocab_size has to be a Tensor or Python int. Found %s'
                            % type(vocab_size))
        return sp_ids, [vocab_size]
    if not isinstance(sp_ids, (list, tuple)):
        raise TypeError('sp_ids has to be a SparseTensor or list thereof. Found %s'
                        % type(sp_ids))
    if not isinstance(vocab_size, (list, tuple)):
        raise TypeError('vocab_size has to be a list of Tensors or Python ints. Found %s'
                        % type(vocab_size))
    if len(sp_ids) != len(vocab_size):
        raise ValueError('sp_ids and vocab_size have to have equal lengths.')
    return sp_ids, vocab_size


def sparse_merge_impl(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    sp_ids, vocab_size = _checked_ids(sp_ids, vocab_size)
    with ops.name_scope(name, 'SparseMerge', [sp_ids, sp_values]):
        sp_ids = [_convert_to_sparse_tensor(sp) for sp in sp_ids]
        sp_values = _convert_to_sparse_tensor(sp_values)
        columns = []
        for sp in sp_ids:
            column = sp.values
            if column.dtype != dtypes.int64:
                column = math_ops.cast(column, dtypes.int64)
            columns.append(array_ops.expand_dims(column, axis=1))
        sizes = [math_ops.cast(size, dtypes.int64) for size in vocab_size]
        before = sp_ids[0].indices[:, :-1]
        indices = array_ops.concat([before] + columns, 1)
        shape = array_ops.concat([sp_ids[0].dense_shape[:-1], sizes], 0)
        result = sparse_tensor.SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return result
        sorted_result = sparse_reorder(result)
        return sparse_tensor.SparseTensor(sorted_result.indices, sorted_result.values, shape)


# ---- arithmetic ----

def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of two, one of which is sparse at least."""
    threshold = _lookup('threshold', threshold, 'thresh', thresh)
    return sparse_add_v2(a, b, 0 if threshold is None else threshold)


def sparse_add_v2(a, b, threshold=0):
    kinds = (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue)
    if not any(isinstance(i, kinds) for i in (a, b)):
        raise TypeError('At least one input should be SparseTensor; do you mean to use '
                        'tf.add()?')
    if all(isinstance(i, kinds) for i in (a, b)):
        a, b = _convert_to_sparse_tensor(a), _convert_to_sparse_tensor(b)
        threshold = ops.convert_to_tensor(threshold, dtype=a.values.dtype.real_dtype.base_dtype,
                                          name='threshold')
        result = gen_sparse_ops.sparse_add(a.indices, a.values, a.dense_shape, b.indices,
                                           b.values, b.dense_shape, threshold)
        a.get_shape().assert_is_compatible_with(b.get_shape())
        static = array_ops.broadcast_static_shape(a.get_shape(), b.get_shape())
        shape = static.as_list() if static.is_fully_defined() else result[2]
        return sparse_tensor.SparseTensor(result[0], result[1], shape)
    if isinstance(b, kinds):
        a, b = b, a
    return gen_sparse_ops.sparse_tensor_dense_add(a.indices, a.values, a.dense_shape, b)


def sparse_dense_cwise_add(sp_t, dense_t):
    """The values with the dense ones at their places added."""
    result = gen_sparse_ops.sparse_dense_cwise_add(sp_t.indices, sp_t.values, sp_t.dense_shape,
                                                   dense_t)
    return sparse_tensor.SparseTensor(sp_t.indices, result, sp_t.dense_shape)


def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """A sparse matrix times a dense one."""
    sp_a = _convert_to_sparse_tensor(sp_a)
    with ops.name_scope(name, 'SparseTensorDenseMatMul',
                        [sp_a.indices, sp_a.values, b]):
        b = ops.convert_to_tensor(b, name='b')
        return gen_sparse_ops.sparse_tensor_dense_mat_mul(
            a_indices=sp_a.indices, a_values=sp_a.values, a_shape=sp_a.dense_shape, b=b,
            adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def sparse_softmax(sp_input, name=None):
    """softmax() over the elements that are there."""
    with ops.name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]):
        values = gen_sparse_ops.sparse_softmax(sp_input.indices, sp_input.values,
                                               sp_input.dense_shape)
        return sparse_tensor.SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _pairwise(make, default, sp_a, sp_b, name):
    with ops.name_scope(name, default, [sp_a.indices, sp_a.values, sp_b.indices,
                                        sp_b.values]) as name:
        indices, values = make(sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices,
                               sp_b.values, sp_b.dense_shape, name=name)
    return sparse_tensor.SparseTensor(indices, values, sp_a.dense_shape)


def sparse_maximum(sp_a, sp_b, name=None):
    return _pairwise(gen_sparse_ops.sparse_sparse_maximum, 'SparseSparseMaximum', sp_a, sp_b,
                     name)


def sparse_minimum(sp_a, sp_b, name=None):
    return _pairwise(gen_sparse_ops.sparse_sparse_minimum, 'SparseSparseMinimum', sp_a, sp_b,
                     name)


# ---- reductions ----

def _reduce(make, sp_input, axis, keepdims, name=None):
    result = make(sp_input.indices, sp_input.values, sp_input.dense_shape,
                  math_ops._ReductionDims(sp_input, axis),
                  False if keepdims is None else keepdims, name=name)
    return result


def _set_reduced_shape(result, sp_input, axis, keepdims):
    if isinstance(axis, ops.Tensor):
        return result
    known = sp_input.get_shape()
    if known.ndims is None:
        return result
    rank = known.ndims
    axes = range(rank) if axis is None else [axis] if isinstance(axis, numbers.Integral) else axis
    axes = {a % rank for a in axes}
    dims = [1 if i in axes else d for i, d in enumerate(known.as_list())
            if keepdims or i not in axes]
    result.set_shape(dims)
    return result


def _old(axis, keepdims, reduction_axes, keep_dims):
    return (_lookup('axis', axis, 'reduction_axes', reduction_axes),
            _lookup('keepdims', keepdims, 'keep_dims', keep_dims))


def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The sum over axes, dense."""
    axis, keepdims = _old(axis, keepdims, reduction_axes, keep_dims)
    return sparse_reduce_sum_v2(sp_input, axis, keepdims)


def sparse_reduce_sum_v2(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    if output_is_sparse:
        return _sparse_of(_reduce(gen_sparse_ops.sparse_reduce_sum_sparse, sp_input, axis,
                                  keepdims, name))
    result = _reduce(gen_sparse_ops.sparse_reduce_sum, sp_input, axis, keepdims, name)
    return _set_reduced_shape(result, sp_input, axis, keepdims)


def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    axis, keepdims = _old(axis, keepdims, reduction_axes, keep_dims)
    return sparse_reduce_sum_v2(sp_input, axis, keepdims, output_is_sparse=True)


def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The greatest over axes, dense."""
    axis, keepdims = _old(axis, keepdims, reduction_axes, keep_dims)
    return sparse_reduce_max_v2(sp_input, axis, keepdims)


def sparse_reduce_max_v2(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    if output_is_sparse:
        return _sparse_of(_reduce(gen_sparse_ops.sparse_reduce_max_sparse, sp_input, axis,
                                  keepdims, name))
    result = _reduce(gen_sparse_ops.sparse_reduce_max, sp_input, axis, keepdims, name)
    return _set_reduced_shape(result, sp_input, axis, keepdims)


def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    axis, keepdims = _old(axis, keepdims, reduction_axes, keep_dims)
    return sparse_reduce_max_v2(sp_input, axis, keepdims, output_is_sparse=True)


# ---- empty rows, and SparseTensors as strings ----

def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """(with one default value in each row that is empty, whether each row was)."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    with ops.name_scope(name, 'SparseFillEmptyRows', [sp_input]):
        default_value = ops.convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        result = gen_sparse_ops.sparse_fill_empty_rows(
            indices=sp_input.indices, values=sp_input.values, dense_shape=sp_input.dense_shape,
            default_value=default_value)
        return (sparse_tensor.SparseTensor(result[0], result[1], sp_input.dense_shape),
                result[2])


def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
    return serialize_sparse_v2(sp_input, out_type, name)


def serialize_sparse_v2(sp_input, out_type=dtypes.string, name=None):
    """Its parts as three strings."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    return gen_sparse_ops.serialize_sparse(sp_input.indices, sp_input.values,
                                           sp_input.dense_shape, name=name, out_type=out_type)


def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    return serialize_many_sparse_v2(sp_input, out_type, name)


def serialize_many_sparse_v2(sp_input, out_type=dtypes.string, name=None):
    """Each row as three strings."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    return gen_sparse_ops.serialize_many_sparse(
        sp_input.indices, sp_input.values, sp_input.dense_shape, name=name, out_type=out_type)


def _deserialized(parts, rank):
    indices, values, shape = parts
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return sparse_tensor.SparseTensor(indices, values, shape)


def deserialize_sparse(serialized_sparse, dtype, rank=None, name=None):
    """What serialize_sparse() wrote."""
    return _deserialized(gen_sparse_ops.deserialize_sparse(serialized_sparse, dtype, name=name),
                         rank)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """What serialize_many_sparse() wrote, the rows put together."""
    return _deserialized(gen_sparse_ops.deserialize_many_sparse(serialized_sparse, dtype,
                                                                name=name), rank)




# ---- crosses of features ----

def sparse_cross(inputs, name=None):
    """The crosses of features' values, as strings."""
    return _sparse_cross(inputs, False, name=name)


def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """The crosses of features' values, as hashes' buckets."""
    return _sparse_cross(inputs, True, num_buckets, hash_key, name)


def _sparse_cross(inputs, hashed_output, num_buckets=0, hash_key=None, name=None):
    if not isinstance(inputs, list):
        raise TypeError('Inputs must be a list')
    if not all(isinstance(i, (sparse_tensor.SparseTensor, ops.Tensor)) for i in inputs):
        raise TypeError('All inputs must be SparseTensors')
    sparse = [i for i in inputs if isinstance(i, sparse_tensor.SparseTensor)]
    values = [i.values for i in sparse]
    dense = [i for i in inputs if not isinstance(i, sparse_tensor.SparseTensor)]
    whole = any(v.dtype != dtypes.string for v in values + dense)

    def numbers_whole(tensor):
        return tensor if tensor.dtype == dtypes.string else math_ops.cast(tensor, dtypes.int64)

    return _sparse_of(gen_sparse_ops.sparse_cross(
        indices=[i.indices for i in sparse], values=[numbers_whole(v) for v in values],
        shapes=[i.dense_shape for i in sparse], dense_inputs=[numbers_whole(d) for d in dense],
        hashed_output=hashed_output, num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type=dtypes.int64 if hashed_output else dtypes.string,
        internal_type=dtypes.int64 if whole else dtypes.string, name=name))
