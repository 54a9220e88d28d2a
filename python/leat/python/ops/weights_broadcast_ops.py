# SPDX-License-Identifier: Apache-2.0
"""Whether weights can be broadcast to values: equal rank and each dim 1 or equal, or a scalar."""
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_set_ops
from leat.python.ops import math_ops

_ASSERT_BROADCASTABLE_ERROR_PREFIX = 'weights can not be broadcast to values.'


def _has_valid_dims(weights_shape, values_shape):
    with ops.name_scope(None, 'has_invalid_dims', (weights_shape, values_shape)) as scope:
        values_shape_2d = array_ops.expand_dims(values_shape, -1)
        valid = array_ops.concat((values_shape_2d, array_ops.ones_like(values_shape_2d)), axis=1)
        weights_shape_2d = array_ops.expand_dims(weights_shape, -1)
        invalid = gen_set_ops.dense_to_dense_set_operation(weights_shape_2d, valid,
                                                           set_operation='a-b')
        count = array_ops.size(invalid.result_values, name='num_invalid_dims')
        return math_ops.equal(0, count, name=scope)


def _has_valid_nonscalar_shape(weights_rank, weights_shape, values_rank, values_shape):
    with ops.name_scope(None, 'has_valid_nonscalar_shape',
                        (weights_rank, weights_shape, values_rank, values_shape)) as scope:
        is_same_rank = math_ops.equal(values_rank, weights_rank, name='is_same_rank')
        return control_flow_ops.cond(is_same_rank,
                                     lambda: _has_valid_dims(weights_shape, values_shape),
                                     lambda: is_same_rank, name=scope)


def _described(tensor, name):
    """(tensor, its shape, its rank, the rank where it is known)"""
    with ops.name_scope(None, name, (tensor,)) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        shape = array_ops.shape(tensor, name='shape')
        rank = array_ops.rank(tensor, name='rank')
    return tensor, shape, rank, tensor_util.constant_value(rank)


def assert_broadcastable(weights, values):
    """An op that fails where the shapes do not go together; ValueError where that is known."""
    with ops.name_scope(None, 'assert_broadcastable', (weights, values)) as scope:
        weights, weights_shape, weights_rank, static_rank = _described(weights, 'weights')
        values, values_shape, values_rank, values_static_rank = _described(values, 'values')
        if static_rank is not None and values_static_rank is not None:
            if static_rank == 0:
                return control_flow_ops.no_op(name='static_scalar_check_success')
            if static_rank != values_static_rank:
                raise ValueError('%s values.rank=%s. weights.rank=%s. values.shape=%s. '
                                 'weights.shape=%s.'
                                 % (_ASSERT_BROADCASTABLE_ERROR_PREFIX, values_static_rank,
                                    static_rank, values.get_shape(), weights.get_shape()))
            weights_dims = tensor_util.constant_value(weights_shape)
            values_dims = tensor_util.constant_value(values_shape)
            if weights_dims is not None and values_dims is not None:
                for i, size in enumerate(values_dims):
                    if weights_dims[i] not in (1, size):
                        raise ValueError('%s Mismatch at dim %s. values.shape=%s '
                                         'weights.shape=%s.'
                                         % (_ASSERT_BROADCASTABLE_ERROR_PREFIX, i, values_dims,
                                            weights_dims))
                return control_flow_ops.no_op(name='static_dims_check_success')
        is_scalar = math_ops.equal(0, weights_rank, name='is_scalar')
        data = (_ASSERT_BROADCASTABLE_ERROR_PREFIX, 'weights.shape=', weights.name, weights_shape,
                'values.shape=', values.name, values_shape, 'is_scalar=', is_scalar)
        is_valid = control_flow_ops.cond(
            is_scalar, lambda: is_scalar,
            lambda: _has_valid_nonscalar_shape(weights_rank, weights_shape, values_rank,
                                               values_shape), name='is_valid_shape')
        return control_flow_ops.Assert(is_valid, data, name=scope)


def broadcast_weights(weights, values):
    """weights in the shape of values."""
    with ops.name_scope(None, 'broadcast_weights', (weights, values)) as scope:
        values = ops.convert_to_tensor(values, name='values')
        weights = ops.convert_to_tensor(weights, dtype=values.dtype.base_dtype, name='weights')
        weights_shape, values_shape = weights.get_shape(), values.get_shape()
        if (weights_shape.is_fully_defined() and values_shape.is_fully_defined()
                and weights_shape.is_compatible_with(values_shape)):
            return weights
        with ops.control_dependencies((assert_broadcastable(weights, values),)):
            return math_ops.multiply(weights, array_ops.ones_like(values), name=scope)
