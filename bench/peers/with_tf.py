# SPDX-License-Identifier: Apache-2.0
"""The cases in TensorFlow, 1.15 and 2.15 alike, as a graph program writes and runs them: a session,
numpy arrays as feeds, loss and train op in one run."""
import ctypes
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np

import common
import python_cases
import tf_cluster

import tensorflow as tensorflow_module

tf = tensorflow_module.compat.v1
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def session(threads, plain=False):
    """plain: nodes are counted, so no optimiser may take them away."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads,
                            inter_op_parallelism_threads=threads)
    if plain:
        config.graph_options.optimizer_options.opt_level = -1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    s = tf.Session(config=config)
    s.run(tf.global_variables_initializer())
    return s


def variable(shape):
    return tf.Variable(tf.random.uniform(shape, -1, 1))


def chain(x):
    one = tf.constant(1.0)
    for _ in range(common.CHAIN_NODES):
        x = tf.add(x, one)
    return x


def node_chain(threads, switch):
    x = tf.placeholder(tf.float32, [])
    feeds, values = [x], [np.float32(1)]
    if switch:
        which = tf.placeholder(tf.bool, [])
        feeds, values = feeds + [which], values + [np.bool_(True)]
        x = tf.raw_ops.Switch(data=x, pred=which)[1]
    call = session(threads, plain=True).make_callable(chain(x).op, feed_list=feeds)
    return lambda: call(*values)


def gemm(part):
    m, n, k, ta, tb = common.gemm_part(part)
    a, b = variable([k, m] if ta else [m, k]), variable([n, k] if tb else [k, n])
    return tf.matmul(a, b, transpose_a=ta, transpose_b=tb)


def conv(part):
    batch, size, cin, cout, f, which = common.conv_part(part)
    x, w = variable([batch, size, size, cin]), variable([f, f, cin, cout])
    kind = dict(strides=[1, 1, 1, 1], padding='SAME')
    if which == 'forward':
        return tf.nn.conv2d(x, w, **kind)
    y = variable([batch, size, size, cout])
    if which == 'data':
        return tf.nn.conv2d_backprop_input([batch, size, size, cin], w, y, **kind)
    return tf.nn.conv2d_backprop_filter(x, [f, f, cin, cout], y, **kind)


def ewise(part):
    x = variable([common.ewise_part(part)])
    ops = {'add': tf.add, 'mul': tf.multiply, 'max': tf.maximum}
    for op, c in common.ewise_constants():
        x = ops[op](x, c)
    return x


def build_micro(case, part, threads):
    if case == 'null_run':
        return session(threads, plain=True).make_callable(tf.no_op())
    if case in ('node_tape', 'node_dataflow'):
        return node_chain(threads, case == 'node_dataflow')
    out = {'gemm': gemm, 'conv': conv, 'ewise_chain': ewise}[case](part)
    return session(threads).make_callable(out.op)


def training(threads, feeds, loss, optimizer):
    """feeds: {placeholder: batches}."""
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = optimizer.minimize(loss)
    s = session(threads)
    turn = [0]

    def call():
        i = turn[0] % common.BATCHES
        turn[0] += 1
        return s.run([step, loss], feed_dict={p: v[i] for p, v in feeds.items()})
    return call


def dense(x, units):
    limit = (6.0 / (int(x.shape[1]) + units)) ** 0.5
    w = tf.Variable(tf.random.uniform([int(x.shape[1]), units], -limit, limit))
    return tf.nn.bias_add(tf.matmul(x, w), tf.Variable(tf.zeros([units])))


def mean_loss(logits, labels):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def classify(threads, shape, classes, model, optimizer):
    x, y = tf.placeholder(tf.float32, shape), tf.placeholder(tf.int32, shape[:1])
    feeds = {x: common.batches(np, shape), y: common.batches(np, shape[:1], classes)}
    return training(threads, feeds, mean_loss(model(x), y), optimizer)


def mlp(x):
    for _ in range(2):
        x = tf.nn.relu(dense(x, 512))
    return dense(x, 10)


def softmax_case(threads):
    return classify(threads, [100, 784], 10, lambda x: dense(x, 10),
                    tf.train.GradientDescentOptimizer(0.05))


def mlp_sgd(threads):
    return classify(threads, [128, 784], 10, mlp, tf.train.GradientDescentOptimizer(0.05))


def mlp_adam(threads):
    return classify(threads, [128, 784], 10, mlp, tf.train.AdamOptimizer(0.001))


def conv_layer(x, shape, padding):
    limit = (6.0 / (shape[0] * shape[1] * (shape[2] + shape[3]))) ** 0.5
    w = tf.Variable(tf.random.uniform(shape, -limit, limit))
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding=padding)
    return tf.nn.relu(tf.nn.bias_add(y, tf.Variable(tf.zeros([shape[3]]))))


def max_pool(x, h, w, stride, padding):
    return tf.nn.max_pool(x, ksize=[1, h, w, 1], strides=[1, stride, stride, 1], padding=padding)


def cnn_model(x):
    x = tf.reshape(x, [-1, 28, 28, 1])
    x = max_pool(conv_layer(x, [5, 5, 1, 32], 'SAME'), 2, 2, 2, 'SAME')
    x = max_pool(conv_layer(x, [5, 5, 32, 64], 'SAME'), 2, 2, 2, 'SAME')
    x = tf.nn.relu(dense(tf.reshape(x, [-1, 7 * 7 * 64]), 1024))
    return dense(tf.nn.dropout(x, rate=0.5), 10)


def cnn(threads):
    return classify(threads, [128, 784], 10, cnn_model, tf.train.AdamOptimizer(1e-4))


def w2v(threads):
    words, width, batch = 50000, 128, 128
    x, y = tf.placeholder(tf.int32, [batch]), tf.placeholder(tf.int32, [batch, 1])
    table = tf.Variable(tf.random.uniform([words, width], -1, 1))
    weights = tf.Variable(tf.random.uniform([words, width], -width ** -0.5, width ** -0.5))
    biases = tf.Variable(tf.zeros([words]))
    losses = tf.nn.nce_loss(weights, biases, y, tf.nn.embedding_lookup(table, x), 64, words)
    feeds = {x: common.batches(np, [batch], words), y: common.batches(np, [batch, 1], words)}
    return training(threads, feeds, tf.reduce_mean(losses), tf.train.GradientDescentOptimizer(1.0))


def textcnn(threads):
    batch, length, width = 64, 56, 128
    x, y = tf.placeholder(tf.int32, [batch, length]), tf.placeholder(tf.int32, [batch])
    table = tf.Variable(tf.random.uniform([20000, width], -1, 1))
    words = tf.expand_dims(tf.nn.embedding_lookup(table, x), -1)
    pooled = [max_pool(conv_layer(words, [f, width, 1, 128], 'VALID'), length - f + 1, 1, 1, 'VALID')
              for f in (3, 4, 5)]
    flat = tf.nn.dropout(tf.reshape(tf.concat(pooled, 3), [-1, 3 * 128]), rate=0.5)
    feeds = {x: common.batches(np, [batch, length], 20000), y: common.batches(np, [batch], 2)}
    return training(threads, feeds, mean_loss(dense(flat, 2), y), tf.train.AdamOptimizer(1e-3))


def lstm_model(x):
    """The unrolled cell, which is faster here than the loop of dynamic_rnn."""
    units = 128
    kernel = tf.Variable(tf.random.uniform([28 + units, 4 * units], -0.1, 0.1))
    bias = tf.Variable(tf.zeros([4 * units]))
    c = h = tf.zeros([128, units])
    for step in tf.unstack(x, 28, 1):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([step, h], 1), kernel), bias)
        i, j, f, o = tf.split(gates, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
    return dense(h, 10)


def lstm(threads):
    return classify(threads, [128, 28, 28], 10, lstm_model, tf.train.AdamOptimizer(1e-3))


def plain_conv(x, size, units, stride):
    cin = int(x.shape[3])
    limit = (6.0 / (size * size * (cin + units))) ** 0.5
    w = tf.Variable(tf.random.uniform([size, size, cin, units], -limit, limit))
    return tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding='SAME')


def batch_norm(x):
    n = int(x.shape[3])
    y, mean, variance = tf.nn.fused_batch_norm(x, tf.Variable(tf.ones([n])), tf.Variable(tf.zeros([n])),
                                               epsilon=1e-5)
    for start, now in ((tf.zeros, mean), (tf.ones, variance)):
        moving = tf.Variable(start([n]), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(moving, (moving - now) * 0.003))
    return y


def resnet_model(x):
    x = tf.nn.relu(batch_norm(plain_conv(x, 3, 16, 1)))
    for units in (16, 16, 16, 32, 32, 32, 64, 64, 64):
        wider = units != int(x.shape[3])
        y = tf.nn.relu(batch_norm(plain_conv(x, 3, units, 2 if wider else 1)))
        y = batch_norm(plain_conv(y, 3, units, 1))
        x = tf.nn.relu(y + (plain_conv(x, 1, units, 2) if wider else x))
    return dense(tf.reduce_mean(x, [1, 2]), 10)


def resnet20(threads):
    return classify(threads, [128, 32, 32, 3], 10, resnet_model, tf.train.MomentumOptimizer(0.1, 0.9))


MODELS = {'softmax': softmax_case, 'mlp_sgd': mlp_sgd, 'mlp_adam': mlp_adam, 'cnn': cnn, 'w2v': w2v,
          'textcnn': textcnn, 'lstm': lstm, 'resnet20': resnet20}


class Buffer(ctypes.Structure):
    _fields_ = [('data', ctypes.c_char_p), ('length', ctypes.c_size_t), ('free', ctypes.c_void_p)]


def import_graph(part):
    """TF_GraphImportGraphDef of the bytes that Leat imports too (run.py has written them)."""
    with open(os.path.join(os.environ['BENCH_GRAPHS'], part), 'rb') as f:
        data = f.read()
    from tensorflow.python import pywrap_tensorflow_internal
    lib = ctypes.CDLL(pywrap_tensorflow_internal._pywrap_tensorflow_internal.__file__)
    for name in ('TF_NewGraph', 'TF_NewStatus', 'TF_NewImportGraphDefOptions'):
        getattr(lib, name).restype = ctypes.c_void_p
    given, status = Buffer(data, len(data), None), ctypes.c_void_p(lib.TF_NewStatus())

    def call():
        graph = ctypes.c_void_p(lib.TF_NewGraph())
        options = ctypes.c_void_p(lib.TF_NewImportGraphDefOptions())
        lib.TF_GraphImportGraphDef(graph, ctypes.byref(given), options, status)
        assert lib.TF_GetCode(status) == 0
        lib.TF_DeleteImportGraphDefOptions(options)
        lib.TF_DeleteGraph(graph)
    return call


def build(case, part, threads):
    if case == 'import':
        return import_graph(part)
    if case in tf_cluster.CASES:
        return tf_cluster.build(tf, case, part)
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        if case in python_cases.CASES:
            return python_cases.build(tf, case, threads)
        if case == 'py_mnist':
            case = 'softmax'
        if case not in common.TRAINING:
            return build_micro(case, part, threads)
        return MODELS[case](threads) if case in MODELS else None


if __name__ == '__main__':
    common.main(build)
