# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and of tensors over chosen axes. Part of math_ops."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_math_ops


def _conj(x):
    from leat.python.ops import math_ops
    return math_ops.conj(x)


def _check_switches(transpose_a, adjoint_a, transpose_b, adjoint_b):
    if transpose_a and adjoint_a:
        raise ValueError('Only one of transpose_a and adjoint_a can be True.')
    if transpose_b and adjoint_b:
        raise ValueError('Only one of transpose_b and adjoint_b can be True.')


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
           a_is_sparse=False, b_is_sparse=False, name=None):
    """The product of matrices, or of batches of them."""
    with ops.name_scope(name, 'MatMul', [a, b]) as name:
        _check_switches(transpose_a, adjoint_a, transpose_b, adjoint_b)
        a = ops.convert_to_tensor(a, name='a')
        b = ops.convert_to_tensor(b, name='b')
        ranks = (a._rank(), b._rank())
        if not a_is_sparse and not b_is_sparse and any(r is None or r > 2 for r in ranks):
            if transpose_a:
                a, adjoint_a = _conj(a), True
            if transpose_b:
                b, adjoint_b = _conj(b), True
            return gen_math_ops.batch_mat_mul_v2(a, b, adj_x=adjoint_a, adj_y=adjoint_b,
                                                 name=name)
        if adjoint_a:
            a, transpose_a = _conj(a), True
        if adjoint_b:
            b, transpose_b = _conj(b), True
        few = (dtypes.bfloat16, dtypes.float32)
        sparse = (a_is_sparse or b_is_sparse) and a.dtype in few and b.dtype in few
        if sparse or (dtypes.bfloat16 in (a.dtype, b.dtype) and a.dtype != b.dtype):
            # TensorFlow has an op for matrices that are mostly zeros; here it is the plain one.
            from leat.python.ops import math_ops
            bfloat16 = a.dtype == dtypes.bfloat16 and b.dtype == dtypes.bfloat16
            result = gen_math_ops.mat_mul(
                math_ops.cast(a, dtypes.float32), math_ops.cast(b, dtypes.float32),
                transpose_a=transpose_a, transpose_b=transpose_b, name=name)
            return math_ops.cast(result, dtypes.bfloat16) if bfloat16 else result
        return gen_math_ops.mat_mul(a, b, transpose_a=transpose_a, transpose_b=transpose_b,
                                    name=name)


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False,
           name=None):
    """A matrix times a vector."""
    with ops.name_scope(name, 'MatVec', [a, b]):
        product = matmul(a, array_ops.expand_dims(b, axis=-1), transpose_a=transpose_a,
                         adjoint_a=adjoint_a, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return array_ops.squeeze(product, axis=-1)


def trace(x, name=None):
    """The sums of main diagonals."""
    from leat.python.ops import math_ops
    with ops.name_scope(name, 'Trace', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return math_ops.reduce_sum(array_ops.matrix_diag_part(x), [-1], name=name)


def _reshape_known(a, axes, flipped):
    """A tensor of known shape as a matrix whose columns (rows, flipped) are the axes."""
    dims = a.get_shape().as_list()
    axes = [i if i >= 0 else i + len(dims) for i in axes]
    free = [i for i in range(len(dims)) if i not in axes]
    free_dims = [dims[i] for i in free]
    count = int(np.prod(free_dims))
    length = int(np.prod([dims[i] for i in axes]))
    perm = list(axes) + free if flipped else free + list(axes)
    shape = [length, count] if flipped else [count, length]
    return array_ops.reshape(array_ops.transpose(a, perm), shape), free_dims, free_dims


def _tensordot_reshape(a, axes, flipped=False):
    """(the matrix, the free dims as list or tensor, the free dims as far as they are known)."""
    from leat.python.ops import math_ops
    if a.get_shape().is_fully_defined() and isinstance(axes, (list, tuple)):
        return _reshape_known(a, axes, flipped)
    if a.get_shape().ndims is not None and isinstance(axes, (list, tuple)):
        dims = a.get_shape().as_list()
        axes = [i if i >= 0 else i + len(dims) for i in axes]
        free = [i for i in range(len(dims)) if i not in axes]
        known = [dims[i] for i in free]
        axes = ops.convert_to_tensor(axes, dtype=dtypes.int32, name='axes')
        free = ops.convert_to_tensor(free, dtype=dtypes.int32, name='free')
        shape = array_ops.shape(a)
    else:
        known = None
        shape = array_ops.shape(a)
        rank = array_ops.rank(a)
        axes = ops.convert_to_tensor(axes, dtype=dtypes.int32, name='axes')
        axes = array_ops.where(axes >= 0, axes, axes + rank)
        free, _ = array_ops.setdiff1d(math_ops.range(rank), axes)
    free_dims = array_ops.gather(shape, free)
    axes_dims = array_ops.gather(shape, axes)
    count = math_ops.reduce_prod(free_dims)
    length = math_ops.reduce_prod(axes_dims)
    if flipped:
        perm = array_ops.concat([axes, free], 0)
        new_shape = array_ops.stack([length, count])
    else:
        perm = array_ops.concat([free, axes], 0)
        new_shape = array_ops.stack([count, length])
    return array_ops.reshape(array_ops.transpose(a, perm), new_shape), free_dims, known


def _tensordot_axes(a, axes):
    """The axes of each that are summed over."""
    a_shape = a.get_shape()
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError('\'axes\' must be at least 0.')
        if a_shape.ndims is not None:
            if axes > a_shape.ndims:
                raise ValueError('\'axes\' must not be larger than the number of dimensions of '
                                 'tensor %s.' % a)
            return list(range(a_shape.ndims - axes, a_shape.ndims)), list(range(axes))
        from leat.python.ops import math_ops
        rank = array_ops.rank(a)
        return (math_ops.range(rank - axes, rank, dtype=dtypes.int32),
                math_ops.range(axes, dtype=dtypes.int32))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError('\'axes\' must be an integer or have length 2.')
        a_axes, b_axes = axes
        if isinstance(a_axes, (int, np.integer)) and isinstance(b_axes, (int, np.integer)):
            a_axes, b_axes = [a_axes], [b_axes]
        if len(a_axes) != len(b_axes):
            raise ValueError('Different number of contraction axes \'a\' and \'b\', %s != %s.'
                             % (len(a_axes), len(b_axes)))
        return a_axes, b_axes
    axes = ops.convert_to_tensor(axes, name='axes', dtype=dtypes.int32)
    return axes[0], axes[1]


def tensordot(a, b, axes, name=None):
    """The sum of products over some axes of each."""
    with ops.name_scope(name, 'Tensordot', [a, b, axes]) as name:
        a = ops.convert_to_tensor(a, name='a')
        b = ops.convert_to_tensor(b, name='b')
        a_axes, b_axes = _tensordot_axes(a, axes)
        a_matrix, a_free, a_known = _tensordot_reshape(a, a_axes)
        b_matrix, b_free, b_known = _tensordot_reshape(b, b_axes, True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return array_ops.reshape(product, a_free + b_free, name=name)
        a_free = ops.convert_to_tensor(a_free, dtype=dtypes.int32)
        b_free = ops.convert_to_tensor(b_free, dtype=dtypes.int32)
        product = array_ops.reshape(product, array_ops.concat([a_free, b_free], 0), name=name)
        if a_known is not None and b_known is not None:
            product.set_shape(a_known + b_known)
        return product
