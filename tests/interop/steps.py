# SPDX-License-Identifier: Apache-2.0
"""Many runs of one session, by TensorFlow 1.15.5 and by Leat: what barriers, staging areas, accumulators,
mutexes and kept tensors remember from one run to the next. Values and error codes of each run are compared.

    steps.py --list
    steps.py LIBRARY [NAME...]

A check is a function that makes a graph and returns play(rng, run). play draws runs by chance and by what
earlier runs gave, for each of SEEDS; TensorFlow plays first, then Leat from the same seed, whose every
run must end as TensorFlow's did. No run may have to wait for a later one.
"""
import threading

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf
from tensorflow.python.ops import gen_data_flow_ops as flow

tf.compat.v1.logging.set_verbosity('FATAL')
ops = tf.raw_ops
SEEDS = range(6)
PATIENCE = tf.RunOptions(timeout_in_ms=60000)     # a play that waits is wrong
CHECKS = checks.Checks('steps_')


class Failed:
    """How a run failed; two are equal when their codes are."""

    def __init__(self, code, message):
        self.code, self.message = code, message

    def __repr__(self):
        return 'code %d (%s)' % (self.code, self.message[:200])


def plain(value):
    if hasattr(value, 'get_raw_handle'):
        value = value.get_raw_handle()
        value = value.encode() if isinstance(value, str) else value
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


class Run:
    """run(fetches and ops, feeds) gives a list of values, or Failed; notes all that comparing takes."""

    def __init__(self, engine, before=None):
        self.engine, self.before, self.seen = engine, before, []

    def __call__(self, what, feeds=None, compared=True):
        what = what if isinstance(what, (list, tuple)) else [what]
        fed = {}
        for t, v in (feeds or {}).items():
            fed[t.name] = np.asarray(v, object if t.dtype == tf.string else t.dtype.as_numpy_dtype)
        tensors = [w for w in what if isinstance(w, tf.Tensor)]
        targets = [w for w in what if not isinstance(w, tf.Tensor)]
        got = self.engine(fed, [t.name for t in tensors], [o.name for o in targets])
        if self.before is not None and compared:
            self.check('run %d of %s' % (len(self.seen), [w.name for w in what]),
                       got, self.before[len(self.seen)])
        self.seen.append(got)
        return got

    @staticmethod
    def check(which, got, want):
        if isinstance(got, Failed) or isinstance(want, Failed):
            same = type(got) is type(want) and got.code == want.code
        else:
            same = len(got) == len(want) and all(
                a.shape == b.shape and a.dtype == b.dtype and
                (a.tolist() == b.tolist() if a.dtype == object else
                 np.allclose(a, b, 1e-6, 0, equal_nan=True)) for a, b in zip(got, want))
        assert same, '%s: %r, TensorFlow %r' % (which, got, want)


def steps(make):
    """A check of the play that make() returns after it made a graph."""
    def check():
        for seed in SEEDS:
            with tf.Graph().as_default() as graph:
                tf.set_random_seed(seed)
                play = make()

                def theirs(fed, tensors, targets):
                    try:
                        got = session.run([tensors, targets], fed, options=PATIENCE)[0]
                    except tf.errors.DeadlineExceededError as e:
                        raise AssertionError('waits in TensorFlow: %s %s of %s' % (tensors, targets, fed)) from e
                    except tf.errors.OpError as e:
                        return Failed(e.error_code, e.message)
                    return [plain(v) for v in got]
                with tf.Session() as session:
                    first = Run(theirs)
                    play(np.random.RandomState(seed), first)
                data = graph.as_graph_def().SerializeToString()
            with leat.Graph(LIBRARY, data) as g:
                def ours(fed, tensors, targets):
                    try:
                        return g.run(fed, tensors, targets)
                    except leat.Error as e:
                        return Failed(e.code, e.message)
                second = Run(ours, first.seen)
                play(np.random.RandomState(seed), second)
                assert len(first.seen) == len(second.seen), 'fewer runs'
    CHECKS[CHECKS.prefix + make.__name__] = check
    return make


def strings(rng, count):
    return np.array([b'k%d' % k for k in rng.randint(0, 7, count)], object)


def word(rng):
    return b'w%d' % rng.randint(0, 7)


