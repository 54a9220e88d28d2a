# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, groups: nodes, values, errors, contexts. Facts are TensorFlow 1.15's."""
import unittest

import numpy as np

import leat as tf
from leat.python.ops import control_flow_ops
from leat.python.ops import control_flow_util


def rows():
    """{node: (op, inputs)}."""
    return {n.name: (n.op, list(n.input)) for n in tf.get_default_graph().as_graph_def().node}


def colocation(name):
    return tf.get_default_graph().get_operation_by_name(name).colocation_groups()


class BranchReads(unittest.TestCase):
    """What waits in a branch reads a variable after the wait, though its read may run before."""

    def test_after_update(self):
        with tf.Graph().as_default(), tf.Session() as session:
            total, count = tf.Variable(0.), tf.Variable(0)
            with tf.control_dependencies([total.assign_add(7.), count.assign_add(3)]):
                added = tf.no_op()
            report = tf.placeholder(tf.bool)

            def clear():
                mean = total / tf.cast(count, tf.float32)
                with tf.control_dependencies([mean]):
                    cleared = [total.assign(tf.zeros_like(total)), count.assign(0)]
                with tf.control_dependencies(cleared):
                    return tf.identity(mean)
            with tf.control_dependencies([added]):
                mean = tf.cond(report, clear, lambda: 0.)
            session.run(tf.global_variables_initializer())
            self.assertEqual([session.run(mean, {report: flag}) for flag in (0, 1, 1)],
                             [0., np.float32(7. / 3.), np.float32(7. / 3.)])

    def test_predicate_that_waits(self):
        with tf.Graph().as_default(), tf.Session() as session:
            v, w = tf.Variable(1.), tf.Variable(2.)
            with tf.control_dependencies([v.assign_add(10.)]):
                both = tf.cond(tf.identity(v) > 0., lambda: v + w, lambda: v - w)
            session.run(tf.global_variables_initializer())
            self.assertEqual([session.run(both) for _ in range(2)], [13., 23.])


