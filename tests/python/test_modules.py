# SPDX-License-Identifier: Apache-2.0
"""Small modules that programs and TensorFlow's tests import: what each gives."""
import tempfile
import types
import unittest

import numpy as np

import leat as tf
from leat.python.framework import auto_control_deps
from leat.python.framework import c_api_util
from leat.python.framework import composite_tensor_utils
from leat.core.framework import tensor_pb2
from leat.python.framework import fast_tensor_util
from leat.python.framework import kernels
from leat.python.framework import ops
from leat.python.framework import subscribe
from leat.python.framework import test_ops
from leat.python.ops import default_gradient
from leat.python.util import module_wrapper
from leat.python.util import tf_stack


def value_of(x):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(x)


class Stacks(unittest.TestCase):

    def test_rows(self):
        row = tf_stack.convert_stack(tf_stack.extract_stack())[-1]
        self.assertEqual(row[0], __file__)
        self.assertEqual(row[2:], ('test_rows',
                                   'row = tf_stack.convert_stack(tf_stack.extract_stack())[-1]'))
        rows = tf_stack.convert_stack(tf_stack.extract_stack(limit=2), True)
        self.assertEqual((len(rows), len(rows[-1])), (2, 5))

    def test_what_is_hidden_or_shown_elsewhere(self):
        with tf_stack.CurrentModuleFilter():
            self.assertNotIn(__file__, [f.filename for f in tf_stack.extract_stack()])

        class Mapper(tf_stack.StackTraceMapper):

            def get_effective_source_map(self):
                return {(__file__, n): ('x.py', 5, 'f') for n in range(1000)}
        with Mapper():
            last = tf_stack.extract_stack()[-1]
        self.assertEqual((last.filename, last.lineno, last.name), ('x.py', 5, 'f'))


