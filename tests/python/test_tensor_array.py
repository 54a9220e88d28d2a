# SPDX-License-Identifier: Apache-2.0
"""Tensor arrays, maps, folds, py_func, tf.print. Facts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf


def names():
    return {op.name: op for op in tf.get_default_graph().get_operations()}


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def value(self, tensors, feeds=None):
        with tf.Session() as s:
            return s.run(tensors, feeds)

    def told(self, kind, call):
        with self.assertRaises(kind) as e:
            call()
        return str(e.exception)


class Arrays(Base):
    def test_write_and_stack(self):
        ta = tf.TensorArray(tf.float32, size=3)
        ta = ta.write(0, [1., 2.]).write(1, [3., 4.]).write(2, tf.constant([5., 6.]))
        stacked = ta.stack()
        found = names()
        self.assertEqual(ta.flow.name, 'TensorArrayWrite_2/TensorArrayWriteV3:0')
        self.assertEqual(found['TensorArrayWrite_1/TensorArrayWriteV3'].colocation_groups(),
                         [b'loc:@TensorArrayWrite/value'])
        self.assertEqual([t.name for t in found['TensorArrayStack/TensorArrayGatherV3'].inputs],
                         ['TensorArray:0', 'TensorArrayStack/range:0',
                          'TensorArrayWrite_2/TensorArrayWriteV3:0'])
        self.assertEqual((stacked.shape.as_list(), ta.element_shape.as_list()), ([None, 2], [2]))
        np.testing.assert_array_equal(self.value(stacked), [[1, 2], [3, 4], [5, 6]])

    def test_the_rest(self):
        grow = tf.TensorArray(tf.float32, size=0, dynamic_size=True, name='dyn').unstack(
            [[1., 2.], [3., 4.]])
        parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split([1., 2., 3.], [1, 2])
        self.assertEqual(parts.close().type, 'TensorArrayCloseV3')
        put = tf.TensorArray(tf.float32, 2).scatter([1, 0], [[1.], [2.]])
        got = self.value([grow.gather([1]), grow.identity().size(), parts.concat(),
                          put.concat()])
        np.testing.assert_array_equal(got[0], [[3, 4]])
        self.assertEqual(got[1], 2)
        np.testing.assert_array_equal(got[2], [1, 2, 3])
        np.testing.assert_array_equal(got[3], [2, 1])

    def test_in_a_loop(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        into = tf.TensorArray(tf.float32, 2).unstack(x)

        def body(i, a, out):
            v = into.read(i)
            return i + 1, a + v, out.write(i, a * v)
        w = tf.while_loop(lambda i, a, o: i < 2, body,
                          [0, tf.ones([2]), tf.TensorArray(tf.float32, 2)])
        self.assertIsInstance(w[2], tf.TensorArray)
        out = w[2].stack()
        got = self.value([out, tf.gradients(out, x)[0]])
        np.testing.assert_array_equal(got[0], [[1, 2], [6, 12]])
        np.testing.assert_array_equal(got[1], [[4, 5], [2, 3]])

    def test_errors(self):
        x = tf.constant(1.0)
        for kind, text, call in (
                (ValueError, 'Size must be provided if handle is not provided',
                 lambda: tf.TensorArray(tf.float32)),
                (ValueError, 'Cannot provide both a handle and size at the same time',
                 lambda: tf.TensorArray(tf.float32, size=2, handle=x)),
                (TypeError, 'Handle must be a Tensor', lambda: tf.TensorArray(tf.float32,
                                                                              handle=3)),
                (ValueError, 'Inconsistent shapes: saw (1,) but expected (2,) ',
                 lambda: tf.TensorArray(tf.float32, 3, element_shape=[2]).write(0, [1.]))):
            self.assertEqual(self.told(kind, call), text)
        ta = tf.TensorArray(tf.float32, 1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Tried to write to index 3 '
                                                                    'but array is not resizeable'):
            self.value(ta.write(3, 1.0).flow)


class Functional(Base):
    def test_map(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        m = tf.map_fn(lambda e: e * 2.0, x)
        two = tf.map_fn(lambda e: (e[0] + e[1], e[0] - e[1]), (x, x),
                        dtype=(tf.float32, tf.float32))
        empty = tf.placeholder(tf.float32, [None, 2])
        none = tf.map_fn(tf.reduce_sum, empty)
        self.assertEqual((m.name, m.shape.as_list(), none.shape.as_list()),
                         ('map/TensorArrayStack/TensorArrayGatherV3:0', [2, 2], [None]))
        got = self.value([m, two, none], {empty: np.zeros([0, 2])})
        np.testing.assert_array_equal(got[0], [[2, 4], [6, 8]])
        np.testing.assert_array_equal(got[1][0], [[2, 4], [6, 8]])
        self.assertEqual(got[2].shape, (0,))
        self.assertEqual(self.told(ValueError, lambda: tf.map_fn(lambda e: e, 3.0)),
                         'elems must be a 1+ dimensional Tensor, not a scalar')
        self.assertEqual(self.told(TypeError, lambda: tf.map_fn(3, [1.])), 'fn must be callable.')

    def test_folds(self):
        x = tf.constant([1., 2., 3.])
        got = self.value([
            tf.foldl(lambda a, e: a - e, x), tf.foldl(lambda a, e: a - e, x, initializer=10.),
            tf.foldr(lambda a, e: a - e, x), tf.foldr(lambda a, e: a * e, x, initializer=2.)])
        self.assertEqual(got, [-4.0, 4.0, 0.0, 12.0])

    def test_scan(self):
        x = tf.constant([1., 2., 3.])
        a = tf.scan(lambda a, e: a * e, x)
        b = tf.scan(lambda a, e: a * e, x, reverse=True)
        c = tf.scan(lambda a, e: (a[0] + e, a[1] * e), x, initializer=(0., 1.))
        got = self.value([a, b, c, tf.gradients(a, x)[0]])
        np.testing.assert_array_equal(got[0], [1, 2, 6])
        np.testing.assert_array_equal(got[1], [6, 6, 3])
        np.testing.assert_array_equal(got[2], [[1, 3, 6], [1, 2, 6]])
        np.testing.assert_array_equal(got[3], [9, 4, 2])


class PyFunc(Base):
    def test_values(self):
        x = tf.constant([1., 2.])
        one = tf.py_func(lambda a, b: a + b, [x, x], tf.float32)
        two = tf.py_func(lambda a: [a, a.astype(np.int64)], [x], [tf.float32, tf.int64],
                         stateful=False)
        text = tf.py_func(lambda a: 'abc', [x], tf.string)
        none = tf.py_func(lambda a: None, [x], [])
        self.assertIsInstance(one, tf.Tensor)
        self.assertEqual((one.op.type, two[0].op.type, none.type),
                         ('PyFunc', 'PyFuncStateless', 'PyFunc'))
        got = self.value([one, two[1], text, none])
        np.testing.assert_array_equal(got[0], [2, 4])
        np.testing.assert_array_equal(got[1], [1, 2])
        self.assertEqual(got[2:], [b'abc', None])

    def test_errors(self):
        x = tf.constant(1.0)

        def wrong(f, types=tf.float32):
            return self.told(tf.errors.OpError, lambda: self.value(tf.py_func(f, [x], types)))
        self.assertIn('returns 2 values, but expects to see 1 values.', wrong(lambda a: (a, a)))
        self.assertIn('is double, but expects float', wrong(lambda a: a.astype('float64')))
        self.assertIn('ZeroDivisionError: division by zero', wrong(lambda a: 1 / 0))
        self.assertEqual(self.told(ValueError, lambda: tf.py_func(3, [x], tf.float32)),
                         'Expected func to be callable, got func of type <class \'int\'>')

    def test_functions_go_with_their_graph(self):
        from leat.python.ops import script_ops
        before = script_ops._py_funcs.size()
        with tf.Graph().as_default():
            tf.py_func(lambda: 1, [], tf.int64)
            self.assertEqual(script_ops._py_funcs.size(), before + 1)


class Prints(Base):
    def test_print(self):
        p = tf.constant([1., 2.])
        op = tf.print('a', {'k': p}, sep=',', name='pr')
        self.assertEqual((op.type, op.name), ('PrintV2', 'pr'))
        self.assertEqual(names()['pr_format'].get_attr('template'), b"a,{'k': {}}")
        old = tf.Print(p, [p], message='m', first_n=2, summarize=1)
        self.assertEqual((old.op.type, old.op.get_attr('first_n')), ('Print', 2))
        self.assertEqual(self.told(ValueError, lambda: tf.print(p, foo=1)),
                         'Unrecognized keyword arguments for tf.print: {\'foo\': 1}')

    def test_summaries_of_old_programs(self):
        x = tf.scalar_summary('loss', 1.5)
        y = tf.histogram_summary('h', [1., 2.], name='hh')
        self.assertEqual((x.name, y.name, tf.get_collection('summaries')),
                         ('ScalarSummary:0', 'hh:0', [x, y]))
        self.assertEqual(self.value(x), b'\n\x0b\n\x04loss\x15\x00\x00\xc0?')


class Lists(Base):
    def test_elements(self):
        from leat.python.ops import list_ops
        made = list_ops.tensor_list_from_tensor(tf.constant([1., 2., 3.]), element_shape=[])
        kept = list_ops.tensor_list_reserve(None, 3, tf.float32)
        kept = list_ops.tensor_list_set_item(kept, 0, 3.0)
        got = self.value([list_ops.tensor_list_stack(made, tf.float32),
                          list_ops.tensor_list_length(made),
                          list_ops.tensor_list_gather(made, [2, 0], tf.float32),
                          list_ops.tensor_list_get_item(kept, 0, tf.float32)])
        np.testing.assert_array_equal(got[0], [1, 2, 3])
        np.testing.assert_array_equal(got[2], [3, 1])
        self.assertEqual((got[1], got[3]), (3, 3.0))


if __name__ == '__main__':
    unittest.main()
