# SPDX-License-Identifier: Apache-2.0
"""Random shapes and values, and what a case is."""
import numpy as np

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5]


class Case:
    """modes has a letter for each input: s placeholder with its shape, p without, c constant.

    steps: how often one session runs it; each run's values are compared. options may hold:
    outputs, the numbers of those to compare (all, unless told); cube, to derive y ** 3 + y where
    the gradient of y ** 2 is a difference of equal things; even, to derive y ** 4; magnitudes,
    outputs whose signs or phases are free; variables, names of inputs that are variables, which
    hold the given values at first and are read after each step; resource, whether they are
    resources and no references; once, to leave out second gradients;
    producer, the version of graphs that the graph says it is of; unshaped, not to compare inferred shapes; graph, what makes the outputs of TensorFlow and the inputs by name.
    """

    def __init__(self, op, inputs, attrs, gradient, modes, steps=1, options=None):
        self.options = options or {}
        self.op, self.inputs, self.attrs = op, inputs, attrs
        self.gradient, self.modes, self.steps = gradient, modes, steps

    def compares(self, output):
        return output in self.options.get('outputs', [output])

    def magnitudes(self, output):
        return output in self.options.get('magnitudes', [])

    def loss(self, y):
        if self.options.get('even'):
            return y * y * (y * y)
        return (y * y * y if self.options.get('cube') else y * y) + y

    def __str__(self):
        def one(v):
            return '%s%s' % (v.dtype, list(v.shape)) if v.size > 8 else '%s%s' % (v.dtype, v.tolist())
        parts = ['%s=%s' % (n, [one(x) for x in v] if isinstance(v, list) else one(v))
                 for n, v in self.inputs]
        return '%s(%s) %s modes %s' % (self.op, ', '.join(parts), self.attrs, self.modes)


def kind(t):
    return 'S' if t == 'string' else np.dtype(t).kind


def is_real(t):
    return kind(t) == 'f'


def pick(rng, items):
    return items[rng.randint(len(items))]


def shape(rng, rank=None, empty=True):
    """One in seven has dimensions of zero."""
    rank = rng.randint(0, 5) if rank is None else rank
    low = 0 if empty and rng.rand() < 0.14 else 1
    return tuple(int(d) for d in rng.randint(low, 6, size=rank))


def broadcast(rng):
    """Two shapes that fit each other; rarely two that do not."""
    whole = shape(rng)
    out = []
    for _ in range(2):
        s = [1 if rng.rand() < 0.2 else d for d in whole]
        out.append(tuple(s[rng.randint(0, len(s) + 1) if rng.rand() < 0.3 else 0:]))
    if rng.rand() < 0.04:
        out[1] = shape(rng)
    return out


def array(rng, t, dims, low=-3.0, high=3.0, special=False):
    size = int(np.prod(dims))
    k = kind(t)
    if k == 'S':
        out = np.empty(size, object)
        out[:] = [bytes(bytearray(97 + rng.randint(0, 26, size=rng.randint(0, 30)).astype(np.uint8)))
                  for _ in range(size)]
        return out.reshape(dims)
    if k == 'b':
        return (rng.rand(*dims) < 0.5 if dims else np.array(rng.rand() < 0.5)).astype(np.bool_)
    if k in 'iu':
        floor = max(int(low * 4), 0 if k == 'u' else -12)
        top = max(floor + 1, int(high * 4) + 1)
        return np.asarray(rng.randint(floor, top, size=size), t).reshape(dims)

    def reals():
        a = rng.uniform(low, high, size=size)
        return np.where(rng.rand(size) < 0.3, rng.choice(SPECIAL, size=size), a) if special else a

    a = reals() + 1j * reals() if k == 'c' else reals()
    return np.asarray(a, t).reshape(dims)
