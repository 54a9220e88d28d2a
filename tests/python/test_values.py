# SPDX-License-Identifier: Apache-2.0
"""Values in and out: types, strides, strings, and who owns the bytes."""
import gc
import sys
import unittest

import numpy as np

from leat._load import core
from leat.python.client import session
from leat.python.framework import constant_op, dtypes, ops
from leat.python.framework.op_def_library import apply_op


class Base(unittest.TestCase):
    """A graph and a session a test."""

    def setUp(self):
        ops.reset_default_graph()
        self.session = session.Session()

    def tearDown(self):
        self.session.close()

    def through(self, dtype, value):
        x = apply_op('Placeholder', dtype=dtype)
        y = apply_op('Identity', input=x)
        return self.session.run(y, {x: value})


class NumbersTest(Base):
    """Arrays of numbers."""

    def test_every_type_comes_back_as_it_went(self):
        for dtype in (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.int8, dtypes.int16,
                      dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
                      dtypes.uint64, dtypes.bool, dtypes.complex64, dtypes.complex128):
            kind = dtype.as_numpy_dtype
            array = np.array([[1, 0, 3]]).astype(kind)
            got = self.through(dtype, array)
            self.assertEqual(got.dtype, array.dtype)
            np.testing.assert_array_equal(got, array)
            one = self.through(dtype, kind(1))
            self.assertIs(type(one), array.dtype.type)
            self.assertEqual(one, kind(1))

    def test_negative_and_large_scalars(self):
        self.assertEqual(self.through(dtypes.int8, -128), -128)
        self.assertEqual(self.through(dtypes.int64, -2 ** 63), -2 ** 63)
        self.assertEqual(self.through(dtypes.uint64, 2 ** 64 - 1), 2 ** 64 - 1)
        self.assertEqual(self.through(dtypes.complex64, 1 - 2j), 1 - 2j)
        self.assertTrue(np.isnan(self.through(dtypes.float32, float('nan'))))

    def test_quantised_values_are_integers(self):
        for dtype, kind in ((dtypes.qint8, np.int8), (dtypes.quint8, np.uint8),
                            (dtypes.qint16, np.int16), (dtypes.quint16, np.uint16),
                            (dtypes.qint32, np.int32)):
            struct = np.array([(1,), (2,)], dtype=dtype.as_numpy_dtype)
            got = self.through(dtype, struct)
            self.assertEqual(got.dtype, kind)
            self.assertEqual(got.tolist(), [1, 2])

    def test_strides_and_byte_orders(self):
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        for view in (array.T, array[::2, ::-1], array[:, 1], array.astype('>f4'), array[1:1]):
            np.testing.assert_array_equal(self.through(dtypes.float32, view), view)
        odd = np.frombuffer(b'x' + array.tobytes(), np.uint8)[1:].view(np.float32)
        np.testing.assert_array_equal(self.through(dtypes.float32, odd), array.ravel())

    def test_many_dimensions(self):
        array = np.zeros((1, 2, 1, 1, 1, 2, 1, 1, 1, 3), np.int32)
        self.assertEqual(self.through(dtypes.int32, array).shape, array.shape)


class OwnersTest(Base):
    """Fetched arrays are the program's own."""

    def test_fetched_is_writeable_and_apart(self):
        c = constant_op.constant([1., 2.])
        first = self.session.run(c)
        self.assertTrue(first.flags.writeable)
        first[:] = 7
        self.assertEqual(self.session.run(c).tolist(), [1, 2])
        one, two = self.session.run([c, apply_op('Identity', input=c)])
        one[:] = 5
        self.assertEqual(two.tolist(), [1, 2])

    def test_a_feed_is_not_what_is_fetched(self):
        array = np.arange(4, dtype=np.float32)
        got = self.through(dtypes.float32, array)
        got[0] = 9
        self.assertEqual(array[0], 0)

    def test_a_variable_does_not_change_what_was_fetched(self):
        v = apply_op('VarHandleOp', dtype=dtypes.float32, shape=[2], name='v')
        x = apply_op('Placeholder', dtype=dtypes.float32, shape=[2])
        assign = apply_op('AssignVariableOp', resource=v, value=x)
        add = apply_op('AssignAddVariableOp', resource=v, value=x)
        read = apply_op('ReadVariableOp', resource=v, dtype=dtypes.float32)
        fed = np.array([1, 2], np.float32)
        self.session.run(assign, {x: fed})
        fed[:] = 100
        got = self.session.run(read)
        self.assertEqual(got.tolist(), [1, 2])
        self.session.run(add, {x: [1, 1]})
        self.assertEqual(got.tolist(), [1, 2])
        got[:] = -1
        self.assertEqual(self.session.run(read).tolist(), [2, 3])

    def test_fetched_outlives_its_session(self):
        c = apply_op('Fill', dims=[1000], value=constant_op.constant(3.))
        got = self.session.run(c)
        self.session.close()
        self.session = session.Session()
        ops.reset_default_graph()
        gc.collect()
        self.assertEqual(got.sum(), 3000)

    def test_feeds_are_let_go(self):
        x = apply_op('Placeholder', dtype=dtypes.float32)
        y = apply_op('Identity', input=x)
        array = np.zeros(100, np.float32)
        before = sys.getrefcount(array)
        for _ in range(10):
            self.session.run(y, {x: array})
        self.session.run(y, {x: 1.0})  # drops what was given up before
        self.assertEqual(sys.getrefcount(array), before)

    def test_handles_are_opaque_and_can_be_fed(self):
        v = apply_op('VarHandleOp', dtype=dtypes.float32, shape=[], name='v')
        made = apply_op('AssignVariableOp', resource=v, value=constant_op.constant(4.))
        handle = apply_op('Placeholder', dtype=dtypes.resource)
        read = apply_op('ReadVariableOp', resource=handle, dtype=dtypes.float32)
        self.session.run(made)
        value = self.session.run(v)
        self.assertIsInstance(value, core.Value)
        self.assertEqual(self.session.run(read, {handle: value}), 4)


class StringsTest(Base):
    """bytes, str, and arrays of them."""

    def test_scalars(self):
        self.assertEqual(self.through(dtypes.string, b'a\0b'), b'a\0b')
        self.assertEqual(self.through(dtypes.string, '\u00e9'), b'\xc3\xa9')
        self.assertIs(type(self.through(dtypes.string, 'x')), bytes)

    def test_arrays(self):
        got = self.through(dtypes.string, [['a', b'bb'], ['', '\U0001f600']])
        self.assertEqual(got.dtype, object)
        self.assertEqual(got.tolist(), [[b'a', b'bb'], [b'', '\U0001f600'.encode()]])
        self.assertEqual(self.through(dtypes.string, np.array([b'a\0b', b'c'])).tolist(),
                         [b'a\0b', b'c'])
        self.assertEqual(self.through(dtypes.string, np.array(['ab', 'c'])[::-1]).tolist(),
                         [b'c', b'ab'])
        self.assertEqual(self.through(dtypes.string, np.zeros((0, 2), object)).shape, (0, 2))

    def test_what_is_no_string(self):
        for bad in ([1, 2], [['a'], 3], [None]):
            with self.assertRaises(TypeError):
                self.through(dtypes.string, bad)


if __name__ == '__main__':
    unittest.main()