class Base(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def told(self, kind, call):
        with self.assertRaises(kind) as e:
            call()
        return str(e.exception)


class Cond(Base):
    def setUp(self):
        super(Cond, self).setUp()
        self.x, self.y = tf.constant(3.0, name='x'), tf.constant(4.0, name='y')
        self.p = tf.less(self.x, self.y)

    def test_nodes(self):
        x, y = self.x, self.y
        r = tf.cond(self.p, lambda: tf.add(x, y), lambda: tf.square(y))
        found = rows()
        self.assertEqual(r.name, 'cond/Merge:0')
        for name, op, inputs in (
                ('cond/Switch', 'Switch', ['Less', 'Less']),
                ('cond/switch_t', 'Identity', ['cond/Switch:1']),
                ('cond/switch_f', 'Identity', ['cond/Switch']),
                ('cond/pred_id', 'Identity', ['Less']),
                ('cond/Add', 'Add', ['cond/Add/Switch:1', 'cond/Add/Switch_1:1']),
                ('cond/Add/Switch', 'Switch', ['x', 'cond/pred_id']),
                ('cond/Square', 'Square', ['cond/Square/Switch']),
                ('cond/Merge', 'Merge', ['cond/Square', 'cond/Add'])):
            self.assertEqual(found[name], (op, inputs))
        self.assertEqual(colocation('cond/Add/Switch'), [b'loc:@x'])
        with tf.Session() as s:
            self.assertEqual(s.run(r), 7.0)
            with self.assertRaises(ValueError):
                s.run('cond/switch_t:0')

    def test_structures(self):
        x, y = self.x, self.y
        a, (b, c) = tf.cond(self.p, lambda: (x, [y, x]), lambda: (y, [x, x]))
        one = tf.cond(self.p, lambda: [x], lambda: [y])
        strict = tf.cond(self.p, lambda: [x], lambda: [y], strict=True)
        d = tf.cond(self.p, lambda: {'k': x}, lambda: {'k': y})
        self.assertIsInstance(one, tf.Tensor)
        self.assertIsInstance(strict, list)
        sparse = tf.cond(self.p, lambda: tf.SparseTensor([[1]], [x], [3]),
                         lambda: tf.SparseTensor([[2]], [y], [3]))
        with tf.Session() as s:
            self.assertEqual(s.run([a, b, c, one, strict[0], d['k']]), [3, 4, 3, 3, 3, 3])
            np.testing.assert_array_equal(s.run(sparse).indices, [[1]])

    def test_ops_run_only_where_taken(self):
        v = tf.Variable(1.0, name='v')
        r = tf.cond(self.p, lambda: tf.no_op(), lambda: tf.group(v.assign(2.0)))
        self.assertEqual((r.name, r.dtype), ('cond/Merge:0', tf.bool))
        found = rows()
        self.assertEqual(found['cond/control_dependency'],
                         ('Identity', ['cond/switch_t', '^cond/NoOp']))
        self.assertEqual(found['cond/Assign/Switch'], ('RefSwitch', ['v', 'cond/pred_id']))
        with tf.Session() as s:
            s.run(v.initializer)
            s.run(r)
            self.assertEqual(s.run(v), 1.0)

    def test_errors(self):
        x, y, p = self.x, self.y, self.p
        for kind, text, call in (
                (TypeError, 'pred must not be a Python bool',
                 lambda: tf.cond(True, lambda: x, lambda: y)),
                (TypeError, 'cond(): false_fn argument required', lambda: tf.cond(p, lambda: x)),
                (TypeError, 'cond(): true_fn and fn1 may not be set simultaneously.',
                 lambda: tf.cond(p, lambda: x, lambda: y, fn1=lambda: x)),
                (TypeError, 'true_fn must be callable.', lambda: tf.cond(p, 1, 2)),
                (ValueError, 'true_fn must have a return value.',
                 lambda: tf.cond(p, lambda: None, lambda: y)),
                (ValueError, 'false_fn must have a return value.',
                 lambda: tf.cond(p, lambda: x, lambda: None)),
                (ValueError, 'true_fn and false_fn must return at least one result.',
                 lambda: tf.cond(p, lambda: [], lambda: [])),
                (ValueError, 'Outputs of true_fn and false_fn must have the same type: float32, '
                             'int32', lambda: tf.cond(p, lambda: x, lambda: 1))):
            self.assertEqual(self.told(kind, call), text)
        self.assertIn('The two structures don\'t have the same nested structure.', self.told(
            ValueError, lambda: tf.cond(p, lambda: [x, y], lambda: [x])))
        self.assertEqual(tf.get_default_graph().get_name_scope(), '')
        with self.assertRaises(ZeroDivisionError):
            tf.cond(p, lambda: 1 / 0, lambda: y)
        self.assertEqual(tf.constant(1).name, 'Const:0')

    def test_contexts(self):
        x, y = self.x, self.y
        r = tf.cond(self.p, lambda: x + 1.0, lambda: y)
        inner = tf.get_default_graph().get_operation_by_name('cond/add')
        context = inner._get_control_flow_context()
        self.assertEqual((context.name, context.branch, context.pred.name, context.pivot.name),
                         ('cond/cond_text', 1, 'cond/pred_id:0', 'cond/switch_t:0'))
        self.assertIsNone(r.op._get_control_flow_context())
        self.assertTrue(control_flow_util.IsInCond(inner))
        self.assertEqual([c.name for c in tf.get_collection('cond_context')],
                         ['cond/cond_text', 'cond/cond_text_1'])
        proto = context.to_proto()
        self.assertEqual(sorted(proto.values_def.values),
                         ['cond/add/Switch:1', 'cond/add/y:0', 'cond/add:0', 'cond/pred_id:0',
                          'cond/switch_t:0', 'x:0'])
        self.assertEqual(proto.values_def.external_values['x:0'], 'cond/add/Switch:1')
        again = control_flow_ops.CondContext.from_proto(proto)
        self.assertEqual(again.to_proto().pivot_name, 'cond/switch_t:0')

    def test_case(self):
        x = self.x
        r = tf.case([(tf.constant(False), lambda: x), (tf.constant(True), lambda: x * 2)],
                    default=lambda: x * 3)
        e = tf.case({tf.less(1, 2): lambda: tf.constant(1)}, default=lambda: tf.constant(2),
                    exclusive=True)
        none = tf.case([(tf.constant(False), lambda: x * 1.0)], exclusive=True)
        s1 = tf.switch_case(tf.constant(1), [lambda: x, lambda: x * 2])
        s7 = tf.switch_case(tf.constant(7), {0: lambda: x}, default=lambda: x + 1)
        with tf.Session() as s:
            self.assertEqual(s.run([r, e, s1, s7]), [6, 1, 6, 4])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                s.run(none)


class While(Base):
    def test_nodes(self):
        x = tf.constant(3.0, name='x')
        i = tf.constant(0)
        w = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x), (i, 1.0), name='loop',
                          parallel_iterations=3)
        found = rows()
        self.assertEqual([t.name for t in w], ['loop/Exit:0', 'loop/Exit_1:0'])
        for name, op, inputs in (
                ('loop/Enter', 'Enter', ['Const']), ('loop/Enter_1', 'Enter', ['loop/Const']),
                ('loop/Merge_1', 'Merge', ['loop/Enter_1', 'loop/NextIteration_1']),
                ('loop/Less/y', 'Const', ['^loop/Merge']),
                ('loop/LoopCond', 'LoopCond', ['loop/Less']),
                ('loop/Switch', 'Switch', ['loop/Merge', 'loop/LoopCond']),
                ('loop/mul', 'Mul', ['loop/Identity_1', 'loop/mul/Enter']),
                ('loop/mul/Enter', 'Enter', ['x']),
                ('loop/add/y', 'Const', ['^loop/Identity'])):
            self.assertEqual(found[name], (op, inputs))
        enter = tf.get_default_graph().get_operation_by_name('loop/mul/Enter')
        self.assertEqual((enter.get_attr('frame_name'), enter.get_attr('is_constant'),
                          enter.get_attr('parallel_iterations')),
                         (b'loop/while_context', True, 3))
        self.assertEqual(colocation('loop/Switch_1'), [b'loc:@loop/Merge_1'])
        grads = tf.gradients(w[1], x)
        with tf.Session() as s:
            self.assertEqual(s.run(w), (5, 243.0))
            self.assertEqual(s.run(grads), [405.0])

    def test_structures(self):
        i = tf.constant(0)
        one = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i])
        same = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [i], return_same_structure=True)
        n, d = tf.while_loop(
            lambda i, d: i < 3, lambda i, d: (i + 1, {'a': d['a'] + i, 'b': d['b']}),
            (i, {'a': i, 'b': tf.constant([1.0])}))
        some = tf.while_loop(lambda a: a < 100., lambda a: a * 2.0, [tf.constant(4.0)],
                             maximum_iterations=3)
        none = tf.while_loop(lambda a: a < 100., lambda a: a * 2.0, [tf.constant(400.0)])
        self.assertIsInstance(one, tf.Tensor)
        self.assertIsInstance(same, list)
        with tf.Session() as s:
            self.assertEqual(s.run([one, same[0], n, d['a'], some, none]), [3, 3, 3, 3, 32, 400])

    def test_shapes(self):
        i = tf.constant(0)
        grown = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a], 0)),
                              [i, tf.ones([1])],
                              shape_invariants=[i.shape, tf.TensorShape([None])])
        self.assertEqual(grown[1].shape.as_list(), [None])
        slices = tf.while_loop(
            lambda i, a: i < 2, lambda i, a: (i + 1, tf.SparseTensor(a.indices, a.values * 2.0,
                                                                     a.dense_shape)),
            [i, tf.SparseTensor([[1]], [1.0], [4])])
        with tf.Session() as s:
            self.assertEqual(s.run(grown)[1].shape, (8,))
            self.assertEqual(s.run(slices)[1].values, [4.0])

    def test_errors(self):
        i = tf.constant(0)
        ones = tf.ones([1])
        for kind, text, call in (
                (ValueError, 'No loop variables provided',
                 lambda: tf.while_loop(lambda: True, lambda: 1, [])),
                (TypeError, 'cond must be callable.', lambda: tf.while_loop(1, lambda i: i, [i])),
                (TypeError, 'body must be callable.', lambda: tf.while_loop(lambda i: i, 1, [i])),
                (TypeError, 'parallel_iterations must be a positive integer.',
                 lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i],
                                       parallel_iterations=0)),
                (ValueError, 'Input tensor \'ones:0\' enters the loop with shape (1,), but has '
                 'shape (2,) after one iteration. To allow the shape to vary across iterations, '
                 'use the `shape_invariants` argument of tf.while_loop to specify a less-specific '
                 'shape.', lambda: tf.while_loop(
                     lambda i, a: i < 3, lambda i, a: [i + 1, tf.concat([a, a], 0)], [i, ones])),
                (ValueError, 'The shape invariant specified for ones:0 is not compatible with the '
                 'initial shape of the loop variable. It enters the loop with shape (1,), but the '
                 'specified shape invariant is (2,).', lambda: tf.while_loop(
                     lambda i, a: i < 3, lambda i, a: [i + 1, a], [i, ones],
                     shape_invariants=[i.shape, tf.TensorShape([2])])),
                (ValueError, 'maximum_iterations must be a scalar, saw shape: (2,)',
                 lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i],
                                       maximum_iterations=[1, 2]))):
            self.assertEqual(self.told(kind, call), text)
        self.assertIn('same number of elements', self.told(
            ValueError, lambda: tf.while_loop(lambda i: i < 3, lambda i: [i, i], [i])))
        with self.assertRaises(ZeroDivisionError):
            tf.while_loop(lambda i: i < 3, lambda i: 1 / 0, [i])
        self.assertEqual(tf.constant(1).name, 'Const_1:0')

    def test_contexts(self):
        i = tf.constant(0)
        seen = []

        def body(i):
            seen.append(tf.get_default_graph()._get_control_flow_context())
            with tf.init_scope():
                seen.append(tf.get_default_graph()._get_control_flow_context())
                seen.append(tf.constant(1).op._get_control_flow_context())
            return i + 1
        w = tf.while_loop(lambda i: i < 3, body, [i])
        context = w.op._get_control_flow_context()
        self.assertEqual((seen, context.name), ([context, None, None], 'while/while_context'))
        self.assertTrue(control_flow_util.IsInWhileLoop(
            tf.get_default_graph().get_operation_by_name('while/add')))
        proto = context.to_proto()
        self.assertEqual((proto.pivot_name, proto.pivot_for_pred_name, proto.pivot_for_body_name,
                          list(proto.loop_exit_names), list(proto.loop_enter_names)),
                         ('while/LoopCond:0', 'while/Merge:0', 'while/Identity:0',
                          ['while/Exit:0'], ['while/Enter:0']))
        self.assertEqual(control_flow_ops.WhileContext.from_proto(proto).name,
                         'while/while_context')

    def test_nested_with_branches(self):
        def body(i, t):
            inner = tf.while_loop(lambda j: j < i, lambda j: j + 1, [0])
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t + inner, lambda: t)
        w = tf.while_loop(lambda i, t: i < 5, body, [0, 0])
        with tf.Session() as s:
            self.assertEqual(s.run(w), (5, 6))


