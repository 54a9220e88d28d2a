# SPDX-License-Identifier: Apache-2.0
"""Shapes, and tensors made of a shape: constants where the graph tells enough, else nodes.

Part of array_ops, which hands its names on.
"""
import functools
import numbers
import operator

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_math_ops
from leat.python.util import dispatch

_SMALL = 1000  # elements up to which zeros() is a constant


def _is_sparse(value):
    return isinstance(value, (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue))


def shape(input, name=None, out_type=dtypes.int32):
    return shape_internal(input, name, optimize=True, out_type=out_type)


def shape_v2(input, out_type=dtypes.int32, name=None):
    return shape(input, name, out_type)


def shape_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """The shape as a vector; a constant if it is known and optimize."""
    with ops.name_scope(name, 'Shape', [input]) as name:
        if _is_sparse(input):
            return gen_math_ops.cast(input.dense_shape, out_type)
        input = ops.convert_to_tensor(input)
        known = input.get_shape()
        if optimize and known.is_fully_defined():
            return constant_op.constant(known.as_list(), out_type, name=name)
        return gen_array_ops.shape(input, name=name, out_type=out_type)


def shape_n(input, out_type=dtypes.int32, name=None):
    return gen_array_ops.shape_n(input=input, out_type=out_type, name=name)


@dispatch.add_dispatch_support
def size(input, name=None, out_type=dtypes.int32):
    return size_internal(input, name, optimize=True, out_type=out_type)


def size_v2(input, out_type=dtypes.int32, name=None):
    return size(input, name, out_type)


def size_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """How many elements there are."""
    with ops.name_scope(name, 'Size', [input]) as name:
        if _is_sparse(input):
            return gen_math_ops.prod(gen_math_ops.cast(input.dense_shape, out_type), 0, name=name)
        input = ops.convert_to_tensor(input)
        known = input.get_shape()
        if optimize and known.is_fully_defined():
            return constant_op.constant(known.num_elements(), out_type, name=name)
        return gen_array_ops.size(input, name=name, out_type=out_type)


@dispatch.add_dispatch_support
def rank(input, name=None):
    return rank_internal(input, name, optimize=True)


def rank_internal(input, name=None, optimize=True):
    """How many dims there are."""
    with ops.name_scope(name, 'Rank', [input]) as name:
        if _is_sparse(input):
            return gen_array_ops.size(input.dense_shape, name=name)
        tensor = ops.convert_to_tensor(input)
        known = tensor.get_shape().ndims
        if optimize and known is not None:
            return constant_op.constant(known, dtypes.int32, name=name)
        return gen_array_ops.rank(input, name=name)


def _elements(shape):
    """The product of the dims; a tensor where some are tensors, and then nodes are made."""
    if isinstance(shape, (list, tuple)) and any(isinstance(d, ops.Tensor) for d in shape):
        return functools.reduce(operator.mul, shape)
    if isinstance(shape, numbers.Integral):
        raise TypeError('%s is no list of dims' % shape)
    if isinstance(shape, tensor_shape.TensorShape):
        count = shape.num_elements()
        if count is None:
            raise TypeError('the shape %s is not known' % shape)
        return count
    return np.prod(shape)


def _constant_if_small(value, shape, dtype, name):
    """A constant for a shape of numbers with few elements; None otherwise."""
    try:
        if _elements(shape) < _SMALL:
            return constant_op.constant(value, shape=shape, dtype=dtype, name=name)
    except TypeError:  # it has tensors in it, or unknown dims
        pass
    return None


def _filled(value, shape, dtype, name):
    """value everywhere, the shape being a tensor, a TensorShape or a list."""
    if not isinstance(shape, ops.Tensor):
        try:
            small = _constant_if_small(value, shape, dtype, name)
            if small is not None:
                return small
            shape = constant_op._shape_conversion(tensor_shape.TensorShape(shape))
        except (TypeError, ValueError):
            shape = ops.convert_to_tensor(shape, dtype=dtypes.int32)
    if not shape._shape_tuple():
        from leat.python.ops import array_ops
        shape = array_ops.reshape(shape, [-1])
    return fill(shape, constant_op.constant(value, dtype=dtype), name=name)


