# SPDX-License-Identifier: Apache-2.0
"""Whole random graphs: layers of many ops, branches within branches, loops within loops.

Their names hold a `/`, as no op's does. A graph is drawn step by step from a random state of its own:
each step takes tensors that are there, whose shapes it knows, and adds one. Values are kept near 1, so
that what differs is no rounding that grew.
"""
import numpy as np

from values import array, pick, shape

MOST = 400      # elements of a tensor; larger ones are averaged over an axis


class Net:
    """A graph under way: tensors with their shapes, of one real type."""

    def __init__(self, tf, rng, t, first):
        self.tf, self.rng, self.t = tf, rng, t
        self.have = list(first)
        self.variables = 0

    def const(self, dims, low=-1.0, high=1.0):
        return self.tf.constant(array(self.rng, self.t, tuple(dims), low, high))

    def take(self):
        """A recent tensor more often than an old one."""
        n = len(self.have)
        return self.have[max(n - 1 - self.rng.randint(0, n), n - 1 - self.rng.randint(0, n))]

    def flat(self, count):
        """So many elements of some tensor, again and again."""
        x, s = self.take()
        n = int(np.prod(s))
        y = self.tf.reshape(x, [n])
        if n < count:
            y = self.tf.tile(y, [-(-count // n)])
        return self.tf.slice(y, [0], [count]) if self.rng.rand() < 0.5 else y[:count]

    def grow(self, steps):
        for _ in range(steps):
            x, s = getattr(self, pick(self.rng, STEPS))()
            while int(np.prod(s)) > MOST:
                x, s = self.tf.reduce_mean(x, axis=0), s[1:]
            self.have.append((x, tuple(int(d) for d in s)))

    def unary(self):
        tf, (x, s) = self.tf, self.take()
        fn = pick(self.rng, [tf.tanh, tf.sigmoid, tf.sin, tf.cos, tf.negative, tf.abs, tf.nn.relu, tf.nn.elu,
                             tf.nn.softplus, tf.nn.softsign, lambda v: tf.exp(-tf.square(v)),
                             lambda v: tf.sqrt(tf.square(v) + 1), lambda v: tf.math.log1p(tf.abs(v)),
                             lambda v: tf.math.rsqrt(tf.abs(v) + 1), tf.math.erf, tf.stop_gradient])
        return fn(x), s

    def binary(self):
        """The second is averaged until it fits the first, from behind."""
        tf, (x, s), (y, r) = self.tf, self.take(), self.take()
        while len(r) > len(s):
            y, r = tf.reduce_mean(y, axis=0), r[1:]
        tail = s[len(s) - len(r):]
        axes = [k for k, (a, b) in enumerate(zip(tail, r)) if a != b and b != 1 and a != 1]
        if axes:
            y = tf.reduce_mean(y, axis=axes, keepdims=True)
            r = tuple(1 if k in axes else d for k, d in enumerate(r))
        fn = pick(self.rng, [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, lambda a, b: tf.atan(a) * b,
                             lambda a, b: a / (1 + tf.square(b)), lambda a, b: tf.tanh(tf.math.squared_difference(a, b)),
                             lambda a, b: tf.where(tf.broadcast_to(tf.less(b, 0.3), self.joined(s, r)),
                                                   tf.broadcast_to(a, self.joined(s, r)),
                                                   tf.broadcast_to(b, self.joined(s, r)))])
        return fn(x, y), self.joined(s, r)

    @staticmethod
    def joined(a, b):
        return np.broadcast(np.zeros(a), np.zeros(b)).shape

    def dense(self):
        tf, rng = self.tf, self.rng
        m, k, n = (int(d) for d in rng.randint(1, 9, size=3))
        x = tf.reshape(self.flat(m * k), [m, k])
        flip = bool(rng.randint(2))
        y = tf.matmul(x, self.const((n, k) if flip else (k, n)) / k, transpose_b=flip)
        y = tf.nn.bias_add(y, self.const([n])) if rng.rand() < 0.5 else y + self.const([n])
        return pick(rng, [tf.nn.relu, tf.tanh, tf.nn.softmax, tf.nn.log_softmax, lambda v: v])(y), (m, n)

    def product(self):
        tf = self.tf
        b, m, k, n = (int(d) for d in self.rng.randint(1, 5, size=4))
        x, y = tf.reshape(self.flat(b * m * k), [b, m, k]), tf.reshape(self.flat(b * k * n), [b, k, n])
        return tf.tanh(tf.matmul(x, y)), (b, m, n)

    def reduction(self):
        tf, (x, s) = self.tf, self.take()
        axes = [k for k in range(len(s)) if self.rng.rand() < 0.5]
        keep = bool(self.rng.randint(2))
        fn = pick(self.rng, [tf.reduce_mean, tf.reduce_max, tf.reduce_min, lambda *a, **k: tf.tanh(tf.reduce_sum(*a, **k))])
        y = fn(x, axis=axes, keepdims=keep)
        return y, tuple(1 if k in axes else d for k, d in enumerate(s) if keep or k not in axes)

    def parts(self):
        tf, (x, s) = self.tf, self.take()
        if not s:
            return tf.stack([x, x * 2, x + 1]), (3,)
        axis = int(self.rng.randint(len(s)))
        sizes = [int(d) for d in np.diff([0] + sorted(self.rng.randint(0, s[axis] + 1, size=2)) + [s[axis]])]
        cut = tf.split(x, sizes, axis=axis) if self.rng.rand() < 0.7 or len(s) > 3 else \
            [tf.expand_dims(v, axis) for v in tf.unstack(tf.reshape(x, s), axis=axis)]
        return tf.concat([cut[k] for k in self.rng.permutation(len(cut))], axis=axis), s

    def moved(self):
        tf, rng, (x, s) = self.tf, self.rng, self.take()
        order = [int(d) for d in rng.permutation(len(s))]
        choice = rng.randint(6)
        if choice == 0 or not s:
            return tf.reshape(x, [int(np.prod(s))]), (int(np.prod(s)),)
        if choice == 1:
            return tf.transpose(x, order), tuple(s[d] for d in order)
        if choice == 2:
            return tf.reverse(x, axis=[order[0]]), s
        if choice == 3:
            pads = rng.randint(0, 2, size=(len(s), 2))
            return tf.pad(x, pads.tolist()), tuple(d + int(p.sum()) for d, p in zip(s, pads))
        if choice == 4:
            return tf.cumsum(x, axis=order[0]) / s[order[0]], s
        at = rng.randint(0, s[0], size=rng.randint(1, 5))
        # by a product: the gradient of an input that is gathered alone is sparse
        return tf.gather(x * 1.5, at.tolist()), (len(at),) + s[1:]

    def image(self):
        tf, rng = self.tf, self.rng
        x = tf.reshape(self.flat(96), [2, 4, 4, 3])
        choice = rng.randint(4)
        if choice == 0:
            return tf.tanh(tf.nn.conv2d(x, self.const([3, 3, 3, 4]), [1, 1, 1, 1], 'SAME')), (2, 4, 4, 4)
        if choice == 1:
            return tf.nn.avg_pool2d(x, 2, 2, 'VALID'), (2, 2, 2, 3)
        if choice == 2 or self.t != np.float32:
            # no two alike in a window
            return tf.nn.max_pool2d(x + self.const([2, 4, 4, 3], -9, 9), 2, 2, 'VALID') / 9, (2, 2, 2, 3)
        y, _mean, _variance = tf.compat.v1.nn.fused_batch_norm(
            x + self.const([2, 4, 4, 3]), self.const([3]), self.const([3]), epsilon=0.1)
        return y, (2, 4, 4, 3)

    def ordered(self):
        """After another: no value of it is used."""
        x, s = self.take()
        with self.tf.control_dependencies([self.take()[0]]):
            return self.tf.identity(x), s

    def kept(self):
        """A variable that is set, added to and read, by reference or by resource."""
        tf, (x, s) = self.tf, self.take()
        raw, dtype, x = tf.raw_ops, tf.as_dtype(self.t), tf.stop_gradient(x)
        self.variables += 1
        name = 'kept%d' % self.variables
        if self.rng.randint(2):
            v = raw.VarHandleOp(dtype=dtype, shape=s, shared_name=name)
            with tf.control_dependencies([raw.AssignVariableOp(resource=v, value=self.const(s))]):
                add = raw.AssignAddVariableOp(resource=v, value=x)
            with tf.control_dependencies([add]):
                return raw.ReadVariableOp(resource=v, dtype=dtype), s
        v = raw.VariableV2(shape=s, dtype=dtype, shared_name=name)
        with tf.control_dependencies([raw.Assign(ref=v, value=self.const(s))]):
            add = pick(self.rng, [raw.AssignAdd, raw.AssignSub])(ref=v, value=x)
        return tf.identity(add) * 0.5, s

    def chosen(self):
        """A branch: both sides take the same, and other things from outside."""
        tf, (x, s) = self.tf, self.take()
        other = self.take()[0]
        by = self.const(s)
        return tf.cond(tf.reduce_mean(other) < self.rng.uniform(-0.5, 0.5), lambda: tf.tanh(x) * by,
                       lambda: x + by), s

    def looped(self):
        """Some turns of a loop."""
        tf, (x, s) = self.tf, self.take()
        by = self.const(s)
        turns = int(self.rng.randint(0, 4))
        _, y = tf.while_loop(lambda i, _v: i < turns, lambda i, v: (i + 1, tf.sin(v) + by), [0, x],
                             [tf.TensorShape([]), tf.TensorShape(None)])
        return tf.reshape(y, s), s


STEPS = '''unary unary unary unary binary binary binary binary dense dense product reduction parts moved moved
    image ordered kept chosen looped'''.split()


def mixed(op, rng, _):
    t = np.float32 if rng.rand() < 0.3 else np.float64
    shapes = [shape(rng, rng.randint(0, 4), False) for _i in range(rng.randint(1, 4))]
    inputs = [('x%d' % k, array(rng, t, s, -1, 1)) for k, s in enumerate(shapes)]
    seed, steps = int(rng.randint(2**31)), int(rng.randint(8, 26))

    def graph(tf, ins):
        tf.compat.v1.disable_control_flow_v2()
        net = Net(tf, np.random.RandomState(seed), t,
                  [(ins['x%d' % k], s) for k, s in enumerate(shapes)])
        net.grow(steps)
        return [tf.identity(x) for x, _s in net.have[-3:]]
    return inputs, {}, True, 2, {'graph': graph, 'once': True}


def expression(tf, rng, have, depth):
    """Of scalars and whole tensors of one shape: arithmetic, branches, loops of several variables."""
    kind = rng.randint(6) if depth > 0 else 0
    x, y = (have[rng.randint(len(have))] for _ in range(2))
    if kind <= 1:
        fn = pick(rng, [tf.add, tf.subtract, tf.multiply, tf.maximum, lambda a, b: a * 2 - b])
        return tf.clip_by_value(fn(x, y), -9, 9)
    if kind <= 3:
        seeds = [int(s) for s in rng.randint(2**31, size=2)]
        sides = [lambda s=s: expression(tf, np.random.RandomState(s), have, depth - 1) for s in seeds]
        return tf.cond(tf.reduce_sum(x) < tf.reduce_sum(y), sides[0], sides[1])
    turns, seed, parallel = int(rng.randint(0, 4)), int(rng.randint(2**31)), int(pick(rng, [1, 10]))
    count = int(rng.randint(1, 4))
    first = [have[rng.randint(len(have))] for _ in range(count)]
    most = pick(rng, [4.0, 30.0])

    def condition(i, *vs):
        return tf.logical_and(i < turns, tf.cast(tf.reduce_sum(tf.abs(vs[0])), tf.float64) < most)

    def body(i, *vs):
        r = np.random.RandomState(seed)
        inner = list(vs) + have + [tf.cast(i, vs[0].dtype) + tf.zeros_like(vs[0])]
        return [i + 1] + [expression(tf, r, inner, depth - 1) for _ in vs]
    shapes = [tf.TensorShape([])] + [tf.TensorShape(None)] * count
    out = tf.while_loop(condition, body, [tf.constant(0)] + first, shapes, parallel_iterations=parallel)
    return out[1 + rng.randint(count)]


def flow(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    dims = shape(rng, rng.randint(0, 3))
    inputs = [('x%d' % k, array(rng, t, dims, -1, 1)) for k in range(3)]
    seed = int(rng.randint(2**31))
    depth = 3

    def graph(tf, ins):
        tf.compat.v1.disable_control_flow_v2()
        r = np.random.RandomState(seed)
        have = [ins['x%d' % k] for k in range(3)]
        return [tf.identity(expression(tf, r, have, depth)) for _i in range(2)]
    # TensorFlow's zeros of a variable that no turn gives on are float32 whatever its type
    return inputs, {}, t is np.float32, 2, {'graph': graph, 'once': True}


def branches(op, rng, _):
    """Branches within branches, with gradients."""
    t = pick(rng, [np.float32, np.float64])
    dims = shape(rng, rng.randint(0, 3), False)
    inputs = [('x%d' % k, array(rng, t, dims, -1, 1)) for k in range(3)]
    seed = int(rng.randint(2**31))

    def graph(tf, ins):
        tf.compat.v1.disable_control_flow_v2()

        def nest(r, have, depth):
            x, y = (have[r.randint(len(have))] for _ in range(2))
            v = pick(r, [tf.add, tf.multiply, tf.subtract])(tf.tanh(x), tf.sin(y))
            if depth == 0:
                return v
            seeds = [int(s) for s in r.randint(2**31, size=2)]
            sides = [lambda s=s: nest(np.random.RandomState(s), have + [v], depth - 1) for s in seeds]
            return v * 0.5 + tf.cond(tf.reduce_sum(x) < tf.reduce_sum(y), sides[0], sides[1])
        have = [ins['x%d' % k] for k in range(3)]
        return [nest(np.random.RandomState(seed), have, 3)]
    return inputs, {}, True, 1, {'graph': graph}


GENERATORS = {'graph/mixed': mixed, 'graph/flow': flow, 'graph/branches': branches}
