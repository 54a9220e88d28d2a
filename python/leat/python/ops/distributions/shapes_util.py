# SPDX-License-Identifier: Apache-2.0
"""Shapes, values and ranks as numbers where they are known and as tensors where they are not.
Public by util.py."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops


def maybe_get_static_value(x, dtype=None):
    """The value as an array, or None."""
    if x is None:
        return x
    try:
        value = tensor_util.constant_value(x)
    except TypeError:
        value = x
    if value is None or dtype is None:
        return value
    return np.array(value, dtype)


def same_dynamic_shape(a, b):
    """Whether two tensors have one shape, as a tensor."""
    a = ops.convert_to_tensor(a, name='a')
    b = ops.convert_to_tensor(b, name='b')

    def all_shapes_equal():
        return math_ops.reduce_all(math_ops.equal(
            array_ops.concat([array_ops.shape(a), array_ops.shape(b)], 0),
            array_ops.concat([array_ops.shape(b), array_ops.shape(a)], 0)))
    return control_flow_ops.cond(math_ops.equal(array_ops.rank(a), array_ops.rank(b)),
                                 all_shapes_equal, lambda: constant_op.constant(False))


def prefer_static_value(x):
    value = tensor_util.constant_value(x)
    return x if value is None else value


def prefer_static_shape(x):
    return prefer_static_value(array_ops.shape(x))


def prefer_static_rank(x):
    return prefer_static_value(array_ops.rank(x))


def prefer_static_broadcast_shape(shape1, shape2, name='prefer_static_broadcast_shape'):
    """The shape that two make: a TensorShape where that is known, else a tensor."""
    with ops.name_scope(name, values=[shape1, shape2]):
        known1, known2 = _static_shape(shape1), _static_shape(shape2)
        if known1 is not None and known2 is not None:
            return array_ops.broadcast_static_shape(known1, known2)
        return array_ops.broadcast_dynamic_shape(_shape_tensor(shape1), _shape_tensor(shape2))


def _shape_tensor(x):
    return ops.convert_to_tensor(x, name='shape', dtype=dtypes.int32)


def _static_shape(shape):
    if isinstance(shape, tensor_shape.TensorShape):
        return shape
    value = maybe_get_static_value(shape)
    return None if value is None else tensor_shape.TensorShape(value)


def dimension_size(x, axis):
    """The size of one axis: a number where it is known."""
    known = tensor_shape.dimension_value(x.shape.with_rank_at_least(np.abs(axis))[axis])
    return array_ops.shape(x)[axis] if known is None else known


def rotate_transpose(x, shift, name='rotate_transpose'):
    """The dims turned by shift: the last ones first."""
    with ops.name_scope(name, values=[x, shift]):
        x = ops.convert_to_tensor(x, name='x')
        shift = ops.convert_to_tensor(shift, name='shift')
        known, ndims = tensor_util.constant_value(shift), x.get_shape().ndims
        if ndims is not None and known is not None:
            if ndims < 2:
                return x
            return array_ops.transpose(x, perm=np.roll(np.arange(ndims), known))
        ndims = array_ops.rank(x)
        shift = array_ops.where(math_ops.less(shift, 0), math_ops.mod(-shift, ndims),
                                ndims - math_ops.mod(shift, ndims))
        first = math_ops.range(0, shift)
        last = math_ops.range(shift, ndims)
        return array_ops.transpose(x, perm=array_ops.concat([last, first], 0))


def pick_vector(cond, true_vector, false_vector, name='pick_vector'):
    """One of two vectors, of any sizes."""
    with ops.name_scope(name, values=(cond, true_vector, false_vector)):
        cond = ops.convert_to_tensor(cond, name='cond')
        if cond.dtype != dtypes.bool:
            raise TypeError('%s.dtype=%s which is not %s' % (cond, cond.dtype, dtypes.bool))
        known = tensor_util.constant_value(cond)
        if known is not None:
            return true_vector if known else false_vector
        true_vector = ops.convert_to_tensor(true_vector, name='true_vector')
        false_vector = ops.convert_to_tensor(false_vector, name='false_vector')
        if true_vector.dtype != false_vector.dtype:
            raise TypeError('%s.dtype=%s does not match %s.dtype=%s' % (
                true_vector, true_vector.dtype, false_vector, false_vector.dtype))
        n = array_ops.shape(true_vector)[0]
        return array_ops.slice(array_ops.concat([true_vector, false_vector], 0),
                               [array_ops.where(cond, 0, n)], [array_ops.where(cond, n, -1)])


def pad(x, axis, front=False, back=False, value=0, count=1, name=None):
    """count values more at the front or the back of an axis."""
    with ops.name_scope(name, 'pad', [x, value, count]):
        x = ops.convert_to_tensor(x, name='x')
        value = ops.convert_to_tensor(value, dtype=x.dtype, name='value')
        count = ops.convert_to_tensor(count, name='count')
        if not count.dtype.is_integer:
            raise TypeError('`count.dtype` (`{}`) must be `int`-like.'.format(count.dtype.name))
        if not front and not back:
            raise ValueError('At least one of `front`, `back` must be `True`.')
        ndims = x.shape.ndims if x.shape.ndims is not None else array_ops.rank(x, name='ndims')
        axis = ops.convert_to_tensor(axis, name='axis')
        known = tensor_util.constant_value(axis)
        final_shape = None
        if x.shape.ndims is not None and known is not None:
            at = known % x.shape.ndims
            size = tensor_shape.dimension_value(x.shape[at])
            more = tensor_util.constant_value(count)
            middle = None if size is None or more is None else size + more * (front + back)
            dims = x.shape.as_list()
            final_shape = dims[:at] + [middle] + dims[at + 1:]
        axis = array_ops.where(axis < 0, ndims + axis, axis)
        which = array_ops.one_hot(array_ops.stack([axis if front else -1, axis if back else -1]),
                                  depth=ndims, axis=0, on_value=count, off_value=0,
                                  dtype=dtypes.int32)
        padded = array_ops.pad(x, paddings=which, constant_values=value)
        if final_shape is not None:
            padded.set_shape(final_shape)
        return padded
