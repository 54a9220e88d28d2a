# SPDX-License-Identifier: Apache-2.0
"""Cases of decompositions and solvers. Matrices are kept well away from singular ones.

Vectors of Svd, Qr and SelfAdjointEig are any up to a sign: their magnitudes are compared, and even
functions of them derived.
"""
import numpy as np

from values import array, is_real, pick, shape

REAL = [np.float32, np.float64]


def batch(rng):
    return shape(rng, rng.randint(0, 3))


def size(rng, least=1):
    return int(rng.randint(0 if rng.rand() < 0.1 else least, 6))


def swapped(x):
    return np.conj(np.swapaxes(x, -1, -2))


def square(rng, t, dims, n):
    return (array(rng, t, dims + (n, n), -1, 1) + 3 * np.eye(n)).astype(t)


def definite(rng, t, dims, n):
    x = array(rng, t, dims + (n, n), -1, 1).astype(np.complex128 if np.dtype(t).kind == 'c' else np.float64)
    return (np.matmul(x, swapped(x)) + 2 * np.eye(n)).astype(t)


def double_only(rng, types):
    return pick(rng, types) if rng.rand() < 0.5 else np.float64


def cholesky(op, rng, types):
    t = double_only(rng, types(op, 'T'))
    return [('input', definite(rng, t, batch(rng), size(rng)))], {}, t == np.float64


def cholesky_grad(op, rng, types):
    t, dims, n = double_only(rng, types(op, 'T')), batch(rng), size(rng)
    factor = np.linalg.cholesky(definite(rng, np.float64, dims, n)).astype(t)
    return [('l', factor), ('grad', array(rng, t, dims + (n, n)))], {}, False


def of_square(op, rng, types):
    t = double_only(rng, types(op, 'T'))
    attrs = {'adjoint': bool(rng.randint(2))} if op == 'MatrixInverse' else {}
    return [('input', square(rng, t, batch(rng), size(rng)))], attrs, t == np.float64


def lu(op, rng, types):
    t = double_only(rng, types(op, 'T'))
    x = square(rng, t, batch(rng), size(rng))
    return [('input', rng.permutation(x.reshape((-1,) + x.shape[-1:])).reshape(x.shape))], \
        {'output_idx_type': pick(rng, [np.int32, np.int64])}, False


def solver(op, rng, types):
    t, dims, n = double_only(rng, types(op, 'T')), batch(rng), size(rng)
    a, b = square(rng, t, dims, n), array(rng, t, dims + (n, size(rng)))
    attrs = {'adjoint': bool(rng.randint(2))}
    if op == 'MatrixTriangularSolve':
        attrs['lower'] = bool(rng.randint(2))
    return [('matrix', a), ('rhs', b)], attrs, t == np.float64


def least_squares(op, rng, types):
    # DIFFERENCES: no rows
    t, dims, m, n = double_only(rng, types(op, 'T')), batch(rng), int(rng.randint(1, 6)), size(rng)
    a = array(rng, t, dims + (m, n), -1, 1) + np.eye(m, n) * 3
    fast = bool(rng.rand() < 0.7)
    l2 = np.float64(pick(rng, [0, 0.1, 2.0]))
    return [('matrix', a.astype(t)), ('rhs', array(rng, t, dims + (m, size(rng)))),
            ('l2_regularizer', l2)], {'fast': fast}, t == np.float64 and fast and min(m, n) > 0


def spectral(op, rng, types):
    t, dims, m = double_only(rng, types(op, 'T')), batch(rng), size(rng, 1)
    options = {'even': True}
    if op == 'SelfAdjointEigV2':
        vectors = bool(rng.randint(2))
        options['magnitudes'] = [1]
        if not vectors:
            options['outputs'] = [0]    # DIFFERENCES: outputs that are not asked for
        return [('input', definite(rng, t, dims, m))], {'compute_v': vectors}, t == np.float64, 1, options
    m, n = (int(d) for d in rng.randint(1, 6, size=2))      # DIFFERENCES: no rows or columns
    a = (array(rng, t, dims + (m, n), -1, 1) + np.eye(m, n) * np.arange(1, n + 1)).astype(t)
    full = bool(rng.rand() < 0.3)
    if op == 'Qr':
        options['magnitudes'] = [0, 1]
        # of more columns than rank those of q beyond it are any
        full = full and m <= n
        return [('input', a)], {'full_matrices': full}, t == np.float64, 1, options
    full = full and m == n
    options['magnitudes'] = [1, 2]
    vectors = bool(rng.rand() < 0.8)
    if not vectors:
        options['outputs'] = [0]
    return [('input', a)], {'compute_uv': vectors, 'full_matrices': full}, t == np.float64, 1, options


def tridiagonal(op, rng, types):
    t, dims, n = double_only(rng, types(op, 'T')), batch(rng), size(rng)
    rhs = array(rng, t, dims + (n, size(rng)))
    diagonals = array(rng, t, dims + (3, n), -1, 1)
    diagonals[..., 1, :] += 4
    if op == 'TridiagonalMatMul':
        parts = [np.ascontiguousarray(diagonals[..., k:k + 1, :]) for k in range(3)]
        return list(zip(('superdiag', 'maindiag', 'subdiag'), parts)) + [('rhs', rhs)], {}, \
            t == np.float64
    return [('diagonals', diagonals), ('rhs', rhs)], {'partial_pivoting': bool(rng.randint(2))}, \
        t == np.float64


