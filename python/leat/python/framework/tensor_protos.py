# SPDX-License-Identifier: Apache-2.0
"""TensorProto messages of arrays, and arrays of them."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import tensor_util
from leat.python.util import compat

_FIELDS = {
    dtypes.float32: 'float_val', dtypes.float64: 'double_val', dtypes.int32: 'int_val',
    dtypes.uint8: 'int_val', dtypes.int8: 'int_val', dtypes.int16: 'int_val',
    dtypes.uint16: 'int_val', dtypes.int64: 'int64_val', dtypes.uint32: 'uint32_val',
    dtypes.uint64: 'uint64_val', dtypes.bool: 'bool_val', dtypes.complex64: 'scomplex_val',
    dtypes.complex128: 'dcomplex_val', dtypes.half: 'half_val', dtypes.bfloat16: 'half_val',
    dtypes.string: 'string_val', dtypes.qint8: 'int_val', dtypes.quint8: 'int_val',
    dtypes.qint16: 'int_val', dtypes.quint16: 'int_val', dtypes.qint32: 'int_val'}
_AS_CONTENT = frozenset([
    dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint8, dtypes.int16, dtypes.int8,
    dtypes.int64, dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32,
    dtypes.uint32, dtypes.uint64, dtypes.uint16])


def _field_values(array, dtype):
    """The elements as the message's field of that type holds them."""
    flat = array.ravel()
    if dtype in (dtypes.half, dtypes.bfloat16):
        return flat.view(np.uint16).tolist()
    if dtype in (dtypes.complex64, dtypes.complex128):
        part = np.float32 if dtype == dtypes.complex64 else np.float64
        return np.ascontiguousarray(flat).view(part).tolist()
    if dtype.is_quantized:
        return [int(v[0]) if getattr(flat.dtype, 'names', None) else int(v) for v in flat]
    return flat.tolist()


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A TensorProto; with a shape and broadcasting the last value stands for those that follow."""
    from leat.core.framework import tensor_pb2
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if verify_shape and allow_broadcast:
        raise ValueError('verify_shape and allow_broadcast are not both allowed.')
    array, dtype = tensor_util.as_array(values, dtype)
    whole = array if shape is None else tensor_util._shaped(
        array, values, shape, verify_shape, not verify_shape)
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in whole.shape:
        proto.tensor_shape.dim.add().size = int(size)
    if whole.size == array.size and dtype in _AS_CONTENT and array.size > 1:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
        return proto
    if dtype not in _FIELDS:
        raise TypeError('Element type not supported in TensorProto: %s' % dtype.name)
    if dtype == dtypes.string:
        values = [compat.as_bytes(v) for v in array.ravel()]
    else:
        values = _field_values(array, dtype)
    getattr(proto, _FIELDS[dtype]).extend(values)
    return proto


def _of_content(tensor, dtype, shape):
    return np.frombuffer(tensor.tensor_content, dtype=dtype.as_numpy_dtype).copy().reshape(shape)


def _filled(values, shape, numpy_type):
    """The values, the last one repeated to fill the shape."""
    count = 1
    for d in shape:
        count *= d
    array = np.array(values, dtype=numpy_type)
    if len(array) < count:
        last = array[-1:] if len(array) else np.zeros(1, dtype=numpy_type)
        array = np.concatenate([array, np.repeat(last, count - len(array))])
    return array.reshape(shape)


def MakeNdarray(tensor):
    """The array that a TensorProto holds."""
    shape = [d.size for d in tensor.tensor_shape.dim]
    dtype = dtypes.as_dtype(tensor.dtype)
    if tensor.tensor_content:
        return _of_content(tensor, dtype, shape)
    if dtype not in _FIELDS:
        raise TypeError('Unsupported tensor type: %s' % tensor.dtype)
    values = list(getattr(tensor, _FIELDS[dtype]))
    if dtype == dtypes.string:
        count = int(np.prod(shape, dtype=np.int64))
        values = values + (values[-1:] or [b'']) * (count - len(values))
        array = np.empty(count, dtype=object)
        array[:] = values
        return array.reshape(shape)
    if dtype in (dtypes.half, dtypes.bfloat16):
        return _filled(values, shape, np.uint16).view(dtype.as_numpy_dtype)
    if dtype in (dtypes.complex64, dtypes.complex128):
        pairs = [complex(r, i) for r, i in zip(values[::2], values[1::2])]
        return _filled(pairs, shape, dtype.as_numpy_dtype)
    if dtype.is_quantized:
        plain = np.dtype(dtype.as_numpy_dtype)
        if plain.names:
            return _filled([(v,) for v in values], shape, plain)
    return _filled(values, shape, dtype.as_numpy_dtype)
