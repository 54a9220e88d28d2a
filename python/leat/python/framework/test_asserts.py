# SPDX-License-Identifier: Apache-2.0
"""The checks of TensorFlow's test cases: of arrays, tensors, messages, devices, errors."""
import collections.abc
import contextlib
import difflib
import re

import numpy as np

from leat.python.framework import composite_tensor
from leat.python.framework import device as pydev
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.framework import versions
from leat.python.platform import test_checks
from leat.python.util import compat



def _tensor_inside(value):
    if isinstance(value, (list, tuple)):
        return any(_tensor_inside(v) for v in value)
    return ops.is_dense_tensor_like(value)


def _is_ragged(value):
    """Whether value is a RaggedTensor or the value of one."""
    return hasattr(value, 'nested_row_splits')


def _is_nan(array):
    if array.dtype.kind in 'fc':
        return np.isnan(array)
    return np.zeros(array.shape, bool)


def _is_bfloat16(dtype):
    return dtype.name == 'bfloat16' or (dtype.kind == 'V' and dtype.itemsize == 2)


class TestCaseAsserts(test_checks.TestCase):
    """The checks; evaluate() is the test case's."""

    # ---- messages ----

    def _AssertProtoEquals(self, a, b, msg=None):
        if not a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True):
            lines = difflib.ndiff(str(a).splitlines(True), str(b).splitlines(True))
            self.fail(self._formatMessage(msg, '\n' + ''.join(lines)))

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None):
        """A message is the other one, which may be given as text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, type(message)):
            self._AssertProtoEquals(expected, message, msg=msg)
        elif isinstance(expected, (str, bytes)):
            from leat import _text_format
            parsed = type(message)()
            _text_format.Merge(compat.as_text(expected), parsed)
            self._AssertProtoEquals(parsed, message, msg=msg)
        else:
            self.fail("Can't compare protos of type %s and %s." % (type(expected), type(message)))

    def assertProtoEqualsVersion(self, expected, actual, producer=versions.GRAPH_DEF_VERSION,
                                 min_consumer=versions.GRAPH_DEF_VERSION_MIN_CONSUMER, msg=None):
        text = 'versions { producer: %d min_consumer: %d };\n%s' % (
            producer, min_consumer, expected)
        self.assertProtoEquals(text, actual, msg=msg)

    # ---- numbers ----

    def assertNear(self, f1, f2, err, msg=None):
        """|f1 - f2| <= err."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, '%f != %f +/- %f%s' % (
            f1, f2, err, ' (%s)' % msg if msg is not None else ''))

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def _NDArrayNear(self, ndarray1, ndarray2, err):
        return np.linalg.norm(ndarray1 - ndarray2) < err

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """The norm of the difference is less than err."""
        self.assertTrue(self._NDArrayNear(ndarray1, ndarray2, err), msg=msg)

    # ---- arrays ----

    def _GetNdArray(self, a):
        if _tensor_inside(a):
            a = self.evaluate(a)
        if not isinstance(a, np.ndarray):
            return np.array(a)
        return a

    def _comparable(self, a):
        """The array, of a type that numpy can compute with."""
        a = self._GetNdArray(a)
        if _is_bfloat16(a.dtype):
            bits = a.view(np.uint16).astype(np.uint32) << 16
            return bits.view(np.float32)
        return a

    def _assertArrayLikeAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        a, b = self._comparable(a), self._comparable(b)
        contents = ' with contents %s' % b if b.ndim <= 3 or b.size < 500 else ''
        self.assertEqual(a.shape, b.shape, 'Shape mismatch: expected %s, got %s%s.'
                         % (a.shape, b.shape, contents))
        if np.allclose(a, b, rtol=rtol, atol=atol):
            return
        close = np.isclose(a, b, rtol=rtol, atol=atol)
        where = np.where(~np.atleast_1d(close))
        x, y = np.atleast_1d(a)[where], np.atleast_1d(b)[where]
        lines = [] if msg is None else [msg]
        if a.ndim:
            lines.append('not close where = %s' % (where,))
        else:
            x, y = a, b
        difference = np.abs(np.asarray(x, 'O') - np.asarray(y, 'O')) if a.dtype == bool else \
            np.abs(x - y)
        lines.append('not close lhs = %s' % (x,))
        lines.append('not close rhs = %s' % (y,))
        lines.append('not close dif = %s' % (difference,))
        lines.append('not close tol = %s' % (atol + rtol * np.abs(y),))
        lines.append('dtype = %s, shape = %s' % (a.dtype, a.shape))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg='\n'.join(lines),
                                   equal_nan=True)

    def _assertAllCloseRecursive(self, a, b, rtol=1e-6, atol=1e-6, path=None, msg=None):
        path = path or []
        path_str = ''.join('[%s]' % p for p in path)
        msg = msg or ''
        a = a._asdict() if hasattr(a, '_asdict') else a
        b = b._asdict() if hasattr(b, '_asdict') else b
        a_is_dict = isinstance(a, collections.abc.Mapping)
        if a_is_dict != isinstance(b, collections.abc.Mapping):
            raise ValueError("Can't compare dict to non-dict, a%s vs b%s. %s"
                             % (path_str, path_str, msg))
        if a_is_dict:
            self.assertCountEqual(
                a.keys(), b.keys(), msg='mismatched keys: a%s has keys %s, but b%s has keys %s. %s'
                % (path_str, a.keys(), path_str, b.keys(), msg))
            for k in a:
                self._assertAllCloseRecursive(a[k], b[k], rtol=rtol, atol=atol,
                                              path=path + [str(k)], msg=msg)
        elif isinstance(a, (list, tuple)):
            self._assert_sequences_close(a, b, rtol, atol, path, msg)
        else:
            self._assert_leaves_close(a, b, rtol, atol, path_str, msg)

    def _assert_sequences_close(self, a, b, rtol, atol, path, msg):
        path_str = ''.join('[%s]' % p for p in path)
        try:
            one, other = self._comparable(a), self._comparable(b)
            if one.dtype.kind == 'O' or other.dtype.kind == 'O':
                raise ValueError
        except (ValueError, TypeError):
            if len(a) != len(b):
                raise ValueError('Mismatched length: a%s has %d items, but b%s has %d items. %s'
                                 % (path_str, len(a), path_str, len(b), msg)) from None
            for i, (x, y) in enumerate(zip(a, b)):
                self._assertAllCloseRecursive(x, y, rtol=rtol, atol=atol, path=path + [str(i)],
                                              msg=msg)
            return
        self._assertArrayLikeAllClose(
            one, other, rtol=rtol, atol=atol,
            msg='Mismatched value: a%s is different from b%s. %s' % (path_str, path_str, msg))

    def _assert_leaves_close(self, a, b, rtol, atol, path_str, msg):
        try:
            self._assertArrayLikeAllClose(
                a, b, rtol=rtol, atol=atol,
                msg='Mismatched value: a%s is different from b%s. %s' % (path_str, path_str, msg))
        except TypeError as error:
            text = '%s : Error: a%s has %s, but b%s has %s. %s' % (
                error, path_str, type(a), path_str, type(b), msg)
            error.args = (text,) + error.args[1:]
            raise

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """|a - b| <= atol + rtol |b| everywhere: of arrays, tensors, and structures of them."""
        if _is_ragged(a) or _is_ragged(b):
            return self._assertRaggedClose(a, b, rtol, atol, msg)
        self._assertAllCloseRecursive(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6,
                                      float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
                                      bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        """The same; how near depends on the types."""
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        types = (a.dtype, b.dtype)
        if np.float32 in types or np.complex64 in types:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if np.float16 in types:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if any(_is_bfloat16(t) for t in types):
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a, b, **kwargs):
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError('The two values are close at all elements')

    def assertAllEqual(self, a, b, msg=None):
        """Equal everywhere, and of one shape; a NaN equals a NaN."""
        if _is_ragged(a) or _is_ragged(b):
            return self._assertRaggedEqual(a, b, msg)
        msg = msg if msg else ''
        a, b = self._comparable(a), self._comparable(b)
        if b.ndim <= 3 or b.size < 500:
            self.assertEqual(a.shape, b.shape, 'Shape mismatch: expected %s, got %s. Contents: %s. '
                             '\n%s.' % (a.shape, b.shape, b, msg))
        else:
            self.assertEqual(a.shape, b.shape, 'Shape mismatch: expected %s, got %s. \n%s'
                             % (a.shape, b.shape, msg))
        same = np.asarray(a == b)
        if same.shape != a.shape:
            same = np.array([x == y for x, y in zip(a.ravel(), b.ravel())],
                            bool).reshape(a.shape)
        if a.dtype.kind in 'fc' and b.dtype.kind in 'fc':
            same = np.logical_or(same, np.logical_and(_is_nan(a), _is_nan(b)))
        if np.all(same):
            return
        where = np.where(np.logical_not(np.atleast_1d(same)))
        x, y = (np.atleast_1d(a)[where], np.atleast_1d(b)[where]) if a.ndim else (a, b)
        lines = [msg]
        if a.ndim:
            lines.append('not equal where = %s' % (where,))
        lines.append('not equal lhs = %s' % (x,))
        lines.append('not equal rhs = %s' % (y,))
        self._fail_unequal(a, b, lines)

    @staticmethod
    def _fail_unequal(a, b, lines):
        text = '\n'.join(lines)
        try:
            np.testing.assert_array_equal(a, b, err_msg=text)
        except TypeError:
            pass
        raise AssertionError('\nArrays are not equal\n%s\n x: %r\n y: %r' % (text, a, b))

    def assertNotAllEqual(self, a, b, msg=None):
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError('The two values are equal at all elements%s'
                             % ('. ' + msg if msg else ''))

    # ---- every element of an array ----

    def assertAllGreater(self, a, comparison_target):
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def _format_subscripts(self, subscripts, value, limit=10, indent=2):
        lines = []
        for i, place in enumerate(np.transpose(subscripts)):
            if i >= limit:
                lines.append(' ' * indent + '...')
                break
            shown = ', '.join(str(p) for p in place)
            lines.append(' ' * indent + '[%s] : %s' % (shown, value[tuple(place)]))
        return lines

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False,
                         open_upper_bound=False):
        """Every element lies between the bounds, which an open side leaves out."""
        target = self._GetNdArray(target)
        if not (np.issubdtype(target.dtype, np.floating) or
                np.issubdtype(target.dtype, np.integer)):
            raise AssertionError('The value of %s does not have an ordered numeric type, instead '
                                 'it has type: %s' % (target, target.dtype))
        nans = np.where(np.isnan(target)) if target.dtype.kind == 'f' else ([],)
        if np.size(nans):
            raise AssertionError('%d of the %d element(s) are NaN. Subscripts(s) and value(s) of '
                                 'the NaN element(s):\n%s' % (
                                     len(nans[0]), np.size(target),
                                     '\n'.join(self._format_subscripts(nans, target))))
        low = target <= lower_bound if open_lower_bound else target < lower_bound
        high = target >= upper_bound if open_upper_bound else target > upper_bound
        if np.any(low | high):
            places = np.where(np.atleast_1d(low | high))
            raise AssertionError(
                '%d of the %d element(s) are outside the range %s%s, %s%s. Subscript(s) and '
                'value(s) of the offending elements:\n%s' % (
                    len(places[0]), np.size(target), '(' if open_lower_bound else '[', lower_bound,
                    upper_bound, ')' if open_upper_bound else ']',
                    '\n'.join(self._format_subscripts(places, np.atleast_1d(target)))))

    def assertAllInSet(self, target, expected_set):
        target = self._GetNdArray(target)
        different = np.setdiff1d(target.flatten(), list(expected_set))
        if np.size(different):
            raise AssertionError('%d unique element(s) are not in the set %s: %s'
                                 % (np.size(different), expected_set, different))

    # ---- types, shapes, devices ----

    def assertDTypeEqual(self, target, expected_dtype):
        target = self._GetNdArray(target)
        self.assertEqual(target.dtype, expected_dtype)

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        if not isinstance(np_array, (np.ndarray, np.generic)):
            raise TypeError('np_array must be a Numpy ndarray or Numpy scalar')
        if not isinstance(tf_tensor, ops.Tensor):
            raise TypeError('tf_tensor must be a Tensor')
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """The two mean the same device."""
        one, other = pydev.canonical_name(device1), pydev.canonical_name(device2)
        self.assertEqual(one, other, 'Devices %s and %s are not equal. %s' % (one, other, msg))

    def assertRaggedEqual(self, a, b, msg=None):
        self._assertRaggedEqual(a, b, msg)

    def _assertRaggedEqual(self, a, b, msg):
        """The same nested lists."""
        self.assertEqual(self._GetPyList(a), self._GetPyList(b), msg)

    def _assertRaggedClose(self, a, b, rtol, atol, msg=None):
        """Nested lists of one form, whose numbers are near each other."""
        self._assert_lists_close(self._GetPyList(a), self._GetPyList(b), rtol, atol, msg)

    def _assert_lists_close(self, a, b, rtol, atol, msg, path=''):
        if not (isinstance(a, list) and isinstance(b, list)):
            return self._assertAllCloseRecursive(a, b, rtol, atol, [path] if path else None, msg)
        self.assertEqual(len(a), len(b), 'Length differs at value%s' % path)
        for i, (x, y) in enumerate(zip(a, b)):
            self._assert_lists_close(x, y, rtol, atol, msg, '%s[%s]' % (path, i))

    def _GetPyList(self, a):
        if _tensor_inside(a) or isinstance(a, composite_tensor.CompositeTensor):
            a = self.evaluate(a)
        if hasattr(a, 'to_list'):
            return a.to_list()
        if isinstance(a, (list, tuple)):
            return [self._GetPyList(item) for item in a]
        if isinstance(a, np.ndarray):
            return a.tolist()
        return a

    # ---- errors ----

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Such an error is raised, and the predicate says yes, or the pattern is found in it."""
        if callable(expected_err_re_or_predicate):
            predicate = expected_err_re_or_predicate
        else:
            def predicate(error):
                text = error.message if isinstance(error, errors.OpError) else str(error)
                op = error.op if isinstance(error, errors.OpError) else None
                while op is not None:
                    text += '\nCaused by: ' + op.name
                    op = op._original_op
                return re.search(expected_err_re_or_predicate, text)
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            if not isinstance(error, exception_type) or not predicate(error):
                raise AssertionError('Exception of type %s: %s' % (type(error), error)) from error
        else:
            self.fail('%s not raised' % getattr(exception_type, '__name__', exception_type))

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesRegexp(self, expected_exception, expected_regex, *args, **kwargs):
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)
