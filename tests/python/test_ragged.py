# SPDX-License-Identifier: Apache-2.0
"""Ragged tensors: what they hold, how they are made, indexed, joined, reduced and run.

The expected values are TensorFlow 1.15.5's.
"""
import unittest

import numpy as np

import leat as tf
from leat.python.ops.ragged import ragged_array_ops
from leat.python.ops.ragged import ragged_batch_gather_ops
from leat.python.ops.ragged import ragged_batch_gather_with_default_op
from leat.python.ops.ragged import ragged_conversion_ops
from leat.python.ops.ragged import ragged_gather_ops
from leat.python.ops.ragged import ragged_map_ops
from leat.python.ops.ragged import ragged_math_ops
from leat.python.ops.ragged import ragged_squeeze_op
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_tensor_shape
from leat.python.ops.ragged import ragged_where_op

constant = tf.ragged.constant
RaggedTensor = tf.RaggedTensor


def two():
    return constant([[1, 2], [], [3]])


def three():
    return constant([[[1, 2], []], [], [[3]]])


def uniform():
    return constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)


def floats():
    return constant([[1., 2.], [], [3.]])


def value_of(fetch, feed=None):
    with tf.Session() as sess:
        value = sess.run(fetch, feed)
    return value.to_list() if hasattr(value, 'to_list') else np.asarray(value).tolist()


class RaggedCase(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def check(self, rows):
        """rows: (expression, its value as nested lists)."""
        for build, expected in rows:
            tf.reset_default_graph()
            with self.subTest(expected=expected):
                self.assertEqual(value_of(build()), expected)


class MakingTest(RaggedCase):
    def test_constant(self):
        r = two()
        self.assertEqual(repr(r), 'tf.RaggedTensor(values=Tensor("RaggedConstant/values:0", '
                         'shape=(3,), dtype=int32), row_splits=Tensor("RaggedConstant/Const:0", '
                         'shape=(4,), dtype=int64))')
        self.assertEqual(r.shape.as_list(), [3, None])
        self.assertEqual((r.ragged_rank, r.dtype), (1, tf.int32))
        self.assertEqual(uniform().shape.as_list(), [3, None, 2])
        self.assertIsInstance(constant([1, 2]), tf.Tensor)
        self.assertEqual(str(tf.Session().run(r)), '<tf.RaggedTensorValue [[1, 2], [], [3]]>')

    def test_constant_errors(self):
        for value, options, text in [
                ([[1, 2], 3], {}, 'same nesting depth'),
                ([[1, 2], []], {'ragged_rank': 3}, 'requires scalar value depth greater than 3'),
                ([[[1, 2]], [[3]]], {'ragged_rank': 1}, 'inner values have inconsistent shape')]:
            with self.assertRaisesRegex(ValueError, text):
                constant(value, **options)

    def test_factories(self):
        flat = [1, 2, 3]
        self.check([
            (lambda: RaggedTensor.from_row_splits(flat, [0, 2, 2, 3]), [[1, 2], [], [3]]),
            (lambda: RaggedTensor.from_row_lengths(flat, [2, 0, 1]), [[1, 2], [], [3]]),
            (lambda: RaggedTensor.from_row_starts(flat, [0, 2, 2]), [[1, 2], [], [3]]),
            (lambda: RaggedTensor.from_row_limits(flat, [2, 2, 3]), [[1, 2], [], [3]]),
            (lambda: RaggedTensor.from_value_rowids(flat, [0, 0, 2], nrows=4),
             [[1, 2], [], [3], []]),
            (lambda: RaggedTensor.from_nested_row_splits(flat, [[0, 2], [0, 2, 3]]),
             [[[1, 2], [3]]]),
            (lambda: RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0), [[1, 2], [3]]),
            (lambda: RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=[1, 2]), [[1], [3, 4]]),
            (lambda: RaggedTensor.from_sparse(
                tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4])),
             [[1, 2], [], [3]])])

    def test_what_makes_none(self):
        with self.assertRaisesRegex(ValueError, 'constructor is private'):
            RaggedTensor(tf.constant([1]), tf.constant([0, 1]))
        with self.assertRaisesRegex(ValueError, 'may not be empty'):
            RaggedTensor.from_row_splits([1], [])
        with self.assertRaisesRegex(ValueError, 'must have dtype int32 or int64'):
            RaggedTensor.from_row_splits([1], tf.constant([0., 1.]))
        with self.assertRaisesRegex(ValueError, 'Expected nrows >= value_rowids'):
            RaggedTensor.from_value_rowids([1, 2], [0, 4], nrows=3)
        bad = RaggedTensor.from_row_lengths(tf.placeholder_with_default([1, 2], [None]), [2, 1])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'valid RaggedTensor'):
            value_of(bad)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'not right-ragged'):
            value_of(RaggedTensor.from_sparse(
                tf.SparseTensor([[0, 0], [0, 2]], [1, 2], [1, 4])))


