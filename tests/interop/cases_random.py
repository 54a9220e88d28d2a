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


GENERATORS = {'ComputeAccidentalHits': hits}
for name in ('Uniform LogUniform LearnedUnigram FixedUnigram ThreadUnsafeUnigram All').split():
    GENERATORS[name + 'CandidateSampler'] = sampler
