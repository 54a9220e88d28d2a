# SPDX-License-Identifier: Apache-2.0
"""Cases of the ops that gather, scatter and add up by index, find what is unique, and scan."""
import numpy as np

from values import array, is_real, kind, pick, shape

INDEX = [np.int32, np.int64]


def wide(t):
    return is_real(t) and t != np.float16


def gather_nd(op, rng, types):
    t = pick(rng, types(op, 'Tparams'))
    x = array(rng, t, shape(rng, rng.randint(1, 5), False))
    depth = rng.randint(1, x.ndim + 1)
    at = shape(rng, rng.randint(0, 3))
    columns = [rng.randint(0, x.shape[i], size=at) for i in range(depth)]
    return [('params', x), ('indices', np.stack(columns, -1).astype(pick(rng, INDEX)))], {}, wide(t)


def scatter_nd(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = shape(rng, rng.randint(1, 4), False)
    depth, at = rng.randint(1, len(dims) + 1), shape(rng, rng.randint(1, 3))
    it = pick(rng, INDEX)
    indices = np.stack([rng.randint(0, dims[i], size=at) for i in range(depth)], -1)
    if kind(t) in 'bS' or op == 'TensorScatterUpdate':  # the last of equal ones is an accident
        rows = rng.permutation(int(np.prod(dims[:depth])))[:rng.randint(0, 6)]
        at = (len(rows),)
        indices = np.stack(np.unravel_index(rows, dims[:depth]), -1)
    updates = array(rng, t, at + dims[depth:])
    indices = indices.astype(it)
    if op == 'ScatterNd':
        return [('indices', indices), ('updates', updates), ('shape', np.array(dims, it))], {}, wide(t)
    return [('tensor', array(rng, t, dims)), ('indices', indices), ('updates', updates)], {}, wide(t)


def segments(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, shape(rng, rng.randint(1, 4), False), 0.3, 2)
    n = x.shape[0]
    it = pick(rng, INDEX)
    gradient = wide(t) and op != 'SegmentProd'
    if op.startswith('Unsorted'):
        count = int(rng.randint(1, 6))
        at = x.shape[:rng.randint(1, x.ndim + 1)]
        ids = rng.randint(-1 if rng.rand() < 0.2 else 0, count, size=at).astype(it)
        return [('data', x), ('segment_ids', ids), ('num_segments', np.array(count, pick(rng, INDEX)))], \
            {}, gradient and 'Prod' not in op and bool((ids >= 0).all())
    ids = np.cumsum(rng.randint(0, 3, size=n)).astype(it)
    return [('data', x), ('segment_ids', ids)], {}, gradient


def sparse_to_dense(op, rng, types):
    t = pick(rng, types(op, 'T'))
    it, dims = pick(rng, INDEX), shape(rng, rng.randint(1, 4), False)
    flat = np.sort(rng.permutation(int(np.prod(dims)))[:rng.randint(0, 6)])
    indices = np.stack(np.unravel_index(flat, dims), -1).astype(it).reshape(len(flat), len(dims))
    values = array(rng, t, () if rng.rand() < 0.2 else (len(flat),))
    return [('sparse_indices', indices), ('output_shape', np.array(dims, it)),
            ('sparse_values', values), ('default_value', array(rng, t, ()))], {}, wide(t)


def partition(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, shape(rng, rng.randint(1, 4)))
    at, count = x.shape[:rng.randint(1, x.ndim + 1)], int(rng.randint(1, 4))
    parts = rng.randint(0, count, size=at).astype(np.int32)
    return [('data', x), ('partitions', parts)], {'num_partitions': count}, wide(t)


def stitch(op, rng, types):
    t = pick(rng, types(op, 'T'))
    # DIFFERENCES: rows without elements end TensorFlow's process
    rest, order = shape(rng, rng.randint(0, 3), False), rng.permutation(rng.randint(1, 9)).astype(np.int32)
    cuts = sorted(rng.randint(0, len(order) + 1, size=rng.randint(0, 3)))
    parts = np.split(order, cuts)
    return [('indices', parts), ('data', [array(rng, t, p.shape + rest) for p in parts])], {}, wide(t)


def bincount(op, rng, types):
    t = pick(rng, [np.int32, np.int64, np.float32, np.float64])
    x = rng.randint(0, 6, size=shape(rng, 1)).astype(np.int32)
    weights = array(rng, t, x.shape if rng.rand() < 0.5 else (0,))
    return [('arr', x), ('size', np.int32(rng.randint(0, 7))), ('weights', weights)], {}, False


def where(op, rng, types):
    # DIFFERENCES: TensorFlow has no half there
    t = pick(rng, [u for u in types(op, 'T') if u != np.float16])
    x = array(rng, t, shape(rng, rng.randint(1, 5)))
    return [('condition', np.where(rng.rand(*x.shape) < 0.5, x, np.zeros((), x.dtype)).astype(x.dtype))], \
        {}, False


def unique(op, rng, types):
    t = pick(rng, types(op, 'T'))
    many = 'V2' in op and rng.rand() < 0.5
    x = array(rng, t, shape(rng, rng.randint(1, 4) if many else 1), -1, 1)
    if kind(t) == 'f':
        x = (np.round(x) + 0).astype(t)     # DIFFERENCES: the sign of zero in half
    attrs = {'out_idx': pick(rng, INDEX)}
    if 'V2' not in op:
        return [('x', x)], attrs, False
    axis = [int(rng.randint(0, x.ndim))] if many else []
    # DIFFERENCES: TensorFlow infers a vector whatever the axis
    return [('x', x), ('axis', np.array(axis, pick(rng, INDEX)))], attrs, False, 1, \
        {'unshaped': bool(axis)}


def list_diff(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x, y = array(rng, t, shape(rng, 1), -1, 1), array(rng, t, shape(rng, 1), -1, 1)
    return [('x', x), ('y', y)], {'out_idx': pick(rng, INDEX)}, False


def arg(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, shape(rng, rng.randint(1, 5), False))
    axis = np.array(rng.randint(-x.ndim, x.ndim), pick(rng, INDEX))
    return [('input', x), ('dimension', axis)], {'output_type': pick(rng, INDEX)}, False


def scan(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, shape(rng, rng.randint(1, 5)), 0.3, 2)
    attrs = {'exclusive': bool(rng.rand() < 0.5), 'reverse': bool(rng.rand() < 0.5)}
    axis = np.array(rng.randint(-x.ndim, x.ndim), pick(rng, INDEX))
    # DIFFERENCES: gradients where a sum is of nothing
    return [('x', x), ('axis', axis)], attrs, wide(t) and x.size > 0


def norm(op, rng, types):
    t = pick(rng, [u for u in types(op, 'T') if kind(u) == 'f'])
    x = array(rng, t, shape(rng))
    axes = [d for d in range(x.ndim) if rng.rand() < 0.6]
    return [('input', x), ('axis', np.array(axes, pick(rng, INDEX)))], \
        {'keep_dims': bool(rng.rand() < 0.5)}, wide(t) and x.size > 0


GENERATORS = {}
for _make, _names in (
        (gather_nd, 'GatherNd'), (sparse_to_dense, 'SparseToDense'), (partition, 'DynamicPartition'),
        (scatter_nd, 'ScatterNd TensorScatterAdd TensorScatterSub TensorScatterUpdate'),
        (segments, 'SegmentSum SegmentMean SegmentProd SegmentMin SegmentMax UnsortedSegmentSum '
                   'UnsortedSegmentProd UnsortedSegmentMin UnsortedSegmentMax'),
        (stitch, 'DynamicStitch ParallelDynamicStitch'), (bincount, 'Bincount'), (where, 'Where'),
        (unique, 'Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2'), (list_diff, 'ListDiff'),
        (arg, 'ArgMax ArgMin'), (scan, 'Cumsum Cumprod CumulativeLogsumexp'), (norm, 'EuclideanNorm')):
    for _name in _names.split():
        GENERATORS[_name] = _make
