# SPDX-License-Identifier: Apache-2.0
"""Assertions: decided while building where values are known, as Assert ops else. Those of shapes
are in check_shapes."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import math_ops
from leat.python.ops.check_shapes import (  # noqa: F401
    assert_rank, assert_rank_at_least, assert_rank_at_least_v2, assert_rank_in, assert_rank_in_v2,
    assert_rank_v2, assert_scalar, assert_scalar_v2, assert_shapes, assert_shapes_v2, assert_type,
    assert_type_v2)

NUMERIC_TYPES = frozenset([
    dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64,
    dtypes.uint8, dtypes.qint8, dtypes.qint32, dtypes.quint8, dtypes.complex64])


def _flow():
    from leat.python.ops import control_flow_ops
    return control_flow_ops


def _pretty_print(item, summarize):
    """An item of the data as the error's text shows it."""
    if isinstance(item, ops.Tensor):
        value = tensor_util.constant_value(item)
        if value is None:
            return str(item)
        if value.size > summarize > 0:
            shown = ' '.join(str(v) for v in value.ravel()[:summarize])
            return '[%s ...]' % shown
        return str(value)
    return str(item)


def _assert_static(condition, data, summarize=None):
    """InvalidArgumentError now, where the condition is known not to hold."""
    if not condition:
        limit = -1 if summarize is None else summarize
        raise errors_impl.InvalidArgumentError(
            None, None, '\n'.join(_pretty_print(item, limit) for item in data))


