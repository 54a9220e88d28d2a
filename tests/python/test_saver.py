# SPDX-License-Identifier: Apache-2.0
"""Savers, MetaGraphs, what is in checkpoints and beside them. Texts are TensorFlow 1.15's."""
import os
import tempfile
import unittest

import numpy as np

from leat.core.protobuf import saver_pb2
from leat.python.client import session
from leat.python.framework import constant_op, errors, meta_graph, ops
from leat.python.ops import array_ops, variable_scope, variables
from leat.python.training import (
    checkpoint_management, checkpoint_utils, saver as saver_lib, saver_test_utils,
    warm_starting_util)


class _Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, 'm')


def two_variables():
    a = variables.VariableV1(1., name='a')
    b = variables.VariableV1([[1, 2], [3, 4]], name='b')
    return a, b


class NodesTest(unittest.TestCase):
    def nodes(self, **kwargs):
        with ops.Graph().as_default() as graph:
            variables.VariableV1(1., name='a')
            with ops.device('/job:ps/task:1/gpu:1'):
                variables.VariableV1([1, 2], name='b')
            saver = saver_lib.Saver(**kwargs)
            names = [(o.name, o.type, o.device) for o in graph.get_operations()
                     if o.name.startswith('save')]
            return saver.saver_def, names

    def test_plain(self):
        saver_def, nodes = self.nodes()
        self.assertEqual([n[0] for n in nodes], [
            'save/filename/input', 'save/filename', 'save/Const', 'save/SaveV2/tensor_names',
            'save/SaveV2/shape_and_slices', 'save/SaveV2', 'save/control_dependency',
            'save/RestoreV2/tensor_names', 'save/RestoreV2/shape_and_slices', 'save/RestoreV2',
            'save/Assign', 'save/Assign_1', 'save/restore_all/NoOp', 'save/restore_all/NoOp_1',
            'save/restore_all'])
        devices = {n[0]: n[2] for n in nodes}
        self.assertEqual(devices['save/RestoreV2'], '/device:CPU:0')
        self.assertEqual(devices['save/Assign_1'], '/job:ps/task:1/device:GPU:1')
        self.assertEqual(saver_def.filename_tensor_name, 'save/Const:0')
        self.assertEqual(saver_def.save_tensor_name, 'save/control_dependency:0')
        self.assertEqual(saver_def.restore_op_name, 'save/restore_all')
        self.assertEqual((saver_def.max_to_keep, saver_def.version), (5, saver_pb2.SaverDef.V2))

    def test_sharded(self):
        saver_def, nodes = self.nodes(sharded=True)
        self.assertEqual(saver_def.save_tensor_name, 'save/Identity:0')
        by_name = {n[0]: n for n in nodes}
        self.assertEqual(by_name['save/ShardedFilename_1'][2], '/job:ps/task:1/device:CPU:0')
        self.assertEqual(by_name['save/MergeV2Checkpoints'][2], '/job:ps/task:1/device:CPU:0')
        self.assertIn('save/restore_shard_1', by_name)
        self.assertNotIn('save/restore_shard_2', by_name)

    def test_version_1(self):
        saver_def, nodes = self.nodes(write_version=saver_pb2.SaverDef.V1)
        self.assertIn(('save/save', 'SaveSlices', ''), nodes)
        saver_def, _ = self.nodes(write_version=saver_pb2.SaverDef.V1, sharded=True)
        self.assertEqual(saver_def.save_tensor_name, 'save/ShardedFilespec:0')