def zeros(shape, dtype=dtypes.float32, name=None):
    """A tensor of zeros (False, or empty strings)."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    with ops.name_scope(name, 'zeros', [shape]) as name:
        zero = {dtypes.bool: False, dtypes.string: ''}.get(dtype, 0)
        output = _filled(zero, shape, dtype, name)
    assert output.dtype.base_dtype == dtype
    return output


def ones(shape, dtype=dtypes.float32, name=None):
    """A tensor of ones (True)."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    with ops.name_scope(name, 'ones', [shape]) as name:
        output = _filled(True if dtype == dtypes.bool else 1, shape, dtype, name)
    assert output.dtype.base_dtype == dtype
    return output


@dispatch.add_dispatch_support
def zeros_like(tensor, dtype=None, name=None, optimize=True):
    return zeros_like_impl(tensor, dtype, name, optimize)


def zeros_like_v2(input, dtype=None, name=None):
    return zeros_like_impl(input, dtype, name, optimize=True)


def zeros_like_impl(tensor, dtype, name, optimize=True):
    """Zeros of the shape of a tensor, and its type unless another is asked for."""
    with ops.name_scope(name, 'zeros_like', [tensor]) as name:
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        if optimize and tensor.dtype != dtypes.variant and tensor.shape.is_fully_defined():
            # programs say tf.Variable(tf.zeros_like(x, False)), where False is no type
            return zeros(tensor.shape, dtype=dtype or tensor.dtype, name=name)
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype)
        if dtype is not None and dtype != tensor.dtype and dtype != dtypes.variant:
            return zeros(shape_internal(tensor, optimize=optimize), dtype=dtype, name=name)
        return gen_array_ops.zeros_like(tensor, name=name)


@dispatch.add_dispatch_support
def ones_like(tensor, dtype=None, name=None, optimize=True):
    return ones_like_impl(tensor, dtype, name, optimize)


def ones_like_v2(input, dtype=None, name=None):
    return ones_like_impl(input, dtype, name, optimize=True)


def ones_like_impl(tensor, dtype, name, optimize=True):
    """Ones of the shape of a tensor."""
    with ops.name_scope(name, 'ones_like', [tensor]) as name:
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        dims = shape_internal(tensor, optimize=optimize)
        result = ones(dims, dtype=tensor.dtype if dtype is None else dtype, name=name)
        result.set_shape(tensor.get_shape())
        return result


def fill(dims, value, name=None):
    """value everywhere in a tensor of those dims."""
    result = gen_array_ops.fill(dims, value, name=name)
    tensor_util.maybe_set_static_shape(result, dims)
    return result


def placeholder(dtype, shape=None, name=None):
    """What will be fed."""
    return gen_array_ops.placeholder(dtype=dtype, shape=shape, name=name)


def placeholder_with_default(input, shape, name=None):
    """What may be fed, or else is input."""
    return gen_array_ops.placeholder_with_default(input, shape, name)


def _normalize_sparse_shape(shape, name):
    """(a tensor of the shape, its length), (None, None) when nothing is known."""
    if shape is None:
        return None, None
    known = shape.get_shape()[0] if isinstance(shape, ops.Tensor) else len(shape)
    if not isinstance(shape, ops.Tensor) and None in (
            d.value if isinstance(d, tensor_shape.Dimension) else d for d in shape):
        return None, known
    return ops.convert_to_tensor(shape, dtype=dtypes.int64, name=name), known


def sparse_placeholder(dtype, shape=None, name=None):
    """A SparseTensor of three placeholders; the shape is a constant where it is given whole."""
    def part(which):
        return None if name is None else '%s/%s' % (name, which)

    shape, length = _normalize_sparse_shape(shape, part('shape'))
    if shape is None:
        shape = placeholder(dtypes.int64, shape=[length], name=part('shape'))
    values = placeholder(dtype, shape=[None], name=part('values'))
    indices = placeholder(dtypes.int64, shape=[None, length], name=part('indices'))
    return sparse_tensor.SparseTensor(values=values, indices=indices, dense_shape=shape)
