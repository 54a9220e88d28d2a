# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, and what is made of it.

Operators are in math_operators, reductions in math_reductions, products of matrices and tensors in
math_products, sums over segments in math_segments; a name that is in none of them is the op's own.
"""
from collections import abc as collections_abc

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import gen_math_ops
from leat.python.ops import gen_nn_ops
from leat.python.ops.math_operators import (  # noqa: F401
    _OverrideBinaryOperatorHelper, _add_dispatch, _div_python2, _mul_dispatch,
    _sparse_dense_truediv, _truediv_python3, floordiv, logical_xor)
from leat.python.ops.math_products import (  # noqa: F401
    matmul, matvec, tensordot, trace)
from leat.python.ops.math_reductions import (  # noqa: F401
    _ReductionDims, _may_reduce_to_scalar, count_nonzero, count_nonzero_v2, reduce_all,
    reduce_all_v1, reduce_any, reduce_any_v1, reduce_euclidean_norm, reduce_logsumexp,
    reduce_logsumexp_v1, reduce_max, reduce_max_v1, reduce_mean, reduce_mean_v1, reduce_min,
    reduce_min_v1, reduce_prod, reduce_prod_v1, reduce_std, reduce_sum, reduce_sum_v1,
    reduce_variance, reduced_shape)
from leat.python.ops.math_segments import (  # noqa: F401
    _unsorted_segment_N, bincount, bincount_v1, sparse_segment_mean, sparse_segment_mean_v2,
    sparse_segment_sqrt_n, sparse_segment_sqrt_n_v2, sparse_segment_sum, sparse_segment_sum_v2,
    unsorted_segment_mean, unsorted_segment_sqrt_n)
from leat.python.platform import tf_logging as logging
from leat.python.util import deprecation
from leat.python.util import dispatch

_ALIASES = {'floormod': 'floor_mod', 'linspace': 'lin_space', 'mod': 'floor_mod',
            'negative': 'neg', 'nextafter': 'next_after', 'realdiv': 'real_div',
            'sparse_matmul': 'sparse_mat_mul', 'truncatediv': 'truncate_div',
            'truncatemod': 'truncate_mod'}


def __getattr__(name):
    return getattr(gen_math_ops, _ALIASES.get(name, name))


def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """Where along an axis the greatest stands."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dimension', dimension)
    return argmax_v2(input, axis, output_type, name)


def argmax_v2(input, axis=None, output_type=dtypes.int64, name=None):
    return gen_math_ops.arg_max(input, 0 if axis is None else axis, name=name,
                                output_type=output_type)


def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """Where along an axis the least stands."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dimension', dimension)
    return argmin_v2(input, axis, output_type, name)


def argmin_v2(input, axis=None, output_type=dtypes.int64, name=None):
    return gen_math_ops.arg_min(input, 0 if axis is None else axis, name=name,
                                output_type=output_type)


@dispatch.add_dispatch_support
def abs(x, name=None):
    """The absolute value."""
    if isinstance(x, sparse_tensor.SparseTensor):
        ops.get_default_graph().unique_name(name or 'Abs')
        return sparse_tensor.SparseTensor(x.indices, abs(x.values, name), x.dense_shape)
    with ops.name_scope(name, 'Abs', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return gen_math_ops.complex_abs(x, Tout=x.dtype.real_dtype, name=name)
        return gen_math_ops._abs(x, name=name)


class DivideDelegateWithName(object):
    """tensor / y with a name for the result."""

    def __init__(self, x, name):
        self.x = x
        self.name = name

    def __truediv__(self, y):
        return _truediv_python3(self.x, y, self.name)

    def __floordiv__(self, y):
        return floordiv(self.x, y, self.name)

    def __div__(self, y):
        return _div_python2(self.x, y, self.name)


@dispatch.add_dispatch_support
def divide(x, y, name=None):
    """x / y as Python's operator."""
    if name is not None:
        return DivideDelegateWithName(x, name) / y
    return x / y


@dispatch.add_dispatch_support
def multiply(x, y, name=None):
    return gen_math_ops.mul(x, y, name)


def _mul(x, y, name=None):
    return gen_math_ops.mul(x, y, name)


