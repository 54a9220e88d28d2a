# SPDX-License-Identifier: Apache-2.0
"""Python values as arrays of a tensor's type, TensorProtos, and what is known of a tensor's value.
"""
import numbers

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.util import compat

_ALLOWED = {
    'float': (numbers.Real,), 'int': (numbers.Integral,), 'complex': (numbers.Complex,),
    'str': (str, bytes), 'bool': (bool, np.bool_)}


def _class_of(dtype):
    if dtype.is_floating:
        return 'float'
    if dtype.is_integer or dtype.is_quantized:
        return 'int'
    if dtype.is_complex:
        return 'complex'
    return {dtypes.string: 'str', dtypes.bool: 'bool'}.get(dtype)


def _first_wrong(values, kind):
    """The first leaf that is not of that kind, or None; a tensor is always wrong."""
    if isinstance(values, (list, tuple)):
        for v in values:
            wrong = _first_wrong(v, kind)
            if wrong is not None:
                return wrong
        return None
    if isinstance(values, np.ndarray):
        return None
    if isinstance(values, tensor_shape.Dimension):
        return None if kind in ('int', 'float') else (values,)
    if isinstance(values, ops._TensorLike):
        return (values,)
    if kind is None or values is None:
        return (values,) if values is None else None
    if kind in ('int', 'float', 'complex') and isinstance(values, np.bool_):
        return (values,)  # while Python's own bool is a number
    return None if isinstance(values, _ALLOWED[kind]) or isinstance(values, np.generic) \
        and kind != 'bool' else (values,)


def _check_values(values, dtype):
    wrong = _first_wrong(values, None if dtype is None else _class_of(dtype))
    if wrong is None:
        return
    value = wrong[0]
    if dtype is None:
        if isinstance(values, (list, tuple)):
            raise TypeError('List of Tensors when single Tensor expected'
                            if isinstance(value, ops._TensorLike) else
                            'Failed to convert object of type %s to Tensor. Contents: %s. '
                            'Consider casting elements to a supported type.'
                            % (type(values), values))
        if value is None:
            raise ValueError('None values not supported.')
        if isinstance(value, ops._TensorLike):
            raise TypeError('List of Tensors when single Tensor expected')
        raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. Consider '
                        'casting elements to a supported type.' % (type(value), value))
    if isinstance(value, ops._TensorLike):
        raise TypeError('Expected %s, got %s of type \'%s\' instead.'
                        % (dtype.name, repr(value), type(value).__name__))
    raise TypeError('Expected %s, got %s of type \'%s\' instead.'
                    % (dtype.name, repr(value), type(value).__name__))


def _check_quantized(values, dtype):
    """Quantised values are tuples of one number, as numpy's structured types have them."""
    if isinstance(values, list):
        for value in values:
            _check_quantized(value, dtype)
    elif not isinstance(values, (tuple, np.ndarray, np.void)):
        raise TypeError('Expected %s, got %s of type \'%s\' instead.'
                        % (dtype.name, repr(values), type(values).__name__))


def _list_array(values, dtype):
    """An array of nested lists (or one value)."""
    if dtype is not None and dtype.is_quantized:
        _check_quantized(values, dtype)
        return np.array(values, dtype=dtype.as_numpy_dtype)
    _check_values(values, dtype)
    wanted = None if dtype is None else dtype.as_numpy_dtype
    if dtype == dtypes.string:
        return _string_array(values)
    if dtype == dtypes.bfloat16:
        return _bfloat16_array(np.array(_plain(values), dtype=np.float32))
    try:
        array = np.array(_plain(values), dtype=wanted if wanted is not object else None)
    except ValueError:
        raise _ragged(values) from None
    except OverflowError:
        raise ValueError('%s: %r does not fit' % (dtype.name if dtype else 'constant',
                                                  values)) from None
    if array.dtype == object:
        return _object_array(values, array, dtype)
    if dtype is None:
        array = _default_types(values, array)
    return array


