# SPDX-License-Identifier: Apache-2.0
"""unittest.TestCase with absl's checks and Python 2's names of the others: what TensorFlow's test
cases stand on."""
import collections.abc
import contextlib
import json
import os
import re
import unittest
from urllib import parse


class _TempFile(str):
    """A file made for a test: its path."""

    full_path = property(str)

    def read_text(self, encoding='utf-8'):
        with open(self, encoding=encoding) as file:
            return file.read()

    def read_bytes(self):
        with open(self, 'rb') as file:
            return file.read()

    def write_text(self, text, mode='w', encoding='utf-8'):
        with open(self, mode, encoding=encoding) as file:
            file.write(text)

    def write_bytes(self, data, mode='wb'):
        with open(self, mode) as file:
            file.write(data)


class _TempDir(str):
    """A folder made for a test: its path."""

    full_path = property(str)

    def create_file(self, file_path=None, content=None, mode='w', encoding='utf8', errors='strict'):
        path = os.path.join(self, file_path or 'file')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        binary = isinstance(content, bytes)
        with open(path, 'wb' if binary else mode, encoding=None if binary else encoding,
                  errors=None if binary else errors) as file:
            file.write(content or '')
        return _TempFile(path)

    def mkdir(self, dir_path=None):
        path = os.path.join(self, dir_path or 'dir')
        os.makedirs(path, exist_ok=True)
        return _TempDir(path)