@dispatch.add_dispatch_support
def subtract(x, y, name=None):
    return gen_math_ops.sub(x, y, name)


def _sub(x, y, name=None):
    return gen_math_ops.sub(x, y, name)


def _neg(x, name=None):
    return gen_math_ops.neg(x, name)


@dispatch.add_dispatch_support
def equal(x, y, name=None):
    return gen_math_ops.equal(x, y, name=name)


@dispatch.add_dispatch_support
def not_equal(x, y, name=None):
    return gen_math_ops.not_equal(x, y, name=name)


def scalar_mul(scalar, x, name=None):
    """A scalar times a tensor or IndexedSlices."""
    scalar = ops.convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name='scalar')
    if scalar.get_shape().ndims != 0:
        raise ValueError('Only scalar multiply works, got shape %s' % scalar.get_shape())
    if isinstance(x, ops.IndexedSlices):
        return ops.IndexedSlices(gen_math_ops.mul(scalar, x.values, name), x.indices,
                                 x.dense_shape)
    return gen_math_ops.mul(scalar, x, name)


def scalar_mul_v2(scalar, x, name=None):
    return scalar_mul(scalar, x, name)


@dispatch.add_dispatch_support
def pow(x, y, name=None):
    """x to the power y."""
    with ops.name_scope(name, 'Pow', [x]) as name:
        return gen_math_ops._pow(x, y, name=name)


@dispatch.add_dispatch_support
def complex(real, imag, name=None):
    """Complex numbers of their parts."""
    real = ops.convert_to_tensor(real, name='real')
    imag = ops.convert_to_tensor(imag, name='imag')
    with ops.name_scope(name, 'Complex', [real, imag]) as name:
        types = (real.dtype, imag.dtype)
        if types == (dtypes.float64, dtypes.float64):
            Tout = dtypes.complex128
        elif types == (dtypes.float32, dtypes.float32):
            Tout = dtypes.complex64
        else:
            raise TypeError('real and imag have incorrect types: {} {}'.format(
                real.dtype.name, imag.dtype.name))
        return gen_math_ops._complex(real, imag, Tout=Tout, name=name)


@dispatch.add_dispatch_support
def real(input, name=None):
    """The real part."""
    with ops.name_scope(name, 'Real', [input]) as name:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen_math_ops.real(input, Tout=input.dtype.real_dtype, name=name)
        return input


@dispatch.add_dispatch_support
def imag(input, name=None):
    """The imaginary part."""
    with ops.name_scope(name, 'Imag', [input]) as name:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen_math_ops.imag(input, Tout=input.dtype.real_dtype, name=name)
        return array_ops.zeros_like(input)


@dispatch.add_dispatch_support
def angle(input, name=None):
    """The argument of complex numbers."""
    with ops.name_scope(name, 'Angle', [input]) as name:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen_math_ops.angle(input, Tout=input.dtype.real_dtype, name=name)
        return array_ops.zeros_like(input)


