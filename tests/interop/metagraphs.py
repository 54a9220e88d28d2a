# SPDX-License-Identifier: Apache-2.0
"""MetaGraphs that TensorFlow 1.15.5 exported, imported by Leat (under a scope and without) and exported
again: what TensorFlow makes of that is compared with what it makes of its own. And a model that leat.h
built, which TensorFlow imports and trains.

    metagraphs.py --list
    metagraphs.py LIBRARY [NAME...]
"""
import ctypes as C

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import function, ops as tf_ops

tf.compat.v1.logging.set_verbosity('FATAL')
CHECKS = checks.Checks('metagraph_')
MODELS = {}


def model(f):
    """f builds a graph in the default one; it may return what export_meta_graph shall get."""
    MODELS[f.__name__] = f
    CHECKS['metagraph_' + f.__name__] = lambda: round_trip(f, '')
    CHECKS['metagraph_scoped_' + f.__name__] = lambda: round_trip(f, 'outer/s')
    return f


# --- Leat ---

class Buffer(C.Structure):
    _fields_ = [('data', C.c_void_p), ('length', C.c_size_t), ('free', C.c_void_p)]


class Graph:
    """A graph of Leat's; what goes wrong is raised."""

    def __enter__(self):
        self.status, self.graph = LIBRARY.call('TF_NewStatus'), LIBRARY.call('TF_NewGraph')
        for name in ('leat_export_meta_graph', 'leat_gradient_descent_fn', 'leat_minimize_fn'):
            getattr(LIBRARY.lib, name).restype = C.c_void_p
        for name in ('leat_variable_fn', 'leat_variable_value'):
            getattr(LIBRARY.lib, name).restype = leat.Output
        return self

    def __exit__(self, *_):
        LIBRARY.call('TF_DeleteGraph', self.graph)
        LIBRARY.call('TF_DeleteStatus', self.status)

    def check(self):
        if LIBRARY.call('TF_GetCode', self.status):
            raise leat.Error(LIBRARY.call('TF_GetCode', self.status),
                             LIBRARY.call('TF_Message', self.status).decode('utf-8', 'replace'))

    def add(self, data, scope=''):
        buf = LIBRARY.call('TF_NewBufferFromString', data, C.c_size_t(len(data)))
        LIBRARY.call('leat_import_meta_graph', self.graph, buf, scope.encode() or None, self.status)
        LIBRARY.call('TF_DeleteBuffer', buf)
        self.check()

    def export(self, saver=None):
        data = saver.SerializeToString() if saver is not None else b''
        saver_buf = LIBRARY.call('TF_NewBufferFromString', data, C.c_size_t(len(data)))
        out = LIBRARY.call('leat_export_meta_graph', self.graph,
                           saver_buf if saver is not None else None, self.status)
        LIBRARY.call('TF_DeleteBuffer', saver_buf)
        self.check()
        text = C.cast(out, C.POINTER(Buffer)).contents
        meta = meta_graph_pb2.MetaGraphDef.FromString(C.string_at(text.data, text.length))
        LIBRARY.call('TF_DeleteBuffer', leat.Pointer(out))
        return meta


# --- what is compared ---

def by_name(items):
    return {item.name: item for item in items}


def items_of(key, collection):
    """The items of a collection, those that are messages taken apart."""
    kind = collection.WhichOneof('kind')
    values = getattr(collection, kind).value
    message = tf_ops.get_collection_proto_type(
        'variables' if key == 'metric_variables' else key)
    if kind == 'bytes_list' and message:
        values = [message.FromString(v) for v in values]
    return kind, list(values)


def same(got, want, what):
    if got != want:
        raise AssertionError('%s: %s, not %s' % (what, str(got)[:400], str(want)[:400]))


def same_graph(got, want):
    """Nodes, functions and versions of two MetaGraphDefs."""
    mine, theirs = by_name(got.graph_def.node), by_name(want.graph_def.node)
    same(sorted(set(mine) - set(theirs)), sorted(set(theirs) - set(mine)), 'nodes')
    for name in theirs:
        for n in (mine[name], theirs[name]):
            n.attr.pop('_output_shapes', None)
            for value in n.attr.values():
                if value.HasField('tensor'):  # of its forms one
                    value.tensor.CopyFrom(tf.make_tensor_proto(tf.make_ndarray(value.tensor)))
        same(mine[name], theirs[name], 'node')
    functions = [{f.signature.name: f for f in m.graph_def.library.function} for m in (got, want)]
    same(sorted(functions[0]), sorted(functions[1]), 'functions')
    for name, f in functions[1].items():
        same(functions[0][name], f, 'function ' + name)
    same(got.graph_def.versions, want.graph_def.versions, 'versions')


