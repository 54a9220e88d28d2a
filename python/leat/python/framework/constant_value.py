# SPDX-License-Identifier: Apache-2.0
"""What the graph alone tells of a tensor's value.

Only the ops that TensorFlow 1.15 looks through are known here, because what is built elsewhere (and
with which names) depends on whether a value is known. A value that was read may not be fed later.
"""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape


def _numpy_type(dtype):
    return dtypes.as_dtype(dtype).base_dtype.as_numpy_dtype


def _input(tensor, i, partial=False):
    return constant_value(tensor.op.inputs[i], partial)


def _known_dims(tensor):
    """The dims of a tensor as a list where all are known, else None."""
    dims = tensor._shape_dims()
    return None if dims is None or None in dims else dims


def _const(tensor, partial):
    known = getattr(tensor.op, '_constant', None)
    if known is not None:
        return known.copy()
    from leat.python.framework import tensor_protos
    return tensor_protos.MakeNdarray(tensor.op.get_attr('value'))


def _shape(tensor, partial):
    dims = _known_dims(tensor.op.inputs[0])
    return None if dims is None else np.array(dims, dtype=_numpy_type(tensor.dtype))


def _size(tensor, partial):
    dims = _known_dims(tensor.op.inputs[0])
    return None if dims is None else np.prod(dims, dtype=np.int32)


def _rank(tensor, partial):
    dims = tensor.op.inputs[0]._shape_dims()
    return None if dims is None else np.array(len(dims), dtype=np.int32)


def _range(tensor, partial):
    parts = [_input(tensor, i) for i in range(3)]
    if any(p is None for p in parts):
        return None
    return np.arange(*parts, dtype=_numpy_type(tensor.dtype))


def _cast(tensor, partial):
    value = _input(tensor, 0)
    return None if value is None else value.astype(_numpy_type(tensor.op.get_attr('DstT')))


def _joined(parts, axis):
    if axis is None or any(p is None for p in parts):
        return None
    return np.concatenate(parts, axis=int(axis))


def _concat(tensor, partial):
    return _joined([constant_value(t) for t in list(tensor.op.inputs)[1:]], _input(tensor, 0))


def _concat_v2(tensor, partial):
    n = len(tensor.op.inputs) - 1
    return _joined([_input(tensor, i) for i in range(n)], _input(tensor, n))


def _concat_offset(tensor, partial):
    axis = _input(tensor, 0)
    shapes = [_input(tensor, i) for i in range(1, len(tensor.op.inputs))]
    if axis is None or any(s is None for s in shapes):
        return None
    at = 0
    for shape in shapes[:tensor.value_index]:
        at += shape[int(axis)]
    offset = np.zeros_like(shapes[0])
    offset[int(axis)] = at
    return offset


def _pack(tensor, partial):
    if tensor.op.get_attr('axis') != 0 or not len(tensor.op.inputs):
        return None
    if not partial and any(t._shape_dims() is None for t in tensor.op.inputs):
        return None
    values = []
    for t in tensor.op.inputs:
        value = constant_value(t, partial)
        if value is None and not partial:
            return None
        values.append(value)
    if any(v is None for v in values):
        out = np.empty(len(values), dtype=object)
        out[:] = [None if v is None else v for v in values]
        return out
    return np.array(values)


def _fill(tensor, partial):
    dims = _known_dims(tensor)
    value = _input(tensor, 1)
    if dims is None or value is None:
        return None
    return np.full(dims, value, dtype=value.dtype)


def _equal(tensor, partial):
    a, b = _input(tensor, 0), _input(tensor, 1)
    return None if a is None or b is None else np.equal(a, b)


def _not_equal(tensor, partial):
    a, b = _input(tensor, 0), _input(tensor, 1)
    return None if a is None or b is None else np.not_equal(a, b)


_EVALUATE = {
    'Cast': _cast, 'Concat': _concat, 'ConcatOffset': _concat_offset, 'ConcatV2': _concat_v2,
    'Const': _const, 'Equal': _equal, 'Fill': _fill, 'NotEqual': _not_equal, 'Pack': _pack,
    'Range': _range, 'Rank': _rank, 'Shape': _shape, 'Size': _size}


