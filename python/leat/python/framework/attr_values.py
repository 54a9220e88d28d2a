# SPDX-License-Identifier: Apache-2.0
"""Attributes of operations as Python values, as Operation.get_attr gives them."""
from leat._load import core
from leat.python.framework import dtypes


def get_attr(op, name):
    """ValueError where there is none."""
    if core.op_attr_kind(op._ptr, name) is None:
        raise ValueError('Operation \'%s\' has no attr named \'%s\'.'
                             % (core.op_name(op._ptr), name))
    try:
        kind, value = core.op_attr_value(op._ptr, name)
    except core.Error as e:
        raise ValueError(e.args[1]) from None
    if kind == 't':
        return dtypes.as_dtype(value)
    if kind == 'lt':
        return [dtypes.as_dtype(v) for v in value]
    if kind == 'h':
        from leat.python.framework import tensor_shape
        dims = None if value is None else [None if d < 0 else d for d in value]
        return tensor_shape.TensorShape(dims).as_proto()
    if kind == 'v':
        return _from_message(value)
    return value


def _from_message(data):
    from leat.core.framework import attr_value_pb2
    message = attr_value_pb2.AttrValue.FromString(data)
    which = message.WhichOneof('value')
    if which is None:
        return []
    if which != 'list':
        return getattr(message, which)
    for field in ('s', 'i', 'f', 'b', 'type', 'shape', 'tensor', 'func'):
        items = list(getattr(message.list, field))
        if items:
            return [dtypes.as_dtype(t) for t in items] if field == 'type' else items
    return []
