# SPDX-License-Identifier: Apache-2.0
"""Sorting, by way of top_k."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops


def sort(values, axis=-1, direction='ASCENDING', name=None):
    """The values in order along an axis."""
    with ops.name_scope(name, 'sort'):
        return _sort_or_argsort(values, axis, direction, return_argsort=False)


def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """Where the values in order stand."""
    del stable
    with ops.name_scope(name, 'argsort'):
        return _sort_or_argsort(values, axis, direction, return_argsort=True)


def _sort_or_argsort(values, axis, direction, return_argsort):
    if direction not in _SORT_IMPL:
        raise ValueError('%s should be one of %s' % (direction, ', '.join(sorted(_SORT_IMPL))))
    axis = ops.convert_to_tensor(axis, name='axis')
    known = tensor_util.constant_value(axis)
    if axis.shape.ndims not in (None, 0) or known is not None and len(known.shape) != 0:
        raise ValueError('axis must be a scalar')
    axis = int(known) if known is not None else axis
    values = ops.convert_to_tensor(values, name='values')
    return _SORT_IMPL[direction](values, axis, return_argsort)


def _descending_sort(values, axis, return_argsort=False):
    k = array_ops.shape(values)[axis]
    rank = array_ops.rank(values)
    static = values.shape.ndims
    if axis == -1 or axis + 1 == static:
        top, transposition = values, None
    else:
        if static is not None:
            axis = axis + static if axis < 0 else axis
            transposition = constant_op.constant(
                np.r_[np.arange(axis), [static - 1], np.arange(axis + 1, static - 1), [axis]],
                name='transposition')
        else:
            axis = array_ops.where_v2(axis < 0, axis + rank, axis)
            transposition = array_ops.concat(
                [math_ops.range(axis), [rank - 1], math_ops.range(axis + 1, rank - 1), [axis]],
                axis=0)
        top = array_ops.transpose(values, transposition)
    values, indices = nn_ops.top_k(top, k)
    result = indices if return_argsort else values
    return result if transposition is None else array_ops.transpose(result, transposition)


def _ascending_sort(values, axis, return_argsort=False):
    result = _descending_sort(-values, axis, return_argsort)
    return result if return_argsort else -result


_SORT_IMPL = {'ASCENDING': _ascending_sort, 'DESCENDING': _descending_sort}