def _binary_assert(sym, opname, op_func, static_func, x, y, data, summarize, message, name):
    """Asserts that op_func holds for every pair of elements."""
    with ops.name_scope(name, opname, [x, y] + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y')
        if data is None:
            data = ['Condition x %s y did not hold element-wise:' % sym,
                    'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y]
        if message is not None:
            data = [message] + list(data)
        condition = math_ops.reduce_all(op_func(x, y))
        x_static, y_static = tensor_util.constant_value(x), tensor_util.constant_value(y)
        if x_static is not None and y_static is not None:
            _assert_static(np.all(static_func(x_static, y_static)), data, summarize)
        return _flow().Assert(condition, data, summarize=summarize)


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """x == y everywhere."""
    with ops.name_scope(name, 'assert_equal', [x, y] + list(data or [])):
        if x is y:
            return _flow().no_op()
    return _binary_assert('==', 'assert_equal', math_ops.equal, np.equal, x, y, data, summarize,
                          message, name)


def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    """x != y everywhere."""
    return _binary_assert('!=', 'assert_none_equal', math_ops.not_equal, np.not_equal, x, y, data,
                          summarize, message, name)


def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    """x < y everywhere."""
    return _binary_assert('<', 'assert_less', math_ops.less, np.less, x, y, data, summarize,
                          message, name)


def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    """x <= y everywhere."""
    return _binary_assert('<=', 'assert_less_equal', math_ops.less_equal, np.less_equal, x, y,
                          data, summarize, message, name)


def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    """x > y everywhere."""
    return _binary_assert('>', 'assert_greater', math_ops.greater, np.greater, x, y, data,
                          summarize, message, name)


def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    """x >= y everywhere."""
    return _binary_assert('>=', 'assert_greater_equal', math_ops.greater_equal, np.greater_equal,
                          x, y, data, summarize, message, name)


def assert_equal_v2(x, y, message=None, summarize=None, name=None):
    return assert_equal(x=x, y=y, summarize=summarize, message=message, name=name)


def assert_none_equal_v2(x, y, summarize=None, message=None, name=None):
    return assert_none_equal(x=x, y=y, summarize=summarize, message=message, name=name)


def assert_less_v2(x, y, message=None, summarize=None, name=None):
    return assert_less(x=x, y=y, summarize=summarize, message=message, name=name)


def assert_less_equal_v2(x, y, message=None, summarize=None, name=None):
    return assert_less_equal(x=x, y=y, summarize=summarize, message=message, name=name)


def assert_greater_v2(x, y, message=None, summarize=None, name=None):
    return assert_greater(x=x, y=y, summarize=summarize, message=message, name=name)


def assert_greater_equal_v2(x, y, message=None, summarize=None, name=None):
    return assert_greater_equal(x=x, y=y, summarize=summarize, message=message, name=name)


def _sign_assert(opname, sym, check, x, data, summarize, message, name):
    """check(x, 0), its data saying how x stands to 0."""
    message = message or ''
    with ops.name_scope(name, opname, [x] + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        if data is None:
            said = 'Condition x %s 0 did not hold element-wise:' % sym
            shown = 'x (%s) = ' % x.name
            # The two are one text in 1.15 for this one.
            texts = [said + shown] if opname == 'assert_non_positive' else [said, shown]
            data = [message] + texts + [x]
        zero = constant_op.constant(0, dtype=x.dtype)
        return check(x, zero, data, summarize)


def assert_negative(x, data=None, summarize=None, message=None, name=None):
    """x < 0 everywhere."""
    return _sign_assert('assert_negative', '<', lambda x, zero, data, summarize: assert_less(
        x, zero, data=data, summarize=summarize), x, data, summarize, message, name)


def assert_positive(x, data=None, summarize=None, message=None, name=None):
    """x > 0 everywhere."""
    return _sign_assert('assert_positive', '>', lambda x, zero, data, summarize: assert_less(
        zero, x, data=data, summarize=summarize), x, data, summarize, message, name)


def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    """x >= 0 everywhere."""
    return _sign_assert(
        'assert_non_negative', '>=', lambda x, zero, data, summarize: assert_less_equal(
            zero, x, data=data, summarize=summarize), x, data, summarize, message, name)


def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    """x <= 0 everywhere."""
    return _sign_assert(
        'assert_non_positive', '<=', lambda x, zero, data, summarize: assert_less_equal(
            x, zero, data=data, summarize=summarize), x, data, summarize, message, name)


def assert_negative_v2(x, message=None, summarize=None, name=None):
    return assert_negative(x=x, message=message, summarize=summarize, name=name)


def assert_positive_v2(x, message=None, summarize=None, name=None):
    return assert_positive(x=x, message=message, summarize=summarize, name=name)


def assert_non_negative_v2(x, message=None, summarize=None, name=None):
    return assert_non_negative(x=x, message=message, summarize=summarize, name=name)


def assert_non_positive_v2(x, message=None, summarize=None, name=None):
    return assert_non_positive(x=x, message=message, summarize=summarize, name=name)


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """|x - y| < atol + rtol * |y| everywhere."""
    message = message or ''
    with ops.name_scope(name, 'assert_near', [x, y, rtol, atol] + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype)
        eps = np.finfo(x.dtype.as_numpy_dtype).eps
        rtol = ops.convert_to_tensor(10 * eps if rtol is None else rtol, name='rtol',
                                     dtype=x.dtype)
        atol = ops.convert_to_tensor(10 * eps if atol is None else atol, name='atol',
                                     dtype=x.dtype)
        if data is None:
            data = [message,
                    'x and y not equal to tolerance rtol = %s, atol = %s' % (rtol, atol),
                    'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y]
        tolerance = atol + rtol * math_ops.abs(y)
        difference = math_ops.abs(x - y)
        condition = math_ops.reduce_all(math_ops.less(difference, tolerance))
        return _flow().Assert(condition, data, summarize=summarize)


def assert_near_v2(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    return assert_near(x=x, y=y, rtol=rtol, atol=atol, summarize=summarize, message=message,
                       name=name)


def assert_integer(x, message=None, name=None):
    """TypeError when x is of no integer type."""
    message = message or ''
    with ops.name_scope(name, 'assert_integer', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError('%s  Expected "x" to be integer type.  Found: %s of dtype %s'
                            % (message, x.name, x.dtype))
        return _flow().no_op('statically_determined_was_integer')


def assert_integer_v2(x, message=None, name=None):
    assert_integer(x=x, message=message, name=name)


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers."""
    return isinstance(tensor, ops.Tensor) and tensor.dtype in NUMERIC_TYPES


def _get_diff_for_monotonic_comparison(x):
    """The differences of neighbours; empty for less than two."""
    x = array_ops.reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError('Expected x to be numeric, instead found: %s' % x)
    short = math_ops.less(array_ops.size(x), 2)
    length = array_ops.shape(x) - 1
    return _flow().cond(
        short, lambda: ops.convert_to_tensor([], dtype=x.dtype),
        lambda: array_ops.strided_slice(x, [1], [1] + length) - array_ops.strided_slice(
            x, [0], length))


def is_non_decreasing(x, name=None):
    """Whether no element is below the one before."""
    with ops.name_scope(name, 'is_non_decreasing', [x]):
        diff = _get_diff_for_monotonic_comparison(x)
        zero = ops.convert_to_tensor(0, dtype=diff.dtype)
        return math_ops.reduce_all(math_ops.less_equal(zero, diff))


def is_strictly_increasing(x, name=None):
    """Whether each element is above the one before."""
    with ops.name_scope(name, 'is_strictly_increasing', [x]):
        diff = _get_diff_for_monotonic_comparison(x)
        zero = ops.convert_to_tensor(0, dtype=diff.dtype)
        return math_ops.reduce_all(math_ops.less(zero, diff))


def _assert_same_base_type(items, expected_type=None):
    """The type of all, which must be one."""
    original = expected_type
    for item in items:
        if item is None:
            continue
        base = item.dtype.base_dtype
        if not expected_type:
            expected_type = base
        elif expected_type != base:
            first = next(i for i in items if i is not None)
            raise ValueError('%s, type=%s, must be of the same type (%s)%s.' % (
                getattr(item, 'name', item), base, expected_type,
                '' if original else ' as %s' % getattr(first, 'name', first)))
    return expected_type


def assert_same_float_dtype(tensors=None, dtype=None):
    """The floating type that all have; float32 for none."""
    if tensors:
        dtype = _assert_same_base_type(tensors, dtype)
    if not dtype:
        return dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError('Expected floating point type, got %s.' % dtype)
    return dtype


def assert_proper_iterable(values):
    """TypeError for what is no list: tensors, strings, arrays."""
    from leat.python.framework import sparse_tensor
    bad = (ops.Tensor, sparse_tensor.SparseTensor, np.ndarray, bytes, str)
    if isinstance(values, bad):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s'
                        % type(values))
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def ensure_shape(x, shape, name=None):
    """x, whose shape is checked when it runs."""
    from leat.python.framework import tensor_shape
    if not isinstance(shape, tensor_shape.TensorShape):
        shape = tensor_shape.TensorShape(shape)
    return gen_array_ops.ensure_shape(x, shape, name=name)
