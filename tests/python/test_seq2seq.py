# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.seq2seq: decoders, helpers and attention; values as TensorFlow's for given weights."""
import unittest

import numpy as np

import leat as tf

R = np.random.RandomState(0)
X = R.rand(3, 5, 4).astype('f')
E = R.rand(6, 4).astype('f')
M = R.rand(3, 7, 8).astype('f')
# The first six numbers of each result.
WANTED = (
{'bah': [[0.706, -0.848, -0.243, 0.921, 0.605, 0.63], [5.0, 3.0, 2.0],
         [-0.07, 0.711, -0.559, 0.141, 0.012, -0.112],
         [0.141, 0.156, 0.131, 0.151, 0.134, 0.143], [0.141, 0.157, 0.131, 0.152, 0.134, 0.142],
         [-0.064, 0.073, 0.136, -0.117, -0.147, -0.014]],
 'bahn': [[0.318, 0.278, 0.803, -0.615, -0.862, 0.08], [5.0, 3.0, 2.0],
          [0.434, 0.114, 1.445, -1.037, 0.051, 0.456],
          [0.143, 0.144, 0.142, 0.143, 0.142, 0.143],
          [0.143, 0.144, 0.142, 0.143, 0.142, 0.143],
          [0.007, -0.008, -0.014, 0.013, 0.014, 0.002]],
 'greedy': [[-0.023, 0.278, -0.068, 0.243, 0.03, -0.212], [1.0, 1.0, 3.0, 1.0, 1.0, 3.0],
            [6.0, 6.0, 6.0], [-0.041, 0.462, -0.076, 0.455, 0.036, -0.434]],
 'luo': [[-0.137, -0.659, -0.018, 0.458, -0.786, -0.089], [5.0, 3.0, 2.0],
         [-0.709, -0.004, -0.305, 0.386, -0.035, -0.528],
         [0.155, 0.119, 0.153, 0.141, 0.152, 0.13], [0.144, 0.139, 0.146, 0.142, 0.143, 0.138],
         [-0.036, 0.004, 0.007, -0.018, -0.005, -0.01]],
 'luos': [[-0.613, 0.056, 0.35, -0.459, -0.092, 0.285], [5.0, 3.0, 2.0],
          [-0.056, -0.381, 0.3, -0.117, -0.567, -0.079],
          [0.143, 0.143, 0.143, 0.143, 0.142, 0.142],
          [0.143, 0.143, 0.143, 0.143, 0.143, 0.143],
          [-0.003, 0.0, 0.001, -0.002, -0.001, 0.002]],
 'tr': [[0.254, -0.07, 0.187, -0.561, 0.202, -0.063], [0.0, 4.0, 4.0, 4.0, 4.0, 0.0],
        [5.0, 3.0, 2.0], [0.45, 0.202, -0.458, 0.215, 0.163, 0.384], [1.661],
        [-0.011, -0.0, 0.012, 0.002, 0.001, 0.006]]})


class Decoding(unittest.TestCase):

    def check(self, name, build):
        with tf.Graph().as_default(), tf.Session() as session:
            fetches = build()
            q = np.random.RandomState(5)
            for v in tf.global_variables():
                session.run(v.initializer)
                v.load(q.randn(*v.shape.as_list()) * .3, session)
            for got, wanted in zip(session.run(fetches), WANTED[name]):
                np.testing.assert_allclose(np.ravel(got)[:6], wanted, atol=2e-3)

    def test_training_helper(self):
        def build():
            s = tf.contrib.seq2seq
            cell = tf.contrib.rnn.BasicLSTMCell(8)
            decoder = s.BasicDecoder(cell, s.TrainingHelper(tf.constant(X), [5, 3, 2]),
                                     cell.zero_state(3, tf.float32), tf.layers.Dense(6))
            outputs, state, lengths = s.dynamic_decode(decoder, impute_finished=True)
            self.assertEqual(outputs.rnn_output.name, 'decoder/transpose:0')
            self.assertEqual(outputs.rnn_output.shape.as_list(), [3, None, 6])
            self.assertEqual([v.name for v in tf.trainable_variables()], [
                'decoder/basic_lstm_cell/kernel:0', 'decoder/basic_lstm_cell/bias:0',
                'decoder/dense/kernel:0', 'decoder/dense/bias:0'])
            loss = s.sequence_loss(outputs.rnn_output, tf.zeros([3, 5], tf.int32),
                                   tf.ones([3, 5]))
            return [outputs.rnn_output, outputs.sample_id, lengths, state.h, loss,
                    tf.gradients(loss, tf.trainable_variables())[0]]
        self.check('tr', build)

    def test_greedy_helper(self):
        def build():
            s = tf.contrib.seq2seq
            cell = tf.contrib.rnn.GRUCell(6)
            helper = s.GreedyEmbeddingHelper(tf.constant(E), [1, 1, 2], 0)
            decoder = s.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32))
            outputs, state, lengths = s.dynamic_decode(decoder, maximum_iterations=6,
                                                       output_time_major=True)
            return [outputs.rnn_output, outputs.sample_id, lengths, state]
        self.check('greedy', build)

    def test_attention(self):
        def of(mechanism, **kwargs):
            s = tf.contrib.seq2seq
            cell = tf.contrib.rnn.LSTMCell(8)
            memory = getattr(s, mechanism)(8, tf.constant(M),
                                           memory_sequence_length=[7, 5, 3], **kwargs)
            wrapped = s.AttentionWrapper(cell, memory, attention_layer_size=5,
                                         alignment_history=True)
            state = wrapped.zero_state(3, tf.float32).clone(
                cell_state=cell.zero_state(3, tf.float32))
            decoder = s.BasicDecoder(wrapped, s.TrainingHelper(tf.constant(X), [5, 3, 2]), state,
                                     tf.layers.Dense(6))
            outputs, state, lengths = s.dynamic_decode(decoder)
            gradient = tf.gradients(tf.reduce_sum(outputs.rnn_output),
                                    tf.trainable_variables())[0]
            return [outputs.rnn_output, lengths, state.attention, state.alignments,
                    state.alignment_history.stack(), gradient]
        self.check('bah', lambda: of('BahdanauAttention'))
        self.check('bahn', lambda: of('BahdanauAttention', normalize=True))
        self.check('luo', lambda: of('LuongAttention'))
        self.check('luos', lambda: of('LuongAttention', scale=True))


if __name__ == '__main__':
    unittest.main()
