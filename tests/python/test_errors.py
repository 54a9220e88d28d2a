# SPDX-License-Identifier: Apache-2.0
"""tf.errors: classes, codes, what they carry."""
import pickle
import unittest
import warnings

from leat.python.framework import errors


class FakeOp:
    name = 'c'
    node_def = 'the node'
    traceback = [('program.py', 7, 'main', 'c = tf.add(a, b)')]


class ErrorsTest(unittest.TestCase):
    def test_codes(self):
        for code, name in enumerate((
                'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND',
                'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION',
                'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS',
                'UNAUTHENTICATED'), 1):
            self.assertEqual(getattr(errors, name), code)
            kind = errors.exception_type_from_error_code(code)
            self.assertEqual(kind.__name__, name.title().replace('_', '') + 'Error')
            self.assertEqual(errors.error_code_from_exception_type(kind), code)
            error = kind(None, None, 'text')
            self.assertEqual((error.message, error.error_code, str(error)), ('text', code, 'text'))
            self.assertEqual(pickle.loads(pickle.dumps(error)).message, 'text')
        with self.assertRaises(KeyError):
            errors.exception_type_from_error_code(77)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            self.assertIsNone(errors.error_code_from_exception_type(ValueError))

    def test_origin(self):
        error = errors.InvalidArgumentError(None, FakeOp, 'Incompatible shapes')
        self.assertEqual(error.op, FakeOp)
        self.assertEqual(error.node_def, 'the node')
        self.assertIn("Original stack trace for 'c':\n  File \"program.py\", line 7, in main",
                      str(error))

    def test_status(self):
        with self.assertRaisesRegex(errors.NotFoundError, 'gone'):
            with errors.raise_exception_on_not_ok_status() as status:
                status.set(errors.NOT_FOUND, 'gone')


if __name__ == '__main__':
    unittest.main()
