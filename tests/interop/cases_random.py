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


def between(op, rng, types):
    """Bounds of all kinds; those that are single make batches of another size."""
    t = pick(rng, types(op, 'dtype'))
    rows = int(rng.randint(1, 4))
    dims = (rows,) + tuple(int(d) for d in rng.randint(0 if rng.rand() < 0.1 else 1, 60, size=rng.randint(0, 2)))
    params = []
    for _ in range(4):
        params.append(rng.uniform(0.5, 2, size=rows if rng.rand() < 0.3 else pick(rng, [(), (1,)])))
    params[0] = params[0] - 1
    params[2] = params[2] * pick(rng, [1, -1, 3, -3]) + params[0]
    params[3] = (params[3] * pick(rng, [0.1, 1, 5]) + params[2]) if rng.rand() < 0.9 else params[3] + np.inf
    if rng.rand() < 0.1:
        params[2] = params[2] - np.inf
    params = [np.asarray(p, t) if np.shape(p) in ((), (1,), (rows,)) else p for p in params]
    # TensorFlow dies of a shape of int64
    return [('shape', np.array(dims, np.int32))] + list(zip(
        ('means', 'stdevs', 'minvals', 'maxvals'), params)), seeds(rng), False, STEPS


GENERATORS['ParameterizedTruncatedNormal'] = between


def kept(op, rng, types):
    """A generator in a variable: what it gives in the step that makes it."""
    t = pick(rng, {'Binomial': [np.int32, np.int64, np.float32, np.float64]}.get(
        op[14:], [np.int32, np.int64, np.uint32, np.uint64] if 'Int' in op else
        [np.float16, np.float32, np.float64]))
    state = rng.randint(-2**63, 2**63 - 1, size=3, dtype=np.int64)
    inputs, dims_ = [('state', state)], dims(rng)
    if op == 'StatefulRandomBinomial':
        rows = int(rng.randint(1, 4))
        dims_ = np.array((rows, int(rng.randint(0, 60))), np.int32)
        real = pick(rng, [np.float32, np.float64])
        inputs += [('counts', rng.randint(0, 90, size=pick(rng, [(), (rows,)])).astype(real)),
                   ('probs', rng.uniform(-0.1, 1.1, size=pick(rng, [(), (rows,)])).astype(real))]
    if op == 'StatefulUniformInt':
        inputs += [('minval', np.array(rng.randint(0, 9), t)), ('maxval', np.array(rng.randint(9, 2**31 - 1), t))]
    inputs.append(('delta' if op == 'RngSkip' else 'shape',
                   np.int64(rng.randint(0, 2**40)) if op == 'RngSkip' else dims_))

    def graph(tf, ins):
        ops = tf.raw_ops
        v = ops.VarHandleOp(dtype=tf.int64, shape=[3], shared_name='generator')
        made = ops.AssignVariableOp(resource=v, value=ins.pop('state'))
        with tf.control_dependencies([made]):
            # TensorFlow's binomials change no variable that shares its value
            fresh = ops.AssignAddVariableOp(resource=v, value=tf.constant([1, 1, 1], tf.int64))
        attrs = {} if op in ('RngSkip', 'StatefulUniformInt') else {'dtype': t}
        ins['algorithm'] = tf.constant(1, tf.int64)
        with tf.control_dependencies([fresh]):
            drawn = getattr(ops, op)(resource=v, **dict(ins, **attrs))
        with tf.control_dependencies([drawn]):
            state_now = ops.ReadVariableOp(resource=v, dtype=tf.int64)
        return ([] if op == 'RngSkip' else [drawn]) + [state_now]
    return inputs, {}, False, 1, {'graph': graph}


for name in '''StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal
        StatefulUniformInt StatefulUniformFullInt StatefulRandomBinomial RngSkip'''.split():
    GENERATORS[name] = kept