@dispatch.add_dispatch_support
def conj(x, name=None):
    """The complex conjugate."""
    if isinstance(x, ops.Tensor) and not (x.dtype.is_complex or x.dtype == dtypes.variant):
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
    with ops.name_scope(name, 'Conj', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex or x.dtype == dtypes.variant:
            return gen_math_ops.conj(x, name=name)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError('Expected numeric or variant tensor, got dtype %r' % x.dtype)


@dispatch.add_dispatch_support
def round(x, name=None):
    """The nearest whole number, halves to the even one."""
    x = ops.convert_to_tensor(x, name='x')
    if x.dtype.is_integer:
        return x
    return gen_math_ops.round(x, name=name)


@dispatch.add_dispatch_support
def cast(x, dtype, name=None):
    """Another type; nothing is made when it is the type already."""
    base_type = dtypes.as_dtype(dtype).base_dtype
    if (isinstance(x, ops.Tensor) or isinstance(getattr(x, 'handle', None), ops.Tensor)) and \
            base_type == x.dtype:
        return x
    with ops.name_scope(name, 'Cast', [x]) as name:
        if isinstance(x, sparse_tensor.SparseTensor):
            return sparse_tensor.SparseTensor(x.indices, cast(x.values, base_type, name=name),
                                              x.dense_shape)
        if isinstance(x, ops.IndexedSlices):
            return ops.IndexedSlices(cast(x.values, base_type, name=name), x.indices,
                                     x.dense_shape)
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex and base_type.is_floating:
            logging.warn('Casting complex to real discards imaginary part.')
        if x.dtype.base_dtype != base_type:
            x = gen_math_ops.cast(x, base_type, name=name)
        return x


@dispatch.add_dispatch_support
def saturate_cast(value, dtype, name=None):
    """cast() of what fits, the ends of the range else."""
    with ops.name_scope(name, 'saturate_cast', [value]) as name:
        value = ops.convert_to_tensor(value, name='value')
        dtype = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = gen_math_ops.maximum(value, ops.convert_to_tensor(
                dtype.min, dtype=value.dtype, name='min'))
        if value.dtype.max > dtype.max:
            value = gen_math_ops.minimum(value, ops.convert_to_tensor(
                dtype.max, dtype=value.dtype, name='max'))
        return cast(value, dtype, name=name)


def to_float(x, name='ToFloat'):
    return cast(x, dtypes.float32, name=name)


def to_double(x, name='ToDouble'):
    return cast(x, dtypes.float64, name=name)


def to_int32(x, name='ToInt32'):
    return cast(x, dtypes.int32, name=name)


def to_int64(x, name='ToInt64'):
    return cast(x, dtypes.int64, name=name)


def to_bfloat16(x, name='ToBFloat16'):
    return cast(x, dtypes.bfloat16, name=name)


def to_complex64(x, name='ToComplex64'):
    return cast(x, dtypes.complex64, name=name)


def to_complex128(x, name='ToComplex128'):
    return cast(x, dtypes.complex128, name=name)


@dispatch.add_dispatch_support
def truediv(x, y, name=None):
    return _truediv_python3(x, y, name)


def div(x, y, name=None):
    return _div_python2(x, y, name)


@dispatch.add_dispatch_support
def div_no_nan(x, y, name=None):
    """x / y, 0 where y is 0."""
    with ops.name_scope(name, 'div_no_nan', [x, y]) as name:
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        return gen_math_ops.div_no_nan(x, y, name=name)


def multiply_no_nan(x, y, name=None):
    """x * y, 0 where y is 0."""
    with ops.name_scope(name, 'multiply_no_nan', [x, y]) as name:
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError('x and y must have the same dtype, got %r != %r'
                            % (x.dtype.base_dtype, y.dtype.base_dtype))
        return gen_math_ops.mul_no_nan(x, y, name=name)


def reciprocal_no_nan(x, name=None):
    """1 / x, 0 where x is 0."""
    with ops.name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        one = constant_op.constant(1, dtype=x.dtype.base_dtype, name='one')
        return gen_math_ops.div_no_nan(one, x, name=scope)


_RANGE_TYPES = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]


def range(start, limit=None, delta=1, dtype=None, name='range'):
    """start, start + delta... below limit."""
    if limit is None:
        start, limit = 0, start
    with ops.name_scope(name, 'Range', [start, limit, delta]) as name:
        start = ops.convert_to_tensor(start, dtype=dtype, name='start')
        limit = ops.convert_to_tensor(limit, dtype=dtype, name='limit')
        delta = ops.convert_to_tensor(delta, dtype=dtype, name='delta')
        if dtype is None:
            found = [t.dtype for t in (start, limit, delta)]
            assert all(t in _RANGE_TYPES for t in found)
            widest = max(found, key=_RANGE_TYPES.index)
            start, limit, delta = (cast(t, widest) for t in (start, limit, delta))
        return gen_math_ops._range(start, limit, delta, name=name)


def _as_indexed_slices(x, optimize=True):
    """A tensor as IndexedSlices of all its rows."""
    if not isinstance(x, (ops.Tensor, ops.IndexedSlices)):
        raise TypeError('Not a Tensor or IndexedSlices: %s' % type(x))
    if isinstance(x, ops.IndexedSlices):
        return x
    dims = array_ops.shape_internal(x, optimize=optimize)
    return ops.IndexedSlices(x, range(0, dims[0]), dims)


