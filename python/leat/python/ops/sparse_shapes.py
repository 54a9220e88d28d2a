# SPDX-License-Identifier: Apache-2.0
"""SparseTensors put together, cut, reordered and reshaped. Part of sparse_ops."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_sparse_ops
from leat.python.ops import math_ops
from leat.python.util import deprecation


class KeywordRequired(object):
    """The default of an argument before those that are given by name."""

    def __repr__(self):
        return 'KeywordRequired()'


def _convert_to_sparse_tensor(sp_input):
    if isinstance(sp_input, sparse_tensor.SparseTensorValue):
        return sparse_tensor.SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, sparse_tensor.SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return sp_input


def _make_int64_tensor(value, name):
    if isinstance(value, (int, np.integer)):
        return ops.convert_to_tensor(value, name=name, dtype=dtypes.int64)
    if not isinstance(value, ops.Tensor):
        raise TypeError('{} must be an integer value'.format(name))
    return value if value.dtype == dtypes.int64 else math_ops.cast(value, dtypes.int64)


def _int64(value):
    """A vector of dims as an int64 tensor."""
    return math_ops.cast(value, dtype=dtypes.int64)


def sparse_expand_dims(sp_input, axis=None, name=None):
    """A dim of size 1 more."""
    rank = sp_input.dense_shape.get_shape()[0]
    axis = -1 if axis is None else axis
    with ops.name_scope(name, default_name='expand_dims', values=[sp_input]):
        if isinstance(axis, (int, np.integer)):
            axis = ops.convert_to_tensor(axis, name='axis', dtype=dtypes.int32)
        elif not isinstance(axis, ops.Tensor):
            raise TypeError('axis must be an integer value in range [-rank(sp_input) - 1, '
                            'rank(sp_input)]')
        axis = array_ops.where_v2(axis >= 0, axis, axis + rank.value + 1)
        rows = array_ops.shape(sp_input.indices)[0]
        column = array_ops.zeros([rows, 1], dtype=dtypes.int64)
        before = array_ops.slice(sp_input.indices, [0, 0], [-1, axis])
        after = array_ops.slice(sp_input.indices, [0, axis], [-1, -1])
        indices = array_ops.concat([before, column, after], axis=1)
        shape_before = array_ops.slice(sp_input.dense_shape, [0], [axis])
        shape_after = array_ops.slice(sp_input.dense_shape, [axis], [-1])
        one = ops.convert_to_tensor([1], name='new_shape', dtype=dtypes.int64)
        shape = array_ops.concat([shape_before, one, shape_after], axis=0)
        return sparse_tensor.SparseTensor(indices=indices, values=sp_input.values,
                                          dense_shape=shape)


def sparse_reorder(sp_input, name=None):
    """The elements in the order of their indices."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    indices, values = gen_sparse_ops.sparse_reorder(sp_input.indices, sp_input.values,
                                                    sp_input.dense_shape, name=name)
    if sp_input.get_shape().is_fully_defined():
        return sparse_tensor.SparseTensor(indices, values, sp_input.get_shape().as_list())
    return sparse_tensor.SparseTensor(indices, values, array_ops.identity(sp_input.dense_shape))


