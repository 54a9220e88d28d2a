# SPDX-License-Identifier: Apache-2.0
"""Updates of rows of a tensor: alias_inplace_X changes the tensor itself, inplace_X a copy."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import math_ops


def _inplace_helper(x, i, v, op):
    """op of the rows i of x (None: all; a number: that row) and v."""
    x = ops.convert_to_tensor(x)
    v = ops.convert_to_tensor(v, x.dtype)
    if i is None:
        whole = op(array_ops.reshape(x, [1, -1]), [0], array_ops.reshape(v, [1, -1]))
        return array_ops.reshape(whole, array_ops.shape(x))
    i = math_ops.cast(i, dtypes.int32)
    if i.get_shape().ndims == 0:
        return op(x, array_ops.reshape(i, [1]), array_ops.expand_dims(v, 0))
    return op(x, i, v)


def alias_inplace_update(x, i, v):
    """x[i] = v."""
    return _inplace_helper(x, i, v, gen_array_ops.inplace_update)


def alias_inplace_add(x, i, v):
    """x[i] += v."""
    return _inplace_helper(x, i, v, gen_array_ops.inplace_add)


def alias_inplace_sub(x, i, v):
    """x[i] -= v."""
    return _inplace_helper(x, i, v, gen_array_ops.inplace_sub)


def empty_like(x, init=None):
    """A tensor of the shape and type of x, of zeros if init."""
    x = ops.convert_to_tensor(x)
    return gen_array_ops.empty(array_ops.shape(x), x.dtype, init=init)


def inplace_update(x, i, v):
    """x with v in its rows i."""
    return alias_inplace_update(gen_array_ops.deep_copy(x), i, v)


def inplace_add(x, i, v):
    """x with v added to its rows i."""
    return alias_inplace_add(gen_array_ops.deep_copy(x), i, v)


def inplace_sub(x, i, v):
    """x with v taken from its rows i."""
    return alias_inplace_sub(gen_array_ops.deep_copy(x), i, v)
