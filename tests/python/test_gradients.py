# SPDX-License-Identifier: Apache-2.0
"""tf.gradients and what programs add to it. Facts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf
from leat.python.framework import ops


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_all(self, *tensors):
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            return s.run(tensors)


class Gradients(Base):
    def test_net(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        v, b = tf.Variable([[1.0, 2.0], [0., 1.]], name='v'), tf.Variable([.5, .5], name='b')
        loss = tf.reduce_sum(tf.nn.relu(tf.nn.bias_add(tf.matmul(x, v), b)))
        g = tf.gradients(loss, [v, b, x])
        self.assertEqual([t.name for t in g],
                         ['gradients/MatMul_grad/MatMul_1:0',
                          'gradients/BiasAdd_grad/BiasAddGrad:0',
                          'gradients/MatMul_grad/MatMul:0'])
        got = self.run_all(*g)
        np.testing.assert_allclose(got[0], [[4, 4], [6, 6]])
        np.testing.assert_allclose(got[1], [2, 2])
        np.testing.assert_allclose(got[2], [[3, 1], [3, 1]])

    def test_unconnected_and_stopped(self):
        x, y = tf.Variable(1.0), tf.Variable([2.0])
        z = x * 3.0
        self.assertEqual(tf.gradients(z, y), [None])
        zero, = tf.gradients(z, y, unconnected_gradients='zero')
        stopped = tf.gradients(z * x, [x], stop_gradients=[z])
        self.assertEqual(tf.gradients(z, x, stop_gradients=z), [None])
        got = self.run_all(zero, stopped[0])
        np.testing.assert_array_equal(got[0], [0.0])
        self.assertEqual(got[1], 3.0)

    def test_first_gradients(self):
        x = tf.constant([1., 2.])
        y = x * x
        g, = tf.gradients([y, x * 2.0], x, grad_ys=[tf.constant([1., 10.]), None], name='mine')
        self.assertTrue(tf.get_default_graph().get_operation_by_name('mine/grad_ys_0'))
        np.testing.assert_allclose(self.run_all(g)[0], [4., 42.])

    def test_slices(self):
        v = tf.Variable(np.ones([4, 2], np.float32))
        g, = tf.gradients(tf.reduce_sum(tf.gather(v, [1, 1, 3])), v)
        self.assertIsInstance(g, tf.IndexedSlices)
        dense = tf.convert_to_tensor(g)
        got = self.run_all(g, dense)
        np.testing.assert_array_equal(got[0].indices, [1, 1, 3])
        np.testing.assert_array_equal(got[1][:, 0], [0, 2, 0, 1])

    def test_errors(self):
        x = tf.constant([1., 2.])
        for kind, text, call in (
                (ValueError, 'Unknown value for unconnected_gradients: \'x\'',
                 lambda: tf.gradients(x, x, unconnected_gradients='x')),
                (ValueError, 'Passed 2 grad_ys for 1 ys',
                 lambda: tf.gradients(x, x, grad_ys=[None, None])),
                (TypeError, 'Gradients of complex tensors must set grad_ys (y.dtype = '
                            'tf.complex64)', lambda: tf.gradients(tf.complex(x, x), x)),
                (TypeError, 'Gradient type complex64 generated for real or integer-valued tensor '
                            'Tensor("Const:0", shape=(2,), dtype=float32) with type float32 must '
                            'be real or integer',
                 lambda: tf.gradients(x, x, grad_ys=tf.constant([1j, 1j], tf.complex64)))):
            with self.assertRaises(kind) as e:
                call()
            self.assertEqual(str(e.exception), text)

    def test_hessians(self):
        x = tf.constant([1., 2.])
        h, = tf.hessians(tf.reduce_sum(x * x * x), x)
        np.testing.assert_allclose(self.run_all(h)[0], [[6, 0], [0, 12]])

    def test_loops_and_branches(self):
        x = tf.constant(2.0)
        _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])
        z = tf.cond(x > 1.0, lambda: x * x, lambda: x)
        m = tf.map_fn(lambda e: e * e, tf.stack([x, x]))
        got = self.run_all(*[tf.gradients(t, x)[0] for t in (y, z, m)])
        self.assertEqual(got, (32.0, 4.0, 8.0))


class OfPrograms(Base):
    def test_override(self):
        name = 'TestGradientTriple%d' % ops.uid()
        seen = []

        @tf.RegisterGradient(name)
        def _triple(op, grad):
            seen.append((op.name, op.type))
            return grad * 3.0
        x = tf.constant([1., 2.])
        with tf.get_default_graph().gradient_override_map({'Square': name}):
            y = tf.square(x, name='sq')
            looped = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tf.square(a)), [0, x])
        g, = tf.gradients(y, x)
        gl, = tf.gradients(looped[1], x)
        self.assertEqual(seen, [('sq', 'Square'), ('while/Square', 'Square')])
        self.assertEqual(g.name, 'gradients/sq_grad/mul:0')
        got = self.run_all(g, gl)
        np.testing.assert_array_equal(got[0], [3, 3])
        np.testing.assert_array_equal(got[1], [9, 9])
        self.assertIs(ops.get_gradient_function(y.op), _triple)
        with self.assertRaisesRegex(KeyError, 'Registering two gradient with name'):
            tf.RegisterGradient(name)(_triple)

    def test_of_py_func(self):
        name = 'TestGradientPy%d' % ops.uid()

        @tf.RegisterGradient(name)
        def _grad(op, grad):
            return grad * op.inputs[0]
        x = tf.constant([1., 2.])
        with tf.get_default_graph().gradient_override_map({'PyFunc': name}):
            y = tf.py_func(np.square, [x], tf.float32)
        np.testing.assert_array_equal(self.run_all(tf.gradients(y, x)[0])[0], [1, 2])

    def test_wrong_ones(self):
        x = tf.constant([1., 2.])
        many, raising = 'TestMany%d' % ops.uid(), 'TestRaising%d' % ops.uid()

        @tf.RegisterGradient(many)
        def _many(op, grad):
            return grad, grad

        @tf.RegisterGradient(raising)
        def _raising(op, grad):
            raise KeyError('mine')
        for name, kind, text in ((many, ValueError, 'Num gradients 2 generated for op'),
                                 (raising, KeyError, 'mine'),
                                 ('TestNone', LookupError, 'No gradient defined for operation')):
            with tf.get_default_graph().gradient_override_map({'Square': name}):
                y = tf.square(x)
            with self.assertRaisesRegex(kind, text):
                tf.gradients(y, x)

    def test_functions_of_the_library(self):
        x = tf.constant([[1., 2.]])
        y = tf.matmul(x, [[3.], [4.]])
        grads = ops.get_gradient_function(y.op)(y.op, tf.constant([[1.]]))
        np.testing.assert_array_equal(self.run_all(grads[0])[0], [[3, 4]])

    def test_custom_gradient(self):
        @tf.custom_gradient
        def softplus(x):
            e = tf.exp(x)

            def grad(dy):
                return dy * (1 - 1 / (1 + e))
            return tf.log(1 + e), grad

        @tf.custom_gradient
        def two(x, y):
            def grad(da, db):
                return da * 2., db * 3.
            return [x * y, x + y], grad
        x = tf.constant([100.])
        y = two(x, x)
        got = self.run_all(tf.gradients(softplus(x), x)[0], tf.gradients(y, x)[0])
        np.testing.assert_array_equal(got[0], [1.0])
        np.testing.assert_array_equal(got[1], [5.0])

    def test_custom_gradient_with_variables(self):
        with tf.variable_scope('vs', use_resource=True):
            v = tf.get_variable('v', initializer=3.0)

            @tf.custom_gradient
            def f(x):
                def grad(dy, variables=None):
                    self.assertEqual([w.name for w in variables], ['vs/v:0'])
                    return dy, [tf.constant(7.0)]
                return x * v, grad
            x = tf.constant(1.0)
            g = tf.gradients(f(x), [x, v])

            @tf.custom_gradient
            def no_keyword(x):
                return x * v, lambda dy: dy
            with self.assertRaisesRegex(TypeError, 'grad_fn must accept a \'variables\' keyword'):
                no_keyword(x)
        self.assertEqual(self.run_all(*g), (1.0, 7.0))

    def test_recompute(self):
        x = tf.constant(3.0)
        with tf.variable_scope('q', use_resource=True):
            v = tf.get_variable('v', initializer=2.0)
            y = tf.recompute_grad(lambda x: x * x * v)(x)
        self.assertEqual(self.run_all(*tf.gradients(y, [x, v])), (12.0, 9.0))
        with self.assertRaisesRegex(TypeError, 'must have use_resource=True'):
            tf.recompute_grad(lambda x: x * x)(x)


class Checker(Base):
    def test_errors_are_small(self):
        x = tf.placeholder(tf.float32, [2, 3])
        y = tf.tanh(x)
        with tf.Session():
            self.assertLess(tf.test.compute_gradient_error(x, [2, 3], y, [2, 3]), 1e-3)
            theory, numeric = tf.test.compute_gradient(
                x, [2, 3], y, [2, 3], x_init_value=np.ones([2, 3], np.float32))
            self.assertEqual(theory.shape, (6, 6))
            np.testing.assert_allclose(theory, numeric, atol=1e-3)


if __name__ == '__main__':
    unittest.main()
