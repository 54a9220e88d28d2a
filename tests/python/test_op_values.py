# SPDX-License-Identifier: Apache-2.0
"""What the functions of the op modules compute, against numpy and facts of TensorFlow 1.15.5."""
import unittest

import numpy as np

import leat as tf
from leat.python.framework import tensor_util

A = np.arange(12, dtype=np.float32).reshape(3, 4)
B = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


class ValuesTest(unittest.TestCase):

    def setUp(self):
        graph = tf.Graph()
        context = graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def check(self, fetch, wanted, tolerance=1e-5):
        with tf.Session() as session:
            got = session.run(fetch)
        if isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
            self.assertEqual(len(wanted), len(got))
            for g, w in zip(got, wanted):
                np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


class ArrayTest(ValuesTest):

    def test_slices(self):
        a = tf.constant(A)
        self.check([a[1:, ::2], a[..., 1], a[:, tf.newaxis, -1], a[tf.constant(1)], a[::-1]],
                   [A[1:, ::2], A[..., 1], A[:, None, -1], A[1], A[::-1]])
        self.check(a[tf.constant([True, False, True])], A[[0, 2]])
        for index in (1.0, 'a', tf.constant([1, 2]), None.__class__):
            with self.assertRaises(TypeError):
                a[index]

    def test_slice_of_unknown_size_keeps_what_is_known(self):
        x = tf.placeholder(tf.float32, [None, 4])
        self.assertEqual([None, 1], x[:, tf.newaxis, 0].get_shape().as_list())
        self.assertEqual([None, 2], x[:, 1:3].get_shape().as_list())

    def test_gathers_and_masks(self):
        self.check([tf.gather(A, [2, 0]), tf.gather(A, [[1], [3]], axis=1)],
                   [A[[2, 0]], A[:, [[1], [3]]]])
        self.check(tf.batch_gather(A, [[0, 1], [2, 3], [1, 1]]), [[0, 1], [6, 7], [9, 9]])
        self.check(tf.gather_nd(B, [[0, 1], [1, 2]]), [B[0, 1], B[1, 2]])
        self.check(tf.boolean_mask(A, [True, False, True, True], axis=1), A[:, [0, 2, 3]])
        with self.assertRaisesRegex(ValueError, 'mask cannot be scalar'):
            tf.boolean_mask(A, True)
        with self.assertRaisesRegex(ValueError, 'Number of mask dimensions must be specified'):
            tf.boolean_mask(A, tf.placeholder(tf.bool))

    def test_zeros_of_no_type(self):
        self.assertEqual(tf.zeros_like(tf.constant([1., 2.]), False).dtype, tf.float32)

    def test_repetition_and_stacking(self):
        self.check([tf.repeat(A, [1, 2, 0], axis=0), tf.repeat(A, [1, 0, 2, 1], axis=1)],
                   [np.repeat(A, [1, 2, 0], axis=0), np.repeat(A, [1, 0, 2, 1], axis=1)])
        times = tf.placeholder_with_default([2], None)
        self.check([tf.repeat(A, times, axis=0), tf.repeat(A, times[0], axis=1)],
                   [np.repeat(A, 2, axis=0), np.repeat(A, 2, axis=1)])
        self.check([tf.stack([A, A], axis=-1), tf.concat([A, A], 1)],
                   [np.stack([A, A], -1), np.concatenate([A, A], 1)])
        self.check(tf.meshgrid([1, 2], [3, 4, 5], indexing='ij'),
                   np.meshgrid([1, 2], [3, 4, 5], indexing='ij'))
        with self.assertRaisesRegex(ValueError, r'axis = 5 not in \[-2, 2\)'):
            tf.stack([[1], tf.constant([2])], axis=5)
        with self.assertRaisesRegex(ValueError, 'Cannot infer num from shape'):
            tf.unstack(tf.placeholder(tf.float32, [None]))

    def test_padding_and_masks(self):
        self.check([tf.pad(A, [[1, 0], [0, 2]]), tf.pad(A, [[1, 1], [1, 1]], 'REFLECT')],
                   [np.pad(A, [[1, 0], [0, 2]], 'constant'), np.pad(A, 1, 'reflect')])
        self.check(tf.sequence_mask([1, 3, 0], dtype=tf.int32),
                   [[1, 0, 0], [1, 1, 1], [0, 0, 0]])
        self.check(tf.one_hot([0, 2, -1], 3), [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
        self.check(tf.searchsorted([1., 3., 5.], [0., 3., 6.], side='right'), [0, 2, 3])

    def test_shapes_known_at_build_are_constants(self):
        x = tf.placeholder(tf.float32, [2, None])
        self.assertEqual('Const', tf.shape(tf.zeros([2, 3])).op.type)
        self.assertEqual('Shape', tf.shape(x).op.type)
        self.assertEqual('Const', tf.rank(x).op.type)
        self.assertIsNone(tensor_util.constant_value(tf.placeholder(tf.int32)))
        fed = tf.shape(tf.zeros([2, 3]))
        np.testing.assert_array_equal([2, 3], tensor_util.constant_value(fed))
        self.assertFalse(fed.graph.is_feedable(fed))
        packed = tf.stack([tf.shape(x)[1], 4])
        self.assertEqual([None, 4], tensor_util.constant_value_as_shape(packed).as_list())


class MathTest(ValuesTest):

    def test_operators(self):
        a, n = tf.constant(A), tf.constant([7, -8])
        self.check([a + 1, 2 - a, a / 2, 2 * a, a ** 2, -a, abs(-a), a % 5],
                   [A + 1, 2 - A, A / 2, 2 * A, A ** 2, -A, A, A % 5])
        self.check([n / 2, n // 3, n % 3, tf.div(n, 3), tf.truediv(n, 2)],
                   [[3.5, -4], [2, -3], [1, 1], [2, -3], [3.5, -4]])
        self.check([(a < 5) & (a >= 2), (a < 2) | (a > 9), ~(a < 2), (a < 5) ^ (a < 2)],
                   [(A < 5) & (A >= 2), (A < 2) | (A > 9), A >= 2, (A < 5) ^ (A < 2)])
        self.check(a @ tf.transpose(a), A @ A.T)
        with self.assertRaises(TypeError):
            n + 1.5
        with self.assertRaisesRegex(TypeError, 'type int32 that does not match type float32'):
            a + n
        with self.assertRaises(TypeError):
            if a < 5:
                pass

    def test_reductions(self):
        self.check([tf.reduce_sum(A), tf.reduce_mean(A, 0), tf.reduce_max(A, 1, keepdims=True),
                    tf.reduce_min(A, reduction_indices=[0, 1]), tf.reduce_prod([2, 3])],
                   [66, A.mean(0), A.max(1, keepdims=True), 0, 6])
        self.check(tf.reduce_logsumexp(A, 1), np.log(np.exp(A).sum(1)))
        self.check([tf.argmax(A, 1), tf.cumsum(A, 1, exclusive=True, reverse=True),
                    tf.count_nonzero(A, 1)],
                   [A.argmax(1), A.sum(1, keepdims=True) - A.cumsum(1), [3, 4, 4]])
        with self.assertRaisesRegex(ValueError, 'Cannot specify both'):
            tf.reduce_sum(A, axis=1, reduction_indices=1)

    def test_products(self):
        self.check([tf.matmul(A, A, transpose_b=True), tf.matmul(B, B, adjoint_b=True),
                    tf.tensordot(A, B, [[0], [1]]), tf.einsum('bij,jk->bik', B, A.T)],
                   [A @ A.T, B @ B.transpose(0, 2, 1), np.tensordot(A, B, [[0], [1]]), B @ A.T])
        with self.assertRaises(ValueError):
            tf.matmul(A, A)
        with self.assertRaisesRegex(ValueError, 'an axis appears more than once: ii'):
            tf.einsum('ii->i', A[:3, :3])

    def test_segments_and_counts(self):
        self.check([tf.unsorted_segment_mean(A, [0, 0, 1], 2), tf.bincount([1, 1, 3])],
                   [[(A[0] + A[1]) / 2, A[2]], [0, 2, 0, 1]])
        self.check(tf.confusion_matrix([0, 1, 2], [0, 2, 2]), [[1, 0, 0], [0, 0, 1], [0, 0, 1]])
        self.check([tf.sort(A[0], direction='DESCENDING'), tf.argsort([3., 1., 2.])],
                   [A[0][::-1], [1, 2, 0]])


class NnTest(ValuesTest):

    def test_softmax_along_any_axis(self):
        def softmax(x, axis):
            e = np.exp(x - x.max(axis, keepdims=True))
            return e / e.sum(axis, keepdims=True)
        self.check([tf.nn.softmax(A), tf.nn.softmax(A, 0), tf.nn.softmax(A, dim=-2)],
                   [softmax(A, 1), softmax(A, 0), softmax(A, 0)])
        labels = softmax(A[::-1], 1)
        self.check(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=A),
                   -(labels * np.log(softmax(A, 1))).sum(1))
        self.check(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2], logits=A),
                   -np.log(softmax(A, 1))[range(3), range(3)])
        with self.assertRaisesRegex(ValueError, 'with named arguments'):
            tf.nn.softmax_cross_entropy_with_logits(labels, A)

    def test_dilation_by_the_batch_is_a_dilated_filter(self):
        image = np.arange(48, dtype=np.float32).reshape(1, 8, 6, 1)
        filters = np.ones((2, 2, 1, 1), np.float32)
        wanted = (image[:, :-2, :-2] + image[:, 2:, :-2] + image[:, :-2, 2:] + image[:, 2:, 2:])
        self.check(tf.nn.convolution(image, filters, 'VALID', dilation_rate=[2, 2]), wanted)
        self.check(tf.nn.atrous_conv2d(image, filters, 2, 'VALID'), wanted)

    def test_moments_and_normalization(self):
        mean, variance = tf.nn.moments(tf.constant(A), [0])
        self.check([mean, variance], [A.mean(0), A.var(0)])
        self.check(tf.nn.l2_normalize(A[1:], 1),
                   A[1:] / np.sqrt((A[1:] ** 2).sum(1, keepdims=True)))

    def test_embeddings(self):
        parts = [A, A + 100]
        self.check([tf.nn.embedding_lookup(parts, [5, 0, 1, 2]),
                    tf.nn.embedding_lookup(parts, [5, 0, 1, 2], partition_strategy='div')],
                   [[A[2] + 100, A[0], A[0] + 100, A[1]], [A[2] + 100, A[0], A[1], A[2]]])
        ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0, -1, 2], tf.int64), [3, 2])
        self.check(tf.nn.safe_embedding_lookup_sparse([A], ids), [A[0], 0 * A[0], A[2]])

    def test_clipping(self):
        norm = np.sqrt(2 * (A ** 2).sum())
        clipped, found = tf.clip_by_global_norm([tf.constant(A), None, tf.constant(A)], 3.)
        self.assertIsNone(clipped[1])
        self.check([clipped[0], found], [A * 3 / norm, norm])


