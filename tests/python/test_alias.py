# SPDX-License-Identifier: Apache-2.0
"""python3 -m leat: programs see tensorflow; the public namespaces; what is not there says so."""
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import leat as tf


def run(*arguments, **more):
    done = subprocess.run([sys.executable, '-m', 'leat', *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, **more)
    return done.returncode, done.stdout, done.stderr


class MainTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text, name='program.py'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w') as file:
            file.write(textwrap.dedent(text))
        return path

    def test_program(self):
        self.program('WHERE = __file__', 'beside.py')
        path = self.program('''\
            import sys
            import tensorflow as tf
            import leat
            import beside
            import tensorflow.compat.v1 as tf1
            import tensorflow.python.framework.dtypes
            from tensorflow.python.framework import dtypes
            from leat.python.framework import dtypes as same
            assert tf is leat and dtypes is same and tf1.float32 is tf.float32
            assert tf.__version__ == tf.VERSION == '1.15.5' and leat.leat_version
            assert sys.modules['__main__'].tf is tf and __name__ == '__main__'
            assert sys.modules['tensorflow.python.framework.dtypes'].__spec__.name == (
                'leat.python.framework.dtypes')
            print(sys.argv[1:], __file__ == sys.argv[0])
            sys.exit(5)
            ''')
        self.assertEqual(run(path, 'a', '--b'), (5, "['a', '--b'] True\n", ''))

    def test_star(self):
        path = self.program('''\
            import builtins
            from tensorflow import *
            from tensorflow.nn import *
            from tensorflow.contrib.rnn import *
            builtins.print(float32.name, placeholder.__name__, train.Saver.__name__, relu.__name__,
                           BasicLSTMCell.__name__, 'keras' in globals())
            ''')
        self.assertEqual(run(path), (0, 'float32 placeholder Saver relu BasicLSTMCell False\n', ''))

    def test_modules_that_are_absent(self):
        path = self.program('''\
            import unittest
            from tensorflow.python.ops import boosted_trees_ops
            from tensorflow.python.ops import tensor_forest_ops
            class Test(unittest.TestCase):
                def test_trees(self):
                    boosted_trees_ops.TreeEnsemble("trees")
                def test_other(self):
                    pass
            try:
                from tensorflow.python.ops.tensor_forest_ops import old
            except ImportError:
                unittest.main()
            ''', 'test_absent.py')
        status, _, err = run(path)
        self.assertEqual(status, 0)
        self.assertIn('OK (skipped=1)', err)

    def test_error(self):
        status, out, err = run(self.program('def f():\n    1 / 0\nf()\n'))
        self.assertEqual((status, out), (1, ''))
        self.assertIn('program.py", line 3, in <module>', err)
        self.assertIn('ZeroDivisionError', err)
        self.assertNotIn('__main__.py', err)

    def test_code_and_module(self):
        self.assertEqual(run('-c', 'import sys, tensorflow as tf; print(tf.int32, sys.argv)', 'x'),
                         (0, "<dtype: 'int32'> ['-c', 'x']\n", ''))
        self.program('import sys, tensorflow; print(sys.argv[1:], __name__)', 'some_module.py')
        self.assertEqual(run('-m', 'some_module', 'x', cwd=self.folder.name),
                         (0, "['x'] __main__\n", ''))
        self.assertEqual(run('-', input='import tensorflow as tf; print(tf.int8.max)'),
                         (0, '127\n', ''))

    def test_usage(self):
        self.assertEqual(run()[0], 2)
        self.assertEqual(run('/nowhere/program.py')[0], 2)
        self.assertEqual(run('-x')[0], 2)
        self.assertEqual(run('-c')[0], 2)

    def test_spawn(self):
        path = self.program('''\
            import multiprocessing
            import tensorflow as tf
            def work(n):
                return tf.int16.max + n
            if __name__ == '__main__':
                with multiprocessing.get_context('spawn').Pool(1) as pool:
                    print(pool.map(work, [1]))
            ''')
        self.assertEqual(run(path), (0, '[32768]\n', ''))

    def test_missing(self):
        status, out, _ = run('-c', textwrap.dedent('''\
            import tensorflow as tf
            for name in ('tensorflow.nothing', 'tensorflow.contrib.nothing.ops'):
                try:
                    __import__(name)
                except ModuleNotFoundError as error:
                    print(error)
            print(hasattr(tf, 'nothing'), hasattr(tf.nn, 'nothing'))
            '''))
        self.assertEqual(status, 0)
        self.assertIn("'tensorflow.nothing': Leat has no leat.nothing yet; docs/python-api.md", out)
        self.assertIn("'tensorflow.contrib.nothing'", out)
        self.assertIn('False False', out)


    def test_stand_ins(self):
        """absl and six are there, installed or not."""
        path = self.program('''\
            import six
            from absl import flags
            from absl.testing import parameterized
            from six.moves import urllib, xrange
            import six.moves.cPickle as pickle
            import tensorflow as tf
            import abc
            @six.add_metaclass(abc.ABCMeta)
            class Base(object):
                pass
            assert type(Base) is abc.ABCMeta
            class Test(parameterized.TestCase):
                @parameterized.parameters((1, 2), dict(x=1, y=3))
                def testPair(self, x, y):
                    self.assertLess(x, y)
                @parameterized.named_parameters(('One', 1), dict(testcase_name='Two', x=2))
                def testName(self, x):
                    self.assertIn(x, xrange(1, 3))
            print(sorted(n for n in dir(Test) if n.startswith('test')), pickle.loads(
                pickle.dumps(six.text_type('x'))), urllib.parse.quote(' '))
            ''')
        self.assertEqual(run(path), (
            0, "['testNameOne', 'testNameTwo', 'testPair0', 'testPair1'] x %20\n", ''))


class NamespaceTest(unittest.TestCase):
    def test_namespaces(self):
        self.assertIs(tf.errors.OpError, tf.OpError)
        self.assertIs(tf.compat.v1.errors.OpError, tf.OpError)
        self.assertIs(tf.app.flags, tf.flags)
        self.assertEqual(tf.logging.INFO, 20)
        self.assertIs(tf.gfile.Open, tf.gfile.GFile)
        self.assertIn('relu', dir(tf.nn))
        self.assertIn('nn', dir(tf))
        modes = tf.estimator.ModeKeys
        self.assertEqual((modes.TRAIN, modes.EVAL, modes.PREDICT), ('train', 'eval', 'infer'))

    def test_message(self):
        with self.assertRaisesRegex(AttributeError, 'tf.nn.nothing is not there yet.*docs/python'):
            tf.nn.nothing
        with self.assertRaises(AttributeError):
            tf._nothing

    def test_raw_ops(self):
        with tf.Graph().as_default():
            self.assertEqual(tf.raw_ops.Add(x=1.0, y=2.0).op.type, 'Add')
        with self.assertRaisesRegex(TypeError, 'Add only takes keyword args'):
            tf.raw_ops.Add(1, 2)
        with self.assertRaises(AttributeError):
            tf.raw_ops.NoSuchOp

    def test_import_is_light(self):
        loaded = subprocess.run(
            [sys.executable, '-c', 'import sys, leat; print("numpy" in sys.modules)'],
            stdout=subprocess.PIPE, universal_newlines=True).stdout
        self.assertEqual(loaded, 'False\n')


if __name__ == '__main__':
    unittest.main()
