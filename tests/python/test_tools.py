# SPDX-License-Identifier: Apache-2.0
"""freeze_graph, inspect_checkpoint, strip_unused, optimize_for_inference, saved_model_cli."""
import contextlib
import io
import os
import unittest

import numpy as np

from leat.core.framework import graph_pb2, node_def_pb2
from leat.python.framework import constant_op, dtypes, graph_io, importer, ops
from leat.python.ops import array_ops, gen_nn_ops, math_ops, variables
from leat.python.platform import test
from leat.python.saved_model import simple_save
from leat.python.tools import (
    freeze_graph, inspect_checkpoint, optimize_for_inference_lib, saved_model_cli,
    strip_unused_lib)
from leat.python.training import saver


def _printed(function, *args):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*args)
    return out.getvalue()


class ToolsTest(test.TestCase):
    def _saved(self):
        """A folder with a graph, a checkpoint, a SavedModel; the GraphDef."""
        folder = self.get_temp_dir()
        with self.session(graph=ops.Graph()) as sess:
            x = array_ops.placeholder(dtypes.float32, [None, 2], name='x')
            v = variables.VariableV1([[1.], [2.]], name='v')
            y = math_ops.matmul(x, v, name='y')
            made = saver.Saver()
            sess.run(v.initializer)
            made.save(sess, folder + '/m.ckpt')
            graph_io.write_graph(sess.graph, folder, 'g.pbtxt')
            simple_save.simple_save(sess, folder + '/model', {'x': x}, {'y': y})
            return folder, sess.graph.as_graph_def()

    def testFreeze(self):
        folder, _ = self._saved()
        common = ('save/restore_all', 'save/Const:0', folder + '/o.pb', True, '')
        for extra in (dict(input_graph=folder + '/g.pbtxt'),
                      dict(input_saved_model_dir=folder + '/model'),
                      dict(input_meta_graph=folder + '/m.ckpt.meta', input_binary=True)):
            arguments = dict(input_graph=None, input_saver='', input_binary=False)
            arguments.update(extra)
            with contextlib.redirect_stdout(io.StringIO()):
                frozen = freeze_graph.freeze_graph(
                    arguments.pop('input_graph'), arguments.pop('input_saver'),
                    arguments.pop('input_binary'), folder + '/m.ckpt', 'y', *common, **arguments)
            self.assertEqual([(n.name, n.op) for n in frozen.node][1], ('v', 'Const'))
        with open(folder + '/o.pb', 'rb') as file:
            frozen = graph_pb2.GraphDef.FromString(file.read())
        with self.session(graph=ops.Graph()) as sess:
            x, y = importer.import_graph_def(frozen, return_elements=['x:0', 'y:0'])
            self.assertAllEqual(sess.run(y, {x: [[1., 1.]]}), [[3.]])
        with self.assertRaisesRegex(ValueError, "Input checkpoint '/none' doesn't exist"):
            freeze_graph.freeze_graph(folder + '/g.pbtxt', '', False, '/none', 'y', *common)

    def testInspect(self):
        folder, _ = self._saved()
        text = _printed(inspect_checkpoint.print_tensors_in_checkpoint_file, folder + '/m.ckpt',
                        None, True)
        self.assertEqual(text, 'tensor_name:  v\n[[1.]\n [2.]]\n# Total number of params: 2\n')
        text = _printed(inspect_checkpoint.print_tensors_in_checkpoint_file, folder + '/m.ckpt',
                        '', False)
        self.assertEqual(text, 'v (DT_FLOAT) [2,1]\n\n# Total number of params: 2\n')

    def testStrip(self):
        _, graph_def = self._saved()
        stripped = strip_unused_lib.strip_unused(graph_def, ['v/read'], ['y'],
                                                 dtypes.float32.as_datatype_enum)
        self.assertEqual([(n.name, n.op) for n in stripped.node],
                         [('x', 'Placeholder'), ('v/read', 'Placeholder'), ('y', 'MatMul')])
        with self.assertRaisesRegex(KeyError, 'input nodes were not found'):
            strip_unused_lib.strip_unused(graph_def, ['none'], ['y'], 1)

    def testOptimize(self):
        values = np.random.RandomState(0).rand(1, 4, 4, 2).astype('f')
        with self.session(graph=ops.Graph()) as sess:
            inputs = array_ops.placeholder(dtypes.float32, [1, 4, 4, 2], name='in')
            weights = constant_op.constant(np.arange(54).reshape(3, 3, 2, 3) / 9., dtypes.float32)
            conv = gen_nn_ops.conv2d(inputs, weights, [1, 1, 1, 1], 'SAME', name='conv')
            norm = gen_nn_ops.fused_batch_norm(conv, [1., 2., 3.], [.1, .2, .3], [1., 2., 3.],
                                               [.5, .6, .7], is_training=False, name='bn')
            array_ops.identity(norm[0], name='out')
            wanted = sess.run('out:0', {'in:0': values})
            graph_def = sess.graph.as_graph_def()
        smaller = optimize_for_inference_lib.optimize_for_inference(
            graph_def, ['in'], ['out'], dtypes.float32.as_datatype_enum)
        self.assertIn('BiasAdd', [n.op for n in smaller.node])
        self.assertNotIn('FusedBatchNorm', [n.op for n in smaller.node])
        with self.session(graph=ops.Graph()) as sess:
            importer.import_graph_def(smaller, name='')
            self.assertAllClose(sess.run('out:0', {'in:0': values}), wanted, rtol=1e-4)
        with self.assertRaisesRegex(ValueError, 'Duplicate node names'):
            optimize_for_inference_lib.ensure_graph_is_valid(graph_pb2.GraphDef(
                node=[node_def_pb2.NodeDef(name='a')] * 2))

    def testSavedModel(self):
        folder, _ = self._saved()
        parser = saved_model_cli.create_parser()

        def run(*words):
            args = parser.parse_args(words + ('--dir', os.path.join(folder, 'model')))
            return _printed(args.func, args)
        self.assertEqual(run('show'), 'The given SavedModel contains the following tag-sets:\n'
                                      'serve\n')
        self.assertIn("inputs['x'] tensor_info:\n        dtype: DT_FLOAT\n"
                      '        shape: (-1, 2)\n        name: x:0\n', run('show', '--all'))
        self.assertEqual(
            run('run', '--tag_set', 'serve', '--signature_def', 'serving_default',
                '--input_exprs', 'x=[[1., 2.]]'), 'Result for output key y:\n[[5.]]\n')
        self.assertIn('does not contain blacklisted ops', run('scan'))


if __name__ == '__main__':
    unittest.main()