class LookingTest(RaggedCase):
    def test_parts(self):
        self.check([
            (lambda: three().row_lengths(), [2, 0, 1]),
            (lambda: three().row_lengths(axis=2), [[2, 0], [], [1]]),
            (lambda: three().value_rowids(), [0, 0, 2]),
            (lambda: three().nrows(), 3),
            (lambda: three().bounding_shape(), [3, 2, 2]),
            (lambda: three().bounding_shape(axis=[0, 2]), [3, 2]),
            (lambda: tf.size(three()), 3), (lambda: tf.rank(uniform()), 3),
            (lambda: uniform().with_row_splits_dtype(tf.int32), [[[1, 2], [3, 4]], [], [[5, 6]]])])

    def test_getitem(self):
        self.check([
            (lambda: two()[0], [1, 2]), (lambda: two()[-1], [3]), (lambda: two()[0, 1], 2),
            (lambda: two()[1:], [[], [3]]), (lambda: two()[::2], [[1, 2], [3]]),
            (lambda: two()[::-1], [[3], [], [1, 2]]), (lambda: two()[:, 1:], [[2], [], []]),
            (lambda: two()[:, :-1], [[1], [], []]), (lambda: two()[:, ::-1], [[2, 1], [], [3]]),
            (lambda: two()[..., :1], [[1], [], [3]]), (lambda: two()[None], [[[1, 2], [], [3]]]),
            (lambda: two()[:, None], [[[1, 2]], [[]], [[3]]]),
            (lambda: three()[0, 0, 0], 1), (lambda: three()[:, :, 1:], [[[2], []], [], [[]]]),
            (lambda: uniform()[:, :, 0], [[1, 3], [], [5]])])
        with self.assertRaisesRegex(ValueError, 'inner ragged dimension'):
            two()[:, 0]
        with self.assertRaisesRegex(TypeError, 'valid indices'):
            two()['a']

    def test_it_is_no_tensor(self):
        with self.assertRaises(TypeError):
            tf.convert_to_tensor(two())
        with self.assertRaisesRegex(TypeError, 'may not be used as a boolean'):
            bool(two())
        with self.assertRaises(TypeError):
            tf.matmul(two(), two())

    def test_feed(self):
        p = tf.ragged.placeholder(tf.int32, 1)
        fed = tf.ragged.constant_value([[1], [2, 3]], dtype=np.int32)
        self.assertEqual(value_of(p + 1, {p: fed}), [[2], [3, 4]])
        with self.assertRaises(TypeError):
            value_of(p, {p: [[1]]})


