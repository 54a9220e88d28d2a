# SPDX-License-Identifier: Apache-2.0
"""tf.flags, tf.app, tf.logging, deprecation: what programs do with them."""
import argparse
import contextlib
import io
import sys
import unittest

from leat.python.platform import app, flags, tf_logging
from leat.python.util import deprecation


class FlagsTest(unittest.TestCase):
    def setUp(self):
        self.values = flags.FlagValues()
        for define, name, default in (
                (flags.DEFINE_string, 'name', 'd'), (flags.DEFINE_integer, 'num', 1),
                (flags.DEFINE_boolean, 'bo', True), (flags.DEFINE_float, 'fl', 1),
                (flags.DEFINE_list, 'lst', ''), (flags.DEFINE_multi_integer, 'many', [7])):
            define(name, default, 'A flag.', flag_values=self.values)
        flags.DEFINE_enum('en', 'a', ['a', 'b'], 'One.', flag_values=self.values)

    def test_parse(self):
        rest = self.values(['p', 'a', '--num=0x10', '--nobo', '-fl', '2.5', '--lst=x,"y,z"',
                            '--many=1', '--many', '2', 'b', '--', '--num=9'])
        self.assertEqual(rest, ['p', 'a', 'b', '--num=9'])
        self.assertEqual((self.values.num, self.values.bo, self.values.fl, self.values.lst,
                          self.values.many, self.values.name),
                         (16, False, 2.5, ['x', 'y,z'], [1, 2], 'd'))
        self.values.name = 'other'
        self.assertEqual(self.values.flag_values_dict()['name'], 'other')
        self.assertEqual(self.values['name'].default, 'd')

    def test_unknown(self):
        self.assertEqual(self.values(['p', '--what', '--num=2', 'x'], known_only=True),
                         ['p', '--what', 'x'])
        with self.assertRaisesRegex(flags.UnrecognizedFlagError, "flag 'what'"):
            self.values(['p', '--what'])
        with self.assertRaises(AttributeError):
            self.values.what
        with self.assertRaises(flags.UnrecognizedFlagError):
            self.values.what = 1

    def test_errors(self):
        for argument, text in (('--num=x', 'invalid literal for int'),
                               ('--en=z', 'should be one of'),
                               ('--bo=maybe', 'Non-boolean argument')):
            with self.assertRaisesRegex(flags.IllegalFlagValueError, text):
                self.values(['p', argument])
        with self.assertRaisesRegex(flags.Error, 'Missing value for flag --num'):
            self.values(['p', '--num'])
        with self.assertRaisesRegex(flags.DuplicateFlagError, "'name' is defined twice"):
            flags.DEFINE_string('name', '', '', flag_values=self.values)
        flags.register_validator('num', lambda n: n > 0, 'must be positive', self.values)
        with self.assertRaisesRegex(flags.IllegalFlagValueError, 'must be positive'):
            self.values(['p', '--num=-1'])

    def test_app(self):
        flags.DEFINE_integer('test_app_steps', 3, 'Steps.')
        seen = []
        parser = argparse.ArgumentParser()
        parser.add_argument('--own', type=int)
        own, unparsed = parser.parse_known_args(['--own=2', '--test_app_steps=5', 'x'])
        with self.assertRaises(SystemExit) as end:
            app.run(main=lambda argv: seen.append((argv, flags.FLAGS.test_app_steps)) or 4,
                    argv=[sys.argv[0]] + unparsed)
        self.assertEqual(end.exception.code, 4)
        self.assertEqual(seen, [([sys.argv[0], 'x'], 5)])
        self.assertEqual(own.own, 2)
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as end:
            app.run(main=print, argv=['p', '--test_app_steps=x'])
        self.assertEqual(end.exception.code, 1)
        self.assertIn('Flags parsing error', err.getvalue())

    def test_old_names(self):
        flags.DEFINE_string(flag_name='old', default_value='v', docstring='t',
                            flag_values=self.values)
        self.values(['p'])
        self.assertEqual(self.values.old, 'v')


class LoggingTest(unittest.TestCase):
    def logged(self, function):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            function()
        return err.getvalue()

    def test_lines(self):
        before = tf_logging.get_verbosity()
        self.addCleanup(tf_logging.set_verbosity, before)
        tf_logging.set_verbosity(tf_logging.INFO)
        self.assertEqual(self.logged(lambda: tf_logging.info('at %d', 3)), 'INFO:tensorflow:at 3\n')
        self.assertEqual(self.logged(lambda: tf_logging.warn('w')), 'WARNING:tensorflow:w\n')
        self.assertEqual(self.logged(lambda: tf_logging.debug('d')), '')

        def often():
            for i in range(5):
                tf_logging.log_every_n(tf_logging.INFO, 'every %d', 2, i)
            for i in range(5):
                tf_logging.log_first_n(tf_logging.INFO, 'first %d', 2, i)
        self.assertEqual([line[16:] for line in self.logged(often).splitlines()],
                         ['every 0', 'every 2', 'every 4', 'first 0', 'first 1'])

    def test_deprecation(self):
        @deprecation.deprecated_args(None, 'Use axis', 'dim', ('keep', False))
        def reduce(axis=None, dim=None, keep=False):
            return deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)

        self.assertEqual(self.logged(lambda: reduce(3)), '')
        text = self.logged(lambda: self.assertEqual(reduce(dim=4), 4))
        self.assertIn('with dim is deprecated and will be removed in a future version.\n'
                      'Instructions for updating:\nUse axis\n', text)
        self.assertEqual(self.logged(lambda: reduce(dim=4)), '')
        with self.assertRaisesRegex(ValueError, "Cannot specify both 'dim' and 'axis'"):
            self.logged(lambda: reduce(1, 2))


if __name__ == '__main__':
    unittest.main()
