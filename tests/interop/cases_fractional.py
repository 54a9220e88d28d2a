# SPDX-License-Identifier: Apache-2.0
"""Cases of fractional pooling: the same cells by the same seeds, values and gradients."""
import numpy as np

from values import array, pick


def picture(rng, t):
    dims = [int(d) for d in rng.randint(1, 12, size=4)]
    dims[0], dims[3] = [int(d) for d in rng.randint(0 if rng.rand() < 0.1 else 1, 4, size=2)]
    if rng.rand() < 0.3 and t not in (np.int32, np.int64):
        return np.round(array(rng, t, tuple(dims))).astype(t)   # with elements that are equal
    return array(rng, t, tuple(dims))


def forward(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = picture(rng, t)
    ratio = [1.0] + [float(np.float32(rng.uniform(1, min(d, 4)))) for d in x.shape[1:3]] + [1.0]
    attrs = {'pooling_ratio': ratio, 'pseudo_random': bool(rng.randint(2)),
             'overlapping': bool(rng.randint(2)), 'deterministic': True,
             'seed': int(rng.randint(1, 2**31 - 1)), 'seed2': int(rng.randint(0, 2**31 - 1))}
    # TensorFlow says of the bounds that there is one less
    return [('value', x)], attrs, t in (np.float32, np.float64), 2, {'once': True, 'unshaped': True}


def bounds(rng, size):
    inner = np.arange(1, size)
    rng.shuffle(inner)
    return np.concatenate([[0], np.sort(inner[:rng.randint(0, size)]), [size]]).astype(np.int64)


def backward(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = picture(rng, t)
    rows, cols = bounds(rng, x.shape[1]), bounds(rng, x.shape[2])
    y = (x.shape[0], len(rows) - 1, len(cols) - 1, x.shape[3])
    first = [('orig_input_tensor_shape', np.array(x.shape, np.int64))] if 'Avg' in op else \
        [('orig_input', x), ('orig_output', array(rng, t, y))]
    return first + [('out_backprop', array(rng, t, y)), ('row_pooling_sequence', rows),
                    ('col_pooling_sequence', cols)], {'overlapping': bool(rng.randint(2))}, False


GENERATORS = {'FractionalMaxPool': forward, 'FractionalAvgPool': forward,
              'FractionalMaxPoolGrad': backward, 'FractionalAvgPoolGrad': backward}