class Modules(unittest.TestCase):

    def setUp(self):
        ops.reset_default_graph()

    def test_wrapped(self):
        module = types.ModuleType('m')
        module.foo = 1
        wrapped = module_wrapper.TFModuleWrapper(module, 'm', {'cosh': ('math', 'cosh')})
        self.assertEqual((wrapped.foo, wrapped.cosh(0.)), (1, 1.))
        wrapped.foo = 5
        self.assertEqual(module.foo, 5)
        with self.assertRaises(AttributeError):
            wrapped.nope

    def test_kernels_and_definitions(self):
        self.assertEqual(kernels.get_registered_kernels_for_op('MatMul').kernel[0].op, 'MatMul')
        self.assertEqual(len(kernels.get_registered_kernels_for_op('None such').kernel), 0)
        self.assertGreater(len(kernels.get_all_registered_kernels().kernel), 100)
        self.assertEqual(c_api_util.ApiDefMap().get_op_def('Add').name, 'Add')

    def test_composite_values(self):
        a = tf.SparseTensorValue(np.array([[0, 1]]), np.array([5]), np.array([2, 3]))
        b = tf.SparseTensorValue(np.array([[1, 1]]), np.array([6]), np.array([2, 3]))
        made = composite_tensor_utils.append_composite_tensor(a, b)
        self.assertEqual(made.indices.tolist(), [[0, 1], [3, 1]])
        self.assertEqual(tuple(made.dense_shape), (4, 3))
        self.assertEqual(composite_tensor_utils.append_composite_tensor(
            tf.ragged.constant_value([[1], [2, 3]]),
            tf.ragged.constant_value([[4]])).to_list(), [[1], [2, 3], [4]])
        with self.assertRaisesRegex(RuntimeError, 'Unable to concatenate'):
            composite_tensor_utils.append_composite_tensor(a, np.zeros(2))
        self.assertEqual(repr(tf.SparseTensorSpec.from_value(a)),
                         'SparseTensorSpec(TensorShape([Dimension(2), Dimension(3)]), tf.int64)')
        array = tf.TensorArray(tf.float32, 3, element_shape=[2])
        self.assertEqual(tf.TensorArraySpec.from_value(array)._element_shape.as_list(), [2])

    def test_subscribers_see_what_is_computed(self):
        seen = []

        def see(t):
            return tf.py_func(lambda v: (seen.append(int(v)), v)[1], [t], [t.dtype])
        x = tf.add(3, 4)
        y = x * 2
        made = subscribe.subscribe(x, see)
        self.assertEqual(made.name, 'Add/subscription/Identity:0')
        again = subscribe.subscribe(made, lambda t: tf.py_func(lambda v: seen.append(-int(v)), [t],
                                                               []))
        self.assertIs(again, made)
        self.assertEqual(value_of(y), 14)
        self.assertEqual(sorted(seen), [-7, 7])

    def test_effects_keep_their_order(self):
        v = tf.get_variable('v', [], use_resource=True, initializer=tf.zeros_initializer())

        @auto_control_deps.automatic_control_dependencies
        def step():
            v.assign(v + 1)
            v.assign(v * 2)
            return v.read_value()
        self.assertEqual(value_of(step()), 2)

    def test_functions_run_what_they_do_to_variables(self):
        v = tf.get_variable('v', [], use_resource=True, initializer=tf.zeros_initializer())

        @tf.function
        def step(x):
            v.assign(v + x)
            v.assign(v * 2)
            return {'v': v.read_value()}
        self.assertEqual(value_of(step(tf.constant(3.))['v']), 6)

        @tf.function
        def add():
            v.assign_add(1.)
        with tf.Session() as session:
            made = add()
            session.run(v.initializer)
            session.run(made)
            self.assertEqual(session.run(v), 1)

        @tf.function
        def plain(x):
            return x
        x = tf.constant(1)
        self.assertIs(plain(x), x)

    def test_jacobians_of_tapes(self):
        x, z = tf.constant([[3., 4.], [1., 2.]]), tf.constant(1.)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        self.assertEqual(value_of(tape.batch_jacobian(y, x)).tolist(),
                         [[[6, 0], [0, 8]], [[2, 0], [0, 4]]])
        self.assertEqual(value_of(tape.jacobian(y, x))[0, 0].tolist(), [[6, 0], [0, 0]])
        self.assertIsNone(tape.jacobian(y, z))
        self.assertEqual(tape.jacobian(y, z, unconnected_gradients='zero').shape.as_list(), [2, 2])

    def test_shapes_without_elements(self):
        self.assertEqual(tf.zeros([2, 0]).op.type, 'Const')
        self.assertEqual(value_of(tf.constant([1., 2.], shape=[0])).shape, (0,))

    def test_rows_by_single_indices(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        made = tf.gradients(tf.gather_nd(x, [[0], [1], [0]]), x)[0]
        self.assertEqual((made.indices.op.name, made.indices.op.get_attr('squeeze_dims')),
                         ('gradients/GatherNd_grad/Squeeze', [-1]))
        self.assertEqual(value_of(tf.convert_to_tensor(made)).tolist(), [[2, 2], [1, 1]])

    def test_zeros_of_handles(self):
        v = tf.get_variable('v', [2], use_resource=True)
        zeros = default_gradient.zeros_like(v.handle)
        self.assertEqual((zeros.shape.as_list(), zeros.dtype), ([2], tf.float32))

    def test_objects_in_checkpoints(self):
        class State(tf.train.experimental.PythonState):

            def __init__(self, value):
                self.value = value

            def serialize(self):
                return self.value

            def deserialize(self, string_value):
                self.value = string_value
        state = State(b'abc')
        checkpoint = tf.train.Checkpoint(state=state)
        with tf.Session() as session:
            path = checkpoint.save(tempfile.mkdtemp() + '/x', session=session)
            state.value = b'other'
            checkpoint.restore(path).run_restore_ops(session)
        self.assertEqual(state.value, b'abc')
        self.assertIn('state/.ATTRIBUTES/py_state', [n for n, _ in tf.train.list_variables(path)])

    def test_reads_of_resource_variables_alone(self):
        v = tf.get_variable('r', initializer=[[1, 2], [3, 4]], use_resource=True)
        self.assertEqual(value_of(v.gather_nd([[0, 1], [1, 0]])).tolist(), [2, 3])
        with self.assertRaises(AttributeError):
            tf.get_variable('v', [2], use_resource=False).sparse_read([1])

    def test_operations_of_the_c_graph(self):
        test_ops.int_output(name='x')
        graph = ops.get_default_graph()
        x = graph.get_tensor_by_name('x:0')
        made = ops._create_c_op(graph, ops._NodeDef('IntInputIntOutput', 'y'), [x], [])
        y = graph._create_op_from_tf_operation(made)
        self.assertEqual((y.name, y._inputs, y._control_inputs), ('y', [x], []))
        ops._create_c_op(graph, ops._NodeDef('IntInput', 'z'), [x], [y])
        self.assertEqual([op.name for op in graph._add_new_tf_operations()], ['z'])
        self.assertEqual(graph._add_new_tf_operations(), [])
        with self.assertRaisesRegex(TypeError, 'inputs needs to be a list of Tensors: 3'):
            ops.Operation(ops._NodeDef('None', 'x'), graph, 3)
        with self.assertRaisesRegex(ValueError, "'_bad' is not a valid node name"):
            ops.Operation(ops._NodeDef('None', '_bad'), graph)

    def test_numbers_into_messages(self):
        proto = tensor_pb2.TensorProto()
        fast_tensor_util.AppendComplex64ArrayToTensorProto(proto, np.array([1 + 2j], 'F'))
        fast_tensor_util.AppendFloat16ArrayToTensorProto(proto, np.array([1.], 'e'))
        self.assertEqual((list(proto.scomplex_val), list(proto.half_val)), ([1, 2], [15360]))


if __name__ == '__main__':
    unittest.main()
