# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that newer graphs may not use: the graph says that an older TensorFlow wrote it."""
import numpy as np

import cases_graph
import cases_linear
import cases_random
from values import array, kind, pick, shape


def older(case, producer):
    inputs, attrs, gradient, *more = case
    steps, options = (list(more) + [1, {}][len(more):])[:2]
    return inputs, attrs, gradient, steps, dict(options, producer=producer)


def of_batch(op, rng, types):
    """BatchX is X, and takes its types; not all have gradients."""
    plain = op[5:]
    make = cases_linear.GENERATORS.get(plain) or cases_graph.GENERATORS[plain]
    inputs, attrs, _gradient, *more = make(plain, rng, lambda _op, attr: types(op, attr))
    return older((inputs, attrs, False, *more), 12 if plain != 'SelfAdjointEig' else 10)


def eigen(op, rng, types):
    t, n = pick(rng, [np.float32, np.float64]), int(rng.randint(1, 5))
    a = array(rng, t, (n, n))
    # DIFFERENCES: signs of vectors; the values are the first row
    return older(([('input', (a + a.T) / 2)], {}, False, 1, {'magnitudes': [0]}), 10)


def top_k(op, rng, types):
    t = pick(rng, [u for u in types(op, 'T') if kind(u) != 'S'])
    dims = shape(rng, rng.randint(1, 4), False)
    x = rng.permutation(int(np.prod(dims))) % 120
    return older(([('input', x.astype(t).reshape(dims))], {'k': int(rng.randint(0, dims[-1] + 1)),
                                                          'sorted': True}, False), 6)


def poisson(op, rng, types):
    t = pick(rng, [np.float16, np.float32, np.float64])
    rate = array(rng, t, shape(rng, rng.randint(0, 3)), 0.01, pick(rng, [2, 40]))
    return older(([('shape', cases_random.dims(rng)), ('rate', rate)], cases_random.seeds(rng), False,
                  cases_random.STEPS), 24)


GENERATORS = {'SelfAdjointEig': eigen, 'BatchSelfAdjointEig': eigen, 'TopK': top_k, 'RandomPoisson': poisson}
for _name in '''Cholesky CholeskyGrad MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart
        MatrixInverse MatrixSetDiag MatrixSolve MatrixSolveLs MatrixTriangularSolve SelfAdjointEigV2 Svd'''.split():
    GENERATORS['Batch' + _name] = of_batch
