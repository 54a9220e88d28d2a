# SPDX-License-Identifier: Apache-2.0
"""Sets: the last dim of a tensor holds the elements of each."""
from leat.python.framework import dtypes
from leat.python.framework import sparse_tensor
from leat.python.ops import gen_set_ops

_VALID_DTYPES = frozenset([dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
                           dtypes.uint16, dtypes.string])


def set_size(a, validate_indices=True):
    """How many different elements each set has."""
    a = sparse_tensor.convert_to_tensor_or_sparse_tensor(a, name='a')
    if not isinstance(a, sparse_tensor.SparseTensor):
        raise TypeError('Expected `SparseTensor`, got %s.' % a)
    if a.values.dtype.base_dtype not in _VALID_DTYPES:
        raise TypeError('Invalid dtype %s.' % a.values.dtype)
    return gen_set_ops.set_size(a.indices, a.values, a.dense_shape, validate_indices)


def _operands(a, b):
    """(a, b, whether they were exchanged): a sparse one stands second, unless both are."""
    a = sparse_tensor.convert_to_tensor_or_sparse_tensor(a, name='a')
    if a.dtype.base_dtype not in _VALID_DTYPES:
        raise TypeError('\'a\' invalid dtype %s.' % a.dtype)
    b = sparse_tensor.convert_to_tensor_or_sparse_tensor(b, name='b')
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError('Types don\'t match, %s vs %s.' % (a.dtype, b.dtype))
    if isinstance(a, sparse_tensor.SparseTensor) and not isinstance(
            b, sparse_tensor.SparseTensor):
        return b, a, True
    return a, b, False


def _set_operation(a, b, set_operation, validate_indices=True):
    if isinstance(a, sparse_tensor.SparseTensor):
        parts = gen_set_ops.sparse_to_sparse_set_operation(
            a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape,
            set_operation, validate_indices)
    elif isinstance(b, sparse_tensor.SparseTensor):
        parts = gen_set_ops.dense_to_sparse_set_operation(
            a, b.indices, b.values, b.dense_shape, set_operation, validate_indices)
    else:
        parts = gen_set_ops.dense_to_dense_set_operation(a, b, set_operation, validate_indices)
    return sparse_tensor.SparseTensor(parts[0], parts[1], parts[2])


def set_intersection(a, b, validate_indices=True):
    """What is in both."""
    a, b, _ = _operands(a, b)
    return _set_operation(a, b, 'intersection', validate_indices)


def set_difference(a, b, aminusb=True, validate_indices=True):
    """What is in one and not in the other."""
    a, b, flipped = _operands(a, b)
    if flipped:
        aminusb = not aminusb
    return _set_operation(a, b, 'a-b' if aminusb else 'b-a', validate_indices)


def set_union(a, b, validate_indices=True):
    """What is in either."""
    a, b, _ = _operands(a, b)
    return _set_operation(a, b, 'union', validate_indices)


