# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that move blocks, of sparse rows, of strings and of colours."""
import numpy as np

from values import array, is_real, pick, shape


def roll(op, rng, types):
    t = pick(rng, [np.float64, np.float32, np.int32])
    x = array(rng, t, shape(rng, rng.randint(1, 4)))
    n = int(rng.randint(0, 4))
    axis = rng.randint(-x.ndim, x.ndim, size=n).astype(np.int32)
    return [('input', x), ('shift', rng.randint(-9, 9, size=n).astype(np.int64)),
            ('axis', axis)], {}, is_real(t)


def to_batch(op, rng, types):
    n = int(rng.randint(1, 3))
    block = rng.randint(1, 4, size=n).astype(np.int32)
    pads = rng.randint(0, 3, size=(n, 2)).astype(np.int32)
    dims = []
    for b, (before, after) in zip(block, pads):
        dims.append(int(b * rng.randint(1, 4) + (-before - after) % b))
    x = array(rng, np.float64, (2,) + tuple(dims) + (3,))
    return [('input', x), ('block_shape', block), ('paddings', pads)], {}, True


def to_space(op, rng, types):
    n = int(rng.randint(1, 3))
    block = rng.randint(1, 4, size=n).astype(np.int32)
    crops = rng.randint(0, 2, size=(n, 2)).astype(np.int32)
    x = array(rng, np.float64, (2 * int(np.prod(block)),) + (3,) * n + (2,))
    return [('input', x), ('block_shape', block), ('crops', crops)], {}, True


def depth(op, rng, types):
    block = int(rng.randint(2, 4))
    h, w, d = rng.randint(1, 4, size=3)
    dims = (2, h * block, w * block, d) if op == 'SpaceToDepth' else (2, h, w, d * block * block)
    x = array(rng, np.float64, tuple(int(v) for v in dims))
    return [('input', x)], {'block_size': block}, True


def segment(op, rng, types):
    t = pick(rng, [np.float64, np.float32])
    x = array(rng, t, (int(rng.randint(1, 6)), int(rng.randint(1, 5))))
    n = int(rng.randint(1, 8))
    inputs = [('data', x), ('indices', rng.randint(0, len(x), size=n).astype(np.int32)),
              ('segment_ids', np.sort(rng.randint(0, 5, size=n)).astype(np.int32))]
    if op.endswith('Segments'):
        inputs.append(('num_segments', np.int32(5)))
    return inputs, {}, True


def sparse_reshape(op, rng, types):
    dims = (2, 3, 4)
    there = np.argwhere(rng.rand(*dims) < 0.4).astype(np.int64)
    new = pick(rng, [[4, 6], [24], [2, -1, 2], [5, -1], [-1, 1], [3, 3]])
    return [('input_indices', there), ('input_shape', np.array(dims, np.int64)),
            ('new_shape', np.array(new, np.int64))], {}, False


def fill_rows(op, rng, types):
    there = np.argwhere(rng.rand(5, 3) < 0.3).astype(np.int64)
    there = there[rng.permutation(len(there))]
    return [('indices', there), ('values', array(rng, np.float64, (len(there),))),
            ('dense_shape', np.array([5, 3], np.int64)), ('default_value', np.float64(0.5))], \
        {}, True


def words(rng, dims):
    some = np.array([b'hello', b'worlds', b'aa bb', b'h\xc3\xa4l\xe2\x82\xaco'], object)
    return some[rng.randint(0, len(some), size=dims)]


def substr(op, rng, types):
    dims = shape(rng, rng.randint(1, 3))
    return [('input', words(rng, dims)), ('pos', np.int32(rng.randint(-6, 6))),
            ('len', np.int32(rng.randint(0, 7)))], \
        {'unit': pick(rng, ['BYTE', 'UTF8_CHAR'])}, False


def reduce_join(op, rng, types):
    axes = rng.permutation(3)[:rng.randint(1, 4)].astype(np.int32)
    return [('inputs', words(rng, (2, 3, 2))), ('reduction_indices', axes)], \
        {'separator': pick(rng, ['', '-', ', ']), 'keep_dims': bool(rng.randint(2))}, False


def colour(op, rng, types):
    x = rng.rand(*(shape(rng, 2) + (3,)))
    if op.startswith('Adjust'):
        name = 'delta' if op == 'AdjustHue' else 'scale'
        return [('images', x[None].astype(np.float32)), (name, np.float32(rng.rand()))], {}, False
    if op == 'RGBToHSV' and rng.rand() < 0.6:   # TensorFlow's gradient is one of float alone
        return [('images', x.astype(np.float32))], {}, True
    return [('images', x)], {}, False


GENERATORS = {'Roll': roll, 'SpaceToBatchND': to_batch, 'BatchToSpaceND': to_space,
              'SpaceToDepth': depth, 'DepthToSpace': depth, 'SparseReshape': sparse_reshape,
              'SparseFillEmptyRows': fill_rows, 'Substr': substr, 'ReduceJoin': reduce_join,
              'RGBToHSV': colour, 'HSVToRGB': colour, 'AdjustHue': colour,
              'AdjustSaturation': colour}
for name in ('Sum', 'Mean', 'SqrtN'):
    GENERATORS['SparseSegment' + name] = segment
    GENERATORS['SparseSegment%sWithNumSegments' % name] = segment
