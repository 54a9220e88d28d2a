# SPDX-License-Identifier: Apache-2.0
"""Checkpoints written by TensorFlow 1.15.5 and read by Leat, and the other way round: V2 and V1, sharded,
partitioned (by either library's partitioners), of every type; and the same bytes in the files where both write the same tensors.

    checkpoints.py --list
    checkpoints.py LIBRARY [NAME...]
"""
import ctypes as C
import glob
import os

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf

tf.compat.v1.logging.set_verbosity('ERROR')
ops = tf.raw_ops
CHECKS = checks.Checks('checkpoint_')


def theirs(build):
    """What build() gives, run by TensorFlow: an op, or a list of tensors."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


def ours(build, device_count=None):
    with tf.Graph().as_default() as graph:
        made = build()
        data = graph.as_graph_def().SerializeToString()
    tensors = made if isinstance(made, list) else []
    targets = [] if isinstance(made, list) else [made.name]
    with leat.Graph(LIBRARY, data, device_count) as g:
        return g.run({}, [t.name for t in tensors], targets)


def same(got, want, what=''):
    assert len(got) == len(want), '%s: %d values for %d' % (what, len(got), len(want))
    for i, (a, b) in enumerate(zip(got, want)):
        a = np.asarray(a, object) if isinstance(a, bytes) else np.asarray(a)
        b = np.asarray(b)
        assert a.shape == b.shape, '%s %d: shape %s, not %s' % (what, i, a.shape, b.shape)
        if b.dtype.kind in 'SO':
            assert a.ravel().tolist() == b.ravel().tolist(), '%s %d: other strings' % (what, i)
        else:
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), '%s %d: other values' % (what, i)


def values():
    """Of every type and many shapes, by name."""
    rng = np.random.RandomState(5)
    made = {}
    for t in leat.TYPES.values():
        for shape in [(), (3,), (2, 0, 3), (4, 5, 2)]:
            v = rng.uniform(-60, 60, shape)
            if np.dtype(t).kind in 'ub':
                v = np.abs(v)
            v = (v > 9) if t is np.bool_ else (v + 1j * v).astype(t) if np.dtype(t).kind == 'c' else v.astype(t)
            made['%s/%s' % (np.dtype(t).name, 'x'.join(map(str, shape)) or 'scalar')] = np.asarray(v, t)
    made['text'] = np.array([b'', b'a', b'\0\xff' * 300, b'x' * 100000, 'ü'.encode()], object).reshape(5, 1)
    made['no text'] = np.array([], object).reshape(0, 2)
    made['one text'] = np.array(b'only', object)
    return made


def save(prefix, named):
    names = list(named)
    return lambda: ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[''] * len(names),
                              tensors=[tf.constant(v, tf.string if v.dtype.kind == 'O' else v.dtype)
                                       for v in named.values()])


def restore(prefix, named, slices=None):
    names = list(named)
    return lambda: list(ops.RestoreV2(
        prefix=prefix, tensor_names=names, shape_and_slices=slices or [''] * len(names),
        dtypes=[tf.string if v.dtype.kind == 'O' else tf.as_dtype(v.dtype) for v in named.values()]))


def files_equal(a, b):
    for one, other in zip(sorted(glob.glob(a + '*')), sorted(glob.glob(b + '*'))):
        assert one[len(a):] == other[len(b):], '%s beside %s' % (one, other)
        with open(one, 'rb') as f, open(other, 'rb') as g:
            assert f.read() == g.read(), 'other bytes in ' + one[len(a):]


@CHECKS
def v2_all_types(folder):
    named = values()
    theirs(save(folder + '/tf', named))
    ours(save(folder + '/leat', named))
    same(ours(restore(folder + '/tf', named)), named.values(), 'read by Leat')
    same(theirs(restore(folder + '/leat', named)), named.values(), 'read by TensorFlow')
    files_equal(folder + '/tf', folder + '/leat')


@CHECKS
def v2_many_names(folder):
    """An index of several blocks, whose keys must be cut and joined alike."""
    rng = np.random.RandomState(7)
    named = {}
    for i in range(9000):
        name = '/'.join('layer%d' % rng.randint(30) for _ in range(rng.randint(1, 6))) + '/w%d' % i
        named[name] = np.float32(i)
    theirs(save(folder + '/tf', named))
    ours(save(folder + '/leat', named))
    files_equal(folder + '/tf', folder + '/leat')
    some = {n: named[n] for n in list(named)[::37]}
    same(ours(restore(folder + '/tf', some)), some.values())


@CHECKS
def v2_types_without_numpy(folder):
    """bfloat16 and quantised types, seen as integers."""
    plain = {t: np.arange(12).astype(n) for t, n in [
        (tf.bfloat16, np.uint16), (tf.qint8, np.int8), (tf.quint8, np.uint8), (tf.qint16, np.int16),
        (tf.quint16, np.uint16), (tf.qint32, np.int32)]}
    names = [t.name for t in plain]

    def write(prefix):
        return lambda: ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[''] * len(names),
                                  tensors=[tf.bitcast(v, t) for t, v in plain.items()])

    def read(prefix):
        return lambda: [tf.bitcast(v, tf.as_dtype(n.dtype)) for v, n in zip(ops.RestoreV2(
            prefix=prefix, tensor_names=names, shape_and_slices=[''] * len(names),
            dtypes=list(plain)), plain.values())]
    theirs(write(folder + '/tf'))
    ours(write(folder + '/leat'))
    same(ours(read(folder + '/tf')), plain.values())
    same(theirs(read(folder + '/leat')), plain.values())
    files_equal(folder + '/tf', folder + '/leat')


PARTS = {'rows': ['7 6 0,3:-', '7 6 3,4:-'], 'columns': ['7 6 -:0,1', '7 6 -:1,5'],
         'tiles': ['7 6 0,4:0,2', '7 6 0,4:2,4', '7 6 4,3:0,2', '7 6 4,3:2,4'], 'whole': ['']}


def cut(whole, spec):
    if not spec:
        return whole
    index = []
    for part in spec.split(' ')[-1].split(':'):
        start, _, n = part.partition(',')
        index.append(slice(None) if part == '-' else slice(int(start), int(start) + int(n)))
    return whole[tuple(index)]


@CHECKS
def v2_partitioned(folder):
    whole = np.arange(42, dtype=np.float32).reshape(7, 6)
    words = np.array([b'w%d' % i for i in range(42)], object).reshape(7, 6)

    def write(prefix, specs):
        return lambda: ops.SaveV2(
            prefix=prefix, tensor_names=['v'] * len(specs) + ['s'] * len(specs),
            shape_and_slices=specs * 2,
            tensors=[tf.constant(cut(whole, s)) for s in specs] +
            [tf.constant(cut(words, s), tf.string) for s in specs])

    def read(prefix, specs):
        return lambda: list(ops.RestoreV2(
            prefix=prefix, tensor_names=['v'] * len(specs) + ['s'] * len(specs),
            shape_and_slices=specs * 2, dtypes=[tf.float32] * len(specs) + [tf.string] * len(specs)))
    for has, specs in PARTS.items():
        theirs(write(folder + '/tf_' + has, specs))
        ours(write(folder + '/leat_' + has, specs))
        files_equal(folder + '/tf_' + has, folder + '/leat_' + has)
        for wants, other in PARTS.items():
            want = [cut(whole, s) for s in other] + [cut(words, s) for s in other]
            same(ours(read(folder + '/tf_' + has, other)), want, '%s as %s' % (has, wants))


@CHECKS
def v2_merged(folder):
    named = values()
    halves = [dict(list(named.items())[k::2]) for k in (0, 1)]
    for run, who in [(theirs, 'tf'), (ours, 'leat')]:
        parts = ['%s/%s_temp/part-%d' % (folder, who, k) for k in (0, 1)]
        for part, half in zip(parts, halves):
            run(save(part, half))
        run(lambda: ops.MergeV2Checkpoints(checkpoint_prefixes=parts,
                                           destination_prefix=folder + '/' + who))
        assert not os.path.exists('%s/%s_temp' % (folder, who)), who + ' leaves its folder'
    files_equal(folder + '/tf.', folder + '/leat.')
    same(ours(restore(folder + '/tf', named)), named.values())
    same(theirs(restore(folder + '/leat', named)), named.values())


@CHECKS
def v2_written_over(folder):
    """A second save under one name leaves the usual files, with the second values."""
    for k in (1, 2, 3):
        named = {'x': np.full((1000,), k, np.float32), 'y': np.arange(k)}
        ours(save(folder + '/leat', named))
        assert sorted(os.listdir(folder)) == ['leat.data-00000-of-00001', 'leat.index'], os.listdir(folder)
        same(theirs(restore(folder + '/leat', named)), named.values())


@CHECKS
def v2_variants(folder):
    from tensorflow.python.ops import list_ops
    theirs(lambda: ops.SaveV2(prefix=folder + '/tf', tensor_names=['l'], shape_and_slices=[''], tensors=[
        list_ops.tensor_list_from_tensor(tf.constant([1., 2.]), [])]))

    def again():
        (v,) = ops.RestoreV2(prefix=folder + '/tf', tensor_names=['l'], shape_and_slices=[''],
                             dtypes=[tf.variant])
        return ops.SaveV2(prefix=folder + '/leat', tensor_names=['l'], shape_and_slices=[''], tensors=[v])
    ours(again)
    files_equal(folder + '/tf', folder + '/leat')


@CHECKS
def v1_all_types(folder):
    named = {n: v for n, v in values().items() if v.dtype not in (np.uint32, np.uint64)}
    tensors = [tf.string if v.dtype.kind == 'O' else tf.as_dtype(v.dtype) for v in named.values()]

    def write(path):
        return lambda: ops.Save(filename=path, tensor_names=list(named),
                                data=[tf.constant(v, t) for v, t in zip(named.values(), tensors)])

    def read(path):
        return lambda: [ops.Restore(file_pattern=path, tensor_name=n, dt=t)
                        for n, t in zip(named, tensors)]
    theirs(write(folder + '/tf'))
    ours(write(folder + '/leat'))
    files_equal(folder + '/tf', folder + '/leat')
    same(ours(read(folder + '/tf')), named.values(), 'read by Leat')
    same(theirs(read(folder + '/leat')), named.values(), 'read by TensorFlow')
    same(ours(restore(folder + '/tf', named)), named.values(), 'read by RestoreV2')


@CHECKS
def v1_partitioned_in_files(folder):
    whole = np.arange(42, dtype=np.float64).reshape(7, 6)

    def write(path, specs):
        return lambda: tf.group(*[
            ops.SaveSlices(filename='%s-%05d-of-%05d' % (path, k, len(specs)), tensor_names=['v', 'n'],
                           shapes_and_slices=[s, '9 %d,1' % k],
                           data=[tf.constant(cut(whole, s)), tf.constant([k])])
            for k, s in enumerate(specs)])

    def read(path, specs):
        return lambda: [ops.RestoreSlice(file_pattern=path + '-?????-of-*', tensor_name='v',
                                         shape_and_slice=s, dt=tf.float64) for s in specs]
    for has, specs in PARTS.items():
        theirs(write(folder + '/tf_' + has, specs))
        ours(write(folder + '/leat_' + has, specs))
        files_equal(folder + '/tf_' + has, folder + '/leat_' + has)
        for wants, other in PARTS.items():
            same(ours(read(folder + '/tf_' + has, other)), [cut(whole, s) for s in other],
                 '%s as %s' % (has, wants))


def saver_graph(partitions, shards):
    """Variables under a Saver as users make it; returns (save op name, restore op name, values)."""
    for k in range(shards):
        with tf.device('/cpu:%d' % k):
            tf.get_variable('w%d' % k, initializer=tf.constant(np.arange(k + 3, dtype=np.float32)))
            tf.get_variable('r%d' % k, initializer=tf.constant(np.arange(4 * k + 4)), use_resource=True)
    tf.get_variable('big', [10, 4], partitioner=tf.fixed_size_partitioner(partitions),
                    initializer=tf.random_uniform_initializer(seed=3))


@CHECKS
def saver_sharded_and_partitioned(folder):
    def build(partitions, shards):
        graph = tf.Graph()
        with graph.as_default():
            tf.set_random_seed(1)
            saver_graph(partitions, shards)
            saver = tf.train.Saver(sharded=True)
            init = tf.global_variables_initializer()
            whole = tf.get_collection('variables')
            parts = [v for v in whole if v.op.name.startswith('big')]
            reads = [v.value() for v in whole if v not in parts] + [tf.concat(parts, 0)]
        return graph, saver, init, [r.name for r in reads]
    config = tf.ConfigProto(device_count={'CPU': 2})
    g1, s1, init1, reads1 = build(3, 2)
    with g1.as_default(), tf.Session(config=config) as session:
        session.run(init1)
        want = session.run(reads1)
        s1.save(session, folder + '/tf')
    g2, s2, init2, reads2 = build(4, 2)
    with leat.Graph(LIBRARY, g2.as_graph_def().SerializeToString(), {'CPU': 2}) as g:
        prefix = {s2.saver_def.filename_tensor_name: np.array((folder + '/tf').encode(), object)}
        g.run(prefix, [], [s2.saver_def.restore_op_name])
        same(g.run({}, reads2), want, 'restored by Leat')
        prefix = {s2.saver_def.filename_tensor_name: np.array((folder + '/leat').encode(), object)}
        g.run(prefix, [s2.saver_def.save_tensor_name])
    with g1.as_default(), tf.Session(config=config) as session:
        s1.restore(session, folder + '/leat')
        same([np.asarray(v) for v in session.run(reads1)], want, 'restored by TensorFlow')


class Shape(C.Structure):           # struct leat_shape
    _fields_ = [('dims', C.POINTER(C.c_int64)), ('rank', C.c_int)]


class Partitioned(C.Structure):     # struct leat_partitioned_args, of which the end stays as it is made
    _fields_ = [('made_at', C.c_char_p), ('g', C.c_void_p), ('name', C.c_char_p), ('shape', Shape),
                ('kind', C.c_int), ('n', C.c_int), ('axis', C.c_int), ('bytes', C.c_int64),
                ('bytes_per_string', C.c_int64), ('rest', C.c_char * 1024)]


FIXED = 1                           # LEAT_PARTITION_FIXED
BY_HAND = {2: ['7 6 0,7:0,2', '7 6 0,7:2,4'], 3: ['7 6 0,1:-', '7 6 1,2:-', '7 6 3,4:-']}


def cut_by_leat(g, parts, axis, first):
    """w by a partitioner, and h of slices given by hand; the names of what reads each, and the init."""
    lib, graph = LIBRARY.lib, C.c_void_p(g.graph.p)
    for name in 'leat_get_partitioned_variable_fn leat_partitioned_value leat_variable_fn ' \
                'leat_variable_value leat_global_variables_initializer'.split():
        getattr(lib, name).restype = C.c_void_p if name[-2:] == 'er' or 'get_' in name else leat.Output
    lib.TF_OperationName.restype = C.c_char_p

    def named(oper):
        assert oper, 'no node: %s' % LIBRARY.call('TF_Message', g.status)
        return lib.TF_OperationName(C.c_void_p(oper)).decode()
    args = Partitioned()
    lib.leat_partitioned_args_init(C.byref(args))
    args.g, args.name, args.shape = g.graph.p, b'w', Shape((C.c_int64 * 2)(7, 6), 2)
    args.kind, args.n, args.axis = FIXED, parts, axis
    w = lib.leat_get_partitioned_variable_fn(C.byref(args))
    reads = [named(lib.leat_partitioned_value(C.c_void_p(w)).oper)]
    lib.leat_partitioned_free(C.c_void_p(w))
    for k, spec in enumerate(BY_HAND[first]):
        start = leat.Output(LIBRARY.call('TF_GraphOperationByName', g.graph, b'h_%d' % k).p, 0)
        v = lib.leat_variable_fn(graph, b'piece%d' % k, start, None)
        assert lib.leat_set_variable_slice(graph, v, b'h', spec.encode()), 'no slice'
        reads.append(named(lib.leat_variable_value(graph, v).oper))
    return reads, named(lib.leat_global_variables_initializer(graph))


def starts(first, value):
    """A GraphDef of constants, the pieces of value."""
    with tf.Graph().as_default() as graph:
        for k, spec in enumerate(BY_HAND[first]):
            tf.constant(cut(value, spec), name='h_%d' % k)
        return graph.as_graph_def().SerializeToString()


@CHECKS
def variables_that_leat_cuts(folder):
    """leat/partitioned.h and leat_set_variable_slice beside tf.get_variable(partitioner=...), both ways."""
    lib = LIBRARY.lib
    lib.leat_saver_new_fn.restype = lib.leat_saver_save_fn.restype = C.c_void_p
    value = np.arange(42, dtype=np.float32).reshape(7, 6)
    for parts, axis, first in [(3, 0, 2), (4, 1, 3), (1, 0, 3)]:
        with leat.Graph(LIBRARY, starts(first, value)) as g:
            reads, init = cut_by_leat(g, parts, axis, first)
            g.run({}, [], [init])
            want = g.run({}, reads)
            saver = C.c_void_p(lib.leat_saver_new_fn(C.c_void_p(g.graph.p), None))

            def session(f, path):
                done = f(saver, C.c_void_p(g.session.p), path.encode(), C.c_void_p(g.status.p),
                         *[None] * (f is lib.leat_saver_save_fn))
                g.check()
                assert done, 'no ' + path
            path = '%s/leat%d' % (folder, parts)
            session(lib.leat_saver_save_fn, path)
            for by_tf, along in [(None, 0), (2, 0), (5, 1)]:
                back = '%s/tf%d_%s' % (folder, parts, by_tf)
                got = by_tensorflow(path, back, by_tf, along)
                same(got, [want[0], value], '%d parts by TensorFlow as %s' % (parts, by_tf))
                session(lib.leat_saver_restore, back)
                same(g.run({}, reads), [want[0] * 2] + [cut(value * 2, s) for s in BY_HAND[first]],
                     '%s parts of TensorFlow as %d' % (by_tf, parts))
            lib.leat_saver_free(saver)


def by_tensorflow(path, back, parts, axis):
    """Restores w and h in so many parts, saves twice their values, and returns what they were."""
    cutter = parts and tf.fixed_size_partitioner(parts, axis)
    with tf.Graph().as_default(), tf.Session() as session:
        both = [tf.get_variable(n, [7, 6], partitioner=cutter) for n in 'wh']
        whole = [tf.convert_to_tensor(v) for v in both]
        saver = tf.train.Saver()
        saver.restore(session, path)
        values = session.run(whole)
        session.run([v.assign(v * 2) for v in tf.global_variables()])
        saver.save(session, back)
        return values


if __name__ == '__main__':
    CHECKS.main()
