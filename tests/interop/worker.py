# SPDX-License-Identifier: Apache-2.0
"""Asks TensorFlow and Leat the same things, in one process of TensorFlow's Python.

    worker.py LIBRARY SEED CASES OP...

Says what it is about to try before each case, so that who started it knows what it died of:
`try OP K`, then `pass`, `fail WHAT` or `skip WHY`. Each op's cases depend on the seed and its name
alone.
"""
import os
import sys
import warnings
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
warnings.filterwarnings('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import leat
import cases

LIBRARY = leat.Library(sys.argv[1])
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.python.framework import kernels

tf.compat.v1.logging.set_verbosity('FATAL')
TOLERANCES = {'float32': (2e-4, 2e-5), 'complex64': (2e-4, 2e-5), 'float64': (1e-7, 1e-9),
              'complex128': (1e-7, 1e-9), 'float16': (1e-2, 2e-3)}
NOT_THERE = 'Op type not registered'    # a gradient may need an op that a small build lacks
SECOND_ORDER = 3    # every so many cases, the gradient's gradient is compared too


def config():
    c = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    c.graph_options.optimizer_options.opt_level = -1
    return c


def kernel_types(op, attr):
    """numpy types that TensorFlow's CPU kernels of the op take for a type attr."""
    found = set()
    for kernel in kernels.get_registered_kernels_for_op(op).kernel:
        if kernel.device_type != 'CPU':
            continue
        for constraint in kernel.constraint:
            if constraint.name == attr:
                found.update(constraint.allowed_values.list.type)
    return [leat.TYPES[t] for t in sorted(found) if t in leat.TYPES] + (
        ['string'] if leat.STRING in found else [])


def close(ours, theirs):
    """As said in README.md: |a-b| <= r |b| + t max|b| for floats, bits for all else."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    name = theirs.dtype.name
    if name not in TOLERANCES:
        return ours.tolist() == theirs.tolist()
    if theirs.dtype.kind == 'c':
        nan_a, nan_b = np.isnan(ours), np.isnan(theirs)
        wide = np.complex128
    else:
        wide = np.float64
        nan_a, nan_b = np.isnan(ours), np.isnan(theirs)
    if not np.array_equal(nan_a, nan_b):
        return False
    a, b = ours.astype(wide), theirs.astype(wide)
    finite = np.abs(b[np.isfinite(b)])
    r, t = TOLERANCES[name]
    with np.errstate(all='ignore'):
        near = np.abs(a - b) <= r * np.abs(b) + t * (finite.max() if finite.size else 0)
    infinite = np.isinf(a) | np.isinf(b)
    return bool(np.all(np.where(infinite, a == b, near) | nan_b))


def plain(value):
    """A scalar string comes as bytes, of which numpy would make another type."""
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def contradict(ours, theirs):
    if ours is None or theirs is None:
        return False
    return len(ours) != len(theirs) or any(
        a != b for a, b in zip(ours, theirs) if a is not None and b is not None)


def shape_of(tensor):
    return None if tensor.shape.ndims is None else tensor.shape.as_list()


class Asked:
    """A case as a TensorFlow graph, and what TensorFlow made of it."""

    def __init__(self, case, second):
        self.case = case
        self.feeds, self.outputs, self.xs, self.gradients, self.losses = {}, [], [], [], []
        self.initial, self.variables = [], []
        with tf.Graph().as_default() as graph:
            if 'producer' in case.options:
                older = tf.compat.v1.GraphDef()
                older.versions.producer = case.options['producer']
                tf.import_graph_def(older)
            outputs = self.build(case)
            self.outputs = [(o.name, shape_of(o)) for o in outputs]
            xs = [t for t in self.inputs if t.dtype in (tf.float16, tf.float32, tf.float64)]
            losses = [case.loss(o) for k, o in enumerate(outputs) if case.compares(k)
                      and o.dtype in (tf.float16, tf.float32, tf.float64)]
            self.graph_def = graph.as_graph_def().SerializeToString()
            derived, again = [], []
            if case.gradient and xs and losses:
                derived, again = self.derive(losses, xs,
                                             second and not case.options.get('once'))
            self.xs, self.losses = [x.name for x in xs], [y.name for y in losses]
            there = [d for d in derived + again if d is not None]
            self.error, self.values, self.later, got = None, [], [], []
            with tf.compat.v1.Session(config=config()) as session:
                try:
                    session.run(self.initial)
                    self.values = [plain(v) for v in session.run(outputs, self.feeds)]
                    for _ in range(1, case.steps):
                        self.later.append([plain(v) for v in session.run(outputs, self.feeds)])
                    got = session.run(there, self.feeds)
                except tf.errors.OpError as e:
                    # its gradients of some ops do not broadcast: then there is nothing to compare
                    self.error = None if self.values else e
            left = iter(got)
            self.derived, self.again = ([None if d is None else plain(next(left)) for d in ds]
                                        if got else [] for ds in (derived, again))

    def derive(self, losses, xs, second):
        try:
            first = tf.gradients(losses, xs)
            there = [d for d in first if d is not None]
            again = tf.gradients(there, xs) if second and there else []
        except (LookupError, ValueError, TypeError, NotImplementedError):
            return [], []
        dense = [d is None or isinstance(d, tf.Tensor) for d in first + again]
        return (first, again) if there and all(dense) else ([], [])

    def build(self, case):
        self.inputs = []

        def source(value, mode):
            if mode == 'c':
                return tf.constant(value)
            tensor = tf.compat.v1.placeholder(tf.as_dtype(value.dtype) if value.dtype != object
                                              else tf.string,
                                              value.shape if mode == 's' else None)
            self.feeds[tensor.name] = value
            self.inputs.append(tensor)
            return tensor

        modes = iter(case.modes)
        kwargs = dict(case.attrs)
        for name, value in case.inputs:
            if name in case.options.get('variables', []):
                kwargs[name] = self.variable(name, value, case.options['resource'])
            else:
                kwargs[name] = ([source(v, next(modes)) for v in value] if isinstance(value, list)
                                else source(value, next(modes)))
        if 'graph' in case.options:
            return case.options['graph'](tf, kwargs)
        result = getattr(tf.raw_ops, case.op)(**kwargs)
        flat = []
        for r in result if isinstance(result, (list, tuple)) else [result]:
            flat += r if isinstance(r, list) else [r]
        if not self.variables:
            return flat
        done = flat[0].op if isinstance(flat[0], tf.Tensor) else flat[0]
        values = [tf.identity(r) for r in flat if isinstance(r, tf.Tensor)]
        with tf.control_dependencies([done] + values):
            return values + [tf.raw_ops.ReadVariableOp(resource=v, dtype=t)
                             if v.dtype == tf.resource else tf.raw_ops.Identity(input=v)
                             for v, t in self.variables]

    def variable(self, name, value, resource):
        dtype = tf.as_dtype(value.dtype) if value.dtype != object else tf.string
        if resource:
            v = tf.raw_ops.VarHandleOp(dtype=dtype, shape=value.shape, shared_name=name)
            self.initial.append(tf.raw_ops.AssignVariableOp(resource=v, value=tf.constant(value)))
        else:
            v = tf.raw_ops.VariableV2(shape=value.shape, dtype=dtype, shared_name=name)
            self.initial.append(tf.raw_ops.Assign(ref=v, value=tf.constant(value)).op)
        self.variables.append((v, dtype))
        return v


def try_values(asked):
    with leat.Graph(LIBRARY, asked.graph_def) as graph:
        for name, shape in asked.outputs:
            ours = graph.shape(name)
            if contradict(ours, shape) and not asked.case.options.get('unshaped'):
                return 'shape of %s: %s, TensorFlow %s' % (name, ours, shape)
        try:
            if asked.initial:
                graph.run({}, [], [o.name for o in asked.initial])
            got = graph.run(asked.feeds, [n for n, _ in asked.outputs])
        except leat.Error as e:
            if asked.error is not None and asked.error.error_code == e.code:
                return None
            return 'run: %s; TensorFlow: %s' % (e, asked.error)
        if asked.error is not None:
            return 'runs; TensorFlow: %s' % asked.error
        for k, theirs in enumerate([asked.values] + asked.later):
            if k > 0:
                got = graph.run(asked.feeds, [n for n, _ in asked.outputs])
            for n, ((name, _), a, b) in enumerate(zip(asked.outputs, got, theirs)):
                if asked.case.magnitudes(n):
                    a, b = np.abs(a), np.abs(b)
                if asked.case.compares(n) and not close(a, b):
                    return 'value of %s, step %d: %s' % (name, k, differ(a, b))
    return None


def try_gradients(asked):
    with leat.Graph(LIBRARY, asked.graph_def) as graph:
        first = graph.gradients(asked.losses, asked.xs)
        again = graph.gradients([d for d in first if d], asked.xs) if asked.again else []
        theirs = asked.derived + asked.again
        if [d is None for d in first + again] != [d is None for d in theirs]:
            return 'gradients that are there: %s, TensorFlow %s' % (
                [d is not None for d in first + again], [d is not None for d in theirs])
        fetches = [d for d in first + again if d]
        got = graph.run(asked.feeds, fetches) if fetches else []
    for k, (a, b) in enumerate(zip(got, [d for d in theirs if d is not None])):
        if not close(a, b):
            return 'gradient %d: %s' % (k, differ(a, b))
    return None


def differ(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return '%s%s, TensorFlow %s%s' % (a.dtype, a.shape, b.dtype, b.shape)
    return '%s, TensorFlow %s' % (repr(a.ravel()[:6].tolist()), repr(b.ravel()[:6].tolist()))


def try_case(case, second):
    try:
        asked = Asked(case, second)
    except (ValueError, TypeError) as e:
        return 'skip', 'TensorFlow builds no such graph: %s' % str(e).split('\n')[0]
    try:
        wrong = try_values(asked)
        if not wrong and asked.error is None and asked.derived:
            wrong = try_gradients(asked)
    except leat.Error as e:
        if NOT_THERE in e.message:
            return 'skip', 'not in this build: ' + e.message.split(NOT_THERE)[1].split("'")[1]
        wrong = str(e)
    if not wrong:
        return 'pass', ''
    return 'fail', '%s; case %s' % (wrong, case)


def main():
    seed, count = int(sys.argv[2]), int(sys.argv[3])
    for op in sys.argv[4:]:
        name, _, first = op.partition(':')
        if '/' not in name and not LIBRARY.has_op(name):
            print('try %s 0\nskip not in this build' % name, flush=True)
            continue
        for k in range(int(first or 0), count):
            print('try %s %d' % (name, k), flush=True)
            rng = np.random.RandomState((zlib.crc32(name.encode()) + 7919 * k + seed) % 2**32)
            case = cases.make(name, rng, kernel_types)
            verdict, why = try_case(case, k % SECOND_ORDER == 0)
            print(verdict, ' '.join(why.split()), flush=True)


main()
