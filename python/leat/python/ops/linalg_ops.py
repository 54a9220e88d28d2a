# SPDX-License-Identifier: Apache-2.0
"""Linear algebra made of the ops of matrices; a name that is not here is the op's own function."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_linalg_ops
from leat.python.ops import math_ops
from leat.python.util import deprecation


def __getattr__(name):
    return getattr(gen_linalg_ops, name)


def _RegularizedGramianCholesky(matrix, l2_regularizer, first_kind):
    """The Cholesky factor of A^H A + l I (the first kind), or of A A^H + l I."""
    gramian = math_ops.matmul(matrix, matrix, adjoint_a=first_kind, adjoint_b=not first_kind)
    if isinstance(l2_regularizer, ops.Tensor) or l2_regularizer != 0:
        shape = array_ops.shape(matrix)
        batch = shape[:-2]
        small = shape[-1] if first_kind else shape[-2]
        identity = eye(small, batch_shape=batch, dtype=matrix.dtype)
        small_dim = matrix.get_shape()[-1 if first_kind else -2]
        identity.set_shape(matrix.get_shape()[:-2].concatenate([small_dim, small_dim]))
        gramian += l2_regularizer * identity
    return gen_linalg_ops.cholesky(gramian)


def cholesky_solve(chol, rhs, name=None):
    """x of A x = rhs, chol being the Cholesky factor of A."""
    with ops.name_scope(name, 'cholesky_solve', [chol, rhs]):
        y = gen_linalg_ops.matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return gen_linalg_ops.matrix_triangular_solve(chol, y, adjoint=True, lower=True)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    """Identity matrices, or the like that are not square."""
    with ops.name_scope(name, default_name='eye', values=[num_rows, num_columns, batch_shape]):
        square = num_columns is None or (num_rows is num_columns and not isinstance(
            num_rows, ops.Tensor))
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        tensors = any(isinstance(v, ops.Tensor) for v in (num_rows, num_columns))
        if tensors or not all(isinstance(v, (int, np.integer)) for v in (num_rows, num_columns)):
            size = math_ops.minimum(num_rows, num_columns)
        else:
            size = min(num_rows, num_columns)
            tensors = False
        if isinstance(batch_shape, ops.Tensor) or tensors:
            batch_shape = ops.convert_to_tensor(batch_shape, name='shape', dtype=dtypes.int32)
            diagonal = array_ops.concat((batch_shape, [size]), axis=0)
            shape = None if square else array_ops.concat(
                (batch_shape, [num_rows, num_columns]), axis=0)
        else:
            batch_shape = list(batch_shape)
            diagonal = batch_shape + [size]
            shape = None if square else batch_shape + [num_rows, num_columns]
        ones = array_ops.ones(diagonal, dtype=dtype)
        if square:
            return array_ops.matrix_diag(ones)
        return array_ops.matrix_set_diag(array_ops.zeros(shape, dtype=dtype), ones)


def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The least-squares solutions of matrix x = rhs."""
    def overdetermined(matrix, rhs):
        chol = _RegularizedGramianCholesky(matrix, l2_regularizer, first_kind=True)
        return cholesky_solve(chol, math_ops.matmul(matrix, rhs, adjoint_a=True))

    def underdetermined(matrix, rhs):
        chol = _RegularizedGramianCholesky(matrix, l2_regularizer, first_kind=False)
        return math_ops.matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)

    def either(matrix, rhs):
        dims = matrix.get_shape()[-2:]
        if dims.is_fully_defined():
            tall = dims.as_list()[-2] >= dims.as_list()[-1]
            return overdetermined(matrix, rhs) if tall else underdetermined(matrix, rhs)
        from leat.python.ops import control_flow_ops
        shape = array_ops.shape(matrix)[-2:]
        return control_flow_ops.cond(shape[-2] >= shape[-1], lambda: overdetermined(matrix, rhs),
                                     lambda: underdetermined(matrix, rhs))

    matrix = ops.convert_to_tensor(matrix, name='matrix')
    if matrix.dtype == dtypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError('matrix_solve_ls is currently disabled for complex128 and '
                                  'l2_regularizer != 0 due to poor accuracy.')
    if not fast:
        return gen_linalg_ops.matrix_solve_ls(matrix, rhs, l2_regularizer, fast=fast, name=name)
    with ops.name_scope(name, 'matrix_solve_ls', [matrix, rhs, l2_regularizer]):
        return either(matrix, rhs)


