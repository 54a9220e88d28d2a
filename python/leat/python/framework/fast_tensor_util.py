# SPDX-License-Identifier: Apache-2.0
"""Numbers of an array, appended to the field of a TensorProto that has their type."""


def _appender(field, convert=None):
    def append(tensor_proto, nparray):
        values = nparray.ravel() if convert is None else convert(nparray.ravel())
        getattr(tensor_proto, field).extend(values.tolist())
    return append


def _halves(values):
    return values.view('uint16')


def _pairs(kind):
    return lambda values: values.astype('complex128').view('float64').astype(kind)


AppendFloat16ArrayToTensorProto = _appender('half_val', _halves)
AppendBFloat16ArrayToTensorProto = _appender('half_val', _halves)
AppendFloat32ArrayToTensorProto = _appender('float_val')
AppendFloat64ArrayToTensorProto = _appender('double_val')
AppendInt32ArrayToTensorProto = _appender('int_val')
AppendUInt32ArrayToTensorProto = _appender('uint32_val')
AppendInt64ArrayToTensorProto = _appender('int64_val')
AppendUInt64ArrayToTensorProto = _appender('uint64_val')
AppendUInt8ArrayToTensorProto = _appender('int_val')
AppendUInt16ArrayToTensorProto = _appender('int_val')
AppendInt16ArrayToTensorProto = _appender('int_val')
AppendInt8ArrayToTensorProto = _appender('int_val')
AppendComplex64ArrayToTensorProto = _appender('scomplex_val', _pairs('float32'))
AppendComplex128ArrayToTensorProto = _appender('dcomplex_val', _pairs('float64'))
AppendBoolArrayToTensorProto = _appender('bool_val')


def AppendObjectArrayToTensorProto(tensor_proto, nparray):
    """Strings."""
    from leat.python.util import compat
    tensor_proto.string_val.extend(compat.as_bytes(s) for s in nparray.ravel().tolist())
