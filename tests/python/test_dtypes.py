# SPDX-License-Identifier: Apache-2.0
"""tf.DType: names, conversions, limits, equality, as TensorFlow 1.15 has them."""
import pickle
import unittest

import numpy as np

from leat.python.framework import dtypes


class DTypesTest(unittest.TestCase):
    def test_numbers_and_names(self):
        rows = [(1, 'float32'), (2, 'float64'), (3, 'int32'), (4, 'uint8'), (5, 'int16'),
                (6, 'int8'), (7, 'string'), (8, 'complex64'), (9, 'int64'), (10, 'bool'),
                (11, 'qint8'), (12, 'quint8'), (13, 'qint32'), (14, 'bfloat16'), (15, 'qint16'),
                (16, 'quint16'), (17, 'uint16'), (18, 'complex128'), (19, 'float16'),
                (20, 'resource'), (21, 'variant'), (22, 'uint32'), (23, 'uint64')]
        for number, name in rows:
            dtype = getattr(dtypes, name)
            self.assertEqual(dtype.as_datatype_enum, number)
            self.assertEqual(repr(dtype), 'tf.' + name)
            self.assertEqual(str(dtype), "<dtype: '%s'>" % name)
            ref = getattr(dtypes, name + '_ref')
            self.assertEqual(ref.as_datatype_enum, number + 100)
            self.assertIs(ref.base_dtype, dtype)
            self.assertIs(dtype._as_ref, ref)
            self.assertTrue(ref._is_ref_dtype and not dtype._is_ref_dtype)
            self.assertIs(dtypes.as_dtype(number), dtype)
            self.assertIs(pickle.loads(pickle.dumps(ref)), ref)
        self.assertIs(dtypes.half, dtypes.float16)
        self.assertIs(dtypes.double, dtypes.float64)

    def test_as_dtype(self):
        for value, name in [
                ('float', 'float32'), ('half_ref', 'float16_ref'), (float, 'float32'),
                (bool, 'bool'), (object, 'string'), (np.float32, 'float32'),
                (np.dtype('f4'), 'float32'), (np.dtype('S3'), 'string'),
                (np.dtype('U3'), 'string'), (np.longlong, 'int64'), (np.intc, 'int32'),
                (np.str_, 'string'), (np.bool_, 'bool'), (dtypes.int8, 'int8'),
                (np.dtype([('qint8', np.int8)]), 'qint8')]:
            self.assertEqual(dtypes.as_dtype(value).name, name, value)
        for value in (int, complex, str, bytes, None, 'f4', 'int', 1000, 3.5,
                      np.dtype([('a', 'f4')]), np.zeros(1), []):
            with self.assertRaises(TypeError, msg=repr(value)):
                dtypes.as_dtype(value)
        with self.assertRaisesRegex(TypeError, "Cannot convert value 'xx' to a TensorFlow DType."):
            dtypes.as_dtype('xx')

    def test_equality(self):
        self.assertEqual(dtypes.float32, np.float32)
        self.assertEqual(dtypes.float32, 'float32')
        self.assertEqual(dtypes.float32, 1)
        self.assertEqual(dtypes.float32, dtypes.DType(1))
        for other in (2, None, 'x', object(), dtypes.float32_ref, np.zeros(2)):
            self.assertTrue(dtypes.float32 != other)
        self.assertEqual(hash(dtypes.float32), 1)
        self.assertTrue(dtypes.float32.is_compatible_with(dtypes.float32_ref))
        self.assertFalse(dtypes.float32_ref.is_compatible_with(dtypes.float32))

    def test_kinds(self):
        self.assertTrue(dtypes.bfloat16.is_floating and dtypes.float16.is_floating)
        self.assertTrue(dtypes.uint8.is_integer and dtypes.uint8.is_unsigned)
        self.assertTrue(dtypes.int8.is_integer and not dtypes.int8.is_unsigned)
        self.assertTrue(dtypes.qint8.is_quantized and not dtypes.qint8.is_integer)
        self.assertTrue(dtypes.bool.is_bool and dtypes.complex64.is_complex)
        self.assertFalse(dtypes.resource.is_numpy_compatible)
        self.assertIs(dtypes.complex128_ref.real_dtype, dtypes.float64)
        self.assertIs(dtypes.float32_ref.real_dtype, dtypes.float32_ref)
        self.assertEqual(len(dtypes.QUANTIZED_DTYPES), 10)
        self.assertEqual([dtypes.string.size, dtypes.resource.size, dtypes.bfloat16.size],
                         [8, 1, 2])

    def test_limits(self):
        self.assertEqual(dtypes.int8.min, -128)
        self.assertEqual(dtypes.uint64.max, 2**64 - 1)
        self.assertEqual(float(dtypes.bfloat16.max), float.fromhex('0x1.fep127'))
        self.assertEqual(dtypes.float16.max, np.float16(65504))
        self.assertEqual(dtypes.int16.limits, (0, 32767))
        self.assertEqual(dtypes.float32.limits, (0, 1))
        with self.assertRaisesRegex(TypeError, "Cannot find maximum value of <dtype: 'bool'>."):
            dtypes.bool.max
        with self.assertRaises(KeyError):
            dtypes.variant.as_numpy_dtype
        with self.assertRaises(TypeError):
            dtypes.DType(99)


if __name__ == '__main__':
    unittest.main()
