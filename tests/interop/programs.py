# SPDX-License-Identifier: Apache-2.0
"""Whole training programs, as users of TensorFlow 1.x write them, run by TensorFlow 1.15.5 and by Leat
from one GraphDef: the losses of each step and the variables at the end are compared.

    programs.py --list
    programs.py LIBRARY [NAME...]

Both run with their optimisers on and from the same first values (random ops have seeds).
"""

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf

tf.compat.v1.logging.set_verbosity('FATAL')
STEPS = 8
# Rounding differs from the first product on and grows with each step.
RELATIVE, ABSOLUTE = 2e-3, 2e-4
CHECKS = checks.Checks()


def program(f):
    """A check of the program that f() makes."""
    CHECKS[f.__name__] = lambda: compare(f)
    return f


def batch(x_shape, classes=0, dtype=np.float32):
    """Feeds of step k: images (or whatever) that differ from step to step, and classes."""
    def feeds(k):
        rng = np.random.RandomState(100 + k)
        x = rng.standard_normal(x_shape).astype(dtype)
        return (x, rng.randint(0, classes, x_shape[0]).astype(np.int32)) if classes else (x,)
    return feeds


def cross_entropy(labels, logits):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def classifier(x_shape, classes):
    x = tf.placeholder(tf.float32, [None] + list(x_shape[1:]), name='x')
    y = tf.placeholder(tf.int32, [None], name='y')
    return x, y, batch(x_shape, classes)


@program
def ridge():
    x, = (tf.placeholder(tf.float64, [None, 4]),)
    truth = tf.constant([[1.], [-2.], [0.5], [3.]], tf.float64)
    y = tf.matmul(x, truth) + 0.1
    w = tf.Variable(tf.zeros([4, 1], tf.float64))
    closed = tf.matrix_solve(tf.matmul(x, x, transpose_a=True) + tf.eye(4, dtype=tf.float64),
                             tf.matmul(x, y, transpose_a=True))
    loss = tf.nn.l2_loss(y - tf.matmul(x, w)) + tf.nn.l2_loss(w) + 0 * tf.reduce_sum(closed)
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    return [x], batch((30, 4), 0, np.float64), [loss, tf.norm(closed)], train


@program
def softmax_regression():
    x, y, feeds = classifier((32, 64), 10)
    w, b = tf.Variable(tf.zeros([64, 10])), tf.Variable(tf.zeros([10]))
    logits = tf.matmul(x, w) + b
    loss = cross_entropy(y, logits)
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.float32))
    return [x, y], feeds, [loss, right], tf.train.GradientDescentOptimizer(0.5).minimize(loss)


@program
def mlp_adam_decay_dropout():
    x, y, feeds = classifier((16, 20), 5)
    step = tf.train.get_or_create_global_step()
    h = tf.layers.dense(x, 32, tf.nn.relu)
    h = tf.layers.dropout(h, 0.5, training=True, seed=7)
    h = tf.layers.dense(h, 16, tf.nn.elu)
    loss = cross_entropy(y, tf.layers.dense(h, 5))
    rate = tf.train.exponential_decay(0.01, step, 2, 0.9, staircase=True)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    return [x, y], feeds, [loss, rate], train


@program
def cnn_rmsprop():
    x, y, feeds = classifier((8, 12, 12, 3), 4)
    regular = tf.keras.regularizers.l2(1e-3)
    h = tf.layers.conv2d(x, 8, 3, padding='same', activation=tf.nn.relu, kernel_regularizer=regular)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.conv2d(h, 16, 5, strides=2, padding='valid', activation=tf.nn.tanh,
                         kernel_regularizer=regular)
    h = tf.layers.flatten(tf.layers.average_pooling2d(h, 1, 1))
    loss = cross_entropy(y, tf.layers.dense(h, 4)) + tf.losses.get_regularization_loss()
    train = tf.train.RMSPropOptimizer(1e-3, momentum=0.5, centered=True).minimize(loss)
    return [x, y], feeds, [loss], train


@program
def residual_batch_norm_momentum():
    x, y, feeds = classifier((8, 8, 8, 3), 4)
    h = tf.layers.conv2d(x, 16, 3, padding='same', use_bias=False)
    for stride in (1, 2):
        skip = h if stride == 1 else tf.layers.conv2d(h, 16, 1, 2, padding='same')
        h = tf.nn.relu(tf.layers.batch_normalization(h, training=True))
        h = tf.layers.conv2d(h, 16, 3, stride, padding='same', use_bias=False)
        h = tf.nn.relu(tf.layers.batch_normalization(h, training=True, momentum=0.9))
        h = tf.layers.conv2d(h, 16, 3, padding='same', use_bias=False) + skip
    loss = cross_entropy(y, tf.layers.dense(tf.reduce_mean(h, [1, 2]), 4))
    optimizer = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = optimizer.minimize(loss)
    return [x, y], feeds, [loss], train