@steps
def barriers():
    b = flow.barrier([tf.float32, tf.string], [[2], []])
    keys = tf.placeholder(tf.string, [None])
    numbers, words = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    inserts = [flow.barrier_insert_many(b, keys, v, i) for i, v in enumerate([numbers, words])]
    ready, incomplete = flow.barrier_ready_size(b), flow.barrier_incomplete_size(b)
    n = tf.placeholder(tf.int32)
    takes = [flow.barrier_take_many(b, n, [tf.float32, tf.string], allow_small_batch=small)
             for small in (False, True)]
    closes = [flow.barrier_close(b, cancel_pending_enqueues=c) for c in (False, True)]

    def fails(some, k, held, closed):
        once = len(set(some)) == len(some)
        return not once or any(k in held.get(x, ()) or (closed and x not in held) for x in some)

    def play(rng, run):
        closed, held = False, {}        # what each incomplete key has
        for _ in range(40):
            drawn, k = rng.rand(), rng.randint(2)
            if drawn < 0.6:
                some = strings(rng, rng.randint(0, 4))
                wrong = fails(some, k, held, closed)
                some = some[:1] if wrong else some      # DIFFERENCES: barrier
                rows = len(some) + (len(some) > 0 and not wrong and rng.rand() < 0.05)
                value = strings(rng, rows) if k else rng.uniform(-1, 1, (rows, 2))
                if not isinstance(run(inserts[k], {keys: some, (words if k else numbers): value}), Failed):
                    for x in some:
                        held.setdefault(x, set()).add(k)
                    held = {x: has for x, has in held.items() if has != {0, 1}}
            elif drawn < 0.95:
                size, rest = run([ready, incomplete])
                # while more may come a take waits for what it lacks; -1 waits for ever
                count = rng.randint(0, size + (3 if closed and not rest else 1))
                take = takes[rng.randint(2)]
                run([take.indices, take.keys] + list(take.values), {n: count})
            else:
                run(closes[k])
                closed, held = True, {} if k else held
    return play


def area(name):
    return dict(dtypes=[tf.float32, tf.string], shared_name=name)


@steps
def staging_areas():
    number, text = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    k = tf.placeholder(tf.int32)
    attrs = dict(shared_name='area', capacity=4, memory_limit=600)
    types = dict(dtypes=[tf.float32, tf.string])
    stage = flow.stage([number, text], **attrs)
    get = flow.unstage(**types, **attrs)
    peek = flow.stage_peek(k, **types, **attrs)
    size = flow.stage_size(**types, **attrs)
    clear = flow.stage_clear(**types, **attrs)

    def play(rng, run):
        for _ in range(40):
            drawn = rng.rand()
            held, = run(size)
            if drawn < 0.5 and held < 4:
                run(stage, {number: rng.uniform(size=rng.randint(0, 4, rng.randint(0, 3))),
                            text: word(rng)})
            elif drawn < 0.7 and held:
                run(list(get))
            elif drawn < 0.95 and held:
                run(list(peek), {k: rng.randint(0, held)})
            elif drawn >= 0.95:
                run(clear)
        # what is larger than the area's memory is refused at once
        run(clear)
        run(stage, {number: np.zeros(200), text: b'w'})
    return play