class RandomTest(ValuesTest):

    def test_seeds_give_tensorflows_numbers(self):
        tf.set_random_seed(3)
        self.check([tf.random_uniform([2], seed=1), tf.random.stateless_uniform([2], [1, 2])],
                   RANDOM_FACTS)

    def test_initializers(self):
        config = tf.variance_scaling_initializer(2., 'fan_out').get_config()
        self.assertEqual({'scale': 2., 'mode': 'fan_out', 'distribution': 'truncated_normal',
                          'seed': None, 'dtype': 'float32'}, config)
        again = tf.variance_scaling_initializer.from_config(config)
        self.assertEqual(config, again.get_config())
        q = tf.orthogonal_initializer(seed=1)([4, 4])
        self.check(tf.matmul(q, q, transpose_a=True), np.eye(4))
        with self.assertRaisesRegex(ValueError, 'must be positive float'):
            tf.variance_scaling_initializer(-1)


class StringsAndSparseTest(ValuesTest):

    def test_strings(self):
        with tf.Session() as session:
            self.assertEqual(b'a-b', session.run(tf.string_join(['a', 'b'], '-')))
            self.assertEqual([b'a', b'b', b'c'],
                             session.run(tf.string_split(['a b', 'c'])).values.tolist())
            self.assertEqual(b'xb', session.run(tf.regex_replace('aab', 'a+', 'x')))
            numbers, words = session.run(tf.decode_csv(['1,a', '2,b'], [[0], ['']]))
            self.assertEqual([1, 2], numbers.tolist())
            self.assertEqual([b'a', b'b'], words.tolist())

    def test_example(self):
        data = b'\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x01\x02'
        parsed = tf.parse_single_example(data, {'a': tf.FixedLenFeature([2], tf.int64),
                                                'b': tf.VarLenFeature(tf.string)})
        with tf.Session() as session:
            got = session.run(parsed)
        self.assertEqual([1, 2], got['a'].tolist())
        self.assertEqual(0, len(got['b'].values))

    def test_sparse(self):
        x = tf.SparseTensor([[0, 1], [1, 2]], [1., 2.], [2, 3])
        dense = np.array([[0, 1, 0], [0, 0, 2]], np.float32)
        self.check([tf.sparse_tensor_to_dense(x), tf.sparse_tensor_dense_matmul(x, A),
                    tf.sparse_reduce_sum(x, 1), tf.sparse_tensor_to_dense(tf.sparse_transpose(x)),
                    tf.sparse_tensor_to_dense(tf.square(x)), tf.sparse_add(x, dense)],
                   [dense, dense @ A, [1, 2], dense.T, dense ** 2, 2 * dense])
        with self.assertRaises(ValueError):
            tf.SparseTensor([[0, 1]], [1., 2.], [2, 3])


