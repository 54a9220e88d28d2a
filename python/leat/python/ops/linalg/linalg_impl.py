# SPDX-License-Identifier: Apache-2.0
"""Functions of matrices; a name that is not here is looked for among the ops of matrices."""
import numpy as np

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_linalg_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import special_math_ops
from leat.python.ops.linalg.matrix_exponential import matrix_exponential  # noqa: F401

_ELSEWHERE = {
    'band_part': 'matrix_band_part', 'det': 'matrix_determinant', 'inv': 'matrix_inverse',
    'logm': 'matrix_logarithm', 'slogdet': 'log_matrix_determinant', 'solve': 'matrix_solve',
    'sqrtm': 'matrix_square_root', 'triangular_solve': 'matrix_triangular_solve',
    'tensor_diag': 'diag', 'tensor_diag_part': 'diag_part'}
_OF_ARRAYS = {'diag': 'matrix_diag', 'diag_part': 'matrix_diag_part',
              'set_diag': 'matrix_set_diag', 'transpose': 'matrix_transpose'}
_OF_LINALG = {'eigh': 'self_adjoint_eig', 'eigvalsh': 'self_adjoint_eigvals',
              'lstsq': 'matrix_solve_ls'}


einsum = special_math_ops.einsum
trace = math_ops.trace


def __getattr__(name):
    if name in _OF_ARRAYS:
        return getattr(array_ops, _OF_ARRAYS[name])
    if name in _ELSEWHERE:
        return getattr(gen_linalg_ops, _ELSEWHERE[name])
    if name in _OF_LINALG or hasattr(linalg_ops, name):
        return getattr(linalg_ops, _OF_LINALG.get(name, name))
    return getattr(gen_linalg_ops, name)


def logdet(matrix, name=None):
    """The logarithm of the determinant of positive definite matrices."""
    with ops.name_scope(name, 'logdet', [matrix]):
        chol = gen_linalg_ops.cholesky(matrix)
        return 2.0 * math_ops.reduce_sum(
            math_ops.log(math_ops.real(array_ops.matrix_diag_part(chol))), axis=[-1])


def adjoint(matrix, name=None):
    """The conjugate transpose."""
    with ops.name_scope(name, 'adjoint', [matrix]):
        matrix = ops.convert_to_tensor(matrix, name='matrix')
        return array_ops.matrix_transpose(matrix, conjugate=True)


def _as_diagonals(diagonals, diagonals_format):
    """(above, main, below) of any of the formats."""
    if diagonals_format == 'sequence':
        return tuple(diagonals)
    if diagonals_format == 'compact':
        diagonals = ops.convert_to_tensor(diagonals)
        return diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :]
    if diagonals_format != 'matrix':
        raise ValueError('Unrecognized diagonals_format: {}'.format(diagonals_format))
    diagonals = ops.convert_to_tensor(diagonals)
    rank = diagonals.get_shape().ndims
    main = array_ops.matrix_diag_part(diagonals)
    padding = [[0, 0]] * (rank - 2)
    above = array_ops.pad(array_ops.matrix_diag_part(diagonals[..., :-1, 1:]),
                          padding + [[0, 1]])
    below = array_ops.pad(array_ops.matrix_diag_part(diagonals[..., 1:, :-1]),
                          padding + [[1, 0]])
    return above, main, below


def tridiagonal_solve(diagonals, rhs, diagonals_format='compact', transpose_rhs=False,
                      conjugate_rhs=False, name=None, partial_pivoting=True):
    """x of T x = rhs, T having three diagonals."""
    if diagonals_format == 'compact':
        return _solve_compact(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting,
                              name)
    above, main, below = _as_diagonals(diagonals, diagonals_format)
    compact = array_ops.stack((above, main, below), axis=-2)
    return _solve_compact(compact, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name)