def _ragged(values):
    """The error of lists whose rows differ: the shape that they have, and the first row's."""
    wanted, row = [], values
    while isinstance(row, (list, tuple)):
        wanted.append(len(row))
        row = row[0] if row else None
    found, rows = [], [values]
    while rows and all(isinstance(r, (list, tuple)) and len(r) == len(rows[0]) for r in rows):
        found.append(len(rows[0]))
        rows = [item for r in rows for item in r]
    return ValueError('Argument must be a dense tensor: %s - got shape %s, but wanted %s.'
                      % (values, found, wanted))


def _plain(values):
    """Dimensions as numbers."""
    if isinstance(values, (list, tuple)):
        return [_plain(v) for v in values]
    return values.value if isinstance(values, tensor_shape.Dimension) else values


def _object_array(values, array, dtype):
    leaves = array.ravel().tolist()
    if leaves and all(isinstance(v, (str, bytes)) for v in leaves):
        return _string_array(values)
    if any(isinstance(v, (list, tuple, np.ndarray)) for v in leaves):
        raise _ragged(values)
    if leaves and all(isinstance(v, numbers.Integral) for v in leaves):
        if not isinstance(values, (list, tuple)):
            raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. '
                            'Consider casting elements to a supported type.'
                            % (type(values), values))
        raise ValueError('Can\'t convert Python sequence with out-of-range integer to Tensor.')
    raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. Consider '
                    'casting elements to a supported type.' % (type(values), values))


def _default_types(values, array):
    """Python's numbers are float32 and int32; numpy's keep their type."""
    if array.dtype.kind in 'US':
        if isinstance(values, (list, tuple)) and not _all_text(values):
            raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. '
                            'Consider casting elements to a supported type.'
                            % (type(values), values))
        return _string_array(values)
    if array.dtype == np.float64 and isinstance(values, (list, tuple, float)):
        return array.astype(np.float32)
    if array.dtype == np.int64 and isinstance(values, (list, tuple, int)):
        if array.size and (array.max() > 2 ** 31 - 1 or array.min() < -2 ** 31):
            return array
        return array.astype(np.int32)
    if array.dtype == np.complex128:
        return array
    return array


def _all_text(values):
    if isinstance(values, (list, tuple)):
        return all(_all_text(v) for v in values)
    return isinstance(values, (str, bytes)) or isinstance(values, np.ndarray) and \
        values.dtype.kind in 'OUS'


def _string_array(values):
    array = np.array(values, dtype=object)
    for index, value in np.ndenumerate(array):
        if not isinstance(value, (str, bytes)):
            raise TypeError('Expected string, got %r of type \'%s\' instead.'
                            % (value, type(value).__name__))
        array[index] = compat.as_bytes(value)
    return array


