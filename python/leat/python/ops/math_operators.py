# SPDX-License-Identifier: Apache-2.0
"""The operators of Tensor, SparseTensor and variables, and the divisions behind them.

Part of math_ops, which hands its names on.
"""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import gen_math_ops
from leat.python.ops import gen_sparse_ops
from leat.python.util import dispatch

# What an integer type is made before a division that keeps fractions; None: nothing.
_TRUEDIV_TABLE = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32, dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32, dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None, dtypes.float16: None, dtypes.float32: None, dtypes.float64: None,
    dtypes.complex64: None, dtypes.complex128: None}


def _left_wrapper(func, op_name):
    def binary_op_wrapper(x, y):
        with ops.name_scope(None, op_name, [x, y]) as name:
            if not isinstance(y, ops.Tensor) and not isinstance(y, sparse_tensor.SparseTensor):
                try:
                    y = ops.convert_to_tensor_v2(y, dtype_hint=x.dtype.base_dtype, name='y')
                except TypeError:
                    if hasattr(type(y), '__r%s__' % op_name):
                        return NotImplemented
                    raise
            return func(x, y, name=name)
    return binary_op_wrapper


def _right_wrapper(func, op_name):
    def r_binary_op_wrapper(y, x):
        with ops.name_scope(None, op_name, [x, y]) as name:
            x = ops.convert_to_tensor(x, dtype=y.dtype.base_dtype, name='x')
            return func(x, y, name=name)
    return r_binary_op_wrapper


def _sparse_wrapper(func, op_name):
    def binary_op_wrapper_sparse(sp_x, y):
        with ops.name_scope(None, op_name, [sp_x, y]) as name:
            y = ops.convert_to_tensor(y, dtype=sp_x.dtype.base_dtype, name='y')
            values = func(sp_x.indices, sp_x.values, sp_x.dense_shape, y, name=name)
            return sparse_tensor.SparseTensor(sp_x.indices, values, sp_x.dense_shape)
    return binary_op_wrapper_sparse


def _OverrideBinaryOperatorHelper(func, op_name, clazz_object=ops.Tensor):
    """Gives a class the operator of that name, from the left and from the right."""
    if clazz_object is sparse_tensor.SparseTensor:
        clazz_object._override_operator('__%s__' % op_name, _sparse_wrapper(func, op_name))
        return
    clazz_object._override_operator('__%s__' % op_name, _left_wrapper(func, op_name))
    clazz_object._override_operator('__r%s__' % op_name, _right_wrapper(func, op_name))


def _operands(x, y, of_one_type=False):
    """Both as tensors, which must be of one type; y made of x's type when it is no tensor."""
    x = ops.convert_to_tensor(x, name='x')
    y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype if of_one_type else None)
    if x.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError('x and y must have the same dtype, got %r != %r'
                        % (x.dtype.base_dtype, y.dtype.base_dtype))
    return x, y


def _truediv_type(dtype):
    try:
        return _TRUEDIV_TABLE[dtype]
    except KeyError:
        raise TypeError('Invalid dtype %r in __truediv__' % dtype) from None


def _truediv_python3(x, y, name=None):
    """x / y, integers made floating first."""
    with ops.name_scope(name, 'truediv', [x, y]) as name:
        x, y = _operands(x, y)
        dtype = _truediv_type(x.dtype.base_dtype)
        if dtype is not None:
            from leat.python.ops import math_ops
            x, y = math_ops.cast(x, dtype), math_ops.cast(y, dtype)
        return gen_math_ops.real_div(x, y, name=name)


def _div_python2(x, y, name=None):
    """x / y, rounded down for integers."""
    with ops.name_scope(name, 'div', [x, y]) as name:
        x, y = _operands(x, y, of_one_type=True)
        if x.dtype.is_floating or x.dtype.is_complex:
            return gen_math_ops.real_div(x, y, name=name)
        return gen_math_ops.floor_div(x, y, name=name)


@dispatch.add_dispatch_support
def floordiv(x, y, name=None):
    """x / y rounded down."""
    with ops.name_scope(name, 'floordiv', [x, y]) as name:
        return gen_math_ops.floor_div(x, y, name=name)