def same_collections(got, want):
    same(sorted(got.collection_def), sorted(want.collection_def), 'collections')
    for key, collection in want.collection_def.items():
        same(items_of(key, got.collection_def[key]), items_of(key, collection), 'collection ' + key)


def through_tensorflow(meta, scope):
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(meta, import_scope=scope or None)
        return tf.train.export_meta_graph(saver_def=saver.saver_def if saver else None)


def build(f):
    with tf.Graph().as_default():
        return tf.train.export_meta_graph(saver_def=f())


def round_trip(f, scope):
    meta = build(f)
    with Graph() as g:
        g.add(meta.SerializeToString(), scope)
        ours = g.export(meta.saver_def if meta.HasField('saver_def') else None)
    theirs = through_tensorflow(meta, scope)
    same_collections(ours, theirs)
    # Its importer in Python moves nodes to devices: only what went through it is like for like.
    again = through_tensorflow(ours, ''), through_tensorflow(theirs, '')
    same_graph(*again)
    same_collections(*again)
    if not scope and meta.HasField('saver_def'):
        same(ours.saver_def, meta.saver_def, 'saver_def')
    stripped = [[op.name for op in m.meta_info_def.stripped_op_list.op] for m in (ours, meta)]
    # Ours has the ops of all functions, theirs of those that a node calls.
    same(sorted(set(stripped[1]) - set(stripped[0])), [], 'ops not in stripped_op_list')


# --- models ---

@model
def loops_and_branches():
    x = tf.placeholder(tf.float32, [4, 3], name='x')
    w = tf.get_variable('w', [3, 3])

    def turn(i, h):
        _, inner = tf.while_loop(lambda j, g: j <= i, lambda j, g: (j + 1, tf.tanh(g @ w)), [0, h])
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: inner * h, lambda: tf.nn.softplus(inner))
    _, h = tf.while_loop(lambda i, h: i < 6, turn, (tf.constant(0), x), parallel_iterations=2,
                         maximum_iterations=5, swap_memory=True)
    with tf.name_scope('deep'):
        y = tf.cond(tf.reduce_sum(h) > 0, lambda: tf.cond(
            tf.reduce_sum(w) > 1, lambda: h + w[0], lambda: h), lambda: tf.identity(x))
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(y * y))
    tf.summary.scalar('loss', tf.reduce_sum(h))


@model
def queue_runners():
    queue = tf.FIFOQueue(8, [tf.float32], shapes=[[2]])
    produce = queue.enqueue(tf.random_normal([2]))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [produce] * 2))
    item = queue.dequeue()
    tf.train.shuffle_batch([item], 3, 20, 5, num_threads=2, seed=1)
    name = tf.train.string_input_producer(['a', 'b'], num_epochs=2, shuffle=False)
    tf.TextLineReader().read(name)


@model
def partitioned():
    for resource in (False, True):
        with tf.variable_scope('r' if resource else 'p', use_resource=resource,
                               partitioner=tf.fixed_size_partitioner(3, axis=1)):
            t = tf.get_variable('t', [4, 7])
        tf.add_to_collection('tables', t.as_tensor())
    return tf.train.Saver(sharded=True, max_to_keep=3, keep_checkpoint_every_n_hours=2).as_saver_def()


@model
def kinds_of_variables():
    keys = tf.GraphKeys
    kinds = (keys.LOCAL_VARIABLES, keys.MODEL_VARIABLES, keys.METRIC_VARIABLES, keys.GLOBAL_VARIABLES)
    for i, resource in enumerate((False, True)):
        for kind in kinds:
            tf.get_variable('%s%d' % (kind, i), [2], collections=[kind], use_resource=resource,
                            trainable=False)
    step = tf.train.get_or_create_global_step()
    v = tf.get_variable('v', [3], use_resource=True, aggregation=tf.VariableAggregation.SUM,
                        synchronization=tf.VariableSynchronization.ON_WRITE)
    w = tf.Variable([1., 2.], constraint=lambda x: x)
    tf.train.ExponentialMovingAverage(0.9, step).apply([v, w])
    tf.metrics.mean(w)
    with tf.device('/job:ps/task:0'):
        tf.get_variable('far', [1])
    saver = tf.train.Saver([v, w])
    tf.add_to_collection('savers', saver)
    return saver.as_saver_def()


