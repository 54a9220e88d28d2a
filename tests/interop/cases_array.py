# SPDX-License-Identifier: Apache-2.0
"""Cases of the ops that move, cut and join tensors."""
import numpy as np

from values import array, broadcast, is_real, kind, pick, shape

TYPES = [np.float32, np.float64, np.int32, np.int64, np.uint8, np.int8, np.int16, np.float16,
         np.complex64, np.complex128, np.bool_, 'string']
INDEX = [np.int32, np.int64]


def some(rng, rank=None, types=None):
    """A tensor of a type every mover takes; half of them can be derived by."""
    t = pick(rng, types or TYPES) if rng.rand() < 0.5 else np.float32
    return array(rng, t, shape(rng, rank)), t


def mask(rng, count, chance):
    return int(sum(1 << i for i in range(count) if rng.rand() < chance))


def same(op, rng, _):
    numbers = [t for t in TYPES if t != 'string']
    x, t = some(rng, None, numbers if op in ('OnesLike', 'Snapshot') else None)
    arg = 'x' if op in ('ZerosLike', 'OnesLike', 'DeepCopy') else 'input'
    return [(arg, x)], {}, is_real(t) and op in ('Identity', 'StopGradient')


def shapes(op, rng, _):
    x, _t = some(rng)
    if op == 'ShapeN':
        return [('input', [x, x])], {'out_type': pick(rng, INDEX)}, False
    return [('input', x)], {} if op == 'Rank' else {'out_type': pick(rng, INDEX)}, False


def reshape(op, rng, _):
    x, t = some(rng)
    want = list(x.shape) + [1] * rng.randint(2)
    rng.shuffle(want)
    if want and x.size and rng.rand() < 0.6:
        want[rng.randint(len(want))] = -1
    return [('tensor', x), ('shape', np.array(want, pick(rng, INDEX)))], {}, is_real(t)


def expand_dims(op, rng, _):
    x, t = some(rng)
    at = np.array(rng.randint(-x.ndim - 1, x.ndim + 1), pick(rng, INDEX))
    return [('input', x), ('axis', at)], {}, is_real(t)


def squeeze(op, rng, _):
    x, t = some(rng)
    ones = [d for d in range(x.ndim) if x.shape[d] == 1 and rng.rand() < 0.6]
    return [('input', x)], {'axis': ones}, is_real(t)


def concat(op, rng, _):
    x, t = some(rng, rng.randint(1, 5))
    axis = rng.randint(-x.ndim, x.ndim)
    parts = []
    for _i in range(rng.randint(2, 5)):
        dims = list(x.shape)
        dims[axis] = rng.randint(0, 4)
        parts.append(array(rng, t, tuple(dims)))
    if op == 'Concat':
        return [('concat_dim', np.int32(axis)), ('values', parts)], {}, is_real(t)
    return [('values', parts), ('axis', np.array(axis, pick(rng, INDEX)))], {}, is_real(t)


def pack(op, rng, _):
    x, t = some(rng)
    parts = [array(rng, t, x.shape) for _i in range(rng.randint(1, 5))]
    return [('values', parts)], {'axis': int(rng.randint(-x.ndim - 1, x.ndim + 1))}, is_real(t)


def unpack(op, rng, _):
    x, t = some(rng, rng.randint(1, 5))
    axes = [d for d in range(-x.ndim, x.ndim) if x.shape[d]]
    if not axes:
        x, axes = array(rng, t, (3,)), [0]
    axis = pick(rng, axes)
    return [('value', x)], {'num': x.shape[axis], 'axis': axis}, is_real(t)


def split(op, rng, _):
    x, t = some(rng, rng.randint(1, 5))
    axis, count = rng.randint(-x.ndim, x.ndim), int(rng.randint(1, 4))
    at = np.array(axis, np.int32)
    if op == 'Split':
        dims = list(x.shape)
        dims[axis] *= count
        x = array(rng, t, tuple(dims))
        return [('axis', at), ('value', x)], {'num_split': count}, is_real(t)
    cuts = np.sort(rng.randint(0, x.shape[axis] + 1, size=count - 1))
    sizes = np.diff(np.concatenate([[0], cuts, [x.shape[axis]]])).astype(pick(rng, INDEX))
    if count > 1 and rng.rand() < 0.4:     # DIFFERENCES: a single part of size -1
        sizes[rng.randint(count)] = -1
    return [('value', x), ('size_splits', sizes), ('axis', at)], {'num_split': count}, is_real(t)


