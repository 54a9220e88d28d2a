# SPDX-License-Identifier: Apache-2.0
"""Cases of crossed features: sparse and dense columns of numbers and texts."""
import numpy as np

from values import array, pick


def column(rng, t, dims):
    return rng.randint(-9, 9, size=dims).astype(np.int64) if t == np.int64 else array(rng, t, dims)


def cross(op, rng, _):
    batch, columns = int(rng.randint(0, 6)), [int(n) for n in rng.randint(0, 3, size=2)]
    texts = rng.rand() < 0.3
    types = [['string' if texts or rng.rand() < 0.5 else np.int64 for _ in range(n)] for n in columns]
    indices, values, shapes = [], [], []
    for t in types[0]:
        counts = rng.randint(0, 4, size=batch)
        places = [(b, i) for b, n in enumerate(counts) for i in range(n)]
        indices.append(np.array(places, np.int64).reshape(-1, 2))
        values.append(column(rng, t, (len(places),)))
        shapes.append(np.array([batch, max(list(counts) + [0])], np.int64))
    dense = [column(rng, t, (batch, int(rng.randint(0, 4)))) for t in types[1]]
    numbers = not texts and all(t == np.int64 for t in types[0] + types[1])
    attrs = {'hashed_output': not texts, 'num_buckets': int(pick(rng, [0, 1, 10, 2**40])),
             'hash_key': int(rng.randint(0, 2**62, dtype=np.int64)),
             'out_type': 'string' if texts else np.int64,
             'internal_type': np.int64 if numbers else 'string'}
    return [('indices', indices), ('values', values), ('shapes', shapes),
            ('dense_inputs', dense)], attrs, False


GENERATORS = {'SparseCross': cross}
