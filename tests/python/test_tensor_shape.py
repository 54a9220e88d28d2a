# SPDX-License-Identifier: Apache-2.0
"""TensorShape and Dimension with the semantics of 1.x: unknown is neither equal nor different."""
import unittest

from leat.python.framework import tensor_shape

D, T = tensor_shape.Dimension, tensor_shape.TensorShape


class DimensionTest(unittest.TestCase):
    def test_comparisons(self):
        self.assertIs(D(3) == 3, True)
        self.assertIs(D(3) == '3', True)
        self.assertIs(D(3) == 'x', False)
        for value in (D(3) == None, D(None) == D(None), D(None) != 3, D(3) < D(None)):  # noqa: E711
            self.assertIsNone(value)
        self.assertTrue(D(3) < 4 and D(3) >= 3 and not D(3) <= 2 and D(3) != 4)

    def test_arithmetic(self):
        self.assertEqual([(D(3) + 4).value, (3 + D(4)).value, (4 - D(3)).value, (D(7) // 2).value,
                          (7 // D(2)).value, (9 % D(4)).value, (4 * D(3)).value],
                         [7, 7, 1, 3, 3, 1, 12])
        for value in (D(None) * 0, D(3) + None, D(None) % 4, D(0) * D(None)):
            self.assertIsNone(value.value)
        with self.assertRaisesRegex(ValueError, 'Dimension -1 must be >= 0'):
            D(3) - 4
        with self.assertRaisesRegex(TypeError, 'please use // instead'):
            D(7) / 2
        with self.assertRaises(TypeError):
            hash(D(3))
        self.assertEqual([1, 2, 3][D(1)], 2)

    def test_construction(self):
        for value, error in ((-1, ValueError), (3.5, ValueError), ('x', ValueError),
                             ([1], TypeError)):
            with self.assertRaises(error):
                D(value)
        self.assertEqual(repr(D(D(4))), 'Dimension(4)')
        with self.assertRaisesRegex(ValueError, 'Dimensions 3 and 4 are not compatible'):
            D(3).merge_with(4)


class ShapeTest(unittest.TestCase):
    def test_printing(self):
        self.assertEqual(repr(T([1, None])), 'TensorShape([Dimension(1), Dimension(None)])')
        self.assertEqual([str(T(None)), str(T([])), str(T([5])), str(T([1, None]))],
                         ['<unknown>', '()', '(5,)', '(1, ?)'])

    def test_parts(self):
        shape = T([1, 2, 3])
        self.assertEqual(shape[1:].as_list(), [2, 3])
        self.assertEqual(shape[-1].value, 3)
        self.assertEqual(T(None)[1:3].as_list(), [None, None])
        self.assertIsNone(T(None)[1:].ndims)
        self.assertEqual(T(None)[3:1].as_list(), [])
        with self.assertRaisesRegex(ValueError, 'Steps are not yet handled'):
            T(None)[::2]
        with self.assertRaisesRegex(ValueError, 'Cannot take the length of shape with unknown'):
            len(T(None))
        with self.assertRaisesRegex(ValueError, 'Cannot iterate over a shape with unknown rank'):
            list(T(None))
        with self.assertRaisesRegex(ValueError, r'as_list\(\) is not defined on an unknown'):
            T(None).as_list()
        self.assertTrue(T([]) and T([1]) and not T(None))
        self.assertIn(1, shape)

    def test_equality(self):
        self.assertTrue(T([1, 2]) == [1, 2] and T(None) == None and T([1]) == 1)  # noqa: E711
        self.assertFalse(T([1, None]) == [1, None])
        self.assertFalse(T([1]) == 'x')
        self.assertTrue(T([1, None]) != T([1, None]))
        with self.assertRaisesRegex(ValueError, 'The inequality of unknown TensorShapes'):
            T(None) != T(None)

    def test_merging(self):
        self.assertEqual(T([1, None]).merge_with([None, 2]).as_list(), [1, 2])
        self.assertEqual(T([1]).concatenate(3).as_list(), [1, 3])
        self.assertEqual(([2] + T([1])).as_list(), [2, 1])
        self.assertEqual(T(None).with_rank(2).as_list(), [None, None])
        self.assertEqual(T([1, 3]).most_specific_compatible_shape([1, 2]).as_list(), [1, None])
        for call, text in (
                (lambda: T([1]).merge_with([2]), r'Shapes \(1,\) and \(2,\) are not compatible'),
                (lambda: T([1, 2]).with_rank(3), r'Shape \(1, 2\) must have rank 3'),
                (lambda: T([1, 2]).with_rank_at_least(3), 'must have rank at least 3'),
                (lambda: T([1, 2]).assert_same_rank([1]), 'must have the same rank'),
                (lambda: T([1, 2]).assert_is_compatible_with([1, 3]),
                 r'Shapes \(1, 2\) and \[1, 3\] are incompatible'),
                (lambda: T([None]).assert_is_fully_defined(),
                 r'Shape \(\?,\) is not fully defined')):
            with self.assertRaisesRegex(ValueError, text):
                call()
        self.assertEqual([T([2, 3]).num_elements(), T([]).num_elements(), T([None]).num_elements()],
                         [6, 1, None])

    def test_helpers(self):
        self.assertEqual(tensor_shape.unknown_shape(ndims=2).as_list(), [None, None])
        with self.assertRaisesRegex(TypeError, "Unknown argument: {'foo': 2}"):
            tensor_shape.unknown_shape(foo=2)
        self.assertEqual(tensor_shape.matrix(3, None).as_list(), [3, None])
        self.assertIsNone(tensor_shape.dimension_at_index(T(None), 1).value)
        with self.assertRaisesRegex(TypeError, 'A string has ambiguous TensorShape'):
            T('ab')


if __name__ == '__main__':
    unittest.main()
