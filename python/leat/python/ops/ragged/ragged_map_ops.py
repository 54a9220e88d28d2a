# SPDX-License-Identifier: Apache-2.0
"""map_fn() over the rows of ragged tensors, with ragged or dense results."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import tensor_array_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.util import nest


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None):
    """fn of each row of elems; dtype (with RaggedTensorTypes) is the structure of its results."""
    if not callable(fn):
        raise TypeError('fn must be callable.')
    if dtype is None:
        dtype = nest.map_structure(lambda e: e.dtype, elems)
    with ops.name_scope(name, 'map', nest.flatten(elems, expand_composites=True)):
        flat = [ragged_tensor.convert_to_tensor_or_ragged_tensor(e, name='elem')
                for e in nest.flatten(elems)]
        count, static = _row_count(flat)
        kinds = [_kind(d) for d in nest.flatten(dtype)]
        arrays = [_arrays(kind, count, infer_shape) for kind in kinds]

        def body(i, state):
            row = nest.pack_sequence_as(elems, [e[i] if ragged_tensor.is_ragged(e) else
                                                array_ops.gather(e, i) for e in flat])
            values = fn(row)
            nest.assert_same_structure(dtype, nest.map_structure(lambda v: 0, values)
                                       if not nest.is_sequence(dtype) else values,
                                       expand_composites=False)
            return i + 1, [_written(kind, group, i, value)
                           for kind, group, value in zip(kinds, state, nest.flatten(values))]

        _, state = control_flow_ops.while_loop(
            lambda i, _: i < count, body, (constant_op.constant(0), arrays),
            parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=count)
        results = [_gathered(kind, group, count, static) for kind, group in zip(kinds, state)]
        return nest.pack_sequence_as(dtype, results)


def _row_count(flat):
    static = tensor_shape.Dimension(None)
    for e in flat:
        static = static.merge_with(tensor_shape.dimension_at_index(e.shape, 0))
    first = flat[0]
    if ragged_tensor.is_ragged(first):
        return first.nrows(out_type=dtypes.int32), static
    return array_ops.shape(first)[0], static


def _kind(dtype):
    if isinstance(dtype, ragged_tensor.RaggedTensorType):
        return dtype
    return ragged_tensor.RaggedTensorType(dtypes.as_dtype(dtype), 0)


def _arrays(kind, count, infer_shape):
    """One TensorArray of values; of a ragged result also one of each row's number of values, and
    one for the lengths of every ragged dimension in it."""
    if kind.ragged_rank == 0:
        return [tensor_array_ops.TensorArray(kind.dtype, size=count, infer_shape=infer_shape)]
    return [tensor_array_ops.TensorArray(kind.dtype, size=count, infer_shape=False)] + [
        tensor_array_ops.TensorArray(kind.row_splits_dtype, size=count, infer_shape=False)
        for _ in range(kind.ragged_rank)]


def _written(kind, group, i, value):
    if kind.ragged_rank == 0:
        return [group[0].write(i, value)]
    value = ragged_tensor.convert_to_tensor_or_ragged_tensor(value)
    inner = kind.ragged_rank - 1
    found = value.ragged_rank if ragged_tensor.is_ragged(value) else 0
    if found != inner:
        raise ValueError('The declared ragged rank (%d) mismatches the result (%d)'
                         % (kind.ragged_rank, found + 1))
    if inner == 0:
        count = array_ops.shape(value, out_type=kind.row_splits_dtype)[:1]
        return [group[0].write(i, value), group[1].write(i, count)]
    value = value.with_row_splits_dtype(kind.row_splits_dtype)
    lengths = [array_ops.expand_dims(value.nrows(), 0)] + list(value.nested_row_lengths())
    return [group[0].write(i, value.flat_values)] + [
        array.write(i, n) for array, n in zip(group[1:], lengths)]


def _gathered(kind, group, count, static):
    if kind.ragged_rank == 0:
        result = group[0].stack()
        result.set_shape(tensor_shape.TensorShape([static]).concatenate(result.get_shape()[1:]))
        return result
    with ops.name_scope('stack'):
        values = group[0].concat()
        lengths = [array.concat() for array in group[1:]]
    result = ragged_tensor.RaggedTensor.from_nested_row_lengths(values, lengths, validate=False)
    return result