def slice_(op, rng, _):
    x, t = some(rng)
    it = pick(rng, INDEX)
    begin = [rng.randint(0, d + 1) for d in x.shape]
    size = [rng.randint(-1, d - b + 1) for d, b in zip(x.shape, begin)]
    return [('input', x), ('begin', np.array(begin, it)), ('size', np.array(size, it))], {}, \
        is_real(t) and it == np.int32


def strided(op, rng, _):
    x, t = some(rng)
    it, count = pick(rng, INDEX), rng.randint(0, x.ndim + 2)
    begin, end = rng.randint(-6, 7, size=count), rng.randint(-6, 7, size=count)
    step = rng.choice([-3, -2, -1, 1, 1, 1, 2, 3], size=count)
    attrs = {'begin_mask': mask(rng, count, 0.3), 'end_mask': mask(rng, count, 0.3),
             'ellipsis_mask': 1 << rng.randint(count) if count and rng.rand() < 0.4 else 0,
             'new_axis_mask': mask(rng, count, 0.15), 'shrink_axis_mask': mask(rng, count, 0.15)}
    for i in range(count):
        if attrs['shrink_axis_mask'] >> i & 1:
            step[i], begin[i] = 1, rng.choice([0, -1])
    return [('input', x), ('begin', begin.astype(it)), ('end', end.astype(it)),
            ('strides', step.astype(it))], attrs, is_real(t)


def tile(op, rng, _):
    x, t = some(rng)
    return [('input', x), ('multiples', rng.randint(0, 4, size=x.ndim).astype(pick(rng, INDEX)))], {}, \
        is_real(t)


def transpose(op, rng, _):
    # DIFFERENCES: TensorFlow aborts on the conjugate transpose of fewer than two dimensions
    x, t = some(rng, rng.randint(2, 5) if op == 'ConjugateTranspose' else None)
    perm = np.array(rng.permutation(x.ndim), pick(rng, INDEX))
    return [('x', x), ('perm', perm)], {}, is_real(t)


def invert_permutation(op, rng, _):
    return [('x', rng.permutation(rng.randint(0, 9)).astype(pick(rng, INDEX)))], {}, False


def fill(op, rng, _):
    _x, t = some(rng)
    return [('dims', np.array(shape(rng), pick(rng, INDEX))), ('value', array(rng, t, ()))], {}, \
        is_real(t)