@model
def collections_of_values():
    y = tf.identity(tf.constant([1., 2.]), name='y')
    for value in (1, -2, 1 << 62):
        tf.add_to_collection('ints', value)
    for value in (0.5, -1e-30, 3e38):
        tf.add_to_collection('floats', value)
    for value in ('cat', 'dog/leash', ''):
        tf.add_to_collection('texts', value)
    tf.add_to_collection('train_op', y.op)
    tf.add_to_collection('tensors', y)
    tf.add_to_collection('tensors', tf.sparse_placeholder(tf.float32, name='sp').indices)
    tf.add_to_collection('summaries', tf.summary.histogram('h', y))


@model
def tables():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(['a'], [1]), -1)
    table.lookup(tf.constant(['a']))


@model
def functions():
    @function.Defun(tf.float32, tf.float32)
    def inner(a, b):
        return tf.nn.l2_normalize(a, 0) * tf.cast(tf.argmax(b), tf.float32)

    @function.Defun(tf.float32)
    def outer(a):
        return inner(a, tf.sin(a)) + tf.cumsum(a)
    x = tf.placeholder(tf.float32, [3], name='x')
    y = outer(x)
    tf.add_to_collection('y', tf.gradients(y, x)[0])


@model
def datasets():
    data = tf.data.Dataset.range(5).map(lambda v: v * 2).batch(2)
    tf.add_to_collection('next', tf.data.make_one_shot_iterator(data).get_next())


@model
def colocated():
    v = tf.get_variable('v', [4])
    with tf.colocate_with(v):
        with tf.control_dependencies([tf.no_op(name='first')]):
            tf.identity(v + 1, name='beside')
    with tf.device('/cpu:0'):
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v))
    tf.train.Saver()
    return tf.train.Saver(max_to_keep=0).as_saver_def()


# --- the other way round ---

class Descent(C.Structure):   # struct leat_gradient_descent_args
    _fields_ = [('made_at', C.c_char_p), ('g', C.c_void_p), ('rate', C.c_double),
                ('rate_tensor', leat.Output), ('use_locking', C.c_bool), ('name', C.c_char_p)]


class Minimize(C.Structure):  # struct leat_minimize_args
    _fields_ = [('made_at', C.c_char_p), ('opt', C.c_void_p), ('loss', leat.Output),
                ('variables', C.c_void_p), ('num_variables', C.c_int), ('step', leat.Output),
                ('grad_loss', leat.Output), ('name', C.c_char_p)]


def operation(g, kind, name, *inputs):
    lib = LIBRARY.lib
    lib.TF_NewOperation.restype = lib.TF_FinishOperation.restype = C.c_void_p
    desc = C.c_void_p(lib.TF_NewOperation(C.c_void_p(g.graph.p), kind.encode(), name.encode()))
    for y in inputs:
        lib.TF_AddInput(desc, y)
    made = lib.TF_FinishOperation(desc, C.c_void_p(g.status.p))
    g.check()
    return leat.Output(made, 0)


def node(g, name):
    return leat.Output(LIBRARY.call('TF_GraphOperationByName', g.graph, name.encode()).p, 0)


def linear_model():
    """y = x @ w by leat.h, with its updates, as a MetaGraph."""
    with tf.Graph().as_default():
        tf.placeholder(tf.float32, [None, 3], name='x')
        tf.placeholder(tf.float32, [None, 1], name='y')
        tf.constant([[1.], [2.], [3.]], name='start')
        ends = tf.train.export_meta_graph()
    lib = LIBRARY.lib
    with Graph() as g:
        g.add(ends.SerializeToString())
        graph = C.c_void_p(g.graph.p)
        w = lib.leat_variable_fn(graph, b'w', node(g, 'start'), None)
        read = lib.leat_variable_value(graph, w)
        product = operation(g, 'MatMul', 'product', node(g, 'x'), read)
        loss = operation(g, 'L2Loss', 'loss', operation(g, 'Sub', 'off', product, node(g, 'y')))
        descent, minimize = Descent(), Minimize()
        lib.leat_gradient_descent_args_init(C.byref(descent))
        lib.leat_minimize_args_init(C.byref(minimize))
        descent.g, descent.rate = g.graph.p, 0.01
        optimizer = lib.leat_gradient_descent_fn(C.byref(descent))
        minimize.opt, minimize.loss, minimize.name = optimizer, loss, b'train'
        assert lib.leat_minimize_fn(C.byref(minimize)), 'no update'
        lib.leat_optimizer_free(C.c_void_p(optimizer))
        lib.leat_global_variables_initializer.restype = C.c_void_p
        assert lib.leat_global_variables_initializer(graph), 'no init'
        return g.export()