def function(op, rng, types):
    # DIFFERENCES: eigenvalues below zero, on the cut, and matrices without a root
    t, dims, n = double_only(rng, types(op, 'T')), batch(rng), size(rng)
    if op == 'MatrixLogarithm':
        t = pick(rng, types(op, 'T'))
    if np.dtype(t).itemsize < 8 or t == np.complex64:
        t = np.float64 if op == 'MatrixSquareRoot' else np.complex128   # single precision differs by much
    return [('input', definite(rng, t, dims, n))], {}, t == np.float64 and op == 'MatrixSquareRoot'


def band_of(rng, rows, cols):
    low = int(rng.randint(1 - rows, cols)) if rows > 0 and cols > 0 else 0
    high = low if rng.rand() < 0.4 else int(rng.randint(low, max(low + 1, cols)))
    return low, high, min(rows + min(high, 0), cols - max(low, 0))


def band(op, rng, types):
    t = pick(rng, [np.float64, np.float32, np.int32, np.complex64])
    dims, rows, cols = batch(rng), int(rng.randint(1, 5)), int(rng.randint(1, 5))
    low, high, n = band_of(rng, rows, cols)
    k = np.int32(low) if low == high and rng.rand() < 0.7 else np.array([low, high], np.int32)
    diagonal = dims + ((n,) if low == high else (high - low + 1, n))
    padding = array(rng, t, ())
    plain = low == high == 0    # DIFFERENCES: gradients of other bands
    if op == 'MatrixDiagPartV2':
        return [('input', array(rng, t, dims + (rows, cols))), ('k', k), ('padding_value', padding)], \
            {}, t == np.float64 and plain and rows == cols
    if op == 'MatrixSetDiagV2':
        return [('input', array(rng, t, dims + (rows, cols))), ('diagonal', array(rng, t, diagonal)),
                ('k', k)], {}, t == np.float64 and plain
    sizes = [-1, -1]
    if rng.rand() < 0.5:
        sizes[rng.randint(2)] = int(rng.randint(max(n - min(high, 0), n + max(low, 0)), 9))
    return [('diagonal', array(rng, t, diagonal)), ('k', k), ('num_rows', np.int32(sizes[0])),
            ('num_cols', np.int32(sizes[1])), ('padding_value', padding)], {}, t == np.float64 and plain


EQUATIONS = ['ij,jk->ik', 'ii->i', 'ij->', 'ij->ji', 'i,j->ij', '...ij,...jk->...ik', 'ij,kj->ijk',
             'bij,bjk->bik', 'i...->...', 'ij->iij', 'ij,ij->', 'iji->ij', 'abc,cd->abd', 'ab,cd->abcd',
             'bhwc,hkc->bwk', '...j,j->...', 'ij,jk']


def einsum(op, rng, types):
    t, equation = pick(rng, types(op, 'T')), pick(rng, EQUATIONS)
    sizes = {c: size(rng) for c in 'abcdhijkw'}
    dots = batch(rng)
    if np.dtype(t).kind == 'c':     # DIFFERENCES: nothing to conjugate
        sizes, dots = {c: max(1, n) for c, n in sizes.items()}, tuple(max(1, n) for n in dots)
    values = []
    for term in equation.split('->')[0].split(','):
        dims = ()
        for c in term.replace('...', '.'):
            dims += dots[int(rng.randint(2)):] if c == '.' else (sizes[c],)
        values.append(array(rng, t, dims))
    return [('inputs', values)], {'equation': equation}, False


def sparse_product(op, rng, types):
    m, k, n = (max(1, size(rng)) for _ in range(3))     # DIFFERENCES: no columns
    turned = [bool(rng.randint(2)) for _ in range(2)]
    a = array(rng, np.float32, (k, m) if turned[0] else (m, k))
    b = array(rng, np.float32, (n, k) if turned[1] else (k, n))
    a[rng.rand(*a.shape) < 0.5] = 0
    return [('a', a), ('b', b)], {'transpose_a': turned[0], 'transpose_b': turned[1],
                                  'a_is_sparse': bool(rng.randint(2))}, True


GENERATORS = {
    'MatrixSquareRoot': function, 'MatrixLogarithm': function, 'MatrixDiagV2': band,
    'MatrixDiagPartV2': band, 'MatrixSetDiagV2': band, 'Einsum': einsum,
    'SparseMatMul': sparse_product,
    'Cholesky': cholesky, 'CholeskyGrad': cholesky_grad, 'MatrixInverse': of_square,
    'MatrixDeterminant': of_square, 'LogMatrixDeterminant': of_square, 'MatrixSolve': solver,
    'MatrixTriangularSolve': solver, 'MatrixSolveLs': least_squares, 'SelfAdjointEigV2': spectral,
    'Qr': spectral, 'Svd': spectral, 'Lu': lu, 'TridiagonalSolve': tridiagonal,
    'TridiagonalMatMul': tridiagonal,
}
