# SPDX-License-Identifier: Apache-2.0
"""absl.testing.absltest: unittest, with temporary folders and a few more checks."""
import os
import unittest
from unittest import *  # noqa: F401,F403
from unittest import mock  # noqa: F401

from leat.python.platform import flags as _flags
from leat.python.platform import googletest as _googletest

FLAGS = _flags.FLAGS


class TestCase(unittest.TestCase):
    """unittest's, with absl's checks."""

    def assertEmpty(self, container, msg=None):
        if len(container):
            self.fail(msg or '%r is not empty' % (container,))

    def assertNotEmpty(self, container, msg=None):
        if not len(container):
            self.fail(msg or '%r is empty' % (container,))

    def assertLen(self, container, expected_len, msg=None):
        if len(container) != expected_len:
            self.fail(msg or '%r has length %d, not %d' % (container, len(container),
                                                           expected_len))

    def assertStartsWith(self, actual, expected_start, msg=None):
        if not actual.startswith(expected_start):
            self.fail(msg or '%r does not start with %r' % (actual, expected_start))

    def assertEndsWith(self, actual, expected_end, msg=None):
        if not actual.endswith(expected_end):
            self.fail(msg or '%r does not end with %r' % (actual, expected_end))

    def assertBetween(self, value, minv, maxv, msg=None):
        self.assertTrue(minv <= value <= maxv, msg or '%r is not between %r and %r'
                        % (value, minv, maxv))

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None,
                                  delta=None):
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for expected, actual in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(expected, actual, places=places, msg=msg, delta=delta)

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail(msg or '%r are not in %r' % (missing, actual_set))

    def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message,
                                     callable_obj=None, *args, **kwargs):
        import re
        pattern = '^%s$' % re.escape(expected_exception_message)
        if callable_obj is None:
            return self.assertRaisesRegex(expected_exception, pattern)
        with self.assertRaisesRegex(expected_exception, pattern):
            callable_obj(*args, **kwargs)
        return None

    assertSameElements = unittest.TestCase.assertCountEqual

    def create_tempdir(self, name=None):
        """A folder for this test; its full_path is the path."""
        path = os.path.join(_googletest.GetTempDir(), self.id().replace('.', '_'), name or 'dir')
        os.makedirs(path, exist_ok=True)
        return type('TempDir', (str,), {'full_path': path})(path)


def get_default_test_tmpdir():
    return _googletest.GetTempDir()


def main(*args, **kwargs):
    """Runs the tests of the main module."""
    del args
    return _googletest.main(kwargs.get('argv'))