class TestCase(unittest.TestCase):
    """The checks that a test may make beside unittest's."""

    longMessage = True

    def _fail(self, msg, text):
        self.fail(self._formatMessage(msg, text))

    # ---- containers ----

    def assertEmpty(self, container, msg=None):
        if not isinstance(container, collections.abc.Sized):
            self._fail(msg, 'Expected a Sized object, got: %r' % type(container).__name__)
        if len(container):
            self._fail(msg, '%r has length of %d.' % (container, len(container)))

    def assertNotEmpty(self, container, msg=None):
        if not isinstance(container, collections.abc.Sized):
            self._fail(msg, 'Expected a Sized object, got: %r' % type(container).__name__)
        if not len(container):
            self._fail(msg, '%r has length of 0.' % (container,))

    def assertLen(self, container, expected_len, msg=None):
        if not isinstance(container, collections.abc.Sized):
            self._fail(msg, 'Expected a Sized object, got: %r' % type(container).__name__)
        if len(container) != expected_len:
            self._fail(msg, '%r has length of %d, expected %d.'
                       % (container, len(container), expected_len))

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None,
                                  delta=None):
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for i, (expected, actual) in enumerate(zip(expected_seq, actual_seq)):
            self.assertAlmostEqual(expected, actual, places=places, delta=delta,
                                   msg='%s (index %d)' % (msg or '', i))

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self._fail(msg, 'Missing elements %s\nExpected: %s\nActual: %s'
                       % (missing, expected_subset, actual_set))

    def assertNoCommonElements(self, expected_seq, actual_seq, msg=None):
        common = set(expected_seq) & set(actual_seq)
        if common:
            self._fail(msg, 'Common elements %s\nExpected: %s\nActual: %s'
                       % (common, expected_seq, actual_seq))

    def assertItemsEqual(self, expected_seq, actual_seq, msg=None):
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(self, expected_seq, actual_seq, msg=None):
        for seq in (expected_seq, actual_seq):
            if isinstance(seq, (str, bytes)):
                self._fail(msg, 'Passing string/bytes to assertSameElements is usually a bug. '
                                'Did you mean to use assertEqual?')
        missing = [e for e in expected_seq if e not in actual_seq]
        unexpected = [e for e in actual_seq if e not in expected_seq]
        if missing or unexpected:
            self._fail(msg, 'Expected, but missing: %r; not expected: %r' % (missing, unexpected))

    def assertContainsInOrder(self, strings, target, msg=None):
        strings = (strings,) if isinstance(strings, str) else strings
        at = 0
        for text in strings:
            found = target.find(text, at)
            if found < 0:
                self._fail(msg, 'Did not find "%s" in "%s" after position %d' % (text, target, at))
            at = found + len(text)

    def assertContainsSubsequence(self, container, subsequence, msg=None):
        rest = iter(container)
        if not all(item in rest for item in subsequence):
            self._fail(msg, '%s not a subsequence of %s' % (subsequence, container))

    def assertContainsExactSubsequence(self, container, subsequence, msg=None):
        container, part = list(container), list(subsequence)
        if not any(container[i:i + len(part)] == part
                   for i in range(len(container) - len(part) + 1)):
            self._fail(msg, '%s not an exact subsequence of %s' % (part, container))

    def assertSequenceStartsWith(self, prefix, whole, msg=None):
        if isinstance(prefix, collections.abc.Sized) and not len(prefix):
            self._fail(msg, 'Prefix length is 0.')
        self.assertSequenceEqual(prefix, whole[:len(prefix)], msg)

    def assertSameStructure(self, a, b, aname='a', bname='b', msg=None):
        if a != b:
            self._fail(msg, '%s is %r, %s is %r' % (aname, a, bname, b))

    def assertTotallyOrdered(self, *groups, **kwargs):
        msg = kwargs.get('msg')
        for i, group in enumerate(groups):
            for a in group:
                for b in group:
                    self.assertTrue(a == b and a <= b and a >= b, msg)
                for later in groups[i + 1:]:
                    for b in later:
                        self.assertTrue(a < b and b > a and a != b and a <= b, msg)

    # ---- numbers and texts ----

    def assertBetween(self, value, minv, maxv, msg=None):
        if not minv <= value <= maxv:
            self._fail(msg, '"%r" unexpectedly not between "%r" and "%r"' % (value, minv, maxv))

    def assertStartsWith(self, actual, expected_start, msg=None):
        if not actual.startswith(expected_start):
            self._fail(msg, '%r does not start with %r' % (actual, expected_start))

    def assertNotStartsWith(self, actual, unexpected_start, msg=None):
        if actual.startswith(unexpected_start):
            self._fail(msg, '%r does start with %r' % (actual, unexpected_start))

    def assertEndsWith(self, actual, expected_end, msg=None):
        if not actual.endswith(expected_end):
            self._fail(msg, '%r does not end with %r' % (actual, expected_end))

    def assertNotEndsWith(self, actual, unexpected_end, msg=None):
        if actual.endswith(unexpected_end):
            self._fail(msg, '%r does end with %r' % (actual, unexpected_end))

    def assertRegexMatch(self, actual_str, regexes, message=None):
        if isinstance(regexes, (str, bytes)):
            self.fail('regexes is string or bytes; use assertRegex instead.')
        for regex in regexes:
            regex = regex.encode() if isinstance(actual_str, bytes) and isinstance(regex, str) \
                else regex
            if re.search(regex, actual_str, re.MULTILINE):
                return
        self._fail(message, 'String "%s" does not match any of %s' % (actual_str, list(regexes)))

    def assertUrlEqual(self, a, b, msg=None):
        one, other = parse.urlparse(a), parse.urlparse(b)
        for part in ('scheme', 'netloc', 'path', 'fragment'):
            self.assertEqual(getattr(one, part), getattr(other, part), msg)
        self.assertEqual(sorted(one.params.split(';')), sorted(other.params.split(';')), msg)
        self.assertDictEqual(parse.parse_qs(one.query, keep_blank_values=True),
                             parse.parse_qs(other.query, keep_blank_values=True), msg)

    def assertJsonEqual(self, first, second, msg=None):
        self.assertSameStructure(json.loads(first), json.loads(second), msg=msg)

    # ---- exceptions ----

    @contextlib.contextmanager
    def _raises_that(self, expected_exception, accept, what):
        try:
            yield
        except expected_exception as error:
            self.assertTrue(accept(error), '%r does not match %s' % (error, what))
        else:
            self.fail('%s not raised' % expected_exception.__name__)

    def assertRaisesWithPredicateMatch(self, expected_exception, predicate, callable_obj=None,
                                       *args, **kwargs):
        context = self._raises_that(expected_exception, predicate, 'the predicate')
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)
        return None

    def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message,
                                     callable_obj=None, *args, **kwargs):
        context = self._raises_that(
            expected_exception, lambda e: str(e) == expected_exception_message,
            repr(expected_exception_message))
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)
        return None

    # ---- folders and files of the test ----

    def enter_context(self, manager):
        """What the context gives; it is left when the test has ended."""
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def _own_folder(self):
        from leat.python.platform import googletest
        path = os.path.join(googletest.GetTempDir(), *self.id().split('.'))
        os.makedirs(path, exist_ok=True)
        return path

    def create_tempdir(self, name=None, cleanup=None):
        path = os.path.join(self._own_folder(), name or 'dir')
        os.makedirs(path, exist_ok=True)
        return _TempDir(path)

    def create_tempfile(self, file_path=None, content=None, mode='w', encoding='utf8',
                        errors='strict', cleanup=None):
        return _TempDir(self._own_folder()).create_file(file_path, content, mode, encoding, errors)


for _old, _new in (('assertEquals', 'assertEqual'), ('assertNotEquals', 'assertNotEqual'),
                   ('assertAlmostEquals', 'assertAlmostEqual'), ('assert_', 'assertTrue'),
                   ('assertNotAlmostEquals', 'assertNotAlmostEqual'),
                   ('assertRegexpMatches', 'assertRegex'), ('assertRaisesRegexp',
                                                            'assertRaisesRegex'),
                   ('assertNotRegexpMatches', 'assertNotRegex'), ('failUnless', 'assertTrue'),
                   ('failIf', 'assertFalse'), ('failUnlessEqual', 'assertEqual')):
    setattr(TestCase, _old, getattr(unittest.TestCase, _new))
