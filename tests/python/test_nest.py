# SPDX-License-Identifier: Apache-2.0
"""tf.nest: order of leaves, what packs into what, the texts of errors."""
import collections
import unittest

import numpy as np

from leat.python.util import nest

P = collections.namedtuple('P', 'x y')
Q = collections.namedtuple('Q', 'x y')


class NestTest(unittest.TestCase):
    def test_flatten(self):
        self.assertEqual(nest.flatten({'b': 1, 'a': [2, (3,)]}), [2, 3, 1])
        self.assertEqual(nest.flatten(P(1, [2])), [1, 2])
        self.assertEqual(nest.flatten('ab'), ['ab'])
        self.assertEqual(nest.flatten([{}, [], ()]), [])
        self.assertEqual(len(nest.flatten(np.zeros(3))), 1)
        self.assertFalse(nest.is_sequence({1}) or nest.is_sequence(b'a'))
        with self.assertRaises(TypeError):
            nest.flatten({1: 2, 'a': 3})

    def test_pack(self):
        order = collections.OrderedDict([('b', 1), ('a', 2)])
        self.assertEqual(list(nest.pack_sequence_as(order, [3, 4]).items()), [('b', 4), ('a', 3)])
        self.assertEqual(nest.pack_sequence_as([1, (2, P(3, 4))], [5, 6, 7, 8]),
                         [5, (6, P(7, 8))])
        with self.assertRaisesRegex(ValueError, 'had 2 elements, but flat_sequence had 1'):
            nest.pack_sequence_as([1, 2], [2])
        with self.assertRaisesRegex(TypeError, 'flat_sequence must be a sequence'):
            nest.pack_sequence_as([1], 5)

    def test_same_structure(self):
        nest.assert_same_structure({'a': 1}, collections.OrderedDict(a=1))
        nest.assert_same_structure([1, 2], (3, 4), check_types=False)
        for first, second, error, text in (
                ([1, 2], (3, 4), TypeError, "don't have the same sequence type"),
                (P(1, 2), Q(1, 2), TypeError, 'has type P, while second structure'),
                ([1, 2], [3], ValueError, "don't have the same number of elements"),
                ([1, [2]], [3, 4], ValueError, 'a sequence, while substructure "type=int str=4"'),
                ({'a': 1}, {'b': 1}, ValueError, "don't have the same set of keys")):
            with self.assertRaisesRegex(error, text):
                nest.assert_same_structure(first, second)

    def test_map(self):
        self.assertEqual(nest.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]), [4, (6,)])
        self.assertEqual(nest.map_structure_up_to([0, 0], lambda x, y: (x, y), [[1, 2], 3], [4, 5]),
                         [([1, 2], 4), (3, 5)])
        self.assertEqual(
            nest.map_structure_with_paths(lambda p, x: (p, x), {'a': [1], 'b': P(3, 4)}),
            {'a': [('a/0', 1)], 'b': P(x=('b/x', 3), y=('b/y', 4))})
        with self.assertRaisesRegex(ValueError, 'Only valid keyword arguments'):
            nest.map_structure(len, [], foo=1)

    def test_shallow(self):
        self.assertEqual(nest.flatten_up_to([0, [1]], [[1, 2], [[3]]]), [[1, 2], [3]])
        self.assertEqual(nest.get_traverse_shallow_structure(
            lambda s: isinstance(s, (tuple, list)), [1, (2, [3], {'a': 1})]),
            [False, (False, [False], False)])
        with self.assertRaisesRegex(ValueError, 'keys are not a subset'):
            nest.flatten_up_to({'a': 1}, {'b': 2})
        self.assertEqual(nest.flatten_dict_items({(1, 2): (3, 4), 5: 6}), {1: 3, 2: 4, 5: 6})


if __name__ == '__main__':
    unittest.main()
