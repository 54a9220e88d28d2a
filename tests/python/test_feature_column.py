# SPDX-License-Identifier: Apache-2.0
"""tf.feature_column: values, names of variables and errors as TensorFlow 1.15.5 has them."""
import os
import tempfile
import unittest

import numpy as np

import leat as tf

fc = tf.feature_column


class Columns(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.features = {
            'price': tf.constant([[1.], [50.], [-3.]]),
            'color': tf.constant([['red'], ['blue'], ['pink']]),
            'id': tf.constant([[1], [0], [4]], tf.int64),
            'w': tf.constant([[1.], [2.], [3.]])}
        self.price = fc.numeric_column('price')
        self.color = fc.categorical_column_with_vocabulary_list('color', ['red', 'green', 'blue'])

    def run_it(self, tensor):
        """The tensor with weights 1, 1.5, 2... in each variable."""
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            for v in tf.global_variables():
                shape = v.shape.as_list()
                v.load(np.arange(np.prod(shape)).reshape(shape) * .5 + 1, sess)
            return sess.run(tensor).tolist()

    def test_input_layer(self):
        layer = fc.input_layer(self.features, [self.price, fc.embedding_column(self.color, 2)])
        self.assertEqual(layer.name, 'input_layer/concat:0')
        self.assertEqual([v.name for v in tf.global_variables()],
                         ['input_layer/color_embedding/embedding_weights:0'])
        self.assertEqual(self.run_it(layer), [[1., 1.5, 1.], [3., 3.5, 50.], [0., 0., -3.]])

    def test_indicators(self):
        for column, expected in (
                (fc.indicator_column(self.color), [[1, 0, 0], [0, 0, 1], [0, 0, 0]]),
                (fc.bucketized_column(self.price, [0., 10., 100.]),
                 [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]),
                (fc.indicator_column(fc.weighted_categorical_column(self.color, 'w')),
                 [[1, 0, 0], [0, 0, 2], [0, 0, 0]]),
                (fc.indicator_column(fc.categorical_column_with_identity('id', 4, 2)),
                 [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]])):
            self.assertEqual(self.run_it(fc.input_layer(self.features, [column])), expected)

    def test_crossed(self):
        bucketed = fc.bucketized_column(self.price, [0., 10., 100.])
        column = fc.crossed_column(['color', bucketed], 9)
        self.assertEqual(column.name, 'color_X_price_bucketized')
        self.assertEqual(sorted(column.parse_example_spec), ['color', 'price'])
        self.assertEqual(self.run_it(fc.input_layer(self.features, [fc.indicator_column(column)])),
                         [[0, 0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 1],
                          [1, 0, 0, 0, 0, 0, 0, 0, 0]])
        self.assertEqual(self.run_it(fc.linear_model(self.features, [column, self.price])),
                         [[4.5], [56.], [-1.]])
        nested = fc.crossed_column(['color', fc.crossed_column(['color', bucketed], 5)], 9)
        self.assertEqual(nested.name, 'color_X_color_X_price_bucketized')
        for keys, words in (((['color'],), 'keys must be a list with length > 1'),
                            (([self.price, 'color'],), 'Unsupported key type'),
                            (([fc.categorical_column_with_hash_bucket('id', 3), 'color'],),
                             'is not supported for crossing')):
            with self.assertRaisesRegex(ValueError, words):
                fc.crossed_column(*keys, hash_bucket_size=3)
        with self.assertRaisesRegex(ValueError, 'hash_bucket_size must be > 1'):
            fc.crossed_column(['color', 'id'], 0)
        weighted = fc.crossed_column([fc.weighted_categorical_column(self.color, 'w'), 'id'], 9)
        with self.assertRaisesRegex(ValueError, 'does not support weight_tensor'):
            fc.linear_model(self.features, [weighted])

    def test_vocabulary_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'words.txt')
            with open(path, 'w') as f:
                f.write('red\ngreen\nblue\n')
            column = fc.categorical_column_with_vocabulary_file('color', path, num_oov_buckets=1)
            self.assertEqual(column.num_buckets, 4)
            self.assertEqual(self.run_it(fc.input_layer(
                self.features, [fc.indicator_column(column)])),
                [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])

    def test_hashes(self):
        column = fc.categorical_column_with_hash_bucket('color', 10)
        found = np.array(self.run_it(fc.input_layer(self.features,
                                                    [fc.indicator_column(column)])))
        with tf.Session() as sess:
            ids = sess.run(tf.string_to_hash_bucket_fast(['red', 'blue', 'pink'], 10))
        self.assertEqual(found.argmax(1).tolist(), ids.tolist())

    def test_wrong_id(self):
        layer = fc.input_layer(self.features, [fc.indicator_column(
            fc.categorical_column_with_identity('id', 4))])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'exceeds number of buckets'):
            self.run_it(layer)

    def test_shared_embeddings(self):
        columns = fc.shared_embedding_columns(
            [fc.categorical_column_with_identity(name, 3) for name in 'ab'], 2)
        layer = fc.input_layer({'a': tf.constant([[1], [2]]), 'b': tf.constant([[0], [2]])},
                               columns)
        self.assertEqual([v.name for v in tf.global_variables()],
                         ['input_layer/a_b_shared_embedding/embedding_weights:0'])
        self.assertEqual(self.run_it(layer), [[2., 2.5, 1., 1.5], [3., 3.5, 3., 3.5]])

    def test_linear_model(self):
        found = {}
        model = fc.linear_model(self.features, [self.price, self.color], cols_to_vars=found)
        self.assertEqual({getattr(k, 'name', k): v[0].name for k, v in found.items()}, {
            'price': 'linear_model/price/weights:0', 'color': 'linear_model/color/weights:0',
            'bias': 'linear_model/bias_weights:0'})
        self.assertEqual(self.run_it(model), [[3.], [53.], [-2.]])

    def test_spec(self):
        spec = fc.make_parse_example_spec([self.price, fc.indicator_column(self.color),
                                           fc.weighted_categorical_column(self.color, 'w')])
        self.assertEqual(spec, {'price': tf.FixedLenFeature((1,), tf.float32),
                                'color': tf.VarLenFeature(tf.string),
                                'w': tf.VarLenFeature(tf.float32)})

    def test_columns_are_values(self):
        self.assertEqual(self.price, fc.numeric_column('price'))
        self.assertEqual(hash(self.price), hash(fc.numeric_column('price')))
        self.assertEqual(repr(self.price), "NumericColumn(key='price', shape=(1,), "
                                           'default_value=None, dtype=tf.float32, '
                                           'normalizer_fn=None)')

    def test_errors(self):
        for make, message in (
                (lambda: fc.numeric_column('a', shape=0), 'shape dimensions must be greater'),
                (lambda: fc.numeric_column('a', dtype=tf.string), 'convertible to float'),
                (lambda: fc.bucketized_column(self.price, [3., 1.]), 'must be a sorted list'),
                (lambda: fc.categorical_column_with_vocabulary_list('a', ['a', 'a']), 'Duplicate'),
                (lambda: fc.categorical_column_with_identity('a', 0), 'num_buckets 0 < 1'),
                (lambda: fc.categorical_column_with_hash_bucket('a', 0), 'must be at least 1'),
                (lambda: fc.embedding_column(self.color, 0), 'Invalid dimension 0'),
                (lambda: fc.input_layer(self.features, []), 'must not be empty'),
                (lambda: fc.input_layer(self.features, [self.color]), 'must be a _DenseColumn'),
                (lambda: fc.input_layer(self.features, [self.price] * 2), 'Duplicate feature'),
                (lambda: fc.input_layer({}, [self.price]), 'not in features dictionary'),
                (lambda: fc.input_layer({'price': tf.constant(1.)}, [self.price]), 'have rank 0'),
                (lambda: fc.input_layer({'price': tf.zeros([2, 1]), 'b': tf.zeros([3, 1])}, [
                    self.price, fc.numeric_column('b')]), r'\(b, price\): \(3, 2\)')):
            with self.assertRaisesRegex(ValueError, message):
                make()


if __name__ == '__main__':
    unittest.main()