class ChecksTest(ValuesTest):

    def test_what_is_known_is_checked_while_building(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'msg\nCondition x == y did'):
            tf.assert_equal([1, 2], [1, 3], message='msg')
        with self.assertRaisesRegex(ValueError, 'must have rank 2.  Received rank 1'):
            tf.assert_rank(A[0], 2)
        with self.assertRaisesRegex(TypeError, 'Expected "x" to be integer type'):
            tf.assert_integer(A)
        with self.assertRaisesRegex(ValueError, 'must have size 4.  Received size 3'):
            tf.debugging.assert_shapes([(tf.constant(A), (4, 'n'))])

    def test_what_is_not_is_checked_while_running(self):
        x = tf.placeholder(tf.float32, [2])
        with tf.Session() as session:
            session.run(tf.assert_positive(x), {x: [1, 2]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'x > 0 did not hold'):
                session.run(tf.assert_positive(x), {x: [1, 0]})


class ImageTest(ValuesTest):

    def test_turns_and_cuts(self):
        self.check([tf.image.flip_left_right(B), tf.image.rot90(B), tf.image.transpose_image(B)],
                   [B[:, ::-1], np.rot90(B), B.transpose(1, 0, 2)])
        self.check(tf.image.resize_image_with_crop_or_pad(B, 4, 1),
                   np.pad(B[:, 1:2], [[1, 1], [0, 0], [0, 0]], 'constant'))
        with self.assertRaisesRegex(ValueError, 'at least three-dimensional'):
            tf.image.flip_left_right(A[0])

    def test_types_and_colours(self):
        self.check(tf.image.convert_image_dtype([[1., .5]], tf.uint8), [[255, 127]])
        self.check(tf.image.per_image_standardization(B), (B - B.mean()) / B.std(), 1e-4)
        self.check(tf.image.psnr(B, B + 1, 255.), 20 * np.log10(255), 1e-4)
        self.check(tf.image.total_variation(tf.constant(B)), 208)


class SignalTest(ValuesTest):

    def test_transforms(self):
        x = np.arange(32, dtype=np.float32)
        self.check(tf.signal.rfft(x), np.fft.rfft(x), 1e-4)
        frames = np.stack([x[i:i + 8] for i in range(0, 25, 4)])
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)
        self.check(tf.signal.stft(x, 8, 4), np.fft.rfft(frames * window), 1e-4)
        self.check(tf.signal.overlap_and_add(A, 4), A.ravel())


RANDOM_FACTS = ([0.7780691385269165, 0.5052884817123413],
                [0.8440604209899902, 0.19204533100128174])

if __name__ == '__main__':
    unittest.main()
