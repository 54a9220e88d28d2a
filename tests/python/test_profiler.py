# SPDX-License-Identifier: Apache-2.0
"""tf.profiler: the figures of 1.15 for a small model, its views, and what a step measured."""
import contextlib
import io
import os
import tempfile
import unittest

import leat as tf
from leat.python.framework import ops
from leat.python.profiler import tfprof_logger

Builder = tf.profiler.ProfileOptionBuilder


def quietly(function, *args, **keywords):
    """(what it gives, what it prints)."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = function(*args, **keywords)
    return result, out.getvalue()


def build():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [8, 6, 6, 3], name='x')
        with tf.variable_scope('net'):
            w = tf.get_variable('w', [3, 3, 3, 4], initializer=tf.zeros_initializer())
            h = tf.nn.conv2d(x, w, [1, 2, 2, 1], 'SAME', name='conv')
            b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
            h = tf.nn.max_pool(tf.nn.relu(tf.nn.bias_add(h, b)), [1, 2, 2, 1], [1, 1, 1, 1],
                               'VALID')
        with tf.variable_scope('fc'):
            k = tf.get_variable('k', [16, 10], initializer=tf.ones_initializer())
            y = tf.matmul(tf.reshape(h, [-1, 16]), k)
        loss = tf.reduce_mean(tf.nn.softmax(y))
        tf.train.GradientDescentOptimizer(.1).minimize(loss)
    return graph


def step_of(rows):
    """A RunMetadata: rows of name, when it ended, bytes."""
    run = tf.RunMetadata()
    device = run.step_stats.dev_stats.add()
    device.device = '/job:localhost/replica:0/task:0/device:CPU:0'
    for i, (name, end, held) in enumerate(rows):
        stats = device.node_stats.add()
        stats.node_name = name
        stats.op_start_rel_micros, stats.op_end_rel_micros = 1, end
        memory = stats.memory.add()
        memory.total_bytes, memory.peak_bytes, memory.live_bytes = held, held, held // 2
        block = stats.output.add().tensor_description.allocation_description
        block.requested_bytes, block.ptr = held, i + 1
    return run


class Flops(unittest.TestCase):

    def test_of_a_training_graph(self):
        graph = build()
        counts = {}
        for op in graph.get_operations():
            count = ops.get_stats_for_node_def(graph, op.node_def, 'flops').value
            if count is not None:
                counts[op.name] = count
        self.assertEqual({n: counts[n] for n in counts if not n.startswith('gradients')},
                         {'net/conv': 15552, 'net/BiasAdd': 288, 'net/MaxPool': 512,
                          'fc/MatMul': 2560, 'Softmax': 400, 'Mean': 80})
        self.assertEqual(counts['gradients/net/conv_grad/Conv2DBackpropFilter'], 15552)
        self.assertEqual(counts['gradients/net/MaxPool_grad/MaxPoolGrad'], 640)
        found, text = quietly(tf.profiler.profile, graph, options=Builder.float_operation())
        self.assertEqual(found.total_float_ops, 56932)
        self.assertIn('_TFProfRoot (--/56.93k flops)\n', text)
        self.assertIn('  net/conv (15.55k/15.55k flops)\n', text)
        self.assertNotIn('Relu', text)

    def test_shapes_that_are_open_do_not_count(self):
        graph = tf.Graph()
        with graph.as_default():
            tf.matmul(tf.placeholder(tf.float32, [None, 2]), tf.ones([2, 4]))
        with self.assertRaisesRegex(ValueError, r'Shape \(\?, 2\) is not fully defined'):
            ops.get_stats_for_node_def(graph, graph.get_operation_by_name('MatMul').node_def,
                                       'flops')
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            log = tfprof_logger.merge_default_with_oplog(graph, add_trace=False)
        self.assertEqual(errors.getvalue(), '1 ops no flops stats due to incomplete shapes.\n')
        self.assertEqual(len(log.log_entries), 0)


class Views(unittest.TestCase):

    def test_parameters(self):
        found, text = quietly(tf.profiler.profile, build())
        self.assertEqual(found.total_parameters, 272)
        self.assertEqual([c.name for c in found.children], ['fc', 'net'])
        self.assertEqual([(c.name, c.parameters) for c in found.children[1].children],
                         [('net/b', 4), ('net/w', 108)])
        self.assertIn('    net/w (3x3x3x4, 108/108 params)\n', text)

    def test_op_types_add_up_from_the_last(self):
        options = Builder(Builder.float_operation()).with_empty_output().build()
        found, _ = quietly(tf.profiler.profile, build(), cmd='op', options=options)
        names, node = [], found
        while node.children:
            node = node.children[0]
            names.append((node.name, node.float_ops))
        self.assertEqual(names[3:6], [('MatMul', 7680), ('MaxPoolGrad', 640), ('MaxPool', 512)])
        self.assertEqual(found.total_float_ops, 56932)

    def test_graph_and_code(self):
        graph = build()
        for command in ('graph', 'code'):
            options = Builder().select(['float_ops']).build()
            found, text = quietly(tf.profiler.profile, graph, cmd=command, options=options)
            self.assertEqual(found.total_float_ops, 56932, command)
        self.assertIn('test_profiler.py', text)

    def test_filters(self):
        options = Builder().with_node_names(show_name_regexes=['.*MatMul.*']).select(
            ['float_ops', 'occurrence']).account_displayed_op_only(True).build()
        found, text = quietly(tf.profiler.profile, build(), options=options)
        self.assertEqual(found.total_float_ops, 7680)
        self.assertIn('  fc/MatMul (2.56k/2.56k flops, 0/0|1/1)\n', text)

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'unknown cmd: x'):
            quietly(tf.profiler.profile, build(), cmd='x')
        options = Builder().with_pprof_output('x').build()
        with self.assertRaises(tf.errors.UnimplementedError):
            quietly(tf.profiler.profile, build(), options=options)


class Steps(unittest.TestCase):
    _ROWS = [('net/w', 11, 432), ('net/conv', 202, 1000), ('net/Relu', 1502, 0)]

    def test_time_and_memory(self):
        found, text = quietly(tf.profiler.profile, build(), step_of(self._ROWS),
                              options=Builder.time_and_memory())
        self.assertEqual((found.total_exec_micros, found.total_requested_bytes), (213, 1432))
        self.assertEqual(found.total_residual_bytes, 716)
        self.assertIn('    net/conv (1.00KB/1.00KB, 202us/202us, 0us/0us, 202us/202us)\n', text)

    def test_several_steps(self):
        profiler = tf.profiler.Profiler(build())
        profiler.add_step(10, step_of(self._ROWS))
        profiler.add_step(20, step_of([(n, 3 * e, b) for n, e, b in self._ROWS]))
        options = Builder().with_empty_output()
        for step, micros in ((10, 1715), (20, 5145), (-1, 3430)):
            found, _ = quietly(profiler.profile_name_scope, options.with_step(step).build())
            self.assertEqual(found.total_exec_micros, micros)
        advice, _ = quietly(profiler.advise, {'ExpensiveOperationChecker': {}})
        self.assertIn('top 1 operation type: Relu, cpu: 3.00ms',
                      advice.checkers['ExpensiveOperationChecker'].reports[0])
        self.assertGreater(len(profiler.serialize_to_string()), 0)

    def test_a_real_step_and_the_log(self):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            y = tf.matmul(tf.ones([20, 30]), tf.fill([30, 40], 2.), name='y')
            run = tf.RunMetadata()
            session.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                        run_metadata=run)
            folder = tempfile.mkdtemp()
            tf.profiler.write_op_log(graph, folder, run_meta=run)
            self.assertGreater(os.path.getsize(os.path.join(folder, 'tfprof_log')), 0)
            options = Builder().with_timeline_output(os.path.join(folder, 'line')).build()
            found, _ = quietly(tf.profiler.profile, graph, run, cmd='graph', options=options)
            self.assertGreaterEqual(found.total_run_count, 1)
            self.assertTrue(os.path.exists(os.path.join(folder, 'line_0')))


if __name__ == '__main__':
    unittest.main()