@program
def lstm_clip_adagrad():
    x, y, feeds = classifier((6, 5, 4), 3)
    cell = tf.nn.rnn_cell.BasicLSTMCell(8)
    outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    loss = cross_entropy(y, tf.layers.dense(outputs[-1], 3))
    variables = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 0.5)
    train = tf.train.AdagradOptimizer(0.1).apply_gradients(zip(grads, variables))
    return [x, y], feeds, [loss, norm], train


@program
def gru_dynamic_adam():
    x, y, feeds = classifier((6, 5, 4), 3)
    outputs, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(8), x, dtype=tf.float32,
                                      sequence_length=tf.constant([5, 3, 1, 5, 2, 4]))
    loss = cross_entropy(y, tf.layers.dense(last, 3)) + tf.reduce_mean(tf.square(outputs))
    return [x, y], feeds, [loss], tf.train.AdamOptimizer(0.01).minimize(loss)


@program
def bidirectional_lstm_clip():
    x, y, feeds = classifier((5, 6, 4), 3)
    length = tf.constant([6, 2, 4, 1, 5])
    cells = [tf.nn.rnn_cell.LSTMCell(n, use_peepholes=True) for n in (4, 6)]
    outputs, states = tf.nn.bidirectional_dynamic_rnn(*cells, x, length, dtype=tf.float32)
    last = tf.concat([s.h for s in states], 1)
    loss = cross_entropy(y, tf.layers.dense(last, 3)) + tf.nn.l2_loss(tf.concat(outputs, 2)) * 0.01
    variables = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 0.5)
    train = tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients(zip(grads, variables))
    return [x, y], feeds, [loss, norm], train


@program
def scan_and_map():
    x = tf.placeholder(tf.float32, [7, 4])
    w = tf.get_variable('w', [4, 4], initializer=tf.orthogonal_initializer(seed=1))
    start = tf.get_variable('start', [4], initializer=tf.zeros_initializer())
    walk = tf.scan(lambda h, v: tf.tanh(tf.squeeze(tf.matmul(h[None], w), 0) + v), x, start)
    rows = tf.map_fn(lambda v: tf.reduce_logsumexp(v * w), walk, parallel_iterations=3,
                     swap_memory=True)
    back = tf.foldr(lambda a, v: 0.5 * a + v * v, rows)
    loss = tf.reduce_mean(tf.square(walk - x)) + tf.reduce_sum(rows) * 0.1 + back * 0.01
    return [x], batch((7, 4)), [loss], tf.train.AdamOptimizer(0.02).minimize(loss)


@program
def loops_in_a_loop_with_a_branch():
    x = tf.placeholder(tf.float32, [4, 3])
    w = tf.get_variable('w', [3, 3], initializer=tf.glorot_uniform_initializer(seed=1),
                        use_resource=True)
    b = tf.get_variable('b', [3], initializer=tf.zeros_initializer())

    def turn(i, h):
        _, inner = tf.while_loop(lambda j, g: j <= i, lambda j, g: (j + 1, tf.tanh(g @ w) + b),
                                 [0, h])
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: inner * h, lambda: tf.nn.softplus(inner))
    _, h = tf.while_loop(lambda i, h: tf.logical_and(i < 6, tf.reduce_sum(h) < 1e3), turn,
                         (tf.constant(0), x), parallel_iterations=2, maximum_iterations=5)
    loss = tf.reduce_mean(tf.square(h - 0.5)) + tf.nn.l2_loss(w) * 1e-2
    return [x], batch((4, 3)), [loss], tf.train.GradientDescentOptimizer(0.05).minimize(loss)


def word_feeds(k):
    rng = np.random.RandomState(k)
    return rng.randint(0, 50, 16).astype(np.int32), rng.randint(0, 50, (16, 1)).astype(np.int64)


@program
def word2vec_nce():
    inputs = tf.placeholder(tf.int32, [16])
    labels = tf.placeholder(tf.int64, [16, 1])
    table = tf.Variable(tf.random_uniform([50, 8], -1.0, 1.0, seed=3))
    w = tf.Variable(tf.truncated_normal([50, 8], stddev=0.3, seed=4))
    b = tf.Variable(tf.zeros([50]))
    embed = tf.nn.embedding_lookup(table, inputs)
    loss = tf.reduce_mean(tf.nn.nce_loss(w, b, labels, embed, 10, 50))
    return [inputs, labels], word_feeds, [loss], tf.train.GradientDescentOptimizer(1.0).minimize(loss)


