# SPDX-License-Identifier: Apache-2.0
"""tf.py_function: functions of tensors that have values, their results and gradients."""
import unittest

import numpy as np

import leat as tf


class PyFunctionTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def test_values(self):
        x = tf.placeholder(tf.float32, [None])

        def function(a, n):
            self.assertEqual(a.dtype, tf.float32)
            if tf.reduce_sum(a) > 0:  # has a value
                return tf.square(a) * a.numpy().max(), n + 1
            return [-1., -1.], int(n)
        y = tf.py_function(function, [x, tf.constant(3)], [tf.float32, tf.int32])
        self.assertEqual(y[0].op.type, 'EagerPyFunc')
        a, n = self.session.run(y, {x: [1., 2.]})
        self.assertEqual((a.tolist(), n), ([2., 8.], 4))
        a, n = self.session.run(y, {x: [-1.]})
        self.assertEqual((a.tolist(), n), ([-1., -1.], 3))

    def test_gradient(self):
        x = tf.placeholder(tf.float32, [])
        y = tf.py_function(lambda a: a * a if a > 0 else 3 * a, [x], tf.float32)
        gradient = tf.gradients(5. * y, x)[0]
        self.assertEqual(self.session.run(gradient, {x: 3.}), 30.)
        self.assertEqual(self.session.run(gradient, {x: -3.}), 15.)

    def test_texts_and_none(self):
        text = tf.py_function(lambda s: s.numpy() + b'!', [tf.constant('a')], tf.string)
        self.assertEqual(self.session.run(text), b'a!')
        seen = []
        done = tf.py_function(lambda v: seen.extend(v.numpy()), [tf.constant([1, 2])], [])
        self.session.run(done)
        self.assertEqual(seen, [1, 2])

    def test_errors(self):
        def fails(_):
            raise ValueError('no')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'ValueError: no'):
            self.session.run(tf.py_function(fails, [tf.constant(1)], tf.int32))
        with self.assertRaisesRegex(ValueError, 'Expected func to be callable'):
            tf.py_function(3, [tf.constant(1)], tf.int32)

    def test_other_graphs_are_as_ever(self):
        with self.assertRaises(TypeError):
            bool(tf.constant(1))
        self.assertFalse(hasattr(tf.constant(1), 'numpy'))
        np.testing.assert_raises(NotImplementedError, np.asarray, tf.constant(1))


if __name__ == '__main__':
    unittest.main()
