# SPDX-License-Identifier: Apache-2.0
"""The cases in TensorFlow, 1.15 and 2.15 alike, as a graph program writes and runs them: a session,
numpy arrays as feeds, loss and train op in one run."""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np

import common

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
    return tf.matmul(x, w) + tf.Variable(tf.zeros([units]))


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


MODELS = {'softmax': softmax_case, 'mlp_sgd': mlp_sgd, 'mlp_adam': mlp_adam}


def build(case, part, threads):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        if case not in common.TRAINING:
            return build_micro(case, part, threads)
        return MODELS[case](threads) if case in MODELS else None


if __name__ == '__main__':
    common.main(build)
