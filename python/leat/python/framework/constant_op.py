# SPDX-License-Identifier: Apache-2.0
"""Constants of Python values."""
from leat._load import core
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util


def constant_v1(value, dtype=None, shape=None, name='Const', verify_shape=False):
    """A Const node; with a shape the value fills it, its last element repeated."""
    return _constant_impl(value, dtype, shape, name, verify_shape, not verify_shape)


def constant(value, dtype=None, shape=None, name='Const', verify_shape=False):
    return _constant_impl(value, dtype, shape, name, verify_shape, not verify_shape)


def constant_v2(value, dtype=None, shape=None, name='Const'):
    return _constant_impl(value, dtype, shape, name, False, True)


def _constant_impl(value, dtype, shape, name, verify_shape, allow_broadcast):
    graph = ops.get_default_graph()
    if hasattr(value, 'SerializeToString') and type(value).__name__ == 'TensorProto':
        dtype = dtypes.as_dtype(value.dtype)
        array, data = None, ('value', 'v', _attr_of(value))
    else:
        dtype = None if dtype is None else dtypes.as_dtype(dtype)
        array, dtype = tensor_util.as_array(value, dtype, shape, verify_shape, allow_broadcast)
        data = ('value', 'T', (array, dtype.as_datatype_enum))
    try:
        op = graph._make_op('Const', name or 'Const', [],
                            [data, ('dtype', 't', dtype.as_datatype_enum)])
    except core.Error as e:
        ops.raise_build_error(e)
    if array is not None and array.size <= 32:
        op._constant = array  # so that the value can be looked at without a message
    return op._outputs[0]


def _attr_of(tensor_proto):
    from leat.core.framework import attr_value_pb2
    value = attr_value_pb2.AttrValue()
    value.tensor.CopyFrom(tensor_proto)
    return value.SerializeToString()


def is_constant(tensor_or_op):
    op = tensor_or_op.op if isinstance(tensor_or_op, ops.Tensor) else tensor_or_op
    return op.type == 'Const'


def _shape_conversion(s, dtype=None, name=None, as_ref=False):
    if not s.is_fully_defined():
        raise ValueError('Cannot convert a partially known TensorShape to a Tensor: %s' % s)
    dims = s.as_list()
    wide = [i for i, d in enumerate(dims) if d >= 2 ** 31]
    if dtype is None:
        dtype = dtypes.int64 if wide else dtypes.int32
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError('Cannot convert a TensorShape to dtype: %s' % dtype)
    elif wide and dtype == dtypes.int32:
        raise ValueError('Cannot convert a TensorShape to int32: dimension %d is too large'
                         % dims[wide[0]])
    return constant(dims, dtype=dtype, name=name or 'shape_as_tensor')


def _dimension_conversion(d, dtype=None, name=None, as_ref=False):
    if d.value is None:
        raise ValueError('Cannot convert an unknown Dimension to a Tensor: %s' % d)
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError('Cannot convert a Dimension to dtype: %s' % dtype)
    return constant(d.value, dtype=dtype or dtypes.int32, name=name or 'shape_as_tensor')


ops.register_tensor_conversion_function(tensor_shape.TensorShape, _shape_conversion, 99)
ops.register_tensor_conversion_function(tensor_shape.Dimension, _dimension_conversion, 99)