def map_play(ordered):
    made = {n: getattr(flow, ('ordered_' if ordered else '') + n) for n in
            'map_stage map_unstage map_unstage_no_key map_peek map_size map_incomplete_size map_clear'
            .split()}
    key, picks = tf.placeholder(tf.int64), tf.placeholder(tf.int32, [None])
    values = [tf.placeholder(tf.float32), tf.placeholder(tf.string)]
    attrs = dict(shared_name='map', dtypes=[tf.float32, tf.string])
    stages = {(0, 1): made['map_stage'](key, [0, 1], values, **attrs),
              (0,): made['map_stage'](key, [0], values[:1], **attrs),
              (1,): made['map_stage'](key, [1], values[1:], **attrs),
              (1, 0): made['map_stage'](key, [1, 0], values, **attrs),
              (0, 0): made['map_stage'](key, [0, 0], values, **attrs),
              (5,): made['map_stage'](key, [5], values[:1], **attrs)}
    get = made['map_unstage'](key, picks, **attrs)
    peek = made['map_peek'](key, picks, **attrs)
    some = made['map_unstage_no_key'](picks, **attrs)
    halves = {(0,): made['map_unstage'](key, [0], shared_name='map', dtypes=[tf.float32]),
              (1,): made['map_unstage'](key, [1], shared_name='map', dtypes=[tf.string])}
    whole, parts = made['map_size'](**attrs), made['map_incomplete_size'](**attrs)
    clear = made['map_clear'](**attrs)

    def play(rng, run):
        held = {}               # what each key has
        for _ in range(60):
            drawn, at = rng.rand(), int(rng.randint(0, 4))
            run([whole, parts])
            full = sorted(k for k, v in held.items() if v == {0, 1})
            if drawn < 0.5:
                which = list(stages)[rng.randint(len(stages))]
                fed = {key: at, values[0]: rng.uniform(size=rng.randint(0, 3)), values[1]: word(rng)}
                if which[0] == 1:
                    fed = {t: fed[t] for t in ([key] + values if len(which) > 1 else [key, values[1]])}
                elif len(which) == 1:
                    del fed[values[1]]
                if at in full and which != (5,):
                    continue    # it would be a value of a key that is there
                if not isinstance(run(stages[which], fed), Failed):
                    held.setdefault(at, set()).update(which)
            elif drawn < 0.9 and full:
                at = full[rng.randint(len(full))]
                if drawn < 0.6:
                    run(list(peek), {key: at, picks: [0, 1]})
                elif drawn < 0.7:
                    run(list(get), {key: at, picks: [0, 1]})
                    del held[at]
                elif drawn < 0.8:
                    if ordered or len(full) == 1:
                        run([some.key] + list(some.values), {picks: [0, 1]})
                        del held[full[0]]
                else:
                    for which in list(halves)[::rng.choice([-1, 1])]:
                        run(list(halves[which]), {key: at})
                    del held[at]
            elif drawn > 0.95:
                run(clear)
                held.clear()
    return play


@steps
def map_staging_areas():
    return map_play(False)


@steps
def ordered_map_staging_areas():
    return map_play(True)


def dense_accumulator(kind, resource):
    at = tf.placeholder(tf.int64, [])
    x = tf.placeholder(tf.float32)
    need = tf.placeholder(tf.int32, [])
    if resource:
        a = flow.resource_conditional_accumulator(tf.float32, [None, 2], reduction_type=kind)
        names = ['resource_accumulator_' + n for n in
                 'apply_gradient num_accumulated take_gradient set_global_step'.split()]
    else:
        a = flow.conditional_accumulator(tf.float32, [None, 2], reduction_type=kind)
        names = ['accumulator_' + n for n in
                 'apply_gradient num_accumulated take_gradient set_global_step'.split()]
    apply, count, take, step = [getattr(flow, n) for n in names]
    apply, count, take, step = apply(a, at, x), count(a), take(a, need, tf.float32), step(a, at)

    def play(rng, run):
        for _ in range(40):
            drawn = rng.rand()
            if drawn < 0.6:
                shape = [(3, 2), (1, 2), (2,), (3, 1), (0, 2)][rng.choice(5, p=[.8, .05, .05, .05, .05])]
                run(apply, {at: rng.randint(-1, 5), x: rng.uniform(-1, 1, shape)})
            elif drawn < 0.9:
                n, = run(count)
                run(take, {need: rng.randint(-1, n + 1)})
            else:
                run(step, {at: rng.randint(0, 6)})
    return play


@steps
def accumulators_mean():
    return dense_accumulator('MEAN', False)


@steps
def accumulators_sum():
    return dense_accumulator('SUM', False)


