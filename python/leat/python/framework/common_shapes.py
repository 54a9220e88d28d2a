# SPDX-License-Identifier: Apache-2.0
"""Shapes of results that are worked out while building."""
from leat.python.framework import tensor_shape


def is_broadcast_compatible(shape_x, shape_y):
    """Whether two shapes broadcast; unknown ranks do not say so."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    return _broadcast_dims(shape_x, shape_y) is not None


def _broadcast_dims(shape_x, shape_y):
    """The dims that two shapes broadcast to, None when they do not."""
    x, y = shape_x.as_list(), shape_y.as_list()
    n = max(len(x), len(y))
    x, y = [1] * (n - len(x)) + x, [1] * (n - len(y)) + y
    dims = []
    for a, b in zip(x, y):
        if a is None or b is None:
            known = b if a is None else a
            dims.append(known if known is not None and known > 1 else None)
        elif a == b or b == 1:
            dims.append(a)
        elif a == 1:
            dims.append(b)
        else:
            return None
    return dims


def broadcast_shape(shape_x, shape_y):
    """The shape that two broadcast to; ValueError when they do not."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return tensor_shape.unknown_shape()
    dims = _broadcast_dims(shape_x, shape_y)
    if dims is None:
        raise ValueError('Incompatible shapes for broadcasting: %s and %s' % (shape_x, shape_y))
    return tensor_shape.TensorShape(dims)


def scalar_shape(unused_op):
    return [tensor_shape.TensorShape([])]


def unchanged_shape(op):
    return [op.inputs[0].get_shape()]


def unchanged_shape_with_rank(rank):
    def shape_of(op):
        return [op.inputs[0].get_shape().with_rank(rank)]
    return shape_of


def unchanged_shape_with_rank_at_least(rank):
    def shape_of(op):
        return [op.inputs[0].get_shape().with_rank_at_least(rank)]
    return shape_of


def rank(tensor):
    """The rank of a tensor where it is known, else None."""
    return tensor.get_shape().ndims if hasattr(tensor, 'get_shape') else None


def has_fully_defined_shape(tensor):
    return tensor.get_shape().is_fully_defined()