@program
def partitioned_sampled_softmax_ftrl():
    inputs = tf.placeholder(tf.int32, [16])
    labels = tf.placeholder(tf.int64, [16, 1])
    with tf.variable_scope('m', partitioner=tf.fixed_size_partitioner(3)):
        table = tf.get_variable('table', [50, 8], initializer=tf.random_normal_initializer(seed=1))
        w = tf.get_variable('w', [50, 8], initializer=tf.random_normal_initializer(seed=2))
    b = tf.get_variable('b', [50], initializer=tf.zeros_initializer())
    embed = tf.nn.embedding_lookup(table, inputs, max_norm=2.0)
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(w, b, labels, embed, 7, 50, seed=5))
    train = tf.train.FtrlOptimizer(0.1, l1_regularization_strength=1e-3).minimize(loss)
    return [inputs, labels], word_feeds, [loss], train


@program
def text_cnn_adam():
    words = tf.placeholder(tf.int32, [None, 12])
    kinds = tf.placeholder(tf.int32, [None])
    table = tf.Variable(tf.random_uniform([40, 6], -1.0, 1.0, seed=3))
    x = tf.expand_dims(tf.nn.embedding_lookup(table, words), -1)
    pooled = []
    for width in (3, 4, 5):
        w = tf.Variable(tf.truncated_normal([width, 6, 1, 7], stddev=0.1, seed=width))
        h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, [1, 1, 1, 1], 'VALID'),
                                      tf.Variable(tf.constant(0.1, shape=[7]))))
        pooled.append(tf.nn.max_pool(h, [1, 13 - width, 1, 1], [1, 1, 1, 1], 'VALID'))
    h = tf.nn.dropout(tf.reshape(tf.concat(pooled, 3), [-1, 21]), rate=0.3, seed=9)
    loss = cross_entropy(kinds, tf.layers.dense(h, 2))

    def feeds(k):
        rng = np.random.RandomState(k)
        return rng.randint(0, 40, (8, 12)).astype(np.int32), rng.randint(0, 2, 8).astype(np.int32)
    return [words, kinds], feeds, [loss], tf.train.AdamOptimizer(1e-2).minimize(loss)


@program
def branches_of_cond():
    x, y, feeds = classifier((6, 4), 3)
    flip = tf.Variable(0, trainable=False)
    w = tf.Variable(tf.random_normal([4, 3], seed=1))
    logits = tf.cond(tf.equal(flip % 2, 0), lambda: tf.matmul(x, w),
                     lambda: tf.tanh(tf.matmul(x, w * 2.0)))
    loss = cross_entropy(y, logits) + tf.case([(flip > 4, lambda: tf.nn.l2_loss(w))],
                                              default=lambda: tf.reduce_sum(tf.abs(w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([train]):
        train = tf.assign_add(flip, 1).op
    return [x, y], feeds, [loss, flip], train


@program
def loop_without_gradient():
    x = tf.placeholder(tf.float32, [3, 3])
    v = tf.Variable(tf.ones([3, 1]))
    a = tf.matmul(x, x, transpose_a=True)
    _, top = tf.while_loop(lambda i, u: tf.logical_and(i < 20, tf.norm(u) < 1e3),
                           lambda i, u: (i + 1, tf.nn.l2_normalize(tf.matmul(a, u))),
                           [tf.constant(0), v])
    train = tf.assign(v, tf.stop_gradient(top)).op
    return [x], batch((3, 3)), [tf.reduce_sum(top), tf.norm(tf.matmul(a, top))], train


@program
def resource_variables_adadelta():
    x, y, feeds = classifier((8, 6), 3)
    with tf.variable_scope('r', use_resource=True):
        w = tf.get_variable('w', [6, 3], initializer=tf.glorot_uniform_initializer(seed=1))
        b = tf.get_variable('b', [3], initializer=tf.zeros_initializer())
        table = tf.get_variable('t', [5, 6], initializer=tf.random_normal_initializer(seed=2))
    rows = tf.gather(table, y)
    loss = cross_entropy(y, tf.nn.bias_add(tf.matmul(x + rows, w), b))
    average = tf.train.ExponentialMovingAverage(0.9)
    train = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
    with tf.control_dependencies([train]):
        train = average.apply([w])
    return [x, y], feeds, [loss, average.average(w).value()], train


@program
def autoencoder_transposed_convolution():
    x = tf.placeholder(tf.float32, [None, 8, 8, 2])
    h = tf.layers.conv2d(x, 6, 3, 2, padding='same', activation=tf.nn.leaky_relu)
    h = tf.layers.conv2d_transpose(h, 2, 3, 2, padding='same')
    loss = tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(x), logits=h))
    return [x], batch((4, 8, 8, 2)), [loss], tf.train.AdamOptimizer(0.01).minimize(loss)


@program
def two_optimizers_against_each_other():
    x = tf.placeholder(tf.float32, [None, 3])
    noise = tf.random_normal([8, 2], seed=11)
    with tf.variable_scope('g'):
        fake = tf.layers.dense(tf.layers.dense(noise, 8, tf.nn.selu), 3)

    def judge(v):
        with tf.variable_scope('d', reuse=tf.AUTO_REUSE):
            return tf.layers.dense(tf.layers.dense(v, 8, tf.nn.softplus), 1)
    ones, zeros = tf.ones([8, 1]), tf.zeros([8, 1])
    entropy = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(entropy(labels=ones, logits=judge(x)) +
                            entropy(labels=zeros, logits=judge(fake)))
    g_loss = tf.reduce_mean(entropy(labels=ones, logits=judge(fake)))
    d, g = tf.train.AdamOptimizer(0.01), tf.train.RMSPropOptimizer(0.01)
    d_grads = d.compute_gradients(d_loss, tf.trainable_variables('d/'))
    g_grads = g.compute_gradients(g_loss, tf.trainable_variables('g/'))
    # variables are references: all is read before anything is updated
    with tf.control_dependencies([grad for grad, _ in d_grads + g_grads]):
        train = tf.group(d.apply_gradients(d_grads), g.apply_gradients(g_grads))
    return [x], batch((8, 3)), [d_loss, g_loss], train


@program
def towers_on_two_devices():
    x, y, feeds = classifier((8, 6), 3)
    with tf.device('/cpu:0'):
        w = tf.Variable(tf.random_normal([6, 3], seed=1))
    losses = []
    for i, (xs, ys) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        with tf.device('/cpu:%d' % i):
            losses.append(cross_entropy(ys, tf.matmul(xs, w)))
    loss = tf.add_n(losses) / 2
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, colocate_gradients_with_ops=True)
    return [x, y], feeds, [loss], train


