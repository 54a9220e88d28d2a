# SPDX-License-Identifier: Apache-2.0
"""Cases of seeded random ops: the same numbers in three steps of one session.

A generator returns the steps as a fourth value. Every case has a seed that is not zero.
"""
import numpy as np

from values import array, kind, pick, shape

INDEX = [np.int32, np.int64]
STEPS = 3


def seeds(rng):
    """One of the two may be zero, and either may need 64 bits."""
    out = [int(s) for s in rng.randint(1, 2**31 - 1, size=2)]
    if rng.rand() < 0.3:
        out[rng.randint(2)] = 0
    if rng.rand() < 0.2:
        out[0] = int(rng.randint(1, 2**62, dtype=np.int64))
    return {'seed': out[0], 'seed2': out[1]}


def sampler(op, rng, _):
    num_true, range_max = int(rng.randint(1, 4)), int(rng.randint(1, 40))
    unique = bool(rng.randint(2))
    count = int(rng.randint(1, range_max + 1 if unique else 30))
    attrs = dict(seeds(rng), num_true=num_true, num_sampled=count, unique=unique, range_max=range_max)
    top = range_max
    if op == 'AllCandidateSampler':
        del attrs['range_max']
    if op == 'UniformCandidateSampler' and rng.rand() < 0.2:
        attrs['range_max'] = int(rng.randint(2**33, 2**50, dtype=np.int64))
    if op == 'FixedUnigramCandidateSampler':
        reserved = int(rng.randint(0, range_max))
        weights = rng.uniform(0.5, 9, size=range_max - reserved)
        attrs.update(unigrams=[float(w) for w in weights], num_reserved_ids=reserved,
                     distortion=float(pick(rng, [1, 0.75, 0, 2])))
        attrs['num_sampled'] = min(count, range_max - reserved)     # those that can come at all
    classes = rng.randint(0, top, size=(rng.randint(0, 6), num_true)).astype(np.int64)
    return [('true_classes', classes)], attrs, False, STEPS


def hits(op, rng, _):
    num_true, top = int(rng.randint(1, 4)), int(rng.randint(1, 12))
    classes = rng.randint(0, top, size=(rng.randint(0, 6), num_true)).astype(np.int64)
    sampled = rng.permutation(top)[:rng.randint(0, top + 1)].astype(np.int64)
    return [('true_classes', classes), ('sampled_candidates', sampled)], \
        dict(seeds(rng), num_true=num_true), False


def dims(rng):
    """Long enough for several blocks of a generator; some are empty."""
    return np.array(shape(rng) if rng.rand() < 0.6 else (int(rng.randint(0, 300)),), pick(rng, INDEX))


def filled(op, rng, types):
    attr = 'Tout' if op == 'RandomUniformInt' else 'dtype'
    t = pick(rng, types(op, attr) or [np.int32, np.int64])
    inputs, attrs = [('shape', dims(rng))], {}
    stateless = op.startswith('Stateless')
    if stateless:
        inputs.append(('seed', rng.randint(-2**31, 2**31, size=2).astype(pick(rng, INDEX))))
    else:
        attrs = seeds(rng)
    if op.endswith('UniformInt'):
        t = pick(rng, INDEX)
        low = int(rng.randint(-2**31, 2**30))
        inputs += [('minval', t(low)), ('maxval', t(low + rng.randint(1, 2**30)))]
    else:
        attrs['dtype'] = t
    return inputs, attrs, False, STEPS


def shuffle(op, rng, types):
    t = pick(rng, [np.float32, np.int64, 'string', np.bool_])
    dims_ = shape(rng)
    x = array(rng, t, ((int(rng.randint(1, 50)),) + dims_[1:]) if dims_ else ())
    return [('value', x)], seeds(rng), False, STEPS


def multinomial(op, rng, types):
    t = pick(rng, [np.float16, np.float32, np.float64])
    logits = array(rng, t, (int(rng.randint(0, 5)), int(rng.randint(1, 9))))
    inputs = [('logits', logits), ('num_samples', np.int32(rng.randint(0, 20)))]
    attrs = {'output_dtype': pick(rng, INDEX)}
    if op.startswith('Stateless'):
        inputs.append(('seed', rng.randint(-2**31, 2**31, size=2).astype(pick(rng, INDEX))))
    else:
        attrs.update(seeds(rng))
    return inputs, attrs, False, STEPS


def rejected(op, rng, types):
    poisson = op == 'RandomPoissonV2'
    real = [np.float16, np.float32, np.float64]
    t = pick(rng, real + INDEX) if poisson else pick(rng, real)
    params = array(rng, t, shape(rng, rng.randint(0, 3)), 0.01 if kind(t) == 'f' else 1, pick(rng, [2, 40]))
    attrs = seeds(rng)
    if poisson:
        attrs['dtype'] = pick(rng, real + INDEX)
    return [('shape', dims(rng)), ('rate' if poisson else 'alpha', params)], attrs, False, STEPS


GENERATORS = {'ComputeAccidentalHits': hits, 'RandomShuffle': shuffle, 'Multinomial': multinomial,
              'StatelessMultinomial': multinomial, 'RandomGamma': rejected,
              'RandomPoissonV2': rejected}
for name in '''RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal
        StatelessRandomUniform StatelessRandomUniformInt StatelessRandomNormal
        StatelessTruncatedNormal'''.split():
    GENERATORS[name] = filled
for name in ('Uniform LogUniform LearnedUnigram FixedUnigram ThreadUnsafeUnigram All').split():
    GENERATORS[name + 'CandidateSampler'] = sampler