def range_(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    start, step = rng.randint(-20, 20), rng.choice([1, 2, 3, -1, -2])
    stop = start + step * rng.randint(0, 12)
    return [('start', t(start)), ('limit', t(stop)), ('delta', t(step))], {}, False


def lin_space(op, rng, _):
    t = pick(rng, [np.float32, np.float64])
    return [('start', t(rng.uniform(-9, 9))), ('stop', t(rng.uniform(-9, 9))),
            ('num', pick(rng, INDEX)(rng.randint(1, 40)))], {}, False


def pad(op, rng, _):
    x, t = some(rng)
    amounts = rng.randint(0, 3, size=(x.ndim, 2))
    inputs, attrs, it = [('input', x)], {}, pick(rng, INDEX)
    if op == 'MirrorPad':
        attrs['mode'] = pick(rng, ['REFLECT', 'SYMMETRIC'])
        room = np.array(x.shape, int).reshape(-1, 1) - (attrs['mode'] == 'REFLECT')
        amounts = np.minimum(amounts, np.maximum(room, 0))
    inputs.append(('paddings', amounts.astype(it)))
    if op == 'PadV2':
        inputs.append(('constant_values', array(rng, t, ())))
    return inputs, attrs, is_real(t) and it == np.int32 and op != 'PadV2'


def reverse(op, rng, _):
    x, t = some(rng)
    flip = np.array([rng.rand() < 0.5 for _i in range(x.ndim)], np.bool_)
    if op == 'Reverse':
        return [('tensor', x), ('dims', flip)], {}, is_real(t)
    axes = np.array([d - (x.ndim if rng.rand() < 0.5 else 0) for d in range(x.ndim) if flip[d]])
    return [('tensor', x), ('axis', axes.astype(pick(rng, INDEX)))], {}, is_real(t)


def reverse_sequence(op, rng, _):
    x, t = some(rng, rng.randint(2, 5), [t for t in TYPES if t != 'string'])
    batch, seq = (int(d) for d in rng.choice(x.ndim, 2, replace=False))
    lengths = rng.randint(0, x.shape[seq] + 1, size=x.shape[batch]).astype(pick(rng, INDEX))
    return [('input', x), ('seq_lengths', lengths)], {'seq_dim': seq, 'batch_dim': batch}, is_real(t)


def broadcast_to(op, rng, _):
    x, t = some(rng, rng.randint(0, 4), [t for t in TYPES if t != 'string'])
    dims = list(shape(rng, rng.randint(0, 2))) + [
        int(rng.randint(1, 4)) if d == 1 else d for d in x.shape]
    it = pick(rng, INDEX)
    return [('input', x), ('shape', np.array(dims, it))], {}, is_real(t) and it == np.int32


def broadcast_args(op, rng, _):
    a, b = broadcast(rng)
    it = pick(rng, INDEX)
    return [('s0', np.array(a, it)), ('s1', np.array(b, it))], {}, False


def bitcast(op, rng, _):
    groups = [[np.float32, np.int32], [np.float64, np.int64, np.complex64],
              [np.int16, np.uint16, np.float16], [np.int8, np.uint8]]
    group = pick(rng, groups)
    return [('input', array(rng, pick(rng, group), shape(rng)))], {'type': pick(rng, group)}, False


def gather(op, rng, _):
    x, t = some(rng, rng.randint(1, 4))
    it, axis = pick(rng, INDEX), 0 if op == 'Gather' else rng.randint(0, x.ndim)
    dims = shape(rng, rng.randint(0, 3)) if x.shape[axis] else (0,)
    inputs = [('params', x), ('indices', np.asarray(rng.randint(0, max(1, x.shape[axis]), size=dims), it))]
    if op == 'GatherV2':
        inputs.append(('axis', np.array(axis, pick(rng, INDEX))))
    return inputs, {}, False


def one_hot(op, rng, _):
    t = pick(rng, [np.float32, np.int32, np.float64])
    it = pick(rng, [np.int32, np.int64, np.uint8])
    depth = rng.randint(0, 6)
    x = np.asarray(rng.randint(0, depth + 2, size=shape(rng, rng.randint(0, 3))), it)
    return [('indices', x), ('depth', np.int32(depth)), ('on_value', array(rng, t, ())),
            ('off_value', array(rng, t, ()))], {'axis': -1}, False


def ragged_range(op, rng, types):
    t, n = pick(rng, types(op, 'T')), int(rng.randint(0, 6))

    def some_or_one(low, high):
        return array(rng, t, ((n,), (n,), ())[rng.randint(3)], low, high)

    deltas = some_or_one(0.3, 1.0)
    deltas = np.where(rng.rand(*deltas.shape) < 0.3, -deltas, deltas).astype(t)
    return [('starts', some_or_one(-2, 2)), ('limits', some_or_one(-3, 5)), ('deltas', deltas)], \
        {'Tsplits': pick(rng, INDEX)}, False


GENERATORS = {
    'RaggedRange': ragged_range, 'Reshape': reshape, 'ExpandDims': expand_dims, 'Squeeze': squeeze, 'Concat': concat,
    'ConcatV2': concat, 'Pack': pack, 'Unpack': unpack, 'Split': split, 'SplitV': split,
    'Slice': slice_, 'StridedSlice': strided, 'Tile': tile, 'Transpose': transpose,
    'ConjugateTranspose': transpose, 'InvertPermutation': invert_permutation, 'Fill': fill,
    'Range': range_, 'LinSpace': lin_space, 'Pad': pad, 'PadV2': pad, 'MirrorPad': pad,
    'Reverse': reverse, 'ReverseV2': reverse, 'ReverseSequence': reverse_sequence,
    'BroadcastTo': broadcast_to, 'BroadcastArgs': broadcast_args, 'Bitcast': bitcast,
    'Gather': gather, 'GatherV2': gather, 'OneHot': one_hot,
}
for name in 'Identity StopGradient ZerosLike OnesLike Snapshot'.split():
    GENERATORS[name] = same
for name in 'Shape ShapeN Size Rank'.split():
    GENERATORS[name] = shapes