@CHECKS
def trained_by_tensorflow():
    meta = linear_model()
    rng = np.random.RandomState(1)
    x, truth = rng.standard_normal((20, 3)), np.array([[-1.], [0.5], [2.]])
    w = np.array([[1.], [2.], [3.]])
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(meta)
        assert saver, 'no variables'
        variable, = tf.trainable_variables()
        own = tf.train.AdamOptimizer(0.1).minimize(
            session.graph.get_tensor_by_name('loss:0'), var_list=[variable])
        session.run(tf.global_variables_initializer())
        feeds = {'x:0': x, 'y:0': x @ truth}
        for _ in range(5):
            session.run('train', feeds)
            w -= 0.01 * x.T @ (x @ w - x @ truth)
        np.testing.assert_allclose(session.run(variable), w, rtol=1e-5)
        before = session.run('loss:0', feeds)
        for _ in range(5):
            session.run(own, feeds)
        assert session.run('loss:0', feeds) < before, 'the loss does not fall'


@CHECKS
def newer_producer():
    """Attrs that nobody here knows go when they have the producer's default, and only then."""
    with tf.Graph().as_default():
        tf.add(tf.constant(1.), 2., name='sum')
        meta = tf.train.export_meta_graph()
    for op in meta.meta_info_def.stripped_op_list.op:
        if op.name == 'Add':
            attr = op.attr.add(name='later', type='int')
            attr.default_value.i = 7
    name, = [n.name for n in meta.graph_def.node if n.op == 'Add']
    for value, fits in ((7, True), (8, False)):
        made = meta_graph_pb2.MetaGraphDef.FromString(meta.SerializeToString())
        by_name(made.graph_def.node)[name].attr['later'].i = value
        by_name(made.graph_def.node)[name].attr['_kept'].i = value
        took = []
        for take in (lambda: through_tensorflow(made, ''), lambda: taken(made)):
            try:
                attrs = by_name(take().graph_def.node)[name].attr
                took.append(sorted(set(attrs) - {'_output_shapes'}))
            except (leat.Error, ValueError):
                took.append(None)
        same(took[1], took[0], 'attrs with later = %d' % value)
        assert (took[0] is not None) == fits, 'TensorFlow took %s' % took


def taken(meta):
    with Graph() as g:
        g.add(meta.SerializeToString())
        return g.export()


@CHECKS
def unbound_inputs():
    with tf.Graph().as_default():
        with tf.name_scope('part'):
            tf.identity(tf.constant(1.), name='inside')
        tf.negative(tf.get_default_graph().get_tensor_by_name('part/inside:0'), name='outside/y')
        part = tf.train.export_meta_graph()
    part.collection_def['unbound_inputs'].bytes_list.value.append(b'part/inside')
    try:
        taken(part)
    except leat.Error as e:
        assert e.code == 3 and 'unbound' in e.message, str(e)
    else:
        raise AssertionError('taken')


@CHECKS
def trainable_before_1_9():
    with tf.Graph().as_default():
        tf.get_variable('a', [2])
        tf.get_variable('b', [2], trainable=False)
        meta = tf.train.export_meta_graph()
    meta.meta_info_def.tensorflow_version = '1.8.0'
    for key in ('variables', 'trainable_variables'):
        values = meta.collection_def[key].bytes_list.value
        message = tf_ops.get_collection_proto_type(key)
        for i, value in enumerate(values):
            d = message.FromString(value)
            d.trainable = False
            values[i] = d.SerializeToString()
    same_collections(taken(meta), through_tensorflow(meta, ''))


if __name__ == '__main__':
    CHECKS.main()
