# SPDX-License-Identifier: Apache-2.0
"""What the functions and classes of tf.contrib compute, against TensorFlow 1.15's own numbers.

contrib_values.tsv has a line each: a name, statements of which the last is an expression, and
what TensorFlow 1.15.5 computed for it (its sum and a weighted sum of each tensor, flattened).
Variables begin at steps()."""
import ast
import os
import unittest

import numpy as np

try:
    import leat
    leat.app  # leat.py of tests/interop is no package
    from leat import _alias
    _alias.install()
except (ImportError, AttributeError):
    pass
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))


def steps(shape, dtype=None, partition_info=None):
    del partition_info
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * .7 + 1).reshape(shape) * .5, dtype or tf.float32)


def data(*shape):
    return tf.constant(np.cos(np.arange(int(np.prod(shape))) * .3).reshape(shape), tf.float32)


def summary(value):
    value = np.asarray(value, dtype=np.float64)
    flat = value.reshape(-1)
    return [float(flat.sum()), float((flat * np.cos(np.arange(flat.size))).sum())]


def compute(code):
    """[sums] of the tensors that the last expression of code gives."""
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    tf.compat.v1.reset_default_graph()
    tf.compat.v1.set_random_seed(5)
    tree = ast.parse(code)
    names = {'tf': tf, 'np': np, 'data': data, 'steps': steps}
    with tf.compat.v1.variable_scope('', initializer=steps):
        exec(compile(ast.Module(tree.body[:-1], []) if hasattr(ast, 'Constant') and
                     'type_ignores' in ast.Module._fields else ast.Module(tree.body[:-1]),
                     '<row>', 'exec'), names)
        result = eval(compile(ast.Expression(tree.body[-1].value), '<row>', 'eval'), names)
    with tf.compat.v1.Session() as session:
        session.run([tf.compat.v1.global_variables_initializer(),
                     tf.compat.v1.local_variables_initializer()])
        values = result(session) if callable(result) else session.run(
            tf.contrib.framework.nest.flatten(result))
    return [number for value in values for number in summary(value)]


def rows():
    with open(os.path.join(HERE, 'contrib_values.tsv'), encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f if line[0] != '#']


class Values(unittest.TestCase):

    def test_rows(self):
        for name, code, expected in rows():
            with self.subTest(name):
                np.testing.assert_allclose(compute(code), ast.literal_eval(expected), rtol=2e-4,
                                           atol=2e-5)


if __name__ == '__main__':
    unittest.main()
