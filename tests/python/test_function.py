# SPDX-License-Identifier: Apache-2.0
"""Defun: bodies, captures, names, gradients, libraries of functions."""
import unittest

from leat.python.framework import constant_op, dtypes, function, importer, ops
from leat.python.ops import gradients_impl, init_ops, math_ops, variable_scope, variables
from leat.python.platform import test


class DefunTest(test.TestCase):
    def testBody(self):
        @function.Defun(dtypes.float32, dtypes.float32, func_name='MyF')
        def f(a, b):
            return a + b, a * b
        with self.cached_session() as sess:
            result = f(constant_op.constant(2.), constant_op.constant(3.))
            self.assertEqual([r.name for r in result], ['MyF:0', 'MyF:1'])
            self.assertAllEqual(sess.run(result), [5., 6.])
            self.assertEqual(sess.run(f(1., 1., name='nm')[0]), 2.)
        signature = f.definition.signature
        self.assertEqual([a.name for a in signature.input_arg], ['a', 'b'])
        self.assertEqual([a.name for a in signature.output_arg], ['add', 'mul'])
        self.assertEqual(f.declared_input_types, (dtypes.float32, dtypes.float32))
        with self.assertRaisesRegex(ValueError, 'Expected number of arguments: 2, received: 1'):
            f(1.)
        with self.assertRaisesRegex(ValueError, "Input 'a' passed int32 expected float"):
            f(constant_op.constant(1), 1.)

    def testCaptured(self):
        y = constant_op.constant(5., name='y')

        @function.Defun(dtypes.float32, out_names=['product'])
        def f(x):
            w = variable_scope.get_variable('w', [], initializer=init_ops.ones_initializer())
            self.assertEqual(len(function.get_extra_vars()), 1)
            return x * y + w
        with self.cached_session() as sess:
            result = f(constant_op.constant(2.))
            self.assertEqual([t.name for t in f.captured_inputs], ['y:0', 'w/read:0'])
            sess.run(variables.global_variables_initializer())
            self.assertEqual(sess.run(result), 11.)
        self.assertEqual(f.definition.signature.output_arg[0].name, 'product')
        self.assertEqual(function.get_extra_vars(), [])

    def testTypes(self):
        @function.Defun()
        def f(x):
            return x + x
        with self.cached_session() as sess:
            self.assertEqual(sess.run(f(constant_op.constant(1))), 2)
            self.assertEqual(sess.run(f(constant_op.constant(1.))), 2.)

    def testGradients(self):
        @function.Defun(dtypes.float32, dtypes.float32)
        def triple(x, dy):
            return dy * 3.

        @function.Defun(dtypes.float32, grad_func=triple)
        def by_function(x):
            return x * x

        @function.Defun(dtypes.float32, python_grad_func=lambda op, dy: dy * 7.)
        def by_python(x):
            return x * x

        @function.Defun(dtypes.float32)
        def plain(x):
            return x * x
        x = constant_op.constant(4.)
        with self.cached_session() as sess:
            for f, wanted in ((by_function, 3.), (by_python, 7.), (plain, 8.)):
                gradient = gradients_impl.gradients(f(x), x)[0]
                self.assertEqual(sess.run(gradient), wanted)

    def testNestedAndImported(self):
        @function.Defun(dtypes.float32)
        def inner(x):
            return x + 1.

        @function.Defun(dtypes.float32, func_name='Outer')
        def outer(x):
            return inner(x) * 2.
        with ops.Graph().as_default() as graph:
            outer(constant_op.constant(1.), name='z')
        library = graph.as_graph_def().library
        self.assertEqual(len(library.function), 2)
        self.assertIn('Outer', [f.name for f in function.from_library(library)])
        with self.session(graph=ops.Graph()) as sess:
            z, = importer.import_graph_def(graph.as_graph_def(), return_elements=['z:0'])
            self.assertEqual(sess.run(z), 4.)

    def testErrors(self):
        with self.assertRaisesRegex(ValueError, 'must be callable'):
            function.Defun(dtypes.float32)(3)
        with self.assertRaisesRegex(ValueError, 'fewer arguments than the number of specified'):
            function.Defun(dtypes.float32)(lambda: 1)

        @function.Defun(dtypes.float32)
        def none(x):
            return [x, None]
        with self.assertRaisesRegex(ValueError, 'Function none can not return None'):
            none(1.)
        with self.assertRaisesRegex(ValueError, 'Unknown keyword arguments'):
            function.Defun(dtypes.float32)(lambda x: math_ops.abs(x))(1., foo=3)


if __name__ == '__main__':
    unittest.main()