class SaverTest(_Case):
    def test_saves_and_restores(self):
        for kwargs in ({}, {'sharded': True}, {'write_version': 1},
                       {'write_version': 1, 'sharded': True}, {'reshape': True}):
            with self.subTest(**kwargs), ops.Graph().as_default():
                a, b = two_variables()
                r = variable_scope.get_variable('r', initializer=[7., 8.], use_resource=True)
                saver = saver_lib.Saver(**kwargs)
                with session.Session() as sess:
                    sess.run(variables.global_variables_initializer())
                    path = saver.save(sess, self.path)
                    sess.run([a.assign(5.), b.assign([[0, 0], [0, 0]]), r.assign([0., 0.]).op])
                    saver.restore(sess, path)
                    self.assertEqual(sess.run(a), 1.)
                    self.assertEqual(sess.run(b).tolist(), [[1, 2], [3, 4]])
                    self.assertEqual(sess.run(r).tolist(), [7., 8.])

    def test_partitioned(self):
        def cut(shape, **unused):
            return [2, 1]
        with ops.Graph().as_default():
            variable_scope.get_variable('p', [4, 2], partitioner=cut, initializer=lambda s, **k: (
                constant_op.constant(np.full(s, 3.), dtype='float32')))
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                saver_lib.Saver().save(sess, self.path)
        self.assertEqual(checkpoint_utils.list_variables(self.path), [('p', [4, 2])])
        with ops.Graph().as_default():
            whole = variable_scope.get_variable('p', [4, 2])
            with session.Session() as sess:
                saver_lib.Saver().restore(sess, self.path)
                self.assertEqual(sess.run(whole).tolist(), [[3., 3.]] * 4)

    def test_names(self):
        with ops.Graph().as_default():
            a, b = two_variables()
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                saver_lib.Saver({'x': a, 'y/z': b}).save(sess, self.path)
                self.assertEqual(checkpoint_utils.list_variables(self.path),
                                 [('x', []), ('y/z', [2, 2])])
            with self.assertRaisesRegex(ValueError, 'The same saveable will be restored with two'):
                saver_lib.Saver({'x': a, 'y': a})
            with self.assertRaisesRegex(TypeError, 'Variables to save should be passed in a dict'):
                saver_lib.Saver('a')
            with self.assertRaisesRegex(TypeError, 'Variable to save is not a Variable'):
                saver_lib.Saver([constant_op.constant(1.)])
            with self.assertRaisesRegex(ValueError, 'At least two variables have the same name'):
                saver_lib.Saver([a, a])

    def test_objects(self):
        with ops.Graph().as_default():
            table = saver_test_utils.CheckpointedOp('t')
            a, _ = two_variables()
            saver = saver_lib.Saver()
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                sess.run(table.insert(['k', 'l'], [3., 4.]))
                saver.save(sess, self.path)
            with session.Session() as sess:
                saver.restore(sess, self.path)
                self.assertEqual(sess.run(table.lookup(['l', 'x'], 0.)).tolist(), [4., 0.])
                self.assertEqual(sess.run(a), 1.)
        self.assertEqual([name for name, _ in checkpoint_utils.list_variables(self.path)],
                         ['a', 'b', 't-keys', 't-values'])

    def test_keeps_the_newest(self):
        with ops.Graph().as_default():
            a, _ = two_variables()
            saver = saver_lib.Saver(max_to_keep=2)
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                paths = [saver.save(sess, self.path, global_step=i) for i in range(4)]
                self.assertEqual(paths[-1], self.path + '-3')
            self.assertEqual(saver.last_checkpoints, paths[2:])
            self.assertEqual(sorted(os.listdir(self.folder)), [
                'checkpoint', 'm-2.data-00000-of-00001', 'm-2.index', 'm-2.meta',
                'm-3.data-00000-of-00001', 'm-3.index', 'm-3.meta'])
            with open(os.path.join(self.folder, 'checkpoint'), encoding='utf-8') as f:
                self.assertEqual(f.read(), (
                    'model_checkpoint_path: "%s"\nall_model_checkpoint_paths: "%s"\n'
                    'all_model_checkpoint_paths: "%s"\n') % (paths[3], paths[2], paths[3]))
            self.assertEqual(checkpoint_management.latest_checkpoint(self.folder), paths[3])
            again = saver_lib.Saver()
            again.recover_last_checkpoints(paths)
            self.assertEqual(again.last_checkpoints, paths[2:])

    def test_step_numbers(self):
        with ops.Graph().as_default():
            two_variables()
            saver = saver_lib.Saver(pad_step_number=True, save_relative_paths=True)
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                self.assertEqual(saver.save(sess, self.path, global_step=7),
                                 self.path + '-00000007')
            with open(os.path.join(self.folder, 'checkpoint'), encoding='utf-8') as f:
                self.assertEqual(f.readline(), 'model_checkpoint_path: "m-00000007"\n')
            self.assertEqual(checkpoint_management.latest_checkpoint(self.folder),
                             self.path + '-00000007')

    def test_errors(self):
        with ops.Graph().as_default(), session.Session() as sess:
            with self.assertRaisesRegex(ValueError, 'No variables to save'):
                saver_lib.Saver()
            self.assertIsNone(saver_lib.Saver(allow_empty=True).save(sess, self.path))
            two_variables()
            saver = saver_lib.Saver()
            sess.run(variables.global_variables_initializer())
            for wrong, message in (
                    (lambda: saver.restore(sess, self.path + 'no'),
                     'The passed save_path is not a valid checkpoint: '),
                    (lambda: saver.restore(sess, None), "Can't load save_path when it is None."),
                    (lambda: saver.save(sess, os.path.join(self.folder, 'checkpoint')),
                     "'latest_filename' collides with 'save_path'"),
                    (lambda: saver_lib.Saver([1], defer_build=True),
                     'If `var_list` is provided then build cannot be deferred')):
                with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                    wrong()
            with self.assertRaisesRegex(TypeError, "'sess' must be a Session; None"):
                saver.save(None, self.path)
            with self.assertRaisesRegex(RuntimeError, r'`build\(\)` should be called before save'):
                saver_lib.Saver(defer_build=True).save(sess, self.path)
            saver.save(sess, self.path)
        with ops.Graph().as_default(), session.Session() as sess:
            variables.VariableV1(1., name='c')
            with self.assertRaisesRegex(errors.NotFoundError,
                                        r'(?s)Restoring from checkpoint failed.*graph key that is '
                                        r'missing.*Key c not found'):
                saver_lib.Saver().restore(sess, self.path)
        with ops.Graph().as_default(), session.Session() as sess:
            variables.VariableV1([1.], name='a')
            with self.assertRaisesRegex(errors.InvalidArgumentError, 'a mismatch between the'):
                saver_lib.Saver().restore(sess, self.path)


