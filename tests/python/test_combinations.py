# SPDX-License-Identifier: Apache-2.0
"""Combinations of arguments of tests. Names and texts are TensorFlow 1.15's."""
import unittest

import leat as tf
from leat._stand_ins.absl.testing import parameterized
from leat.python.framework import combinations
from leat.python.framework import test_combinations


def _run(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


class CombineTest(unittest.TestCase):
    def test_combine(self):
        self.assertEqual([tuple(c.items()) for c in combinations.combine(b=[1, 2], a='x')],
                         [(('a', 'x'), ('b', 1)), (('a', 'x'), ('b', 2))])
        self.assertEqual(combinations.combine(a=[]), [])
        self.assertEqual(len(combinations.combine()), 1)

    def test_times(self):
        joined = combinations.times(combinations.combine(a=[1, 2]), combinations.combine(b=[3, 4]))
        self.assertEqual([tuple(c.values()) for c in joined], [(1, 3), (1, 4), (2, 3), (2, 4)])
        with self.assertRaisesRegex(ValueError, 'Keys need to not overlap'):
            combinations.times(joined, combinations.combine(a=1))

    def test_named_object(self):
        named = combinations.NamedObject('nm', len)
        self.assertEqual((repr(named), named([1, 2]), named.__name__), ('nm', 2, 'len'))

    def test_modifiers(self):
        optional = test_combinations.OptionalParameter
        self.assertEqual(optional('a'), optional('a'))
        self.assertNotEqual(optional('a'), test_combinations.ParameterModifier('a'))
        self.assertEqual(optional('a').modified_arguments({'a': 1}, ['a']), {})


class GenerateTest(unittest.TestCase):
    def test_method(self):
        seen = []

        class Case(parameterized.TestCase):
            @combinations.generate(combinations.combine(mode=['graph', 'eager'], a=[1, 2.5]))
            def testA(self, mode, a):
                seen.append((mode, a))

            @combinations.generate(combinations.combine(mode='graph', tf_api_version=[1, 2]))
            def testGraph(self):
                seen.append(tf.get_default_graph() is not outer)

            @combinations.generate(combinations.combine(a=1, b=2))
            def testB(self, a):
                seen.append(a)
        outer = tf.get_default_graph()
        self.assertIn('testA_test_a_25_mode_graph', dir(Case))
        result = _run(Case)
        self.assertEqual(sorted(map(str, seen)), ["('graph', 1)", "('graph', 2.5)", 'True'])
        self.assertEqual(len(result.skipped), 3)
        self.assertEqual(len(result.errors), 1)
        self.assertIn("not take parameters that were passed : {'b'}", result.errors[0][1])

    def test_class(self):
        seen = []

        @combinations.generate(combinations.combine(b=[1, 'z z']))
        class Case(unittest.TestCase):
            def testX(self, b):
                seen.append(b)
        self.assertEqual([n for n in dir(Case) if n.startswith('test')],
                         ['testX_test_b_1', 'testX_test_b_zz'])
        self.assertTrue(_run(Case).wasSuccessful())
        self.assertEqual(seen, [1, 'z z'])


if __name__ == '__main__':
    unittest.main()
