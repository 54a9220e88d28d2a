# SPDX-License-Identifier: Apache-2.0
"""Recurrent nets: names, shapes, values against numpy. Facts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf
from leat.python.util import nest

rnn_cell = tf.nn.rnn_cell


def steps(shape, dtype=None, partition_info=None):
    del partition_info
    return tf.constant(np.arange(int(np.prod(shape))).reshape(shape) * .01, dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, units, lengths=None):
    """Outputs and last state of a plain LSTM with zero biases and forget_bias 1."""
    c = h = np.zeros((x.shape[0], units))
    out = []
    for t in range(x.shape[1]):
        i, j, f, o = np.split(np.concatenate([x[:, t], h], 1) @ w, 4, axis=1)
        c1 = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        h1 = np.tanh(c1) * sigmoid(o)
        live = np.ones((x.shape[0], 1), bool) if lengths is None else (
            np.asarray(lengths)[:, None] > t)
        c, h = np.where(live, c1, c), np.where(live, h1, h)
        out.append(np.where(live, h1, 0))
    return np.stack(out, 1), c, h


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.data = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
        self.x = tf.constant(self.data)

    def value(self, tensors):
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            return s.run(tensors)


class Linear(unittest.TestCase):
    def test_linear(self):
        from leat.contrib.rnn.python.ops import core_rnn_cell
        with tf.Graph().as_default():
            x, y = tf.placeholder(tf.float32, [3, 4]), tf.placeholder(tf.float32, [3, 2])
            with tf.variable_scope('s'):
                made = core_rnn_cell._linear([x, y], 5, True)
            self.assertEqual(made.name, 's/s/BiasAdd:0')
            self.assertEqual([(v.name, v.shape.as_list()) for v in tf.global_variables()],
                             [('s/kernel:0', [6, 5]), ('s/bias:0', [5])])


class Nets(Base):
    def test_dynamic(self):
        with tf.variable_scope('root', initializer=steps):
            out, state = tf.nn.dynamic_rnn(rnn_cell.BasicLSTMCell(3), self.x, dtype=tf.float32,
                                           sequence_length=[2, 3])
        self.assertEqual([(v.name, v.shape.as_list()) for v in tf.global_variables()],
                         [('root/rnn/basic_lstm_cell/kernel:0', [7, 12]),
                          ('root/rnn/basic_lstm_cell/bias:0', [12])])
        self.assertEqual((out.name, state.h.name, out.shape.as_list()),
                         ('root/rnn/transpose_1:0', 'root/rnn/while/Exit_4:0', [2, 3, 3]))
        self.assertIsInstance(state, rnn_cell.LSTMStateTuple)
        grads = tf.gradients(out, tf.trainable_variables())
        got = self.value([out, state, grads])
        want = lstm(self.data, np.arange(84).reshape(7, 12) * .01, 3, [2, 3])
        np.testing.assert_allclose(got[0], want[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(got[1].c, want[1], rtol=1e-4, atol=1e-6)
        self.assertEqual([g.shape for g in got[2]], [(7, 12), (12,)])
        self.assertGreater(np.abs(got[2][0]).max(), 0)

    def test_static_is_as_dynamic(self):
        for make in (lambda: rnn_cell.BasicRNNCell(5), lambda: rnn_cell.GRUCell(3),
                     lambda: rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2, cell_clip=2.)):
            tf.reset_default_graph()
            x = tf.constant(self.data)
            xs = tf.unstack(x, axis=1)
            with tf.variable_scope('a', initializer=steps):
                out, state = tf.nn.static_rnn(make(), xs, dtype=tf.float32,
                                              sequence_length=[1, 3])
            with tf.variable_scope('b', initializer=steps):
                out2, state2 = tf.nn.dynamic_rnn(make(), x, dtype=tf.float32,
                                                 sequence_length=[1, 3])
            got = self.value([tf.stack(out, 1), out2, state, state2])
            np.testing.assert_allclose(got[0], got[1], rtol=1e-5)
            for a, b in zip(nest.flatten(got[2]), nest.flatten(got[3])):
                np.testing.assert_allclose(a, b, rtol=1e-5)
            self.assertEqual([v.op.name[2:] for v in tf.global_variables('a/')],
                             [v.op.name[2:] for v in tf.global_variables('b/')])

    def test_stacked_and_wrapped(self):
        cells = [rnn_cell.DropoutWrapper(rnn_cell.BasicLSTMCell(4), output_keep_prob=1.0),
                 rnn_cell.ResidualWrapper(rnn_cell.BasicRNNCell(4)),
                 rnn_cell.DeviceWrapper(rnn_cell.GRUCell(4), '/cpu:0')]
        multi = rnn_cell.MultiRNNCell(cells)
        out, state = tf.nn.dynamic_rnn(multi, self.x, initial_state=multi.zero_state(
            2, tf.float32))
        self.assertEqual([v.op.name for v in tf.global_variables()], [
            'rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel',
            'rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias',
            'rnn/multi_rnn_cell/cell_1/basic_rnn_cell/kernel',
            'rnn/multi_rnn_cell/cell_1/basic_rnn_cell/bias',
            'rnn/multi_rnn_cell/cell_2/gru_cell/gates/kernel',
            'rnn/multi_rnn_cell/cell_2/gru_cell/gates/bias',
            'rnn/multi_rnn_cell/cell_2/gru_cell/candidate/kernel',
            'rnn/multi_rnn_cell/cell_2/gru_cell/candidate/bias'])
        self.assertEqual((len(state), multi.output_size), (3, 4))
        self.assertEqual(self.value(out).shape, (2, 3, 4))

    def test_dropout(self):
        drop = rnn_cell.DropoutWrapper(rnn_cell.BasicRNNCell(4), input_keep_prob=0.5,
                                       variational_recurrent=True, input_size=4,
                                       dtype=tf.float32, seed=3)
        out, _ = tf.nn.dynamic_rnn(drop, self.x, dtype=tf.float32)
        self.assertEqual(self.value(out).shape, (2, 3, 4))
        with self.assertRaisesRegex(ValueError, 'Parameter input_keep_prob must be between 0 and '
                                                '1: 2'):
            rnn_cell.DropoutWrapper(rnn_cell.BasicRNNCell(4), input_keep_prob=2.0)

    def test_bidirectional(self):
        def cell():
            return rnn_cell.BasicLSTMCell(2)
        with tf.variable_scope('root', initializer=steps):
            (fw, bw), _ = tf.nn.bidirectional_dynamic_rnn(cell(), cell(), self.x,
                                                          dtype=tf.float32,
                                                          sequence_length=[1, 3])
            both, _, _ = tf.nn.static_bidirectional_rnn(cell(), cell(),
                                                        tf.unstack(self.x, axis=1),
                                                        dtype=tf.float32, scope='s')
        self.assertEqual(bw.name, 'root/ReverseSequence:0')
        got = self.value([fw, bw, tf.stack(both, 1)])
        w = np.arange(48).reshape(6, 8) * .01
        np.testing.assert_allclose(got[0], lstm(self.data, w, 2, [1, 3])[0], rtol=1e-4, atol=1e-6)
        backwards = lstm(self.data[:, ::-1], w, 2)[0][:, ::-1]
        np.testing.assert_allclose(got[1][1], backwards[1], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(got[2][:, :, 2:], backwards, rtol=1e-4, atol=1e-6)

    def test_raw(self):
        cell = rnn_cell.BasicRNNCell(3)
        array = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(self.x, [1, 0, 2]))

        def loop_fn(time, output, state, loop_state):
            state = cell.zero_state(2, tf.float32) if output is None else state
            finished = time >= tf.constant([3, 2])
            value = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 4]),
                            lambda: array.read(time))
            return finished, value, state, output, None
        out, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
        self.assertIsNone(loop_state)
        got = self.value([out.stack(), state])
        self.assertEqual((got[0].shape, got[1].shape), ((3, 2, 3), (2, 3)))
        np.testing.assert_array_equal(got[0][2][1], [0, 0, 0])

    def test_cells_of_programs(self):
        class Mine(rnn_cell.RNNCell):
            state_size = property(lambda self: 2)
            output_size = property(lambda self: 2)

            def __call__(self, inputs, state, scope=None):
                with tf.variable_scope(scope or 'mine'):
                    w = tf.get_variable('w', [4, 2], initializer=steps)
                    new = tf.matmul(inputs, w) + state
                    return new, new
        out, state = tf.nn.dynamic_rnn(Mine(), self.x, dtype=tf.float32)
        self.assertEqual([v.op.name for v in tf.global_variables()], ['rnn/mine/w'])
        got = self.value(out)
        np.testing.assert_allclose(
            got, np.cumsum(self.data @ (np.arange(8).reshape(4, 2) * .01), 1), rtol=1e-4,
            atol=1e-6)

    def test_errors(self):
        cell = rnn_cell.BasicRNNCell(3)
        for kind, text, call in (
                (ValueError, 'If there is no initial_state, you must give a dtype.',
                 lambda: tf.nn.dynamic_rnn(cell, self.x)),
                (TypeError, 'inputs must be a sequence',
                 lambda: tf.nn.static_rnn(cell, self.x, dtype=tf.float32)),
                (ValueError, 'inputs must not be empty',
                 lambda: tf.nn.static_rnn(cell, [], dtype=tf.float32)),
                (ValueError, 'Must specify at least one cell for MultiRNNCell.',
                 lambda: rnn_cell.MultiRNNCell([]))):
            with self.assertRaises(kind) as e:
                call()
            self.assertEqual(str(e.exception), text)
        with self.assertRaisesRegex(TypeError, 'is not an RNNCell: '):
            tf.nn.dynamic_rnn(3, self.x, dtype=tf.float32)

    def test_decoders_and_losses(self):
        legacy = tf.contrib.legacy_seq2seq
        xs = tf.unstack(self.x, axis=1)
        out, _ = legacy.rnn_decoder(xs, tf.zeros([2, 4]), rnn_cell.BasicRNNCell(4),
                                    loop_function=lambda prev, i: prev)
        legacy.tied_rnn_seq2seq(xs, xs, rnn_cell.BasicRNNCell(3))
        self.assertEqual([v.op.name for v in tf.global_variables()], [
            'rnn_decoder/basic_rnn_cell/kernel', 'rnn_decoder/basic_rnn_cell/bias',
            'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell/kernel',
            'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell/bias'])
        logits = [tf.zeros([2, 5]), tf.zeros([2, 5])]
        ids = [tf.constant([1, 2]), tf.constant([0, 3])]
        weights = [tf.ones([2]), tf.constant([1., 0.])]
        each = legacy.sequence_loss_by_example(logits, ids, weights)
        both = legacy.sequence_loss(logits, ids, weights)
        flat = tf.contrib.seq2seq.sequence_loss(tf.stack(logits, 1), tf.stack(ids, 1),
                                                tf.stack(weights, 1))
        got = self.value([each, both, flat, out[2]])
        np.testing.assert_allclose(got[0], np.full(2, np.log(5)), rtol=1e-6)
        np.testing.assert_allclose(got[1:3], np.full(2, np.log(5)), rtol=1e-6)

    def test_stacked_bidirectional(self):
        def cells():
            return [rnn_cell.BasicRNNCell(2), rnn_cell.BasicRNNCell(2)]
        a, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(cells(), cells(), self.x,
                                                                 dtype=tf.float32)
        b, _, _ = tf.contrib.rnn.stack_bidirectional_rnn(
            cells(), cells(), tf.unstack(self.x, axis=1), dtype=tf.float32, scope='s')
        self.assertEqual([v.op.name for v in tf.global_variables()][::4], [
            'stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/basic_rnn_cell/kernel',
            'stack_bidirectional_rnn/cell_1/bidirectional_rnn/fw/basic_rnn_cell/kernel',
            's/cell_0/fw/basic_rnn_cell/kernel', 's/cell_1/fw/basic_rnn_cell/kernel'])
        self.assertEqual((self.value(a).shape, len(b), b[0].shape.as_list()),
                         ((2, 3, 4), 3, [2, 4]))


if __name__ == '__main__':
    unittest.main()