class MetaGraphTest(_Case):
    def save(self):
        with ops.Graph().as_default() as graph:
            a, _ = two_variables()
            ops.add_to_collection('words', 'one')
            ops.add_to_collection('numbers', 3)
            ops.add_to_collection('tensors', array_ops.identity(a, name='out'))
            saver = saver_lib.Saver()
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                saver.save(sess, self.path)
            return graph.as_graph_def()

    def test_imported(self):
        graph_def = self.save()
        with ops.Graph().as_default() as graph, session.Session() as sess:
            saver = saver_lib.import_meta_graph(self.path + '.meta')
            saver.restore(sess, self.path)
            self.assertEqual(sess.run('b:0').tolist(), [[1, 2], [3, 4]])
            self.assertEqual([v.name for v in variables.trainable_variables()], ['a:0', 'b:0'])
            self.assertIs(variables.trainable_variables()[0], variables.global_variables()[0])
            self.assertEqual(graph.get_collection('words'), [b'one'])
            self.assertEqual(graph.get_collection('numbers'), [3])
            self.assertEqual(graph.get_collection('tensors'), [graph.get_tensor_by_name('out:0')])
            self.assertEqual([n.name for n in graph.as_graph_def().node],
                             [n.name for n in graph_def.node])

    def test_below_a_scope(self):
        self.save()
        with ops.Graph().as_default(), session.Session() as sess:
            saver = saver_lib.import_meta_graph(self.path + '.meta', import_scope='x')
            self.assertEqual(saver.saver_def.restore_op_name, 'x/save/restore_all')
            saver.restore(sess, self.path)
            self.assertEqual(sess.run('x/a:0'), 1.)
            self.assertEqual([v.op.name for v in variables.global_variables()], ['x/a', 'x/b'])

    def test_one_scope(self):
        with ops.Graph().as_default() as graph:
            outside = array_ops.placeholder('float32', [], name='outside')
            with ops.name_scope('s'):
                v = variables.VariableV1(2., name='v')
                array_ops.identity(v * outside, name='product')
            exported, found = meta_graph.export_scoped_meta_graph(graph=graph, export_scope='s')
            self.assertEqual(list(found), ['v:0'])
            self.assertEqual(
                list(exported.collection_def['unbound_inputs'].bytes_list.value),
                [b'$unbound_inputs_outside'])
        with ops.Graph().as_default(), session.Session() as sess:
            with self.assertRaisesRegex(ValueError, 'Graph contains unbound inputs'):
                meta_graph.import_scoped_meta_graph(exported)
            made = meta_graph.import_scoped_meta_graph(
                exported, import_scope='t',
                input_map={'$unbound_inputs_outside': constant_op.constant(4.)})
            sess.run(made['v:0'].initializer)
            self.assertEqual(sess.run('t/product:0'), 8.)

    def test_stripped(self):
        with ops.Graph().as_default():
            two_variables()
            made = saver_lib.export_meta_graph(strip_default_attrs=True, clear_devices=True)
            attrs = {n.name: set(n.attr) for n in made.graph_def.node}
            self.assertNotIn('container', attrs['a'])
            self.assertIn('dtype', attrs['a'])
            self.assertIn('VariableV2', [op.name for op in made.meta_info_def.stripped_op_list.op])
            self.assertTrue(made.meta_info_def.stripped_default_attrs)

    def test_files(self):
        with self.assertRaisesRegex(IOError, 'File .* does not exist.'):
            saver_lib.import_meta_graph(self.path)
        with open(self.path, 'wb') as f:
            f.write(b'\xff\xfe{')
        with self.assertRaisesRegex(IOError, 'Cannot parse file'):
            saver_lib.import_meta_graph(self.path)
        with ops.Graph().as_default():
            two_variables()
            saver_lib.export_meta_graph(self.path, as_text=True)
        with ops.Graph().as_default():
            saver_lib.import_meta_graph(self.path)
            self.assertEqual(len(variables.global_variables()), 2)