def _solve_compact(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name):
    diagonals, rhs = ops.convert_to_tensor(diagonals), ops.convert_to_tensor(rhs)
    rank = diagonals.get_shape().ndims
    if rank is None:
        raise ValueError('Expected diagonals to have known rank')
    if rank < 2:
        raise ValueError('Expected diagonals to have rank at least 2, got {}'.format(rank))
    if rhs.get_shape().ndims not in (rank - 1, rank):
        raise ValueError('Expected the rank of rhs to be {} or {}, got {}'.format(
            rank - 1, rank, rhs.get_shape().ndims))
    if diagonals.get_shape().as_list()[-2] not in (None, 3):
        raise ValueError('Expected 3 diagonals got {}'.format(diagonals.get_shape()[-2]))
    if rhs.get_shape().ndims == rank - 1:
        if conjugate_rhs:
            rhs = math_ops.conj(rhs)
        columns = array_ops.expand_dims(rhs, -1)
        result = gen_linalg_ops.tridiagonal_solve(diagonals, columns, partial_pivoting, name)
        return array_ops.squeeze(result, -1)
    if transpose_rhs:
        rhs = array_ops.matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = math_ops.conj(rhs)
    return gen_linalg_ops.tridiagonal_solve(diagonals, rhs, partial_pivoting, name)


def tridiagonal_matmul(diagonals, rhs, diagonals_format='compact', name=None):
    """T rhs, T having three diagonals."""
    above, main, below = _as_diagonals(diagonals, diagonals_format)
    above, main, below = (array_ops.expand_dims(d, -2) for d in (above, main, below))
    return gen_linalg_ops.tridiagonal_mat_mul(above, main, below, rhs, name=name)


def _checked_matrix(a):
    if not a.dtype.is_floating:
        raise TypeError('Input `a` must have `float`-like `dtype` (saw {}).'.format(a.dtype.name))
    if a.get_shape().ndims is not None and a.get_shape().ndims < 2:
        raise ValueError('Input `a` must have at least 2 dimensions (saw: {}).'.format(
            a.get_shape().ndims))


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """How many singular values are above tol."""
    with ops.name_scope(name, 'matrix_rank', [a, tol]):
        a = ops.convert_to_tensor(a, name='a')
        _checked_matrix(a)
        s = linalg_ops.svd(a, compute_uv=False)
        if tol is None:
            shape = a.get_shape()[-2:]
            m = np.max(shape.as_list()) if shape.is_fully_defined() else math_ops.reduce_max(
                array_ops.shape(a)[-2:])
            eps = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = eps * math_ops.cast(m, a.dtype) * math_ops.reduce_max(s, axis=-1, keepdims=True)
        return math_ops.reduce_sum(math_ops.cast(s > tol, 'int32'), axis=-1)


def pinv(a, rcond=None, validate_args=False, name=None):
    """The Moore-Penrose inverse."""
    with ops.name_scope(name or 'pinv'):
        a = ops.convert_to_tensor(a, name='a')
        _checked_matrix(a)
        dtype = a.dtype.as_numpy_dtype
        if rcond is None:
            rows, columns = a.get_shape().as_list()[-2:]
            if rows is None or columns is None:
                most = math_ops.cast(math_ops.reduce_max(array_ops.shape(a)[-2:]), a.dtype)
            else:
                most = float(max(rows, columns))
            rcond = 10. * most * np.finfo(dtype).eps
        rcond = ops.convert_to_tensor(rcond, dtype=a.dtype, name='rcond')
        s, u, v = linalg_ops.svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * math_ops.reduce_max(s, axis=-1)
        s = array_ops.where_v2(s > array_ops.expand_dims(cutoff, -1), s,
                               np.array(np.inf, dtype))
        result = math_ops.matmul(v / array_ops.expand_dims(s, -2), u, adjoint_b=True)
        if a.get_shape().ndims is not None:
            result.set_shape(a.get_shape()[:-2].concatenate(
                [a.get_shape()[-1], a.get_shape()[-2]]))
        return result
