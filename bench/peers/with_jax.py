# SPDX-License-Identifier: Apache-2.0
"""The cases in JAX: the whole step is one jitted function whose state it may overwrite; numpy
arrays go in, the loss comes out each step."""
import os
import sys

os.environ.setdefault('JAX_PLATFORMS', 'cpu')

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import common


def uniform(shape, limit=1.0):
    random = np.random.RandomState(abs(hash(tuple(shape))) % 1000)
    return jnp.asarray(random.uniform(-limit, limit, shape).astype('float32'))


def ready(function, *args):
    """A run of a jitted function, to its end."""
    jitted = jax.jit(function)
    return lambda: jax.block_until_ready(jitted(*args))


def gemm(part):
    m, n, k, ta, tb = common.gemm_part(part)
    a, b = uniform([k, m] if ta else [m, k]), uniform([n, k] if tb else [k, n])
    return ready(lambda x, y: (x.T if ta else x) @ (y.T if tb else y), a, b)


def convolve(x, w, padding='SAME', stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding,
                                    dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


def conv(part):
    batch, size, cin, cout, f, which = common.conv_part(part)
    x, w = uniform([batch, size, size, cin]), uniform([f, f, cin, cout])
    y = uniform([batch, size, size, cout])
    if which == 'forward':
        return ready(convolve, x, w)
    if which == 'data':
        return ready(lambda w, y: jax.vjp(lambda x: convolve(x, w), x)[1](y), w, y)
    return ready(lambda x, y: jax.vjp(lambda w: convolve(x, w), w)[1](y), x, y)


def ewise(part):
    def chain(x):
        ops = {'add': jnp.add, 'mul': jnp.multiply, 'max': jnp.maximum}
        for op, c in common.ewise_constants():
            x = ops[op](x, c)
        return x
    return ready(chain, uniform([common.ewise_part(part)]))


# ---- training: parameters are lists of arrays

def sgd(rate):
    def update(params, state, grads):
        return [p - rate * g for p, g in zip(params, grads)], state
    return (lambda params: ()), update


def momentum(rate):
    def update(params, state, grads):
        state = [0.9 * s + g for s, g in zip(state, grads)]
        return [p - rate * s for p, s in zip(params, state)], state
    return (lambda params: [jnp.zeros_like(p) for p in params]), update


def adam(rate):
    def begin(params):
        return ([jnp.zeros_like(p) for p in params], [jnp.zeros_like(p) for p in params],
                jnp.float32(0))

    def update(params, state, grads):
        mean, spread, t = state[0], state[1], state[2] + 1
        mean = [0.9 * m + 0.1 * g for m, g in zip(mean, grads)]
        spread = [0.999 * v + 0.001 * g * g for v, g in zip(spread, grads)]
        by = rate * jnp.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
        params = [p - by * m / (jnp.sqrt(v) + 1e-8) for p, m, v in zip(params, mean, spread)]
        return params, (mean, spread, t)
    return begin, update


def training(params, feeds, loss, rule):
    """loss(params, key, *batch)."""
    begin, update = rule

    def step(params, state, key, *batch):
        key, now = jax.random.split(key)
        value, grads = jax.value_and_grad(loss)(params, now, *batch)
        params, state = update(params, state, grads)
        return params, state, key, value

    jitted = jax.jit(step, donate_argnums=(0, 1, 2))
    held = [params, begin(params), jax.random.PRNGKey(0)]
    turn = [0]

    def call():
        i = turn[0] % common.BATCHES
        turn[0] += 1
        *held[:], value = jitted(*held, *[f[i] for f in feeds])
        return float(value)
    return call


def dense_params(sizes):
    out = []
    for a, b in zip(sizes, sizes[1:]):
        out += [uniform([a, b], (6.0 / (a + b)) ** 0.5), jnp.zeros([b])]
    return out


def mean_loss(logits, labels):
    logs = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], 1))