class ChangingTest(RaggedCase):
    def test_conversions(self):
        self.check([
            (lambda: two().to_tensor(9), [[1, 2], [9, 9], [3, 9]]),
            (lambda: uniform().to_tensor([7, 8]),
             [[[1, 2], [3, 4]], [[7, 8], [7, 8]], [[5, 6], [7, 8]]]),
            (lambda: two().to_sparse().indices, [[0, 0], [0, 1], [2, 0]]),
            (lambda: tf.gradients(
                RaggedTensor.from_row_splits(floats().values, [0, 2, 3]).to_tensor() *
                [[1., 2.], [3., 4.]],
                tf.get_default_graph().get_tensor_by_name('RaggedConstant/values:0'))[0],
             [1., 2., 3.])])
        self.assertRaises(ValueError, ragged_conversion_ops.from_tensor, [1, 2])

    def test_joins(self):
        self.check([
            (lambda: tf.concat([two(), two()], 0), [[1, 2], [], [3], [1, 2], [], [3]]),
            (lambda: tf.concat([two(), constant([[4], [5], []])], 1), [[1, 2, 4], [5], [3]]),
            (lambda: tf.concat([constant([[1], [2, 3]]), [[1, 2], [3, 4]]], axis=1),
             [[1, 1, 2], [2, 3, 3, 4]]),
            (lambda: tf.stack([two(), two()]), [[[1, 2], [], [3]], [[1, 2], [], [3]]]),
            (lambda: tf.stack([two(), two()], 1), [[[1, 2], [1, 2]], [[], []], [[3], [3]]]),
            (lambda: tf.stack([constant([[1], [2, 3]]), constant([[4], [5, 6]])], 2),
             [[[1, 4]], [[2, 5], [3, 6]]]),
            (lambda: tf.tile(two(), [2, 2]),
             [[1, 2, 1, 2], [], [3, 3], [1, 2, 1, 2], [], [3, 3]]),
            (lambda: tf.expand_dims(two(), 2), [[[1], [2]], [], [[3]]]),
            (lambda: ragged_squeeze_op.squeeze(constant([[1], [2]]), 1), [1, 2])])

    def test_picks(self):
        self.check([
            (lambda: tf.gather(two(), [2, 0]), [[3], [1, 2]]),
            (lambda: tf.gather(tf.constant([9, 8, 7]), constant([[0], [2, 1]])), [[9], [7, 8]]),
            (lambda: tf.gather_nd(two(), [[0, 1], [2, 0]]), [2, 3]),
            (lambda: ragged_gather_ops.gather_nd(three(), [[0, 0], [2, 0]]), [[1, 2], [3]]),
            (lambda: ragged_batch_gather_ops.batch_gather(
                constant([[1, 2], [3], [4, 5]]), constant([[1, 0], [], [0]])),
             [[2, 1], [], [4]]),
            (lambda: ragged_batch_gather_with_default_op.batch_gather_with_default(
                constant([['a', 'b'], ['c']]), constant([[1, -1], [0]]), 'x'),
             [[b'b', b'x'], [b'c']]),
            (lambda: tf.ragged.boolean_mask(two(), constant([[True, False], [], [True]])),
             [[1], [], [3]]),
            (lambda: tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
             [[1], [3, 4]]),
            (lambda: ragged_where_op.where([True, False], constant([[1, 2], [3]]),
                                           constant([[4, 5], [6, 7]])), [[1, 2], [6, 7]]),
            (lambda: ragged_where_op.where(constant([[True, False], [True]])), [[0, 0], [1, 0]]),
            (lambda: tf.ragged.stack_dynamic_partitions(two(), [1, 0, 1], 2),
             [[[]], [[1, 2], [3]]]),
            (lambda: ragged_array_ops.ragged_one_hot(constant([[0], [1]]), 2),
             [[[1., 0.]], [[0., 1.]]])])