def self_adjoint_eig(tensor, name=None):
    """(eigenvalues, eigenvectors)."""
    values, vectors = gen_linalg_ops.self_adjoint_eig_v2(tensor, compute_v=True, name=name)
    return values, vectors


def self_adjoint_eigvals(tensor, name=None):
    return gen_linalg_ops.self_adjoint_eig_v2(tensor, compute_v=False, name=name)[0]


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Singular values, and the vectors of them."""
    s, u, v = gen_linalg_ops.svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices,
                                 name=name)
    return (math_ops.real(s), u, v) if compute_uv else math_ops.real(s)


def norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None):
    """The length of vectors or matrices: of order 1, 2, inf, any p, or fro."""
    keepdims = deprecation.deprecated_argument_lookup('keepdims', keepdims, 'keep_dims',
                                                      keep_dims)
    keepdims = False if keepdims is None else keepdims
    matrices = isinstance(axis, tuple) or isinstance(axis, list)
    if matrices:
        axis = tuple(axis)
        if len(axis) != 2:
            raise ValueError('\'axis\' must be None, an integer, or a tuple of 2 unique integers')
        supported = ['euclidean', 'fro', 1, 2, np.inf]
        if ord not in supported:
            raise ValueError('\'ord\' must be a supported matrix norm in %s, got %s'
                             % (supported, ord))
    else:
        if not (axis is None or np.isscalar(axis)):
            raise ValueError('\'axis\' must be None, an integer, or a tuple of 2 unique integers')
        supported = ['euclidean', 1, 2, np.inf]
        if (not np.isreal(ord) or ord <= 0) if not isinstance(ord, str) else \
                ord not in supported:
            raise ValueError('\'ord\' must be a supported vector norm, got %s' % ord)
        axis = (axis,) if axis is not None else axis
    with ops.name_scope(name, 'norm', [tensor]):
        return _norm(ops.convert_to_tensor(tensor), ord, axis, keepdims, matrices)


def _norm(tensor, ord, axis, keepdims, matrices):
    if ord in ('fro', 'euclidean', 2, 2.0):
        if matrices and ord in (2, 2.0):
            return _largest_singular(tensor, axis, keepdims)
        result = math_ops.sqrt(math_ops.reduce_sum(tensor * math_ops.conj(tensor), axis,
                                                   keepdims=True))
    else:
        result = math_ops.abs(tensor)
        if ord == 1:
            result = math_ops.reduce_sum(result, None if axis is None else axis[0],
                                         keepdims=True)
            if matrices:
                result = math_ops.reduce_max(result, axis[-1], keepdims=True)
        elif ord == np.inf:
            if matrices:
                result = math_ops.reduce_sum(result, axis[1], keepdims=True)
            result = math_ops.reduce_max(result, None if axis is None else axis[0],
                                         keepdims=True)
        else:
            result = math_ops.pow(math_ops.reduce_sum(math_ops.pow(result, ord), axis,
                                                      keepdims=True), 1.0 / ord)
    return result if keepdims else array_ops.squeeze(result, axis)


def _largest_singular(tensor, axis, keepdims):
    rank = array_ops.rank(tensor)
    places = array_ops.transpose(math_ops.range(rank))
    axes = [a % tensor.get_shape().ndims if tensor.get_shape().ndims is not None else a
            for a in axis]
    before, _ = array_ops.setdiff1d(places, axes)
    perm = array_ops.concat([before, axes], axis=0)
    moved = array_ops.transpose(tensor, perm=perm)
    values = gen_linalg_ops.svd(moved, compute_uv=False)[0]
    result = math_ops.reduce_max(array_ops.expand_dims(values, axis=-1), axis=-2, keepdims=True)
    result = array_ops.transpose(result, perm=array_ops.invert_permutation(perm))
    return result if keepdims else array_ops.squeeze(result, list(axes))


def norm_v2(tensor, ord='euclidean', axis=None, keepdims=None, name=None):
    return norm(tensor=tensor, ord=ord, axis=axis, keepdims=keepdims, name=name)