def numbers(session_run, feeds, fetches, train, init, variables):
    """The fetches of each step before its update, and the variables at the end."""
    session_run({}, [], [init])
    seen = []
    for k in range(STEPS):
        fed = feeds(k)
        seen.append(session_run(fed, fetches, []))
        session_run(fed, [], [train])
    return seen, session_run({}, variables, [])


def in_tensorflow(graph, inputs, feeds, fetches, train, init, variables):
    config = tf.ConfigProto(device_count={'CPU': 2}, intra_op_parallelism_threads=1,
                            inter_op_parallelism_threads=1)
    with tf.Session(graph=graph, config=config) as s:
        def run(fed, get, do):
            fed = dict(zip(inputs, fed)) if fed else {}
            return s.run([get, do], fed)[0] if get or do else []
        return numbers(run, feeds, fetches, train, init, variables)


def in_leat(graph, inputs, feeds, fetches, train, init, variables):
    with leat.Graph(LIBRARY, graph.as_graph_def().SerializeToString(), {'CPU': 2}) as g:
        def run(fed, get, do):
            fed = dict(zip(inputs, fed)) if fed else {}
            return g.run(fed, get, do)
        return numbers(run, feeds, fetches, train, init, variables)


def difference(name, ours, theirs):
    """What is wrong with a value, or None."""
    if np.shape(ours) != np.shape(theirs):
        return '%s: shape %s, TensorFlow %s' % (name, np.shape(ours), np.shape(theirs))
    a, b = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE * max(1.0, np.abs(b).max()), equal_nan=True):
        return None
    return '%s: off by %g of %g' % (name, np.abs(a - b).max(), np.abs(b).max())


def compare(make):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(42)
        inputs, feeds, fetches, train = make()
        init = tf.global_variables_initializer()
        variables = [v.value() for v in tf.global_variables()]
    theirs = in_tensorflow(graph, inputs, feeds, fetches, train, init, variables)
    ours = in_leat(graph, [t.name for t in inputs], feeds, [t.name for t in fetches],
                   train.name, init.name, [t.name for t in variables])
    for k in range(STEPS):
        for t, a, b in zip(fetches, ours[0][k], theirs[0][k]):
            wrong = difference('step %d, %s' % (k, t.name), a, b)
            if wrong:
                return wrong
    for t, a, b in zip(variables, ours[1], theirs[1]):
        wrong = difference('at the end, ' + t.name, a, b)
        if wrong:
            return wrong
    return None


if __name__ == '__main__':
    CHECKS.main()
