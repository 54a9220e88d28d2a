# SPDX-License-Identifier: Apache-2.0
"""Each call of op_graphs.tsv builds the graph that TensorFlow 1.15.5 builds: node for node its
names, ops, inputs, attributes and shapes, or the same class of error."""
import os
import sys
import unittest

from leat import _alias

_alias.install()
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import op_graphs  # noqa: E402


class OpGraphsTest(unittest.TestCase):

    def test_calls_build_tensorflows_graphs(self):
        wrong = []
        with open(os.path.join(HERE, 'op_graphs.tsv')) as rows:
            lines = rows.read().splitlines()
        self.assertGreater(len(lines), 700)
        for line in lines:
            wanted, _, expression = line.partition('\t')
            text = op_graphs.describe(expression)
            if op_graphs.digest(expression) != wanted:
                wrong.append('%s\n%s' % (expression, text))
        self.assertEqual([], wrong, '%d of %d differ' % (len(wrong), len(lines)))


if __name__ == '__main__':
    unittest.main()