def classifier(sizes, batch, rule):
    def loss(params, key, x, y):
        for i in range(0, len(params), 2):
            x = x @ params[i] + params[i + 1]
            x = jax.nn.relu(x) if i + 2 < len(params) else x
        return mean_loss(x, y)
    feeds = [common.batches(np, [batch, sizes[0]]), common.batches(np, [batch], 10)]
    return training(dense_params(sizes), feeds, loss, rule)


def pool(x, h, w, stride, padding):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, h, w, 1), (1, stride, stride, 1), padding)


def conv_params(shape):
    limit = (6.0 / (shape[0] * shape[1] * (shape[2] + shape[3]))) ** 0.5
    return [uniform(shape, limit), jnp.zeros([shape[3]])]


def dropout(key, x):
    return jnp.where(jax.random.uniform(key, x.shape) >= 0.5, 2 * x, 0)


def cnn():
    def loss(p, key, x, y):
        x = x.reshape(-1, 28, 28, 1)
        x = pool(jax.nn.relu(convolve(x, p[0]) + p[1]), 2, 2, 2, 'SAME')
        x = pool(jax.nn.relu(convolve(x, p[2]) + p[3]), 2, 2, 2, 'SAME')
        x = jax.nn.relu(x.reshape(-1, 3136) @ p[4] + p[5])
        return mean_loss(dropout(key, x) @ p[6] + p[7], y)
    params = conv_params([5, 5, 1, 32]) + conv_params([5, 5, 32, 64]) + \
        dense_params([3136, 1024, 10])
    feeds = [common.batches(np, [128, 784]), common.batches(np, [128], 10)]
    return training(params, feeds, loss, adam(1e-4))


def w2v():
    """Gradients are taken of the rows that a step reads, and added to those alone. Negatives are
    drawn with replacement: this framework has no unique log-uniform sampler."""
    words, width, batch = 50000, 128, 128

    def log_count(ids):
        p = jnp.log((ids + 2.0) / (ids + 1.0)) / jnp.log(words + 1.0)
        return jnp.log(64 * p)

    def loss(rows, ids, sampled):
        h, w, b, sampled_w, sampled_b = rows
        right = jnp.sum(h * w, 1) + b - log_count(ids)
        wrong = h @ sampled_w.T + sampled_b - log_count(sampled)
        return jnp.mean(jax.nn.softplus(-right) + jnp.sum(jax.nn.softplus(wrong), 1))

    def step(tables, key, x, y):
        key, now = jax.random.split(key)
        u = jax.random.uniform(now, [64])
        sampled = jnp.minimum(jnp.exp(u * jnp.log(words + 1.0)).astype('int32') - 1, words - 1)
        table, weights, biases = tables
        rows = table[x], weights[y], biases[y], weights[sampled], biases[sampled]
        value, g = jax.value_and_grad(loss)(rows, y, sampled)
        table = table.at[x].add(-g[0])
        weights = weights.at[y].add(-g[1]).at[sampled].add(-g[3])
        biases = biases.at[y].add(-g[2]).at[sampled].add(-g[4])
        return (table, weights, biases), key, value

    jitted = jax.jit(step, donate_argnums=(0, 1))
    held = [(uniform([words, width]), uniform([words, width], width ** -0.5), jnp.zeros([words])),
            jax.random.PRNGKey(0)]
    xs, ys = (common.batches(np, [batch], words) for _ in range(2))
    turn = [0]

    def call():
        i = turn[0] % common.BATCHES
        turn[0] += 1
        held[0], held[1], value = jitted(*held, xs[i], ys[i])
        return float(value)
    return call


def lstm():
    units = 128

    def loss(p, key, x, y):
        def step(state, now):
            c, h = state
            i, j, f, o = jnp.split(jnp.concatenate([now, h], 1) @ p[0] + p[1], 4, 1)
            c = c * jax.nn.sigmoid(f + 1) + jax.nn.sigmoid(i) * jnp.tanh(j)
            h = jnp.tanh(c) * jax.nn.sigmoid(o)
            return (c, h), ()
        none = jnp.zeros([128, units])
        (_, h), _ = lax.scan(step, (none, none), jnp.swapaxes(x, 0, 1))
        return mean_loss(h @ p[2] + p[3], y)
    params = [uniform([28 + units, 4 * units], 0.1), jnp.zeros([4 * units])] + \
        dense_params([units, 10])
    feeds = [common.batches(np, [128, 28, 28]), common.batches(np, [128], 10)]
    return training(params, feeds, loss, adam(1e-3))


