# SPDX-License-Identifier: Apache-2.0
"""Reductions over axes, in the spellings of 1.15 and those before it.

Part of math_ops, which hands its names on.
"""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_math_ops
from leat.python.util import deprecation
from leat.python.util import dispatch


def _ReductionDims(x, axis, reduction_indices=None):
    """The axes to reduce over: all of them, unless given. Only of tensors is the rank asked now;
    of variables and values the graph asks."""
    if reduction_indices is not None:
        if axis is not None:
            raise ValueError('Can\'t specify both axis\' and \'reduction_indices\'.')
        axis = reduction_indices
    if axis is not None:
        return axis
    rank = None
    if isinstance(x, ops.Tensor):
        rank = x._rank()
    elif isinstance(x, sparse_tensor.SparseTensor) and \
            x.dense_shape.get_shape().is_fully_defined():
        rank = x.dense_shape.get_shape().as_list()[0]
    if rank is not None:
        return constant_op.constant(np.arange(rank), dtype=dtypes.int32)
    from leat.python.ops import math_ops
    return math_ops.range(0, array_ops.rank(x))


def _may_reduce_to_scalar(keepdims, axis, output):
    """Tells a result its shape when everything was reduced."""
    if not output.get_shape().is_fully_defined() and not keepdims and axis is None:
        output.set_shape(())
    return output


def _old_arguments(axis, keepdims, reduction_indices, keep_dims):
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'reduction_indices',
                                                  reduction_indices)
    keepdims = deprecation.deprecated_argument_lookup('keepdims', keepdims, 'keep_dims',
                                                      keep_dims)
    return axis, keepdims


def _reduce(op_name, input_tensor, axis, keepdims, name):
    keepdims = False if keepdims is None else keepdims
    result = getattr(gen_math_ops, op_name)(input_tensor, _ReductionDims(input_tensor, axis),
                                            keepdims, name=name)
    return _may_reduce_to_scalar(keepdims, axis, result)


@dispatch.add_dispatch_support
def reduce_sum_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                  keep_dims=None):
    """The sum over some axes."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_sum(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_sum(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('_sum', input_tensor, axis, keepdims, name)


def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('euclidean_norm', input_tensor, axis, bool(keepdims), name)


@dispatch.add_dispatch_support
def reduce_mean_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                   keep_dims=None):
    """The mean over some axes."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_mean(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_mean(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('mean', input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_prod_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                   keep_dims=None):
    """The product over some axes."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_prod(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_prod(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('prod', input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_min_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                  keep_dims=None):
    """The least over some axes."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_min(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_min(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('_min', input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_max_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                  keep_dims=None):
    """The greatest over some axes."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_max(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_max(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('_max', input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_all_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                  keep_dims=None):
    """Whether all are true."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_all(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_all(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('_all', input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_any_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                  keep_dims=None):
    """Whether any is true."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_any(input_tensor, axis, keepdims, name)


@dispatch.add_dispatch_support
def reduce_any(input_tensor, axis=None, keepdims=False, name=None):
    return _reduce('_any', input_tensor, axis, keepdims, name)


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The mean squared distance from the mean."""
    with ops.name_scope(name or 'reduce_variance'):
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        squared = gen_math_ops.square(input_tensor - means)
        return reduce_mean(squared, axis=axis, keepdims=keepdims)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The root of the variance."""
    with ops.name_scope(name or 'reduce_std'):
        return gen_math_ops.sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


def reduce_logsumexp_v1(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                        keep_dims=None):
    """log of the sum of exps, safe for large values."""
    axis, keepdims = _old_arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce_logsumexp(input_tensor, axis, keepdims, name)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    keepdims = False if keepdims is None else keepdims
    input_tensor = ops.convert_to_tensor(input_tensor)
    with ops.name_scope(name, 'ReduceLogSumExp', [input_tensor]):
        most = reduce_max(input_tensor, axis=axis, keepdims=True)
        most = gen_array_ops.stop_gradient(gen_math_ops.select(
            gen_math_ops.is_finite(most), most, array_ops.zeros_like(most)))
        result = gen_math_ops.log(reduce_sum(gen_math_ops.exp(gen_math_ops.sub(
            input_tensor, most)), axis, keepdims=keepdims))
        if not keepdims:
            most = array_ops.reshape(most, array_ops.shape(result))
        result = gen_math_ops.add(result, most)
        return _may_reduce_to_scalar(keepdims, axis, result)


def count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None,
                  reduction_indices=None, keep_dims=None, input=None):
    """How many are not zero (or not empty)."""
    keepdims = deprecation.deprecated_argument_lookup('keepdims', keepdims, 'keep_dims',
                                                      keep_dims)
    input_tensor = deprecation.deprecated_argument_lookup('input', input, 'input_tensor',
                                                          input_tensor)
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'reduction_indices',
                                                  reduction_indices)
    return count_nonzero_v2(input_tensor, axis, keepdims, dtype, name)


def count_nonzero_v2(input, axis=None, keepdims=None, dtype=dtypes.int64, name=None):
    from leat.python.ops import math_ops
    keepdims = False if keepdims is None else keepdims
    with ops.name_scope(name, 'count_nonzero', [input]):
        input = ops.convert_to_tensor(input, name='input')
        zero = array_ops.zeros([], dtype=input.dtype)
        differs = gen_math_ops.not_equal(input, zero)
        return math_ops.cast(reduce_sum(math_ops.cast(differs, dtypes.int64), axis=axis,
                                        keepdims=keepdims), dtype=dtype)


def reduced_shape(input_shape, axes):
    """A shape with the sizes at some axes made 1."""
    from leat.python.ops import math_ops
    input_shape = math_ops.cast(input_shape, dtypes.int32)
    axes = math_ops.cast(axes, dtypes.int32)
    rank = array_ops.size(input_shape)
    axes = (axes + rank) % rank
    return gen_data_flow().dynamic_stitch([math_ops.range(rank), axes],
                                          [input_shape, array_ops.fill(array_ops.shape(axes), 1)])


def gen_data_flow():
    from leat.python.ops import gen_data_flow_ops
    return gen_data_flow_ops
