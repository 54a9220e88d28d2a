# SPDX-License-Identifier: Apache-2.0
"""ops.parallel_for: pfor gives what for_loop gives, on all iterations at once or in a loop."""
import unittest

import numpy as np

import leat as tf
from leat.python.framework import ops
from leat.python.ops import parallel_for
from leat.python.ops.parallel_for import control_flow_ops as pfor_ops

A = np.random.RandomState(0).randn(4, 3, 5).astype('f')
M = np.random.RandomState(1).randn(5, 6).astype('f')


def part(i):
    return tf.gather(tf.constant(A), i)


def ops_in_a_loop():
    return sum(op.type == 'Enter' for op in tf.get_default_graph().get_operations())


AT_ONCE = {
    'unary': lambda i: tf.nn.softmax(tf.tanh(tf.exp(part(i)) * .1)),
    'broadcast': lambda i: (part(i) + tf.range(5.), part(i) * tf.cast(i, tf.float32),
                            tf.cast(i, tf.float32) + tf.ones([2, 3]),
                            tf.reduce_sum(part(i), 0) * part(i)),
    'matmul': lambda i: (tf.matmul(part(i), tf.constant(M)),
                         tf.matmul(part(i), part(i), transpose_b=True),
                         tf.matmul(tf.constant(M), part(i), transpose_a=True, transpose_b=True)),
    'reduce': lambda i: (tf.reduce_sum(part(i)), tf.reduce_max(part(i), 1),
                         tf.reduce_mean(part(i), -1, keepdims=True), tf.argmax(part(i), 1),
                         tf.cumsum(part(i), axis=1), tf.nn.l2_loss(part(i))),
    'shape': lambda i: (tf.reshape(part(i), [5, 3]), tf.reshape(part(i), [-1]),
                        tf.transpose(part(i)), tf.expand_dims(part(i), -1),
                        tf.squeeze(tf.expand_dims(part(i), 1), [1]), tf.tile(part(i), [1, 2]),
                        tf.pad(part(i), [[0, 1], [1, 0]]), tf.slice(part(i), [0, 1], [2, 3]),
                        part(i)[1], part(i)[:, 1:], part(i)[..., 0]),
    'several': lambda i: (tf.concat([part(i), tf.constant(A)[0]], 1),
                          tf.stack([part(i), tf.constant(A)[1]], -1), tf.unstack(part(i)),
                          tf.split(part(i), 5, axis=1)),
    'gather': lambda i: (tf.gather(part(i), [0, 2]), tf.gather(part(i), i % 3),
                         tf.gather(tf.constant(A), i % 3, axis=1)),
    'select': lambda i: (tf.where(part(i) > 0, part(i), -part(i)),
                         tf.where(tf.constant([True, False, True]), part(i), -part(i))),
    'segments': lambda i: tf.math.unsorted_segment_sum(
        part(i), tf.constant([0, 1, 0]) + i % 2, 3),
    'images': lambda i: (
        tf.nn.conv2d(part(i)[None, :, :, None], tf.ones([2, 2, 1, 2]), [1] * 4, 'SAME'),
        tf.nn.max_pool(part(i)[None, :, :, None], [1, 2, 2, 1], [1] * 4, 'SAME'),
        tf.nn.bias_add(part(i), tf.range(5.))),
    'unchanging': lambda i: tf.constant([1., 2.]),
}
IN_A_LOOP = {
    'cond': lambda i: tf.cond(i > 1, lambda: 1., lambda: 2.),
    'while_loop': lambda i: tf.while_loop(lambda j: j < i, lambda j: j + 1, [0]),
    'no rule': lambda i: tf.linalg.svd(part(i), compute_uv=False),
    'index': lambda i: tf.constant(A)[i],
}


class Loops(unittest.TestCase):

    def check(self, function, in_a_loop):
        ops.reset_default_graph()
        before = ops_in_a_loop()
        made = tf.nest.flatten(pfor_ops.pfor(function, 4))
        if not in_a_loop:
            self.assertEqual(ops_in_a_loop(), before)
        kinds = [t.dtype for t in made]
        plain = parallel_for.for_loop(lambda i: tf.nest.flatten(function(i)), kinds, 4)
        with tf.Session() as session:
            for x, y in session.run(list(zip(made, plain))):
                np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)

    def test_all_at_once(self):
        for name, function in AT_ONCE.items():
            with self.subTest(name):
                self.check(function, False)

    def test_in_a_loop(self):
        for name, function in IN_A_LOOP.items():
            with self.subTest(name):
                self.check(function, True)

    def test_random_numbers_differ(self):
        ops.reset_default_graph()
        made = pfor_ops.pfor(lambda i: tf.random_uniform([3]), 4)
        with tf.Session() as session:
            self.assertEqual(len(np.unique(session.run(made))), 12)

    def test_vectorized_map_and_dynamic_counts(self):
        ops.reset_default_graph()
        x = tf.placeholder(tf.float32, [None, 3, 5])
        made = tf.vectorized_map(lambda m: tf.matmul(m, m, transpose_b=True), x)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(made, {x: A}), A @ A.transpose(0, 2, 1),
                                       rtol=1e-5)

    def test_parallel_iterations(self):
        with self.assertRaisesRegex(ValueError, 'Use for_loop instead'):
            pfor_ops.pfor(lambda i: i, 3, parallel_iterations=1)
        with self.assertRaisesRegex(ValueError, 'must be None or a positive integer'):
            pfor_ops.pfor(lambda i: i, 3, parallel_iterations=0)
        ops.reset_default_graph()
        with tf.Session() as session:
            made = pfor_ops.pfor(lambda i: i * i, 5, parallel_iterations=2)
            self.assertEqual(session.run(made).tolist(), [0, 1, 4, 9, 16])


class Jacobians(unittest.TestCase):

    def test_of_layers(self):
        x_value = np.random.RandomState(2).randn(3, 2).astype('f')
        for use_pfor in (True, False):
            ops.reset_default_graph()
            x = tf.constant(x_value)
            y = tf.tanh(tf.matmul(x, tf.constant(M[:2])))
            whole = parallel_for.jacobian(y, x, use_pfor=use_pfor)
            batch = parallel_for.batch_jacobian(y, x, use_pfor=use_pfor)
            self.assertEqual(whole.shape.as_list(), [3, 6, 3, 2])
            self.assertEqual(batch.shape.as_list(), [3, 6, 2])
            with tf.Session() as session:
                w, b = session.run([whole, batch])
            expected = (1 - np.tanh(x_value @ M[:2])**2)[:, :, None] * M[:2].T[None]
            np.testing.assert_allclose(b, expected, rtol=1e-4, atol=1e-5)
            for i in range(3):
                np.testing.assert_allclose(w[i, :, i], expected[i], rtol=1e-4, atol=1e-5)

    def test_of_what_is_not_connected(self):
        ops.reset_default_graph()
        x, y = tf.constant([1., 2.]), tf.constant([3., 4.])
        made = parallel_for.jacobian(x * x, [x, y])
        self.assertIsNone(made[1])
        with tf.Session() as session:
            self.assertEqual(session.run(made[0]).tolist(), [[2, 0], [0, 4]])

    def test_batches_must_match(self):
        with self.assertRaisesRegex(ValueError, r'Need first dimension of output shape '
                                                r'\(\(3, 2\)\) and inp shape \(\(2, 2\)\) to '
                                                r'match.'):
            parallel_for.batch_jacobian(tf.ones([3, 2]), tf.ones([2, 2]))


if __name__ == '__main__':
    unittest.main()
