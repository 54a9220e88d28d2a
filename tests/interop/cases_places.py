# SPDX-License-Identifier: Apache-2.0
"""Places in tensors, rows and layouts; hashes."""
import numpy as np

from values import array, pick, shape


def unravel(op, rng, types):
    t = pick(rng, types(op, 'Tidx'))
    dims = rng.randint(1, 6, size=rng.randint(1, 5)).astype(t)
    top = int(np.prod(dims))
    indices = np.asarray(rng.randint(-1, top + 1, size=shape(rng, rng.randint(0, 2))), t)
    return [('indices', indices), ('dims', dims)], {}, False


def bound(op, rng, types):
    t = pick(rng, types(op, 'T'))
    rows = rng.randint(0, 5)
    x = np.sort(array(rng, t, (rows, rng.randint(0, 9))), axis=1)
    return [('sorted_inputs', x), ('values', array(rng, t, (rows, rng.randint(0, 6))))], {}, False


def nth(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = shape(rng, rng.randint(1, 4))
    n = np.int32(rng.randint(0, dims[-1] + (rng.rand() < 0.1)) if dims[-1] else 0)
    return [('input', array(rng, t, dims)), ('n', n)], {'reverse': bool(rng.randint(2))}, \
        t in (np.float32, np.float64) and int(np.prod(dims)) > 0


def fingerprint(op, rng, types):
    t = pick(rng, [np.float32, np.int32, np.uint8, np.float64, 'string'])
    dims = (rng.randint(1, 5),) + shape(rng, rng.randint(0, 3))     # DIFFERENCES: no rows
    return [('data', array(rng, t, dims)), ('method', np.array(b'farmhash64', object))], {}, False


def dim_map(op, rng, types):
    t = pick(rng, types(op, 'T'))
    src, dst = formats(rng, pick(rng, ['NHWC', 'NDHWC']) if op == 'DataFormatDimMap' else 'NHWC')
    attrs = {'src_format': src, 'dst_format': dst}
    if op == 'DataFormatVecPermute':
        x = array(rng, t, pick(rng, [(4,), (4, 2), (3,), (4, 3), ()]))
        return [('x', x)], attrs, False
    return [('x', np.asarray(rng.randint(-4, len(src), size=shape(rng)), t))], attrs, False


def formats(rng, letters):
    return [''.join(rng.permutation(list(letters))) for _ in range(2)]


def parallel(op, rng, types):
    t = pick(rng, types(op, 'T'))
    row, n = shape(rng, rng.randint(0, 3), False), int(rng.randint(1, 5))
    values = [array(rng, t, (1,) + row) for _ in range(n)]
    return [('values', values)], {'shape': [n] + list(row)}, False


def edit_distance(op, rng, _):
    t = pick(rng, [np.int32, np.int64, np.float32, 'string'])
    rank, inputs = rng.randint(2, 4), []
    for side in ('hypothesis', 'truth'):
        dims = tuple(rng.randint(1, 4, size=rank - 1)) + (6,)
        there = np.argwhere(rng.rand(*dims) < 0.6).astype(np.int64)
        values = rng.randint(0, 3, size=len(there)).astype(np.int64)
        values = np.array([b'abc'[v:v + 1] for v in values], object) if t == 'string' else values.astype(t)
        inputs += [(side + '_indices', there), (side + '_values', values),
                   (side + '_shape', np.array(dims, np.int64))]
    return inputs, {'normalize': bool(rng.randint(2))}, False


GENERATORS = {'UnravelIndex': unravel, 'UpperBound': bound, 'LowerBound': bound, 'NthElement': nth,
              'Fingerprint': fingerprint, 'DataFormatDimMap': dim_map,
              'DataFormatVecPermute': dim_map, 'ParallelConcat': parallel,
              'EditDistance': edit_distance}
