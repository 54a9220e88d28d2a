# SPDX-License-Identifier: Apache-2.0
"""get_variable and its scopes: names, reuse, defaults, errors. Facts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf
from leat.python.ops import variables


def ones(shape, dtype=None, partition_info=None):
    del partition_info
    return tf.constant(np.ones(shape), dtype=dtype)


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()


class Scopes(Base):
    def test_names(self):
        with tf.variable_scope('x', initializer=ones) as sc:
            g = tf.get_variable('g', [2])
            self.assertEqual(tf.constant(1).name, 'x/Const:0')
            with tf.variable_scope('y'):
                self.assertEqual(tf.get_variable('g', [2]).name, 'x/y/g:0')
        with tf.variable_scope(sc, reuse=True):
            self.assertIs(tf.get_variable('g'), g)
            self.assertEqual(tf.constant(1).name, 'x_1/Const:0')
        with tf.variable_scope('x'):
            self.assertEqual(tf.constant(1).name, 'x_2/Const:0')
        with tf.variable_scope(sc, auxiliary_name_scope=False) as again:
            self.assertEqual(tf.constant(1).name, 'Const:0')
            with tf.name_scope(again.original_name_scope):
                self.assertEqual(tf.constant(1).name, 'x/Const_1:0')
        with tf.variable_scope(None, 'x'):
            self.assertEqual(tf.get_variable('g', initializer=[1, 2]).name, 'x_1/g:0')
            self.assertEqual(tf.constant(1).name, 'x_3/Const:0')
        self.assertEqual(tf.get_variable_scope().name, '')

    def test_default_names_count_open_scopes(self):
        def layer():
            with tf.variable_scope(None, default_name='layer') as s:
                return s.name
        self.assertEqual([layer(), layer()], ['layer', 'layer_1'])
        with tf.variable_scope('outer'):
            self.assertEqual([layer(), layer()], ['outer/layer', 'outer/layer_1'])
        with tf.variable_scope('outer'):
            self.assertEqual(layer(), 'outer/layer')

    def test_reuse(self):
        with tf.variable_scope('a', reuse=tf.AUTO_REUSE):
            v = tf.get_variable('v', initializer=1.0)
            self.assertIs(tf.get_variable('v', shape=[]), v)
        with tf.variable_scope('a') as s:
            self.assertFalse(s.reuse)
            s.reuse_variables()
            self.assertIs(tf.get_variable('v'), v)
            with tf.variable_scope('b', reuse=False) as inner:
                self.assertTrue(inner.reuse)
        with self.assertRaisesRegex(ValueError, 'reuse=True cannot be used without a '
                                                'name_or_scope'):
            with tf.variable_scope(None, 'd', reuse=True):
                pass

    def test_errors(self):
        with tf.variable_scope('a'):
            tf.get_variable('v', initializer=ones, shape=[2])

        def text(call, kind=ValueError):
            with self.assertRaises(kind) as e:
                call()
            return str(e.exception)
        found = text(lambda: tf.get_variable('a/v', [2]))
        self.assertTrue(found.startswith(
            'Variable a/v already exists, disallowed. Did you mean to set reuse=True or '
            'reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n  File "'), found)
        self.assertIn('test_variable_scope.py', found)
        with tf.variable_scope('', reuse=True):
            self.assertEqual(
                text(lambda: tf.get_variable('b')),
                'Variable b does not exist, or was not created with tf.get_variable(). Did you '
                'mean to set reuse=tf.AUTO_REUSE in VarScope?')
            self.assertEqual(text(lambda: tf.get_variable('a/v', [5])),
                             'Trying to share variable a/v, but specified shape (5,) and found '
                             'shape (2,).')
            self.assertEqual(text(lambda: tf.get_variable('a/v', [2], dtype=tf.int32)),
                             'Trying to share variable a/v, but specified dtype int32 and found '
                             'dtype float32_ref.')
        self.assertEqual(text(lambda: tf.get_variable('c', [1], initializer=tf.constant([1.0]))),
                         'If initializer is a constant, do not specify shape.')
        self.assertEqual(
            text(lambda: tf.get_variable('c', dtype=tf.int32, initializer=1.5)),
            'Initializer type \'<dtype: \'float32\'>\' and explicit dtype \'<dtype: \'int32\'>\' '
            'don\'t match.')
        self.assertIn('name_or_scope must be a string or VariableScope.',
                      text(lambda: tf.variable_scope(3).__enter__(), TypeError))

    def test_defaults_are_inherited(self):
        losses = []

        def l2(v):
            losses.append(v.name)
            return tf.reduce_sum(v * v, name='l2')
        with tf.variable_scope('a', initializer=ones, regularizer=l2, dtype=tf.float64,
                               constraint=abs):
            with tf.variable_scope('b'):
                v = tf.get_variable('v', [2])
            w = tf.get_variable('w', [1], regularizer=tf.no_regularizer)
        self.assertEqual((v.dtype.base_dtype, v.constraint, w.constraint), (tf.float64, abs, abs))
        self.assertEqual(losses, ['a/b/v:0'])
        self.assertEqual([t.name for t in tf.get_collection('regularization_losses')],
                         ['a/b/v/Regularizer/l2:0'])
        self.assertEqual(tf.get_default_graph().get_operation_by_name('a/b/v/Regularizer/l2')
                         .colocation_groups(), [b'loc:@a/b/v'])

    def test_custom_getters(self):
        seen = []

        def getter(getter, name, *args, **kwargs):
            seen.append(name)
            return getter(name, *args, **kwargs)

        def scaled(getter, name, *args, **kwargs):
            return getter(name, *args, **kwargs) * 2.0
        with tf.variable_scope('a', custom_getter=getter):
            with tf.variable_scope('b', custom_getter=scaled):
                v = tf.get_variable('v', initializer=3.0)
        self.assertEqual((seen, v.op.type), (['a/b/v'], 'Mul'))
        with self.assertRaisesRegex(ValueError, 'Passed a custom_getter which is not callable'):
            tf.get_variable('q', [1], custom_getter=3)

    def test_creators(self):
        def creator(next_creator, **kwargs):
            kwargs['trainable'] = False
            return next_creator(**kwargs)
        with tf.variable_creator_scope(creator):
            v = tf.Variable(1.0)
            w = tf.get_variable('w', initializer=1.0)
        self.assertEqual((v.trainable, w.trainable, tf.trainable_variables()), (False, False, []))

    def test_local(self):
        v = tf.get_local_variable('l', initializer=1.0)
        self.assertEqual((tf.local_variables(), tf.global_variables(), tf.trainable_variables()),
                         ([v], [], []))

    def test_resources(self):
        with tf.variable_scope('r', use_resource=True):
            v = tf.get_variable('v', [1], initializer=ones)
        self.assertEqual(v.op.type, 'VarHandleOp')
        tf.enable_resource_variables()
        try:
            self.assertTrue(tf.resource_variables_enabled())
            self.assertEqual(tf.Variable(1.0).op.type, 'VarHandleOp')
        finally:
            tf.disable_resource_variables()


class Partitions(Base):
    def test_slices(self):
        with tf.variable_scope('p', partitioner=tf.fixed_size_partitioner(2)):
            pv = tf.get_variable('w', [5, 3], initializer=ones)
            with self.assertRaisesRegex(ValueError, 'Partitioned variable with name p/w already '
                                                    'exists'):
                tf.get_variable('w', [5, 3], initializer=ones)
        self.assertIsInstance(pv, variables.PartitionedVariable)
        self.assertEqual([(v.name, v.shape.as_list()) for v in pv],
                         [('p/w/part_0:0', [3, 3]), ('p/w/part_1:0', [2, 3])])
        self.assertEqual([v._get_save_slice_info().spec for v in pv],
                         ['5 3 0,3:0,3', '5 3 3,2:0,3'])
        total = tf.add(pv, 1.0)
        self.assertEqual(total.op.inputs[0].name, 'p/w:0')
        with tf.variable_scope('p', reuse=True):
            self.assertIs(tf.get_variable('w', [5, 3]), pv)
        with self.assertRaisesRegex(ValueError, 'No partitioner was provided, but a partitioned '
                                                'version of the variable was found: p/w/part_0.'):
            tf.get_variable('p/w', [5, 3])
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(s.run(total), np.full((5, 3), 2.0))

    def test_partitioners(self):
        shape = tf.TensorShape([8, 16])
        self.assertEqual(tf.variable_axis_size_partitioner(64)(shape=shape, dtype=tf.float32),
                         [8, 1])
        self.assertEqual(tf.min_max_variable_partitioner(5, min_slice_size=64)(
            shape=shape, dtype=tf.float32), [5, 1])
        self.assertEqual(tf.fixed_size_partitioner(3, axis=1)(shape=shape, dtype=tf.float32),
                         [1, 3])
        parts = tf.create_partitioned_variables([4], [2], tf.constant([1., 2., 3., 4.]), name='c')
        self.assertEqual([v.name for v in parts], ['c/part_0:0', 'c/part_1:0'])


class Templates(Base):
    def test_share(self):
        def net(z):
            return tf.get_variable('w', [2], initializer=ones) * z
        t = tf.make_template('tmpl', net)
        a, b = t(1.0), t(2.0)
        self.assertEqual([v.name for v in t.variables], ['tmpl/w:0'])
        self.assertEqual((a.name, b.name), ('tmpl/mul:0', 'tmpl_1/mul:0'))
        other = tf.make_template('tmpl', net)
        other(1.0)
        self.assertEqual(other.variable_scope.name, 'tmpl_1')
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(s.run(b), [2, 2])

    def test_errors_tell_where(self):
        def bad():
            raise KeyError('inside')
        with self.assertRaisesRegex(KeyError, 'originally defined at'):
            tf.make_template('t', bad)()


if __name__ == '__main__':
    unittest.main()
