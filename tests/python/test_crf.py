# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.crf beside sums over all chains; tf.contrib.seq2seq's beams beside all sequences."""
import itertools
import unittest

import numpy as np

import leat as tf
from leat.contrib import crf
from leat.contrib import seq2seq

RNG = np.random.RandomState(1)
INPUTS = RNG.randn(2, 4, 3).astype(np.float32)
TAGS = RNG.randint(0, 3, (2, 4)).astype(np.int32)
LENGTHS = np.array([4, 2], np.int32)
TRANSITIONS = RNG.randn(3, 3).astype(np.float32)


def score(example, tags):
    own = sum(INPUTS[example, t, tag] for t, tag in enumerate(tags))
    return own + sum(TRANSITIONS[a, b] for a, b in zip(tags, tags[1:]))


def chains(example):
    return list(itertools.product(range(3), repeat=int(LENGTHS[example])))


class Fields(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def test_scores(self):
        own = [score(i, TAGS[i][:LENGTHS[i]]) for i in range(2)]
        norms = [np.logaddexp.reduce([score(i, c) for c in chains(i)]) for i in range(2)]
        for inputs, tags in ((INPUTS, TAGS), (
                tf.placeholder_with_default(INPUTS, [None, None, 3]),
                tf.placeholder_with_default(TAGS, [None, None]))):
            tags = tf.convert_to_tensor(tags)
            np.testing.assert_allclose(self.session.run(crf.crf_sequence_score(
                tf.convert_to_tensor(inputs), tags, tf.constant(LENGTHS),
                tf.constant(TRANSITIONS))), own, rtol=1e-5)
            found, _ = crf.crf_log_likelihood(tf.convert_to_tensor(inputs), tags,
                                              tf.constant(LENGTHS), tf.constant(TRANSITIONS))
            np.testing.assert_allclose(self.session.run(found), np.subtract(own, norms),
                                       rtol=1e-4)

    def test_decode(self):
        tags, best = self.session.run(crf.crf_decode(
            tf.constant(INPUTS), tf.constant(TRANSITIONS), tf.constant(LENGTHS)))
        for i in range(2):
            chain = max(chains(i), key=lambda c: score(i, c))
            self.assertEqual(tags[i][:LENGTHS[i]].tolist(), list(chain))
            self.assertAlmostEqual(best[i], score(i, chain), places=4)
        chain, value = crf.viterbi_decode(INPUTS[0], TRANSITIONS)
        self.assertEqual(chain, tags[0].tolist())
        self.assertAlmostEqual(value, best[0], places=4)

    def test_single_steps(self):
        found = self.session.run(crf.crf_log_norm(
            tf.constant(INPUTS[:, :1]), tf.constant([1, 0]), tf.constant(TRANSITIONS)))
        np.testing.assert_allclose(found, [np.logaddexp.reduce(INPUTS[0, 0]), 0.], rtol=1e-5)

    def test_transitions_are_trained(self):
        likelihood, transitions = crf.crf_log_likelihood(tf.constant(INPUTS), tf.constant(TAGS),
                                                         tf.constant(LENGTHS))
        self.assertEqual(transitions.name, 'transitions:0')
        gradient = tf.gradients(likelihood, transitions)[0]
        self.session.run(tf.global_variables_initializer())
        self.assertTrue(np.isfinite(self.session.run(gradient)).all())


class Beams(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def test_gather_tree(self):
        ids = tf.constant([[[1, 2, 3]], [[4, 10, 6]], [[7, 8, 9]], [[0, 0, 0]]])
        parents = tf.constant([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[0, 1, 1]]])
        self.assertEqual(
            self.session.run(seq2seq.gather_tree(ids, parents, tf.constant([3]), 10)).tolist(),
            [[[2, 2, 2]], [[6, 10, 6]], [[7, 10, 9]], [[10, 10, 10]]])

    def test_wide_beams_find_the_best(self):
        """A beam as wide as all sequences finds the likeliest of them."""
        steps, words, width = 3, 3, 27
        tables = np.log(np.random.RandomState(2).dirichlet(np.ones(words), words)).astype(
            np.float32)  # of the word before

        class Table(tf.nn.rnn_cell.RNNCell):
            state_size = output_size = words

            def __call__(self, inputs, state, scope=None):
                return tf.matmul(inputs, tf.constant(tables)), state
        cell = Table()
        start = seq2seq.tile_batch(tf.zeros([2, words]), width)
        decoder = seq2seq.BeamSearchDecoder(
            cell, tf.constant(np.eye(words, dtype=np.float32)), tf.constant([0, 1]), 2, start,
            width)
        outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
        ids, log_probs = self.session.run([outputs.predicted_ids, state.log_probs])
        self.assertEqual(ids.shape, (2, 3, width))
        for first in range(2):
            all_ = {}
            for words_ in itertools.product(range(words), repeat=steps):
                cut = words_[:words_.index(2)] + (2,) * (
                    steps - words_.index(2)) if 2 in words_ else words_
                ends = cut.index(2) + 1 if 2 in cut else steps
                path = (first,) + cut[:ends]
                all_[cut] = sum(tables[a, b] for a, b in zip(path, path[1:]))
            best = max(all_, key=all_.get)
            self.assertEqual(tuple(ids[first, :, 0]), best)
            self.assertAlmostEqual(log_probs[first, 0], all_[best], places=4)

    def test_monotonic_attention(self):
        p, previous = tf.constant([[.5, .2, .9]]), tf.constant([[.1, .6, .3]])
        for mode, expected in (('recursive', [.05, .13, .738]), ('parallel', [.05, .13, .738]),
                               ('hard', [.05, .133, .7353])):
            np.testing.assert_allclose(self.session.run(seq2seq.monotonic_attention(
                p, previous, mode)), [expected], rtol=1e-3)
        with self.assertRaisesRegex(ValueError, 'mode must be'):
            seq2seq.monotonic_attention(p, previous, 'x')

    def decoded(self, helper_of):
        inputs = np.random.RandomState(5).randn(2, 3, 4).astype(np.float32)
        helper = helper_of(tf.constant(inputs), tf.constant([3, 2]))
        cell = tf.nn.rnn_cell.BasicRNNCell(4)
        with tf.variable_scope('decoding', reuse=tf.AUTO_REUSE,
                               initializer=tf.constant_initializer(.1)):
            decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
            outputs, _, _ = seq2seq.dynamic_decode(decoder)
        self.session.run(tf.global_variables_initializer())
        return self.session.run(outputs.rnn_output)

    def test_scheduled(self):
        given = self.decoded(lambda x, n: seq2seq.TrainingHelper(x, n))
        for helper_of in (
                lambda x, n: seq2seq.ScheduledOutputTrainingHelper(x, n, 0.),
                lambda x, n: seq2seq.ScheduledEmbeddingTrainingHelper(x, n, tf.zeros([4, 4]),
                                                                      0.)):
            np.testing.assert_array_equal(self.decoded(helper_of), given)
        sampled = self.decoded(lambda x, n: seq2seq.ScheduledOutputTrainingHelper(x, n, 1.))
        np.testing.assert_array_equal(sampled[:, 0], given[:, 0])
        np.testing.assert_allclose(sampled[0, 1], np.tanh(.2 * sampled[0, 0].sum()), rtol=1e-5)


if __name__ == '__main__':
    unittest.main()