def constant_value(tensor, partial=False):
    """The value as an array, or None; a packed vector has None for elements unknown if partial."""
    if not isinstance(tensor, ops.Tensor):
        if not isinstance(tensor, ops._TensorLike) and not ops.is_dense_tensor_like(tensor):
            return tensor
        return None
    evaluate = _EVALUATE.get(tensor.op.type)
    value = None if evaluate is None else evaluate(tensor, partial)
    if value is not None:
        tensor.graph.prevent_feeding(tensor)
    return value


def _dims_of_values(values):
    return tensor_shape.TensorShape([None if v is None or v < 0 else int(v) for v in values])


def _shape_of_pack(tensor):
    result = tensor_shape.TensorShape([])
    if tensor.op.get_attr('axis') != 0:
        raise ValueError('Since rank 1 inputs are expected, Pack(axis=%d) is not a shape'
                         % tensor.op.get_attr('axis'))
    for element in tensor.op.inputs:
        value = constant_value(element)
        dim = None if value is None or value < 0 else int(value)
        result = result.concatenate(tensor_shape.TensorShape([dim]))
    return result


def _shape_of_concat(tensor, parts):
    result = tensor_shape.TensorShape([])
    for part in parts:
        result = result.concatenate(constant_value_as_shape(part))
    return result



def _shape_of_slice(tensor):
    """Of a slice of a shape with known begin and end; None when it is not such a one."""
    op = tensor.op
    begin, end, strides = (constant_value(op.inputs[i]) for i in (1, 2, 3))
    if begin is None or end is None or strides is None or begin.shape != (1,):
        return None
    if op.get_attr('begin_mask') not in (0, 1) or op.get_attr('end_mask') not in (0, 1) or any(
            op.get_attr(m) for m in ('ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')):
        return None
    first = None if op.get_attr('begin_mask') == 1 else int(begin[0])
    last = None if op.get_attr('end_mask') == 1 else int(end[0])
    whole = constant_value_as_shape(op.inputs[0])
    if whole.ndims is None:
        return None
    return tensor_shape.TensorShape(whole.as_list()[first:last:int(strides[0])])


def _shape_of_cast(tensor):
    before = constant_value_as_shape(tensor.op.inputs[0])
    if before.ndims is None or tensor.dtype not in (dtypes.int32, dtypes.int64):
        return None if before.ndims is not None else before
    dtype = _numpy_type(tensor.dtype)
    return _dims_of_values(np.array([-1 if d is None else d for d in before.as_list()]).astype(
        dtype))


def constant_value_as_shape(tensor):
    """A TensorShape of a vector of dims, as far as they are known; a scalar -1 is unknown."""
    if not isinstance(tensor, ops.Tensor):
        return tensor_shape.as_shape([None if d is not None and d == -1 else d for d in tensor])
    if tensor.get_shape().ndims == 0:
        value = constant_value(tensor)
        if value is None:
            raise ValueError('Received a scalar with unknown value as shape; require a statically '
                             'known scalar with value \'-1\' to describe an unknown shape.')
        if value != -1:
            raise ValueError('Received a scalar value \'%s\' as shape; require a statically known '
                             'scalar with value \'-1\' to describe an unknown shape.' % value)
        return tensor_shape.TensorShape(None)
    length = tensor.get_shape().with_rank(1)[0].value
    kind = tensor.op.type
    result = None
    if length == 0:
        return tensor_shape.TensorShape([])
    if kind == 'Shape':
        return tensor.op.inputs[0].get_shape()
    if kind == 'Pack':
        return _shape_of_pack(tensor)
    if kind == 'ConcatV2':
        return _shape_of_concat(tensor, list(tensor.op.inputs)[:-1])
    if kind == 'Concat':
        return _shape_of_concat(tensor, list(tensor.op.inputs)[1:])
    if kind == 'StridedSlice':
        result = _shape_of_slice(tensor)
    elif kind == 'Cast':
        result = _shape_of_cast(tensor)
    if result is not None:
        return result
    value = constant_value(tensor)
    if value is not None:
        return _dims_of_values(value)
    return tensor_shape.unknown_shape(length)
