# SPDX-License-Identifier: Apache-2.0
"""contrib.rnn's block and fused cells beside the plain ones with the same weights."""
import unittest

import numpy as np

import leat as tf

rnn = tf.contrib.rnn
INPUTS = np.random.RandomState(1).randn(3, 2, 4).astype(np.float32)


class BlockCells(unittest.TestCase):
    def values(self, make):
        """The output and the state, with weights by chance, and the variables' names."""
        with tf.Graph().as_default(), tf.Session() as sess:
            found = tf.contrib.framework.nest.flatten(make())
            rng = np.random.RandomState(0)
            for v in tf.global_variables():
                sess.run(v.assign(rng.randn(*v.shape.as_list()).astype(np.float32)))
            return sess.run(found), [v.name for v in tf.global_variables()]

    def over_time(self, cell):
        return lambda: tf.nn.dynamic_rnn(cell(), tf.constant(INPUTS), time_major=True,
                                         sequence_length=[3, 2], dtype=tf.float32)

    def same(self, one, other):
        for a, b in zip(one, other):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)

    def test_as_the_plain_ones(self):
        for block, plain in (
                (lambda: rnn.LSTMBlockCell(3), lambda: tf.nn.rnn_cell.BasicLSTMCell(3)),
                (lambda: rnn.LSTMBlockCell(3, cell_clip=.4),
                 lambda: tf.nn.rnn_cell.LSTMCell(3, cell_clip=.4)),
                (lambda: rnn.GRUBlockCell(3), lambda: tf.nn.rnn_cell.GRUCell(3)),
                (lambda: rnn.GRUBlockCellV2(3), lambda: tf.nn.rnn_cell.GRUCell(3))):
            self.same(self.values(self.over_time(block))[0],
                      self.values(self.over_time(plain))[0])

    def test_names(self):
        names = self.values(self.over_time(
            lambda: rnn.LSTMBlockCell(3, use_peephole=True)))[1]
        self.assertEqual(names, ['rnn/lstm_cell/%s:0' % name for name in (
            'kernel', 'bias', 'w_i_diag', 'w_f_diag', 'w_o_diag')])
        self.assertEqual(self.values(self.over_time(lambda: rnn.GRUBlockCell(3)))[1],
                         ['rnn/gru_cell/%s:0' % n for n in ('w_ru', 'b_ru', 'w_c', 'b_c')])

    def test_fused(self):
        plain = self.values(self.over_time(lambda: rnn.LSTMBlockCell(3, use_peephole=True)))[0]
        fused, names = self.values(lambda: rnn.LSTMBlockFusedCell(3, use_peephole=True)(
            tf.constant(INPUTS), dtype=tf.float32, sequence_length=[3, 2]))
        self.same(plain, fused)
        self.assertEqual(names[0], 'lstm_fused_cell/kernel:0')
        with self.assertRaisesRegex(ValueError, 'initial_state or dtype'):
            self.values(lambda: rnn.LSTMBlockFusedCell(3)(tf.constant(INPUTS)))

    def test_reversed(self):
        ahead = self.values(lambda: rnn.LSTMBlockFusedCell(3)(
            tf.constant(INPUTS[::-1].copy()), dtype=tf.float32))[0]
        back = self.values(lambda: rnn.TimeReversedFusedRNN(rnn.LSTMBlockFusedCell(3))(
            tf.constant(INPUTS), dtype=tf.float32))[0]
        np.testing.assert_allclose(back[0], ahead[0][::-1], rtol=1e-5, atol=1e-6)
        self.same(back[1:], ahead[1:])


if __name__ == '__main__':
    unittest.main()