def _as_indexed_slices_list(inputs, optimize=True):
    """All as IndexedSlices with indices of one type."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError('Expected a list or tuple, not a %s' % type(inputs))
    outputs = [_as_indexed_slices(i, optimize=optimize) for i in inputs]
    if any(o.indices.dtype == dtypes.int32 for o in outputs) and not all(
            o.indices.dtype == dtypes.int32 for o in outputs):
        return [ops.IndexedSlices(o.values, cast(o.indices, dtypes.int64), o.dense_shape)
                if o.indices.dtype == dtypes.int32 else o for o in outputs]
    return outputs


@dispatch.add_dispatch_support
def add_n(inputs, name=None):
    """The sum of tensors of one shape."""
    if not isinstance(inputs, collections_abc.Iterable):
        raise TypeError('%r object is not iterable' % type(inputs).__name__)
    inputs = ops.convert_n_to_tensor_or_indexed_slices(list(inputs))
    if not inputs or not all(isinstance(x, (ops.Tensor, ops.IndexedSlices)) for x in inputs):
        raise ValueError('inputs must be a list of at least one Tensor/IndexedSlices with the '
                         'same dtype and shape')
    if len(inputs) == 1:
        values = inputs[0]
        if isinstance(values, ops.IndexedSlices):
            values = ops.convert_to_tensor(values)
        return array_ops.identity(values, name=name) if name else values
    return gen_math_ops.add_n(inputs, name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """add_n() that does not wait for all inputs."""
    def input_error():
        return ValueError('inputs must be a list of at least one Tensor with the same dtype and '
                          'shape')

    if not inputs or not isinstance(inputs, (list, tuple)):
        raise input_error()
    inputs = ops.convert_n_to_tensor_or_indexed_slices(inputs)
    if not all(isinstance(x, ops.Tensor) for x in inputs):
        raise input_error()
    if not all(x.dtype == inputs[0].dtype for x in inputs):
        raise input_error()
    shape = tensor_shape.as_shape(shape)
    for tensor in inputs:
        shape = shape.merge_with(tensor.get_shape())
    if tensor_dtype is not None and tensor_dtype != inputs[0].dtype:
        raise TypeError('tensor_dtype is {}, but input is of type {}'.format(
            tensor_dtype, inputs[0].dtype))
    if len(inputs) == 1 and name is None:
        return inputs[0]
    if len(inputs) == 1:
        return array_ops.identity(inputs[0], name=name)
    return gen_math_ops.accumulate_nv2(inputs, name=name, shape=shape)


def sigmoid(x, name=None):
    """1 / (1 + exp(-x))."""
    with ops.name_scope(name, 'Sigmoid', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return gen_math_ops.sigmoid(x, name=name)


@dispatch.add_dispatch_support
def log_sigmoid(x, name=None):
    """log(sigmoid(x))."""
    with ops.name_scope(name, 'LogSigmoid', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return gen_math_ops.neg(gen_nn_ops.softplus(-x), name=name)


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Sums of what came before along an axis."""
    with ops.name_scope(name, 'Cumsum', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return gen_math_ops.cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Products of what came before along an axis."""
    with ops.name_scope(name, 'Cumprod', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return gen_math_ops.cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    with ops.name_scope(name, 'CumulativeLogsumexp', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        return gen_math_ops.cumulative_logsumexp(x, axis, exclusive=exclusive, reverse=reverse,
                                                 name=name)


def polyval(coeffs, x, name=None):
    """A polynomial at x by Horner's rule, the highest power's coefficient first."""
    with ops.name_scope(name, 'polyval', list(coeffs) + [x]):
        x = ops.convert_to_tensor(x, name='x')
        if len(coeffs) < 1:
            return array_ops.zeros_like(x, name=name)
        coeffs = [ops.convert_to_tensor(c, name='coeff_%d' % i) for i, c in enumerate(coeffs)]
        p = coeffs[0]
        for c in coeffs[1:]:
            p = c + p * x
        return p


def _bucketize(input, boundaries, name=None):
    return gen_math_ops.bucketize(input=input, boundaries=boundaries, name=name)


def tensor_equals(self, other):
    return self is other


def tensor_not_equals(self, other):
    return self is not other