def sparse_accumulator(kind):
    at, need = tf.placeholder(tf.int64, []), tf.placeholder(tf.int32, [])
    indices, dims = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    x = tf.placeholder(tf.float32)
    a = flow.sparse_conditional_accumulator(tf.float32, [None, 2], reduction_type=kind)
    apply = [flow.sparse_accumulator_apply_gradient(a, at, indices, x, dims, known)
             for known in (False, True)]
    count, step = flow.accumulator_num_accumulated(a), flow.accumulator_set_global_step(a, at)
    take = flow.sparse_accumulator_take_gradient(a, need, tf.float32)

    def play(rng, run):
        for _ in range(40):
            drawn = rng.rand()
            if drawn < 0.6:
                rows = rng.randint(1, 5)
                some = np.sort(rng.choice(6, rows, False))
                wide = 2 + (rng.rand() < 0.05)
                rows += rng.rand() < 0.05
                run(apply[rng.randint(2)], {at: rng.randint(-1, 5), indices: some,
                                            x: rng.uniform(-1, 1, (rows, wide)), dims: [6, wide]})
            elif drawn < 0.9:
                n, = run(count)
                run(list(take), {need: rng.randint(-1, n + 1)})
            else:
                run(step, {at: rng.randint(0, 6)})
    return play


@steps
def sparse_accumulators_mean():
    return sparse_accumulator('MEAN')


@steps
def sparse_accumulators_sum():
    return sparse_accumulator('SUM')


@steps
def mutexes():
    """Sections that read and write one variable, and would lose additions if two ran at once."""
    v = tf.Variable(0, use_resource=True, dtype=tf.int32)
    section = tf.CriticalSection(name='one')

    def add():
        old = v.read_value()
        with tf.control_dependencies([old]):
            product = tf.reduce_sum(tf.matmul(tf.ones([40, 40]), tf.ones([40, 40])))
            with tf.control_dependencies([product]):
                return tf.identity(v.assign(old + 1).op and old) * 0 + 1
    done = tf.add_n([section.execute(add) for _ in range(12)])
    mutex = ops.MutexV2(shared_name='other')
    free = ops.ConsumeMutexLock(mutex_lock=ops.MutexLock(mutex=mutex))

    def play(_, run):
        run(v.initializer)
        for _ in range(5):
            run(done)
            run(free)
            run(value)
    value = v.value()
    return play


@steps
def session_tensors():
    x = tf.placeholder(tf.float32, [2, None])
    handle = tf.placeholder(tf.string, [])
    keep = flow.get_session_handle(x * 2)
    words = flow.get_session_handle(tf.as_string(x))
    back = flow.get_session_tensor(handle, tf.float32)
    text = flow.get_session_tensor(handle, tf.string)
    drop = flow.delete_session_tensor(handle)

    def play(rng, run):
        held = []
        for _ in range(40):
            drawn = rng.rand()
            if drawn < 0.4 or not held:
                k = rng.randint(2)
                got = run([keep, words][k], {x: rng.randint(-9, 9, (2, rng.randint(0, 4)))}, False)
                assert not isinstance(got, Failed), got
                held.append((got[0].item(), k))
            elif drawn < 0.8:
                one, k = held[rng.randint(len(held))]
                run([back, text][k], {handle: one})
            elif drawn < 0.95:
                one, _ = held.pop(rng.randint(len(held)))
                run(drop, {handle: one})
                run(back, {handle: one})
            else:
                run([back, drop][rng.randint(2)], {handle: b'none such'})
    return play


@steps
def waits_for_another_run():
    """A take that comes before what it takes: the other run ends it, on either side."""
    b = flow.barrier([tf.int32], [[]])
    insert = flow.barrier_insert_many(b, [b'k'], [7], 0)
    take = flow.barrier_take_many(b, 1, [tf.int32])
    a = flow.conditional_accumulator(tf.float32, [])
    apply = flow.accumulator_apply_gradient(a, tf.constant(9, tf.int64), 3.0)
    grad = flow.accumulator_take_gradient(a, 2, tf.float32)
    stage = flow.stage([tf.constant(5)], shared_name='w', capacity=1)
    get = flow.unstage([tf.int32], shared_name='w', capacity=1)

    def play(_, run):
        def pair(waiting, others):
            thread = threading.Thread(target=lambda: ended.extend([Run(run.engine)(waiting)]))
            ended = []
            thread.start()
            for other in others:
                run(other)
            thread.join()
            run.seen.append(ended[0])
            if run.before is not None:
                Run.check('the waiting run', ended[0], run.before[len(run.seen) - 1])
        for _ in range(3):
            pair([take.keys] + list(take.values), [insert])
            pair(grad, [apply, apply])
            pair(list(get), [stage])
    return play


if __name__ == '__main__':
    CHECKS.main()
