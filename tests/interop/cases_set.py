# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that rank values or treat them as sets."""
import numpy as np

from values import array, is_real, kind, pick, shape


def top_k(op, rng, types):
    t = pick(rng, types(op, 'T')) if rng.rand() < 0.6 else np.float64
    s = shape(rng, rng.randint(1, 4))
    x = array(rng, t, s[:-1] + (int(rng.randint(0, 40)),))
    k = int(rng.randint(0, x.shape[-1] + 1))
    # DIFFERENCES: all values with NaN among them
    if is_real(t) and k < x.shape[-1] and rng.rand() < 0.3:
        x = np.where(rng.rand(*x.shape) < 0.1, np.array(pick(rng, [np.nan, np.inf, -0.0]), t), x)
    return [('input', x), ('k', np.int32(k))], {'sorted': bool(rng.rand() < 0.7)}, \
        is_real(t) and 0 < k and x.size > 0 and not np.isnan(x).any()


def in_top_k(op, rng, _):
    t = pick(rng, [np.int32, np.int64])
    rows, classes = int(rng.randint(0, 6)), int(rng.randint(1, 8))
    p = array(rng, np.float32, (rows, classes), special=rng.rand() < 0.3)
    targets = rng.randint(-1, classes + 1, size=rows).astype(t)
    k = int(rng.randint(0, classes + 2))
    if op == 'InTopK':
        return [('predictions', p), ('targets', targets)], {'k': k}, False
    return [('predictions', p), ('targets', targets), ('k', t(k))], {}, False


def elements(rng, t, dims):
    if t == 'string':
        letters = np.array([b'', b'a', b'b', b'ab', b'B', b'zz', b'\xff'], object)
        return letters[rng.randint(0, len(letters), size=dims)]
    return array(rng, t, dims, 0 if kind(t) == 'u' else -1, 1)


def sparse(rng, t, group, prefix):
    """A sparse tensor over the group dimensions, as its three inputs."""
    dims = tuple(group) + (int(rng.randint(1, 6)),)
    there = np.argwhere(rng.rand(*dims) < 0.4).astype(np.int64)
    return [(prefix + 'indices', there), (prefix + 'values', elements(rng, t, (len(there),))),
            (prefix + 'shape', np.array(dims, np.int64))]


def set_operation(op, rng, types):
    t = pick(rng, types(op, 'T'))
    group = shape(rng, rng.randint(1, 3))
    attrs = {'set_operation': pick(rng, ['a-b', 'b-a', 'intersection', 'union', 'UNION']),
             'validate_indices': bool(rng.randint(2))}

    def dense(name):
        return [(name, elements(rng, t, tuple(group) + (int(rng.randint(0, 6)),)))]

    other = group if rng.rand() < 0.95 else tuple(d + 1 for d in group)
    if op == 'DenseToDenseSetOperation':
        return dense('set1') + dense('set2'), attrs, False
    first = dense('set1') if op.startswith('Dense') else sparse(rng, t, group, 'set1_')
    return first + sparse(rng, t, other, 'set2_'), attrs, False


def set_size(op, rng, types):
    t = pick(rng, types(op, 'T'))
    return sparse(rng, t, shape(rng, rng.randint(1, 4)), 'set_'), \
        {'validate_indices': bool(rng.randint(2))}, False


GENERATORS = {'TopKV2': top_k, 'InTopK': in_top_k, 'InTopKV2': in_top_k, 'SetSize': set_size}
for name in ('DenseToDense', 'DenseToSparse', 'SparseToSparse'):
    GENERATORS[name + 'SetOperation'] = set_operation