class Groups(Base):
    def test_group_and_tuple(self):
        a, b = tf.constant(1.0), tf.constant(2.0)
        g = tf.group(a, [b])
        self.assertEqual(rows()['group_deps'], ('NoOp', ['^Const', '^Const_1']))
        t = tf.tuple([a, None, b])
        self.assertIsNone(t[1])
        self.assertEqual(rows()['tuple/control_dependency'],
                         ('Identity', ['Const', '^tuple/group_deps']))
        with self.assertRaisesRegex(TypeError, 'Expected tf.group\\(\\) expected Tensor arguments '
                                               "not 'None'"):
            tf.group(a, None)
        with self.assertRaisesRegex(ValueError, 'Must have at least one Tensor'):
            tf.tuple([])
        with tf.Session() as s:
            self.assertIsNone(s.run(g))
            self.assertEqual(s.run([t[0], t[2]]), [1, 2])

    def test_assert(self):
        p = tf.placeholder(tf.bool)
        guarded = tf.Assert(p, [tf.constant(1.5)], name='as')
        plain = tf.Assert(p, ['wrong'])
        self.assertEqual((guarded.name, plain.name),
                         ('as/AssertGuard/Merge', 'Assert/Assert'))
        with tf.Session() as s:
            s.run([guarded, plain], {p: True})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r'assertion failed: '
                                                                        r'\[1.5\]'):
                s.run(guarded, {p: False})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'wrong'):
                s.run(plain, {p: False})


if __name__ == '__main__':
    unittest.main()