class CheckpointUtilsTest(_Case):
    def setUp(self):
        super().setUp()
        with ops.Graph().as_default():
            variable_scope.get_variable('s/a', initializer=[1., 2.])
            variable_scope.get_variable('b', initializer=[3., 4., 5.])
            with session.Session() as sess:
                sess.run(variables.global_variables_initializer())
                saver_lib.Saver().save(sess, self.path, global_step=7)

    def test_lists(self):
        self.assertEqual(checkpoint_utils.list_variables(self.folder),
                         [('b', [3]), ('s/a', [2])])
        self.assertEqual(checkpoint_utils.load_variable(self.folder, 's/a:0').tolist(), [1., 2.])
        self.assertTrue(checkpoint_utils.load_checkpoint(self.path + '-7').has_tensor('b'))
        self.assertEqual(next(checkpoint_utils.checkpoints_iterator(self.folder)),
                         self.path + '-7')
        with self.assertRaisesRegex(ValueError, "Couldn't find 'checkpoint' file"):
            checkpoint_utils.load_checkpoint(os.path.dirname(__file__))

    def test_first_values(self):
        with ops.Graph().as_default(), session.Session() as sess:
            with variable_scope.variable_scope('n'):
                a = variable_scope.get_variable('a', [2])
            c = variable_scope.get_variable('c', [3])
            checkpoint_utils.init_from_checkpoint(self.folder, {'s/': 'n/', 'b': c})
            sess.run(variables.global_variables_initializer())
            self.assertEqual(sess.run(a).tolist(), [1., 2.])
            self.assertEqual(sess.run(c).tolist(), [3., 4., 5.])
            with self.assertRaisesRegex(ValueError, 'Tensor zz is not found in'):
                checkpoint_utils.init_from_checkpoint(self.folder, {'zz': c})
            with self.assertRaisesRegex(ValueError, r"Shape of variable n/a:0 \(\(2,\)\) doesn't"):
                checkpoint_utils.init_from_checkpoint(self.folder, {'b': a})

    def test_warm_start(self):
        with ops.Graph().as_default(), session.Session() as sess:
            a = variable_scope.get_variable('s/a', [2])
            warm_starting_util.warm_start(self.path + '-7')
            sess.run(variables.global_variables_initializer())
            self.assertEqual(sess.run(a).tolist(), [1., 2.])


if __name__ == '__main__':
    unittest.main()
