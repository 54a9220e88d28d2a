# SPDX-License-Identifier: Apache-2.0
"""Cases of the neural network ops."""
import numpy as np

from values import array, is_real, pick, shape

INDEX = [np.int32, np.int64]


def batch_norm(op, rng, types):
    """Images NHWC, with channels that differ in mean and spread."""
    grad, training = 'Grad' in op, bool(rng.rand() < 0.6)
    t = pick(rng, types(op, 'T'))
    dims = shape(rng, 3, not grad) + (int(rng.choice([1, 2, 3, 5, 17, 70])),)
    c = dims[3]
    x = (array(rng, np.float64, dims) * rng.uniform(0.5, 2, size=c) + rng.uniform(-2, 2, size=c)).astype(t)
    attrs = {'is_training': training, 'epsilon': float(rng.choice([1e-3, 1e-2]))}
    f = lambda low: array(rng, np.float32, (c,), low, 3)
    if grad:
        inputs = [('y_backprop', array(rng, t, dims)), ('x', x), ('scale', f(-3)),
                  ('reserve_space_1', f(-3)), ('reserve_space_2', f(0.1))]
        if training and x.size:
            wide = x.astype(np.float64).reshape(-1, c)
            inputs[3:] = [('reserve_space_1', wide.mean(0).astype(np.float32)),
                          ('reserve_space_2', wide.var(0).astype(np.float32))]
        if op.endswith('V3'):
            inputs.append(('reserve_space_3', array(rng, np.float32, ())))
        return inputs, attrs, is_real(t) and t != np.float16 and int(np.prod(dims[:3])) > 3
    # DIFFERENCES: TensorFlow leaves the statistics unset when not training
    none = np.zeros((0,), np.float32)
    inputs = [('x', x), ('scale', f(-3)), ('offset', f(-3)), ('mean', none if training else f(-3)),
              ('variance', none if training else f(0.1))]
    return inputs, attrs, t == np.float32 and int(np.prod(dims[:3])) > 3, \
        1, {'cube': True, 'outputs': [0, 1, 2, 3, 4, 5] if training else [0, 5]}


GENERATORS = {}
for _name in ('FusedBatchNorm', 'FusedBatchNormV2', 'FusedBatchNormV3', 'FusedBatchNormGrad',
              'FusedBatchNormGradV2', 'FusedBatchNormGradV3'):
    GENERATORS[_name] = batch_norm