def _reshaped_dims(known, wanted):
    """The dims of a reshape where all is known, else None; ValueError when they do not fit."""
    if known is None or wanted is None or not known.is_fully_defined():
        return None
    wanted = [int(d) for d in wanted]
    if any(d < -1 for d in wanted) or wanted.count(-1) > 1:
        return None
    size = known.num_elements()
    if -1 in wanted:
        rest = int(np.prod([d for d in wanted if d != -1], dtype=np.int64))
        if rest == 0 or size % rest:
            raise ValueError('Cannot reshape a tensor with %d elements to shape %s (%d '
                             'elements).' % (size, wanted, rest))
        return [size // rest if d == -1 else d for d in wanted]
    count = int(np.prod(wanted, dtype=np.int64))
    if count != size:
        raise ValueError('Cannot reshape a tensor with %d elements to shape %s (%d elements).'
                         % (size, wanted, count))
    return wanted


def sparse_reshape(sp_input, shape, name=None):
    """The same elements in another shape."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    shape = _int64(shape)
    with ops.name_scope(name, 'SparseReshape', [sp_input]) as name:
        indices, dense_shape = gen_sparse_ops.sparse_reshape(
            sp_input.indices, sp_input.dense_shape, shape, name=name)
        value = tensor_util.constant_value(shape)
        if value is None and shape.op.type == 'Cast':
            value = tensor_util.constant_value(shape.op.inputs[0])
        dims = _reshaped_dims(sp_input.get_shape(), value)
        if dims is not None:
            from leat.python.framework import constant_op
            dense_shape = constant_op.constant(dims, dtype=dtypes.int64)
        return sparse_tensor.SparseTensor(indices, array_ops.identity(sp_input.values),
                                          dense_shape)


def sparse_retain(sp_input, to_retain):
    """The elements where to_retain is True."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    to_retain = ops.convert_to_tensor(to_retain)
    kept = to_retain.get_shape().with_rank(1)
    if sp_input.values.get_shape().dims is not None:
        sp_input.values.get_shape().dims[0].merge_with(tensor_shape.dimension_at_index(kept, 0))
    places = array_ops.reshape(array_ops.where(to_retain), [-1])
    indices = array_ops.gather(sp_input.indices, places)
    values = array_ops.gather(sp_input.values, places)
    return sparse_tensor.SparseTensor(indices, values, array_ops.identity(sp_input.dense_shape))


def sparse_reset_shape(sp_input, new_shape=None):
    """The same elements in a shape that may be larger, or that just holds them."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    indices = array_ops.identity(sp_input.indices)
    values = array_ops.identity(sp_input.values)
    shape = array_ops.identity(sp_input.dense_shape)
    if new_shape is None:
        low = math_ops.reduce_max(indices, axis=0)
        tight = math_ops.maximum(ops.convert_to_tensor(0, dtype=dtypes.int64),
                                 math_ops.add(low, array_ops.ones_like(shape)))
        return sparse_tensor.SparseTensor(indices, values, tight)
    tensor = _int64(ops.convert_to_tensor(new_shape))
    tensor.get_shape().with_rank(1)
    known = tensor_util.constant_value_as_shape(tensor)
    if known.is_fully_defined() and sp_input.get_shape().is_fully_defined():
        if len(known) != len(sp_input.get_shape()):
            raise ValueError('Shape (%s) must have rank %d'
                             % (known, len(sp_input.get_shape())))
        if any(new < old for new, old in zip(known.as_list(), sp_input.get_shape().as_list())):
            raise ValueError('Requested new_shape should have dimension sizes >= '
                             'sp_input.shape.  Found new_shape (%s), sp_input.shape (%s).'
                             % (sp_input.get_shape(), known))
        return sparse_tensor.SparseTensor(indices, values, known.as_list())
    from leat.python.ops import check_ops
    from leat.python.ops import control_flow_ops
    checks = [check_ops.assert_equal(array_ops.shape(shape), array_ops.shape(tensor)),
              check_ops.assert_less_equal(shape, tensor)]
    return sparse_tensor.SparseTensor(indices, values,
                                      control_flow_ops.with_dependencies(checks, tensor))


def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None,
                  expand_nonconcat_dims=None):
    """SparseTensors one after the other."""
    expand = deprecation.deprecated_argument_lookup(
        'expand_nonconcat_dims', expand_nonconcat_dims, 'expand_nonconcat_dim',
        expand_nonconcat_dim or None)
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'concat_dim', concat_dim)
    return sparse_concat_v2(axis, sp_inputs, bool(expand), name)


def sparse_concat_v2(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError('Inputs must be a list or tuple.')
    sp_inputs = [_convert_to_sparse_tensor(sp) for sp in sp_inputs]
    if len(sp_inputs) == 1:
        return sp_inputs[0]
    shapes = [sp.dense_shape for sp in sp_inputs]
    if expand_nonconcat_dims:
        most = math_ops.reduce_max(array_ops.concat(
            [array_ops.reshape(s, [1, -1]) for s in shapes], 0), 0)
        shapes = [array_ops.concat([most[:axis], s[-1:] if axis == -1 else s[axis:axis + 1],
                                    [] if axis == -1 else most[axis + 1:]], 0) for s in shapes]
    indices, values, shape = gen_sparse_ops.sparse_concat(
        [sp.indices for sp in sp_inputs], [sp.values for sp in sp_inputs], shapes, axis,
        name=name)
    static = [sp.get_shape() for sp in sp_inputs]
    if not expand_nonconcat_dims and all(s.is_fully_defined() for s in static):
        from leat.python.framework import constant_op
        dims = static[0].as_list()
        dims[axis] = sum(s.as_list()[axis] for s in static)
        shape = constant_op.constant(dims, dtype=dtypes.int64)
    return sparse_tensor.SparseTensor(indices, values, shape)


def sparse_split(keyword_required=KeywordRequired(), sp_input=None, num_split=None, axis=None,
                 name=None, split_dim=None):
    """Pieces along an axis."""
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError('Keyword arguments are required for this function.')
    if sp_input is None:
        raise ValueError('sp_input is required')
    if num_split is None:
        raise ValueError('num_split is required')
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'split_dim', split_dim)
    if axis is None:
        raise ValueError('axis is required')
    return sparse_split_v2(sp_input, num_split, axis, name)


def sparse_split_v2(sp_input=None, num_split=None, axis=None, name=None):
    sp_input = _convert_to_sparse_tensor(sp_input)
    parts = gen_sparse_ops.sparse_split(axis, sp_input.indices, sp_input.values,
                                        sp_input.dense_shape, num_split, name=name)
    return [sparse_tensor.SparseTensor(i, v, s) for i, v, s in zip(*parts)]


def sparse_slice(sp_input, start, size, name=None):
    """size elements from start on, in each dim."""
    sp_input = _convert_to_sparse_tensor(sp_input)
    start = ops.convert_to_tensor(start, dtypes.int64)
    size = ops.convert_to_tensor(size, dtypes.int64)
    with ops.name_scope(name, 'SparseSlice', [sp_input]) as name:
        parts = gen_sparse_ops.sparse_slice(sp_input.indices, sp_input.values,
                                            sp_input.dense_shape, start, size, name=name)
        return sparse_tensor.SparseTensor(parts[0], parts[1], parts[2])


def sparse_transpose(sp_input, perm=None, name=None):
    """The dims in another order."""
    with ops.name_scope(name, 'SparseTranspose', [sp_input]):
        if perm is None:
            rank = array_ops.rank(sp_input)
            perm = (rank - 1) - math_ops.range(0, rank, 1)
        columns = array_ops.transpose(sp_input.indices)
        indices = array_ops.transpose(array_ops.gather(columns, perm))
        known = tensor_util.constant_value(perm) if isinstance(perm, ops.Tensor) else \
            np.array(perm)
        shape = sp_input.get_shape()
        if known is not None and shape.is_fully_defined():
            if not isinstance(perm, ops.Tensor):
                ops.convert_to_tensor(perm)
            new_shape = [shape.as_list()[i] for i in known]
        else:
            new_shape = array_ops.gather(sp_input.dense_shape, perm)
        return sparse_reorder(sparse_tensor.SparseTensor(indices, sp_input.values, new_shape))
