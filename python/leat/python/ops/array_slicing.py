# SPDX-License-Identifier: Apache-2.0
"""Tensor[...] and what it is made of: strided slices, masks, and lists of tensors packed.

Part of array_ops, which hands its names on.
"""
import numbers

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_math_ops
from leat.python.util import dispatch

newaxis = None
_SUPPORTED_SLICE_DTYPES = (dtypes.int32, dtypes.int32_ref, dtypes.int64, dtypes.int64_ref)
_SLICE_TYPE_ERROR = ('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and '
                     'scalar tf.int32/tf.int64 tensors are valid indices')


def _check_index(idx):
    """TypeError for what cannot stand in brackets."""
    if isinstance(idx, (numbers.Integral, tensor_shape.Dimension)):
        return
    dtype = getattr(idx, 'dtype', None)
    if dtype is None or dtypes.as_dtype(dtype) not in _SUPPORTED_SLICE_DTYPES or (
            idx.shape and len(idx.shape) == 1):
        raise TypeError('%s, got %r' % (_SLICE_TYPE_ERROR, idx))


class _Spec(object):
    """The arguments of a strided slice, gathered one index at a time."""

    def __init__(self):
        self.begin, self.end, self.strides = [], [], []
        self.masks = dict.fromkeys(('begin', 'end', 'shrink_axis', 'new_axis', 'ellipsis'), 0)

    def _mark(self, mask):
        self.masks[mask] |= 1 << len(self.begin)

    def _bound(self, value, mask):
        if value is None:
            self._mark(mask)
            return 0
        _check_index(value)
        return value

    def add(self, item):
        begin, end, stride = 0, 0, 1
        if isinstance(item, slice):
            begin = self._bound(item.start, 'begin')
            end = self._bound(item.stop, 'end')
            if item.step is not None:
                _check_index(item.step)
                stride = item.step
        elif item is Ellipsis:
            self._mark('ellipsis')
        elif item is newaxis:
            self._mark('new_axis')
        else:
            _check_index(item)
            self._mark('shrink_axis')
            begin, end = item, item + 1
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


def _is_mask(spec):
    if isinstance(spec, bool):
        return True
    if isinstance(spec, ops.Tensor):
        return spec.dtype == dtypes.bool
    return isinstance(spec, np.ndarray) and spec.dtype == bool


def _slice_helper(tensor, slice_spec, var=None):
    """tensor[slice_spec]; of a variable the result has assign()."""
    if _is_mask(slice_spec):
        from leat.python.ops import array_ops
        return array_ops.boolean_mask(tensor=tensor, mask=slice_spec)
    items = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
    spec = _Spec()
    for item in items:
        spec.add(item)
    with ops.name_scope(None, 'strided_slice',
                        [tensor] + spec.begin + spec.end + spec.strides) as name:
        if spec.begin:
            parts = [stack(spec.begin), stack(spec.end), stack(spec.strides)]
            if any(p.dtype == dtypes.int64 for p in parts):
                parts = [p if p.dtype == dtypes.int64 else gen_math_ops.cast(p, dtypes.int64)
                         for p in parts]
        else:
            parts = [constant_op.constant([], dtype=dtypes.int32)] * 3
        return strided_slice(tensor, parts[0], parts[1], parts[2],
                             begin_mask=spec.masks['begin'], end_mask=spec.masks['end'],
                             shrink_axis_mask=spec.masks['shrink_axis'],
                             new_axis_mask=spec.masks['new_axis'],
                             ellipsis_mask=spec.masks['ellipsis'], var=var, name=name)


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0,
                  new_axis_mask=0, shrink_axis_mask=0, var=None, name=None):
    """input_[begin:end:strides]; the masks' bits say which bounds do not count, and how."""
    if strides is None:
        from leat.python.ops import array_ops
        strides = array_ops.ones_like(begin)
    masks = {'begin_mask': begin_mask, 'end_mask': end_mask, 'ellipsis_mask': ellipsis_mask,
             'new_axis_mask': new_axis_mask, 'shrink_axis_mask': shrink_axis_mask}
    result = gen_array_ops.strided_slice(input=input_, begin=begin, end=end, strides=strides,
                                         name=name, **masks)

    def assign(val, name=None):
        """Writes val where the slice stands in the variable."""
        if var is None:
            raise ValueError('Sliced assignment is only supported for variables')
        return var._strided_slice_assign(begin=begin, end=end, strides=strides, value=val,
                                         name=(parent + '_assign') if name is None else name,
                                         **masks)

    parent = name
    result.assign = assign
    return result


def _SliceHelperVar(var, slice_spec):
    """variable[slice_spec]."""
    return _slice_helper(var.value(), slice_spec, var)


@dispatch.add_dispatch_support
def stack(values, axis=0, name='stack'):
    """Tensors of one shape put together along a new axis."""
    if axis == 0:
        try:  # constants alone are one constant
            return ops.convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass
    dims = ops.convert_to_tensor(values[0], name=name)._shape_tuple()
    if dims is not None:
        rank = len(dims) + 1
        if axis < -rank or axis >= rank:
            raise ValueError('axis = %d not in [%d, %d)' % (axis, -rank, rank))
    return gen_array_ops.pack(values, axis=axis, name=name)


def _pack_nested(items, dtype, name):
    """Lists with tensors in them as a Pack; what has none stays as it is."""
    has_tensor = False
    with ops.name_scope(name) as scope:
        packed = []
        for i, item in enumerate(items):
            if ops.is_dense_tensor_like(item):
                if dtype is not None and item.dtype.base_dtype != dtype:
                    raise TypeError('Cannot convert a list containing a tensor of dtype %s to %s '
                                    '(Tensor is: %r)' % (item.dtype, dtype, item))
                has_tensor = True
            elif isinstance(item, (list, tuple)):
                item = _pack_nested(item, dtype, str(i))
                has_tensor = has_tensor or ops.is_dense_tensor_like(item)
            packed.append(item)
        if not has_tensor:
            return packed
        tensors = [item if ops.is_dense_tensor_like(item)
                   else constant_op.constant(item, dtype=dtype, name=str(i))
                   for i, item in enumerate(packed)]
        return gen_array_ops.pack(tensors, name=scope)


def _leaves(values):
    """The items of nested lists in order."""
    for v in values:
        if isinstance(v, (list, tuple)):
            yield from _leaves(v)
        else:
            yield v


def _cast_leaves(values, dtype):
    from leat.python.ops import math_ops
    if isinstance(values, (list, tuple)):
        return [_cast_leaves(v, dtype) for v in values]
    if ops.is_dense_tensor_like(values) and values.dtype.base_dtype != dtype:
        return math_ops.cast(values, dtype=dtype)
    return values


def _autopacking_conversion_function(v, dtype=None, name=None, as_ref=False):
    """Lists that hold tensors become a Pack."""
    found = None
    for leaf in _leaves(v):
        if ops.is_dense_tensor_like(leaf):
            found = leaf.dtype.base_dtype
            break
    if as_ref or found is None:
        return NotImplemented
    if dtype is None:
        dtype = found
    elif dtype != found:
        v = _cast_leaves(v, dtype)
    return _pack_nested(v, dtype, name or 'packed')


ops.Tensor._override_operator('__getitem__', _slice_helper)