def _sparse_dense_truediv(sp_indices, sp_values, sp_shape, y, name=None):
    """The values of a SparseTensor over a dense one."""
    with ops.name_scope(name, 'truediv', [sp_indices, sp_values, sp_shape, y]) as name:
        sp_values = ops.convert_to_tensor(sp_values, name='sp_values')
        y = ops.convert_to_tensor(y, name='y')
        if sp_values.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError('x and y must have the same dtype, got %r != %r'
                            % (sp_values.dtype.base_dtype, y.dtype.base_dtype))
        dtype = _truediv_type(y.dtype.base_dtype)
        if dtype is not None:
            from leat.python.ops import math_ops
            sp_values, y = math_ops.cast(sp_values, dtype), math_ops.cast(y, dtype)
        return gen_sparse_ops.sparse_dense_cwise_div(sp_indices, sp_values, sp_shape, y,
                                                     name=name)


def _add_dispatch(x, y, name=None):
    """Strings are joined by the older op."""
    if x.dtype == dtypes.string:
        return gen_math_ops.add(x, y, name=name)
    return gen_math_ops.add_v2(x, y, name=name)


def _mul_dispatch(x, y, name=None):
    """x * y where y may be sparse."""
    if isinstance(y, ops.Tensor):
        return gen_math_ops.mul(x, y, name=name)
    values = gen_sparse_ops.sparse_dense_cwise_mul(y.indices, y.values, y.dense_shape, x,
                                                   name=name)
    return sparse_tensor.SparseTensor(y.indices, values, y.dense_shape)


@dispatch.add_dispatch_support
def logical_xor(x, y, name='LogicalXor'):
    """One and not both."""
    return gen_math_ops.logical_and(gen_math_ops.logical_or(x, y),
                                    gen_math_ops.logical_not(gen_math_ops.logical_and(x, y)),
                                    name=name)


def _matmul(x, y, name=None):
    from leat.python.ops import math_ops
    return math_ops.matmul(x, y, name=name)


def _pow(x, y, name=None):
    from leat.python.ops import math_ops
    return math_ops.pow(x, y, name=name)


def _abs(x):
    from leat.python.ops import math_ops
    return math_ops.abs(x)


BINARY = {
    'add': _add_dispatch, 'sub': lambda x, y, name=None: gen_math_ops.sub(x, y, name=name),
    'mul': _mul_dispatch, 'div': _div_python2, 'truediv': _truediv_python3, 'floordiv': floordiv,
    'mod': lambda x, y, name=None: gen_math_ops.floor_mod(x, y, name=name), 'pow': _pow,
    'and': lambda x, y, name=None: gen_math_ops.logical_and(x, y, name=name),
    'or': lambda x, y, name=None: gen_math_ops.logical_or(x, y, name=name),
    'xor': lambda x, y, name=None: logical_xor(x, y, name=name), 'matmul': _matmul}


def _install():
    for op_name, func in BINARY.items():
        _OverrideBinaryOperatorHelper(func, op_name)
    ops.Tensor._override_operator('__lt__', lambda x, y: gen_math_ops.less(x, y))
    ops.Tensor._override_operator('__le__', lambda x, y: gen_math_ops.less_equal(x, y))
    ops.Tensor._override_operator('__gt__', lambda x, y: gen_math_ops.greater(x, y))
    ops.Tensor._override_operator('__ge__', lambda x, y: gen_math_ops.greater_equal(x, y))
    ops.Tensor._override_operator('__invert__', lambda x: gen_math_ops.logical_not(x))
    ops.Tensor._override_operator('__neg__', lambda x: gen_math_ops.neg(x))
    ops.Tensor._override_operator('__abs__', _abs)
    sparse = sparse_tensor.SparseTensor
    _OverrideBinaryOperatorHelper(
        lambda *a, **k: gen_sparse_ops.sparse_dense_cwise_div(*a, **k), 'div', sparse)
    _OverrideBinaryOperatorHelper(_sparse_dense_truediv, 'truediv', sparse)
    _OverrideBinaryOperatorHelper(
        lambda *a, **k: gen_sparse_ops.sparse_dense_cwise_mul(*a, **k), 'mul', sparse)


_install()