class ComputingTest(RaggedCase):
    def test_elementwise(self):
        self.check([
            (lambda: two() + 1, [[2, 3], [], [4]]), (lambda: 1 - two(), [[0, -1], [], [-2]]),
            (lambda: two() * two(), [[1, 4], [], [9]]), (lambda: -two(), [[-1, -2], [], [-3]]),
            (lambda: two() + [[10], [20], [30]], [[11, 12], [], [33]]),
            (lambda: two() + constant([[1], [2], [3]]), [[2, 3], [], [6]]),
            (lambda: uniform() + [10, 20], [[[11, 22], [13, 24]], [], [[15, 26]]]),
            (lambda: tf.cast(two(), tf.float32), [[1., 2.], [], [3.]]),
            (lambda: tf.add_n([two(), two()]), [[2, 4], [], [6]]),
            (lambda: tf.strings.length(constant([['a', 'bb'], ['c']])), [[1, 2], [1]]),
            (lambda: tf.ragged.map_flat_values(tf.add, x=two(), y=1), [[2, 3], [], [4]]),
            (lambda: ragged_tensor_shape.broadcast_to(
                tf.constant([[1], [2], [3]]),
                ragged_tensor_shape.RaggedTensorDynamicShape.from_tensor(two())),
             [[1, 1], [], [3]])])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            value_of(two() + constant([[1], [2], [3, 4]]))

    def test_reductions(self):
        self.check([
            (lambda: tf.reduce_sum(two(), axis=1), [3, 0, 3]),
            (lambda: tf.reduce_sum(two(), axis=0), [4, 2]),
            (lambda: tf.reduce_max(two()), 3),
            (lambda: ragged_math_ops.reduce_sum(three(), 2), [[3, 0], [], [3]]),
            (lambda: tf.reduce_mean(floats(), axis=0), [2., 2.]),
            (lambda: tf.reduce_all(constant([[True, False], [], [True]]), 1),
             [False, True, True]),
            (lambda: ragged_math_ops.segment_sum(floats(), [0, 1, 0], 2), [[4., 2.], []]),
            (lambda: tf.ragged.range([1, 2], [4, 6], 2), [[1, 3], [2, 4]]),
            (lambda: tf.strings.reduce_join(constant([['a', 'b'], ['c']]), axis=1, separator='-'),
             [b'a-b', b'c'])])
        with self.assertRaisesRegex(ValueError, 'keepdims=True is not supported'):
            tf.reduce_sum(two(), axis=1, keepdims=True)
        with self.assertRaisesRegex(ValueError, 'axis=5 out of bounds'):
            tf.reduce_sum(two(), axis=5)

    def test_map_and_loops(self):
        as_ragged = ragged_tensor.RaggedTensorType(tf.int32, 1)
        self.check([
            (lambda: ragged_map_ops.map_fn(tf.reduce_sum, two(), dtype=tf.int32), [3, 0, 3]),
            (lambda: ragged_map_ops.map_fn(lambda x: x + 1, two(), dtype=as_ragged),
             [[2, 3], [], [4]]),
            (lambda: ragged_map_ops.map_fn(tf.range, tf.constant([1, 0, 3]), dtype=as_ragged),
             [[0], [], [0, 1, 2]]),
            (lambda: tf.while_loop(lambda i, r: i < 3, lambda i, r: (i + 1, r + 1),
                                   [0, two()])[1], [[4, 5], [], [6]]),
            (lambda: tf.cond(tf.constant(False), two, lambda: two() + 1), [[2, 3], [], [4]])])

    def test_strings(self):
        self.check([
            (lambda: tf.strings.bytes_split(['ab', 'c']), [[b'a', b'b'], [b'c']]),
            (lambda: tf.strings.split([['a b', 'c']], result_type='RaggedTensor'),
             [[[b'a', b'b'], [b'c']]]),
            (lambda: tf.strings.ngrams(constant([['a', 'b', 'c'], ['d']]), 2),
             [[b'a b', b'b c'], []]),
            (lambda: tf.strings.unicode_decode([b'ab', b'\xc3\xa9'], 'UTF-8'),
             [[97, 98], [233]]),
            (lambda: tf.strings.unicode_split([b'ab', b'\xc3\xa9'], 'UTF-8'),
             [[b'a', b'b'], [b'\xc3\xa9']]),
            (lambda: tf.strings.unicode_encode(constant([[97, 98], [233]]), 'UTF-8'),
             [b'ab', b'\xc3\xa9'])])


class AssertsTest(tf.test.TestCase):
    def test_ragged_asserts(self):
        with self.cached_session():
            self.assertAllEqual(two(), [[1, 2], [], [3]])
            self.assertAllClose(floats(), [[1., 2.], [], [3.0000001]])
            with self.assertRaises(AssertionError):
                self.assertAllEqual(two(), [[1], [2], [3]])
            with self.assertRaises(AssertionError):
                self.assertAllClose(floats(), [[1., 2.], [], [4.]])


if __name__ == '__main__':
    unittest.main()
