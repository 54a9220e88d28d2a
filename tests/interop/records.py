# SPDX-License-Identifier: Apache-2.0
"""Records, events, summaries and Examples: written by TensorFlow 1.15.5 and read by Leat, and the other way
round; TensorBoard's loader on an event file of Leat's.

    records.py --list
    records.py LIBRARY [NAME...]
"""
import ctypes as C
import glob
import os
import sys

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf

tf.compat.v1.logging.set_verbosity('ERROR')
ops = tf.raw_ops
CHECKS = checks.Checks('record_')
FORMS = ['', 'ZLIB', 'GZIP']
# Readers and writers of records have no exported functions: those of the tests' library.
INTERNAL = os.path.join(os.path.dirname(sys.argv[1]), '..', 'tests', 'libleat_internal.so')
INTERNAL = C.CDLL(INTERNAL, mode=os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND) if os.path.exists(INTERNAL) else None


class Str(C.Structure):
    _fields_ = [('p', C.c_void_p), ('n', C.c_size_t)]


class Status(C.Structure):
    _fields_ = [('code', C.c_int), ('message', C.c_char_p)]


def read_records(path, form):
    INTERNAL.record_reader_open.restype = C.c_void_p
    st, end, record = Status(), C.c_bool(False), Str()
    reader = INTERNAL.record_reader_open(path.encode(), form, C.byref(st))
    assert reader, st.message
    records = []
    while True:
        ok = INTERNAL.record_reader_next(C.c_void_p(reader), C.byref(record), C.byref(end), C.byref(st)) & 255
        assert ok, st.message
        if end.value:
            break
        records.append(C.string_at(record.p, record.n))
    INTERNAL.record_reader_free(C.c_void_p(reader))
    return records


def write_records(path, form, records):
    INTERNAL.record_writer_open.restype = C.c_void_p
    st = Status()
    writer = INTERNAL.record_writer_open(path.encode(), form, C.byref(st))
    assert writer, st.message
    for r in records:
        text = C.create_string_buffer(r, len(r))
        assert INTERNAL.record_writer_add(C.c_void_p(writer), Str(C.addressof(text), len(r)), C.byref(st)) & 255
    assert INTERNAL.record_writer_close(C.c_void_p(writer), C.byref(st)) & 255, st.message


@CHECKS
def files(folder):
    if not INTERNAL:
        raise checks.Skip('no library of the tests')
    rng = np.random.RandomState(3)
    records = [rng.bytes(int(n)) for n in list(rng.randint(0, 400, 300)) + [0, 65536, 300000]]
    for form, name in enumerate(FORMS):
        options = tf.io.TFRecordOptions(compression_type=name)
        with tf.io.TFRecordWriter(folder + '/tf' + name, options) as w:
            for r in records:
                w.write(r)
        write_records(folder + '/leat' + name, form, records)
        assert read_records(folder + '/tf' + name, form) == records, 'read by Leat'
        back = list(tf.compat.v1.io.tf_record_iterator(folder + '/leat' + name, options))
        assert back == records, 'read by TensorFlow'
        if not name:
            with open(folder + '/tf', 'rb') as a, open(folder + '/leat', 'rb') as b:
                assert a.read() == b.read(), 'other bytes'


