# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model: what is written and read, signatures, errors as TensorFlow's."""
import os
import unittest

from leat.python.framework import constant_op, dtypes, ops
from leat.python.ops import array_ops, control_flow_ops, io_ops, math_ops, variables
from leat.python.platform import test
from leat.python.saved_model import (
    builder_impl, loader_impl, main_op_impl, signature_def_utils, simple_save, utils)


class SavedModelTest(test.TestCase):
    def _model(self):
        x = array_ops.placeholder(dtypes.float32, [None, 2], name='x')
        v = variables.VariableV1([[1.], [2.]], name='v')
        return x, math_ops.matmul(x, v, name='y')

    def testRoundTrip(self):
        folder = os.path.join(self.get_temp_dir(), 'model')
        asset = os.path.join(self.get_temp_dir(), 'asset.txt')
        with open(asset, 'w') as file:
            file.write('words')
        with self.session(graph=ops.Graph()) as sess:
            x, y = self._model()
            sess.run(variables.global_variables_initializer())
            path = constant_op.constant(asset, name='path')
            read = variables.VariableV1('', name='words', collections=[], validate_shape=False)
            init = control_flow_ops.group(read.assign(io_ops.read_file(path)), name='init_words')
            builder = builder_impl.SavedModelBuilder(folder)
            builder.add_meta_graph_and_variables(
                sess, ['serve'], {'s': signature_def_utils.predict_signature_def(
                    {'x': x}, {'y': y})}, assets_collection=[path], main_op=init)
            self.assertEqual(builder.save(), folder.encode() + b'/saved_model.pb')
            with self.assertRaisesRegex(AssertionError, 'has already been saved'):
                builder.add_meta_graph_and_variables(sess, ['other'])
        os.remove(asset)
        self.assertTrue(loader_impl.contains_saved_model(folder))
        self.assertEqual(sorted(os.listdir(folder)), ['assets', 'saved_model.pb', 'variables'])
        for scope in (None, 'in'):
            with self.session(graph=ops.Graph()) as sess:
                meta = loader_impl.load(sess, ['serve'], folder, import_scope=scope)
                signature = meta.signature_def['s']
                x, y = (utils.get_tensor_from_tensor_info(i, import_scope=scope) for i in (
                    signature.inputs['x'], signature.outputs['y']))
                self.assertAllEqual(sess.run(y, {x: [[1., 1.]]}), [[3.]])
                self.assertEqual(sess.run((scope + '/' if scope else '') + 'words:0'), b'words')
        with self.session(graph=ops.Graph()) as sess, \
                self.assertRaisesRegex(RuntimeError, "associated with tags 'zz' could not be"):
            loader_impl.load(sess, ['zz'], folder)
        with self.assertRaisesRegex(AssertionError, "already exists, and isn't empty"):
            builder_impl.SavedModelBuilder(folder)

    def testSimpleSave(self):
        folder = os.path.join(self.get_temp_dir(), 'simple')
        with self.session(graph=ops.Graph()) as sess:
            x, y = self._model()
            sess.run(main_op_impl.main_op())
            simple_save.simple_save(sess, folder, {'x': x}, {'y': y})
        meta = loader_impl.parse_saved_model(folder).meta_graphs[0]
        self.assertEqual(list(meta.meta_info_def.tags), ['serve'])
        self.assertEqual(meta.signature_def['serving_default'].method_name,
                         'tensorflow/serving/predict')
        with self.assertRaisesRegex(IOError, 'SavedModel file does not exist at'):
            loader_impl.parse_saved_model(folder + '/none')

    def testSignatures(self):
        text = array_ops.placeholder(dtypes.string, name='t')
        number = array_ops.placeholder(dtypes.float32, name='n')
        self.assertTrue(signature_def_utils.is_valid_signature(
            signature_def_utils.regression_signature_def(text, number)))
        classify = signature_def_utils.classification_signature_def(text, None, number)
        self.assertEqual(list(classify.outputs), ['scores'])
        self.assertTrue(signature_def_utils.is_valid_signature(classify))
        self.assertFalse(signature_def_utils.is_valid_signature(
            signature_def_utils.build_signature_def(method_name='m')))
        for message, call in (
                ('Prediction inputs cannot be None or empty',
                 lambda: signature_def_utils.predict_signature_def({}, {'y': number})),
                ('Regression examples must be a string Tensor',
                 lambda: signature_def_utils.regression_signature_def(number, number)),
                ('cannot both be None',
                 lambda: signature_def_utils.classification_signature_def(text, None, None))):
            with self.assertRaisesRegex(ValueError, message):
                call()


if __name__ == '__main__':
    unittest.main()
