# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that few graphs have: normalisation with given statistics, fingerprints of examples,
neighbours, constants on the host, slices of tensors that are updated. (TensorFlow has no kernels for
BatchFFT and its like.)"""
import numpy as np

from values import array, pick, shape

INDEX = [np.int32, np.int64]


def normalized(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, tuple(shape(rng, 4)), -2, 2)
    d = (x.shape[3],)
    mean, var = array(rng, t, d), array(rng, t, d, 0.3, 2)
    rest = [('gamma', array(rng, t, d)), ('backprop', array(rng, t, x.shape, -2, 2))] \
        if op.endswith('Grad') else [('beta', array(rng, t, d)), ('gamma', array(rng, t, d))]
    return [('t', x), ('m', mean), ('v', var)] + rest, {
        'variance_epsilon': float(np.float32(rng.uniform(0.01, 0.2))),
        'scale_after_normalization': bool(rng.randint(2))}, \
        t != np.float16 and not op.endswith('Grad'), 1, {'producer': 8, 'once': True}


def fingerprints(op, rng, _):
    """Of all lengths that have a formula of their own."""
    texts = np.empty(rng.randint(0, 9), object)
    texts[:] = [bytes(bytearray(rng.randint(0, 256, size=rng.randint(0, pick(rng, [9, 40, 130, 400]))).astype(
        np.uint8))) for _ in texts]
    return [('input', texts)], {}, False


def module_op(name):
    """An op that tf.raw_ops lacks."""
    def graph(tf, ins):
        from tensorflow.python.ops import gen_clustering_ops
        out = getattr(gen_clustering_ops, name)(**ins)
        return list(out) if isinstance(out, tuple) else [out]
    return graph


def neighbors(op, rng, _):
    """Distances that are sums of few bits, so that equal ones are equal."""
    n, m, d = (int(v) for v in rng.randint(1, 12, size=3))
    points = rng.randint(-5, 5, size=(n, d)).astype(np.float32) / 2
    centers = rng.randint(-5, 5, size=(m, d)).astype(np.float32) / 2
    return [('points', points), ('centers', centers), ('k', np.int64(rng.randint(0, 15)))], {}, False, 1, \
        {'graph': module_op('nearest_neighbors')}


def chain(op, rng, _):
    distances = rng.uniform(0, 9, size=rng.randint(1, 30)).astype(np.float32)
    distances[rng.rand(len(distances)) < 0.1] = 0
    return [('distances', distances), ('seed', np.int64(rng.randint(0, 2**62, dtype=np.int64)))], {}, False, 1, \
        {'graph': module_op('kmc2_chain_initialization')}


def seeding(op, rng, _):
    """Sums of few bits: an order of adding decides nothing."""
    n, d = (int(v) for v in rng.randint(1, 15, size=2))
    points = rng.randint(-5, 5, size=(n, d)).astype(np.float32) / 2
    return [('points', points), ('num_to_sample', np.int64(rng.randint(0, n + 2))),
            ('seed', np.int64(rng.randint(0, 2**62, dtype=np.int64))),
            ('num_retries_per_sample', np.int64(rng.randint(-1, 5)))], {}, False, 1, \
        {'graph': module_op('kmeans_plus_plus_initialization')}


def host_constant(op, rng, _):
    value = array(rng, pick(rng, [np.float32, np.int32, np.bool_, np.int64]), shape(rng))

    def graph(tf, ins):
        node = tf.compat.v1.get_default_graph().create_op(
            'HostConst', [], [tf.as_dtype(value.dtype)], attrs={
                'value': tf.compat.v1.AttrValue(tensor=tf.compat.v1.make_tensor_proto(value)),
                'dtype': tf.compat.v1.AttrValue(type=tf.as_dtype(value.dtype).as_datatype_enum)})
        return [node.outputs[0] + ins['x'] if value.dtype != np.bool_ else node.outputs[0]]
    return [('x', np.array(1, value.dtype))], {}, False, 1, {'graph': graph}


def strided_update(op, rng, _):
    x = array(rng, pick(rng, [np.float32, np.float64, np.int32, np.int64]), shape(rng, rng.randint(1, 4), False))
    it, begin, end, strides = pick(rng, INDEX), [], [], []
    for d in x.shape:
        a, b = sorted(int(v) for v in rng.randint(0, d + 1, size=2))
        down = rng.rand() < 0.3 and b > a
        begin.append(b - 1 if down else a)
        end.append(a if down else b)
        strides.append(int(rng.randint(1, 3)) * (-1 if down else 1))
    part = x[tuple(slice(*s) for s in zip(begin, end, strides))]
    return [('input', x)] + [(n, np.array(v, it)) for n, v in (
        ('begin', begin), ('end', end), ('strides', strides))] + \
        [('value', array(rng, x.dtype.type, part.shape))], {}, False


GENERATORS = {'BatchNormWithGlobalNormalization': normalized, 'NearestNeighbors': neighbors,
              'KmeansPlusPlusInitialization': seeding,
              'BatchNormWithGlobalNormalizationGrad': normalized, 'SdcaFprint': fingerprints,
              'KMC2ChainInitialization': chain, 'HostConst': host_constant,
              'TensorStridedSliceUpdate': strided_update}