def both(build):
    """What build() gives (a list of tensors), by Leat and by TensorFlow."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tensors = build()
        data = graph.as_graph_def().SerializeToString()
        want = session.run(tensors)
    with leat.Graph(LIBRARY, data) as g:
        return g.run({}, [t.name for t in tensors]), want


def same(got, want):
    assert len(got) == len(want), '%d values for %d' % (len(got), len(want))
    for i, (a, b) in enumerate(zip(got, want)):
        a = np.asarray(a, object) if isinstance(a, bytes) else np.asarray(a)
        b = np.asarray(b, object) if isinstance(b, bytes) else np.asarray(b)
        assert a.shape == b.shape, '%d: shape %s, not %s' % (i, a.shape, b.shape)
        if b.dtype.kind in 'SO':
            assert a.ravel().tolist() == b.ravel().tolist(), '%d: other strings' % i
        else:
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), '%d: other values' % i


def feature(rng, kind, n):
    if kind == 'i':
        values = [int(v) for v in rng.randint(-2**40, 2**40, n)]
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if kind == 'f':
        return tf.train.Feature(float_list=tf.train.FloatList(value=rng.randn(n)))
    texts = [rng.bytes(int(rng.randint(0, 40))) for _ in range(n)]
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=texts))


TYPES = {'i': tf.int64, 'f': tf.float32, 's': tf.string}


@CHECKS
def examples():
    rng = np.random.RandomState(4)
    batch = []
    for _i in range(200):
        features = {}
        for kind in 'ifs':
            features['fixed ' + kind] = feature(rng, kind, 3)
            if rng.rand() < 0.7:
                features['ragged ' + kind] = feature(rng, kind, int(rng.randint(0, 9)))
            if rng.rand() < 0.5:
                features['maybe ' + kind] = feature(rng, kind, 1)
        batch.append(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    spec = {}
    for kind, t in TYPES.items():
        spec['fixed ' + kind] = tf.io.FixedLenFeature([3], t)
        spec['ragged ' + kind] = tf.io.VarLenFeature(t)
        spec['maybe ' + kind] = tf.io.FixedLenFeature([], t, default_value='z' if kind == 's' else 5)
    dense = dict(spec, **{'ragged ' + k: tf.io.FixedLenSequenceFeature([], t, allow_missing=True)
                          for k, t in TYPES.items()})

    def flat(parsed):
        parts = []
        for key in sorted(parsed):
            v = parsed[key]
            parts += [v.indices, v.values, v.dense_shape] if isinstance(v, tf.SparseTensor) else [v]
        return parts

    same(*both(lambda: flat(tf.io.parse_example(tf.constant(batch), spec))))
    same(*both(lambda: flat(tf.io.parse_example(tf.constant(batch), dense))))
    for one in batch[:20]:
        same(*both(lambda: flat(tf.io.parse_single_example(tf.constant(one), spec))))


@CHECKS
def sequences():
    rng = np.random.RandomState(5)
    batch = []
    for _i in range(60):
        context = {k: feature(rng, k, 2) for k in 'ifs'}
        steps = int(rng.randint(0, 6))
        lists = {'fixed ' + k: tf.train.FeatureList(feature=[feature(rng, k, 2) for _ in range(steps)]) for k in 'ifs'}
        for k in 'ifs':
            if rng.rand() < 0.8:
                lists['ragged ' + k] = tf.train.FeatureList(
                    feature=[feature(rng, k, int(rng.randint(0, 4))) for _ in range(int(rng.randint(0, 5)))])
        batch.append(tf.train.SequenceExample(
            context=tf.train.Features(feature=context),
            feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString())
    context = {k: tf.io.FixedLenFeature([2], t) for k, t in TYPES.items()}
    lists = {'fixed ' + k: tf.io.FixedLenSequenceFeature([2], t) for k, t in TYPES.items()}
    lists.update({'ragged ' + k: tf.io.VarLenFeature(t) for k, t in TYPES.items()})

    def flat(parsed):
        parts = []
        for group in parsed:
            for key in sorted(group):
                v = group[key]
                parts += [v.indices, v.values, v.dense_shape] if isinstance(v, tf.SparseTensor) else [v]
        return parts

    same(*both(lambda: flat(tf.io.parse_sequence_example(tf.constant(batch), context, lists))))
    for one in batch[:20]:
        same(*both(lambda: flat(tf.io.parse_single_sequence_example(tf.constant(one), context, lists))))


@CHECKS
def csv():
    rng = np.random.RandomState(6)
    def field(i):
        if rng.rand() < 0.1:
            return ''
        number = [str(rng.randint(-10**6, 10**6)), '%.9g' % rng.randn(), repr(float(rng.randn() * 10.0**rng.randint(-300, 300)))]
        text = '"' + ''.join(rng.choice(list('ab ,\n')) if rng.rand() < 0.9 else '""' for _ in range(rng.randint(1, 9))) + '"'
        return (number + [text])[i]
    records = [','.join(field(i) for i in (0, 1, 2, 3)) for _ in range(500)]
    defaults = [np.array([7], np.int32), np.array([.5], np.float32), np.array([.25]), np.array([b'none'], object)]
    same(*both(lambda: list(tf.io.decode_csv(tf.constant(records), [tf.constant(d) for d in defaults]))))


def summaries(x, image, sound, text):
    tf.compat.v1.summary.scalar('loss', x[0])
    tf.compat.v1.summary.histogram('h', x)
    tf.compat.v1.summary.image('im', image)
    tf.compat.v1.summary.audio('au', sound, 8000.0)
    tf.compat.v1.summary.text('txt', text)
    tf.compat.v1.summary.tensor_summary('ten', x)
    return tf.compat.v1.summary.merge_all()


def random_inputs(seed):
    rng = np.random.RandomState(seed)
    return [tf.constant(rng.randn(100).astype(np.float32)),
            tf.constant(rng.randn(4, 17, 13, int(rng.choice([1, 3, 4]))).astype(np.float32)),
            tf.constant(rng.uniform(-1.2, 1.2, (2, 50, 2)).astype(np.float32)), tf.constant(['*a*', 'b'])]


@CHECKS
def summary_bytes():
    for seed in range(10):
        same(*both(lambda: [summaries(*random_inputs(seed))]))


def write_events(folder):
    """Ops that write an event file in folder: those to run, in order."""
    x, image, sound, _text = random_inputs(1)
    w = ops.SummaryWriter(shared_name='w', container='')
    step = tf.constant(3, tf.int64)
    return [
        ops.CreateSummaryFileWriter(writer=w, logdir=folder, max_queue=10, flush_millis=10000, filename_suffix='.x'),
        ops.WriteScalarSummary(writer=w, step=step, tag='s', value=x[0]),
        ops.WriteHistogramSummary(writer=w, step=step, tag='h', values=x),
        ops.WriteImageSummary(writer=w, step=step, tag='i', tensor=image, bad_color=tf.constant([1, 2, 3, 4], tf.uint8)),
        ops.WriteAudioSummary(writer=w, step=step, tag='a', tensor=sound, sample_rate=8000.0),
        ops.WriteSummary(writer=w, step=step, tag='t', tensor=x, summary_metadata=''),
        ops.WriteGraphSummary(writer=w, step=step, tensor=tf.compat.v1.GraphDef(
            node=[tf.compat.v1.NodeDef(name='n', op='NoOp')]).SerializeToString()),
        ops.WriteRawProtoSummary(writer=w, step=step, tensor=tf.compat.v1.Summary(
            value=[tf.compat.v1.Summary.Value(tag='r', simple_value=1)]).SerializeToString()),
        ops.CloseSummaryWriter(writer=w)]


def events_of(folder):
    (path,) = glob.glob(folder + '/*tfevents*')
    events = []
    for e in tf.compat.v1.train.summary_iterator(path):
        e.wall_time = 0
        events.append(e)
    return events


@CHECKS
def event_files(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        for op in write_events(folder + '/tf'):
            session.run(op)
    with tf.Graph().as_default() as graph:
        names = [op.name for op in write_events(folder + '/leat')]
        data = graph.as_graph_def().SerializeToString()
    with leat.Graph(LIBRARY, data) as g:
        for name in names:
            g.run({}, [], [name])
    want, got = events_of(folder + '/tf'), events_of(folder + '/leat')
    assert got == want, '%d events, not those %d' % (len(got), len(want))
    if INTERNAL:
        (path,) = glob.glob(folder + '/tf/*')
        assert len(read_records(path, 0)) == len(want), 'read by Leat'


@CHECKS
def tensorboard(folder):
    from tensorboard.backend.event_processing import event_accumulator
    with tf.Graph().as_default() as graph:
        names = [op.name for op in write_events(folder)]
        data = graph.as_graph_def().SerializeToString()
    with leat.Graph(LIBRARY, data) as g:
        for name in names:
            g.run({}, [], [name])
    loader = event_accumulator.EventAccumulator(folder)
    loader.Reload()
    tags = loader.Tags()
    assert set(tags['scalars']) == {'s', 'r'} and tags['histograms'] == ['h'] and tags['graph'], tags
    assert sorted(tags['images']) == ['i/image/%d' % i for i in range(3)], tags
    assert sorted(tags['audio']) == ['a/audio/0', 'a/audio/1'] and tags['tensors'] == ['t'], tags


if __name__ == '__main__':
    CHECKS.main()