def as_array(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """(array, DType) of a constant's value: TensorFlow's rules of types and shapes."""
    if values is None:
        raise ValueError('None values not supported.')
    if isinstance(values, (np.ndarray, np.generic)):
        array = _of_numpy(values, dtype)
    elif callable(getattr(values, '__array__', None)) or \
            hasattr(values, '__array_interface__') and not isinstance(values, ops._TensorLike):
        if isinstance(values, ops._TensorLike):
            _check_values(values, dtype)
        array = _of_numpy(np.asarray(values), dtype)
    else:
        array = _list_array(values, dtype)
    if array.dtype.kind == 'U' or array.dtype.kind == 'S':
        array = _string_array(array.tolist())
    found = dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    if dtype is not None and dtype.base_dtype != found and not (
            dtype.base_dtype in (dtypes.bfloat16,) or dtype.is_quantized):
        raise TypeError('Incompatible types: %s vs. %s. Value is %s' % (dtype, found, values))
    dtype = found if dtype is None else dtype.base_dtype
    return _shaped(array, values, shape, verify_shape, allow_broadcast), dtype


def _bfloat16_array(array):
    """Numbers as bfloat16; where numpy has no such type, as their bits."""
    wanted = np.dtype(dtypes.bfloat16.as_numpy_dtype)
    if wanted != np.uint16:
        return array.astype(wanted)
    bits = np.atleast_1d(array.astype(np.float32)).view(np.uint32)
    rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
    quiet_nan = (bits >> 16) | 0x40
    return np.where(np.isnan(bits.view(np.float32)), quiet_nan,
                    rounded).astype(np.uint16).reshape(array.shape)


def _of_numpy(values, dtype):
    array = np.asarray(values)
    if dtype is None or dtype == dtypes.string or array.dtype == object:
        if array.dtype == object and dtype is not None and dtype != dtypes.string:
            return _list_array(array.tolist(), dtype)
        return array if array.dtype != object else _string_array(array.tolist()).reshape(
            array.shape)
    wanted = np.dtype(dtype.base_dtype.as_numpy_dtype)
    if array.dtype != wanted and dtype.base_dtype == dtypes.bfloat16:
        return _bfloat16_array(array)
    return array if array.dtype == wanted else array.astype(wanted)


def _shaped(array, values, shape, verify_shape, allow_broadcast):
    if shape is None:
        return array
    shape = [int(d) for d in (shape.as_list() if isinstance(shape, tensor_shape.TensorShape)
                              else np.atleast_1d(np.array(_plain(list(shape) if isinstance(
                                  shape, (list, tuple)) else [shape]), dtype=np.int64)))]
    size = 1
    for d in shape:
        size *= d
    if verify_shape and list(array.shape) != shape:
        raise TypeError('Expected Tensor\'s shape: %s, got %s.' % (tuple(shape), array.shape))
    if array.size == size:
        return array.reshape(shape)
    if size == 0 and not verify_shape:
        return np.empty(shape, dtype=array.dtype)
    if array.size > size:
        raise ValueError('Too many elements provided. Needed at most %d, but received %d'
                         % (size, array.size))
    if not allow_broadcast:
        raise TypeError('Expected Tensor\'s shape: %s, got %s.' % (tuple(shape), array.shape))
    if array.size == 0:
        raise ValueError('No elements to fill the shape %s with' % (tuple(shape),))
    flat = np.empty(size, dtype=array.dtype)
    flat[:array.size] = array.ravel()
    flat[array.size:] = array.ravel()[-1]
    return flat.reshape(shape)


def is_tensor(x):
    """Whether x is a tensor or stands for one (a variable)."""
    return isinstance(x, ops._TensorLike) or ops.is_dense_tensor_like(x) or \
        getattr(x, 'is_tensor_like', False)


def shape_tensor(shape):
    """A shape as a tensor, int32 unless its parts say otherwise."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        if not shape:
            dtype = dtypes.int32
        else:
            shape = tuple(d.value if isinstance(d, tensor_shape.Dimension) else d for d in shape)
            if all(isinstance(d, numbers.Integral) for d in shape):
                dtype = dtypes.int32
    return ops.convert_to_tensor(shape, dtype=dtype, name='shape')


def constant_value(tensor, partial=False):
    """The value as an array where the graph alone tells it, else None."""
    from leat.python.framework import constant_value as module
    return module.constant_value(tensor, partial)


def constant_value_as_shape(tensor):
    """A TensorShape of what is known of a shape tensor's elements."""
    from leat.python.framework import constant_value as module
    return module.constant_value_as_shape(tensor)


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    from leat.python.framework import tensor_protos
    return tensor_protos.make_tensor_proto(values, dtype, shape, verify_shape, allow_broadcast)


def MakeNdarray(tensor):
    from leat.python.framework import tensor_protos
    return tensor_protos.MakeNdarray(tensor)


def ShapeEquals(tensor_proto, shape):
    if not hasattr(tensor_proto, 'tensor_shape'):
        raise TypeError('tensor_proto is not a tensor_pb2.TensorProto object')
    dims = shape.dim if hasattr(shape, 'dim') else shape
    dims = [d.size if hasattr(d, 'size') else d for d in dims]
    return [d.size for d in tensor_proto.tensor_shape.dim] == dims


def maybe_set_static_shape(tensor, shape):
    """Tells a tensor the shape that the value of a shape tensor gives, as far as it is known."""
    if not tensor.get_shape().is_fully_defined() and isinstance(shape, ops.Tensor):
        known = constant_value_as_shape(shape)
        if known.ndims is not None:
            tensor.set_shape(known)