def textcnn():
    """A filter of f words is one product with f words side by side: as convolutions of one channel
    with filters as wide as the image, a step takes this framework many seconds on a CPU."""
    length, width, filters = 56, 128, 128

    def loss(p, key, x, y):
        words = p[0][x]
        pooled = []
        for i, f in enumerate((3, 4, 5)):
            n = length - f + 1
            windows = jnp.concatenate([words[:, j:j + n] for j in range(f)], 2)
            pooled.append(jnp.max(jax.nn.relu(windows @ p[1 + 2 * i] + p[2 + 2 * i]), 1))
        return mean_loss(dropout(key, jnp.concatenate(pooled, 1)) @ p[7] + p[8], y)
    params = [uniform([20000, width])]
    for f in (3, 4, 5):
        params += dense_params([f * width, filters])
    params += dense_params([3 * filters, 2])
    feeds = [common.batches(np, [64, length], 20000), common.batches(np, [64], 2)]
    return training(params, feeds, loss, adam(1e-3))


def resnet20():
    """Without the running averages of the normalisations, which cost next to nothing."""
    plan = [(16, 16), (16, 16), (16, 16), (16, 32), (32, 32), (32, 32), (32, 64), (64, 64), (64, 64)]
    params = [uniform([3, 3, 3, 16], 0.18), jnp.ones([16]), jnp.zeros([16])]
    for a, b in plan:
        params += [uniform([3, 3, a, b], (6 / (9 * (a + b))) ** 0.5), jnp.ones([b]), jnp.zeros([b]),
                   uniform([3, 3, b, b], (3 / (9 * b)) ** 0.5), jnp.ones([b]), jnp.zeros([b])]
        if a != b:
            params.append(uniform([1, 1, a, b], (6 / (a + b)) ** 0.5))
    params += dense_params([64, 10])

    def norm(x, scale, offset):
        mean = jnp.mean(x, (0, 1, 2))
        variance = jnp.mean(x * x, (0, 1, 2)) - mean * mean
        return (x - mean) * (lax.rsqrt(variance + 1e-5) * scale) + offset

    def loss(params, key, x, y):
        p = iter(params)

        def layer(x, stride=1):
            return norm(convolve(x, next(p), 'SAME', stride), next(p), next(p))
        x = jax.nn.relu(layer(x))
        for a, b in plan:
            stride = 1 if a == b else 2
            z = layer(jax.nn.relu(layer(x, stride)))
            x = jax.nn.relu(z + (x if a == b else convolve(x, next(p), 'SAME', 2)))
        return mean_loss(jnp.mean(x, (1, 2)) @ next(p) + next(p), y)
    feeds = [common.batches(np, [128, 32, 32, 3]), common.batches(np, [128], 10)]
    return training(params, feeds, loss, momentum(0.1))


MODELS = {
    'softmax': lambda: classifier([784, 10], 100, sgd(0.05)),
    'mlp_sgd': lambda: classifier([784, 512, 512, 10], 128, sgd(0.05)),
    'mlp_adam': lambda: classifier([784, 512, 512, 10], 128, adam(0.001)),
    'cnn': cnn, 'w2v': w2v, 'lstm': lstm, 'textcnn': textcnn, 'resnet20': resnet20,
}
MICRO = {'gemm': gemm, 'conv': conv, 'ewise_chain': ewise}


def build(case, part, threads):
    """Threads are set from outside, by XLA_FLAGS and the cores of the process."""
    if case in MICRO:
        return MICRO[case](part)
    return MODELS[case]() if case in MODELS else None


if __name__ == '__main__':
    sys.exit(common.main(build))
