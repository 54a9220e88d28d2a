# SPDX-License-Identifier: Apache-2.0
"""Variables of both kinds: nodes, values, updates, protos. Names, texts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf
from leat.core.framework import variable_pb2
from leat.python.ops import resource_variable_ops
from leat.python.ops import variables


def rows(graph=None):
    """{node: (op, inputs, colocation, device)}."""
    graph = graph or tf.get_default_graph()
    return {n.name: (n.op, list(n.input), [bytes(s) for s in n.attr['_class'].list.s]
                     if '_class' in n.attr else [], n.device) for n in graph.as_graph_def().node}


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()


class RefVariables(Base):
    def test_nodes(self):
        v = tf.Variable([1.0, 2.0], name='v')
        found = rows()
        self.assertEqual(found['v/initial_value'], ('Const', [], [], ''))
        self.assertEqual(found['v'], ('VariableV2', [], [], ''))
        self.assertEqual(found['v/Assign'], ('Assign', ['v', 'v/initial_value'], [b'loc:@v'], ''))
        self.assertEqual(found['v/read'], ('Identity', ['v'], [b'loc:@v'], ''))
        self.assertEqual(str(v), "<tf.Variable 'v:0' shape=(2,) dtype=float32_ref>")
        self.assertIsInstance(v, tf.Variable)
        self.assertEqual((v.name, v.op.name, v.initializer.name, v.value().name),
                         ('v:0', 'v', 'v/Assign', 'v/read:0'))

    def test_rows(self):
        with tf.Graph().as_default(), tf.Session() as session:
            kinds = [tf.Variable([[1., 2.], [3., 4.]], use_resource=kind)
                     for kind in (False, True)]
            session.run(tf.global_variables_initializer())
            for v in kinds:
                found = session.run([tf.gather(v, [1]), tf.gather_nd(v, [[1, 0]]),
                                     tf.nn.embedding_lookup(v, [1]),
                                     tf.nn.embedding_lookup([v, v], [1])])
                self.assertEqual([f.tolist() for f in found],
                                 [[[3., 4.]], [3.], [[3., 4.]], [[1., 2.]]])

    def test_function_as_first_value(self):
        tf.Variable(lambda: tf.constant(3.0), trainable=False)
        found = rows()
        self.assertEqual(found['Variable/Initializer/Const'][2], [b'loc:@Variable'])
        self.assertEqual(found['Variable'][2], [b'loc:@Variable'])
        self.assertEqual(tf.trainable_variables(), [])
        self.assertEqual(len(tf.global_variables()), 1)

    def test_collections_and_devices(self):
        with tf.device('/cpu:0'):
            d = tf.Variable([0., 0.], caching_device='/cpu:0')
        u = tf.Variable(7, collections=['mine'], name='u')
        found = rows()
        self.assertEqual(found['Variable/read'], ('Identity', ['Variable'], [], '/device:CPU:0'))
        self.assertEqual(tf.get_collection('mine'), [u])
        self.assertEqual(tf.trainable_variables(), [d, u])
        self.assertEqual(tf.global_variables(), [d])
        init = tf.global_variables_initializer()
        self.assertEqual(init.type, 'NoOp')
        self.assertEqual(tf.local_variables_initializer().name, 'init_1')

    def test_initializer_is_grouped_by_device(self):
        tf.Variable(1.0, name='a')
        with tf.device('/cpu:0'):
            tf.Variable(1.0, name='b')
        tf.global_variables_initializer()
        found = rows()
        self.assertEqual(found['init/NoOp'][1], ['^a/Assign'])
        self.assertEqual(found['init/NoOp_1'][1:], (['^b/Assign'], [], '/device:CPU:0'))
        self.assertEqual(sorted(found['init'][1]), ['^init/NoOp', '^init/NoOp_1'])

    def test_updates(self):
        v = tf.Variable([1.0, 2.0])
        a = v.assign([3., 4.])
        b = v.assign_add([3., 4.])
        c = tf.assign_sub(v, [1., 1.])
        d = tf.scatter_update(v, [0], [9.0])
        e = v[1].assign(7.0)
        f = v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))
        self.assertEqual(v.assign([1., 1.], read_value=False).type, 'Assign')
        with tf.Session() as s:
            s.run(v.initializer)
            for op, want in ((a, [3, 4]), (b, [6, 8]), (c, [5, 7]), (d, [9, 7]), (e, [9, 7]),
                             (f, [9, 8])):
                np.testing.assert_array_equal(s.run(op), want)
            v.load([2., 2.], s)
            np.testing.assert_array_equal(v.eval(), [2, 2])
            np.testing.assert_array_equal(s.run(v.read_value()), [2, 2])
            np.testing.assert_array_equal(s.run(v + 1.0), [3, 3])

    def test_first_values_of_others_are_waited_for(self):
        a = tf.Variable(tf.constant(2.0) * 2.0, name='a')
        b = tf.Variable(a * 3.0, name='b')
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            self.assertEqual(s.run(b), 12.0)
        self.assertEqual(rows()['b/Assign'][1], ['b', 'mul_1_b'])

    def test_report_uninitialized(self):
        a, b = tf.Variable(1.0, name='a'), tf.Variable(1.0, name='b')
        report = tf.report_uninitialized_variables()
        with tf.Session() as s:
            np.testing.assert_array_equal(s.run(report), [b'a', b'b'])
            s.run(a.initializer)
            np.testing.assert_array_equal(s.run(report), [b'b'])
            self.assertFalse(s.run(tf.is_variable_initialized(b)))
            with self.assertRaises(tf.errors.FailedPreconditionError):
                s.run(tf.assert_variables_initialized())

    def test_protos(self):
        v = tf.Variable([1.0], name='v')
        with tf.name_scope('s'):
            w = tf.Variable([1.0], name='w', trainable=False)
        proto = v.to_proto()
        self.assertEqual((proto.variable_name, proto.initializer_name, proto.snapshot_name,
                          proto.initial_value_name, proto.trainable),
                         ('v:0', 'v/Assign', 'v/read:0', 'v/initial_value:0', True))
        self.assertIsNone(v.to_proto(export_scope='s'))
        self.assertEqual(w.to_proto(export_scope='s').variable_name, 'w:0')
        again = tf.Variable.from_proto(proto)
        self.assertEqual((again.name, again.initializer), (v.name, v.initializer))
        parsed = variable_pb2.VariableDef.FromString(proto.SerializeToString())
        self.assertEqual(parsed.variable_name, 'v:0')

    def test_errors(self):
        for text, call in (
                ('initial_value must be specified.', lambda: tf.Variable()),
                ('collections argument to Variable constructor must be a list, tuple, or set. '
                 'Got x of type <class \'str\'>', lambda: tf.Variable(1.0, collections='x')),
                ('The `constraint` argument must be a callable.',
                 lambda: tf.Variable(1.0, constraint=3)),
                ('initial_value must have a shape specified: Tensor("Placeholder:0", '
                 'dtype=float32)', lambda: tf.Variable(tf.placeholder(tf.float32)))):
            with self.assertRaises(ValueError) as e:
                call()
            self.assertEqual(str(e.exception), text)
        with self.assertRaisesRegex(TypeError, "'Variable' object is not iterable."):
            iter(tf.Variable(1.0))
        with self.assertRaisesRegex(ValueError, 'Incompatible type conversion requested to type '
                                                "'int32' for variable of type 'float32_ref'"):
            tf.convert_to_tensor(tf.Variable(1.0), dtype=tf.int32)

    def test_in_a_branch_the_first_value_must_be_a_function(self):
        def wrong():
            return tf.Variable(tf.constant(1.0) + 1.0, name='inner').value()

        def right():
            return tf.Variable(lambda: tf.constant(1.0), name='inner').value()
        with self.assertRaisesRegex(ValueError, 'Initializer for variable cond/inner/ is from '
                                                'inside a control-flow construct'):
            tf.cond(tf.constant(True), wrong, wrong)
        out = tf.cond(tf.constant(True), right, right)
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            self.assertEqual(s.run(out), 1.0)


class ResourceVariables(Base):
    def test_nodes(self):
        v = tf.Variable([1.0, 2.0], name='v', use_resource=True)
        found = rows()
        self.assertEqual(found['v'], ('VarHandleOp', [], [b'loc:@v'], ''))
        self.assertEqual(found['v/Initializer/initial_value'][2], [b'loc:@v'])
        self.assertEqual(found['v/Assign'],
                         ('AssignVariableOp', ['v', 'v/Initializer/initial_value'], [], ''))
        self.assertEqual(found['v/IsInitialized/VarIsInitializedOp'][0], 'VarIsInitializedOp')
        self.assertEqual(found['v/Read/ReadVariableOp'], ('ReadVariableOp', ['v'], [], ''))
        self.assertEqual(repr(v), "<tf.Variable 'v:0' shape=(2,) dtype=float32>")
        self.assertTrue(resource_variable_ops.is_resource_variable(v))
        self.assertIsInstance(v, tf.Variable)

    def test_updates_are_read_after(self):
        v = tf.Variable([1.0, 2.0], name='v', use_resource=True)
        a = v.assign([3., 4.])
        b = tf.scatter_update(v, [0], [9.0])
        self.assertEqual((a.name, a.op.type), ('AssignVariableOp', 'AssignVariableOp'))
        found = rows()
        self.assertEqual(found['ReadVariableOp'][1], ['v', '^AssignVariableOp'])
        self.assertEqual(found['ReadVariableOp_1'][1], ['v', '^ResourceScatterUpdate'])
        with tf.Session() as s:
            s.run(v.initializer)
            np.testing.assert_array_equal(s.run(a), [3, 4])
            np.testing.assert_array_equal(s.run(b), [9, 4])
            np.testing.assert_array_equal(s.run(v[1].assign(5.0)), [9, 5])
            np.testing.assert_array_equal(s.run(tf.gather(v, [1])), [5])
            np.testing.assert_array_equal(s.run(v.sparse_read([0])), [9])
            np.testing.assert_array_equal(s.run(v * 2.0), [18, 10])

    def test_errors(self):
        v = tf.Variable([1.0, 2.0], name='v', use_resource=True)
        with self.assertRaisesRegex(ValueError, r'Shapes \(2,\) and \(3,\) are incompatible'):
            v.assign([1., 2., 3.])
        with self.assertRaisesRegex(RuntimeError, r'Variable \+= value not supported. Use '
                                                  r'variable.assign_add\(value\)'):
            v += 1.0
        with self.assertRaises(TypeError):
            bool(v)

    def test_gradients(self):
        v = tf.Variable([1.0, 2.0], use_resource=True)
        dense, = tf.gradients(v * v, v)
        rows_of, = tf.gradients(tf.gather(v, [1, 1]), v)
        self.assertIsInstance(rows_of, tf.IndexedSlices)
        with tf.Session() as s:
            s.run(v.initializer)
            np.testing.assert_array_equal(s.run(dense), [2, 4])
            np.testing.assert_array_equal(s.run(tf.convert_to_tensor(rows_of)), [0, 2])

    def test_protos(self):
        v = tf.Variable([1.0], name='v', use_resource=True)
        proto = v.to_proto()
        self.assertTrue(proto.is_resource)
        self.assertEqual(proto.snapshot_name, 'v/Read/ReadVariableOp:0')
        again = resource_variable_ops.ResourceVariable.from_proto(proto)
        self.assertEqual((again.handle, again.shape.as_list()), (v.handle, [1]))


class Enums(unittest.TestCase):
    def test_aggregation(self):
        self.assertEqual(tf.VariableAggregation.ONLY_FIRST_TOWER,
                         tf.VariableAggregation.ONLY_FIRST_REPLICA)
        self.assertEqual(variables.VariableAggregationV2.SUM, tf.VariableAggregation.SUM)
        with self.assertRaisesRegex(ValueError, 'Invalid variable synchronization mode: x for '
                                                'variable: n'):
            tf.Variable(1.0, synchronization='x', name='n')


if __name__ == '__main__':
    unittest.main()
