# SPDX-License-Identifier: Apache-2.0
"""Cases of ops on sparse tensors."""
import numpy as np

from values import array, is_real, pick, shape


def sparse(rng, t, dims, ordered=True):
    """Coordinates, values, and the shape."""
    there = np.argwhere(rng.rand(*dims) < 0.4).astype(np.int64)
    if not ordered:
        rng.shuffle(there)
    return there, array(rng, t, (len(there),)), np.array(dims, np.int64)


def some(rng, low=1):
    return shape(rng, rng.randint(low, 4), rng.rand() < 0.2)


def wide(t):
    return is_real(t) and t != np.float16


def reorder(op, rng, types):
    t = pick(rng, types(op, 'T'))
    i, v, s = sparse(rng, t, some(rng), False)
    return [('input_indices', i), ('input_values', v), ('input_shape', s)], {}, wide(t)


def dense_add(op, rng, types):
    t, it = pick(rng, types(op, 'T')), pick(rng, [np.int32, np.int64])
    i, v, s = sparse(rng, t, some(rng), False)
    b = tuple(s) if rng.rand() < 0.9 else tuple(s + 1)
    return [('a_indices', i.astype(it)), ('a_values', v), ('a_shape', s.astype(it)),
            ('b', array(rng, t, b))], {}, wide(t)


def dense_matmul(op, rng, types):
    t, it = pick(rng, types(op, 'T')), pick(rng, [np.int32, np.int64])
    i, v, s = sparse(rng, t, shape(rng, 2), False)
    a, b = bool(rng.randint(2)), bool(rng.randint(2))
    inner, other = int(s[0 if a else 1]), int(rng.randint(0, 50))
    if rng.rand() < 0.05:
        inner += 1
    return [('a_indices', i.astype(it)), ('a_values', v), ('a_shape', s),
            ('b', array(rng, t, (other, inner) if b else (inner, other)))], \
        {'adjoint_a': a, 'adjoint_b': b}, wide(t)


def reduce(op, rng, types):
    t = pick(rng, types(op, 'T'))
    i, v, s = sparse(rng, t, some(rng))
    axes = rng.randint(-len(s), len(s), size=rng.randint(0, len(s) + 1)).astype(np.int32)
    return [('input_indices', i), ('input_values', v), ('input_shape', s), ('reduction_axes', axes)], \
        {'keep_dims': bool(rng.randint(2))}, wide(t) and len(set(a % len(s) for a in axes)) == len(axes) \
        and 0 not in s


def softmax(op, rng, types):
    t = pick(rng, types(op, 'T'))
    i, v, s = sparse(rng, t, some(rng, 2))
    return [('sp_indices', i), ('sp_values', v), ('sp_shape', s)], {}, 0 not in s


def cwise(op, rng, types):
    t = pick(rng, types(op, 'T'))
    i, v, s = sparse(rng, t, some(rng), False)
    d = tuple(1 if rng.rand() < 0.3 else n for n in s)[rng.randint(0, len(s)):]
    dense = array(rng, t, d)
    if op.endswith('Div'):
        dense = np.where(np.abs(dense) < 0.3, 2, dense).astype(t)
    return [('sp_indices', i), ('sp_values', v), ('sp_shape', s), ('dense', dense)], {}, \
        wide(t) and not op.endswith('Add') and 0 not in s


def add(op, rng, types):
    t = pick(rng, types(op, 'T'))
    real = {np.complex64: np.float32, np.complex128: np.float64}.get(t, t)
    dims = some(rng)
    ins = [x for _i in range(2) for x in sparse(rng, t, dims)]
    names = [p + n for p in ('a_', 'b_') for n in ('indices', 'values', 'shape')]
    return list(zip(names, ins)) + [('thresh', real(pick(rng, [0, 1, 2])))], {}, wide(t)


GENERATORS = {'SparseAdd': add, 'SparseReorder': reorder, 'SparseTensorDenseAdd': dense_add, 'SparseReduceSum': reduce,
              'SparseTensorDenseMatMul': dense_matmul, 'SparseSoftmax': softmax,
              'SparseDenseCwiseAdd': cwise, 'SparseDenseCwiseMul': cwise, 'SparseDenseCwiseDiv': cwise}
