# SPDX-License-Identifier: Apache-2.0
"""Python values as tensors: a table of functions by type, and the convert_* functions on it.

Imported by ops at its end, whose part this is. Of the functions for a type those of the lowest
priority are asked first; lists, numbers and arrays become constants at 100.
"""
import numpy as np

from leat.python.framework import dtypes


def _ops():
    from leat.python.framework import ops
    return ops


_by_priority = {}   # priority -> [(types, function)]
_cache = {}         # type -> [(types, function)] in order


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """conversion_func(value, dtype, name, as_ref) for values of base_type (or a tuple)."""
    if base_type in (int, float, np.generic, np.ndarray):
        raise TypeError('Cannot register conversions for Python numeric types and NumPy scalars '
                        'and arrays.')
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError('base_type must be a type or a tuple of types.')
    if not callable(conversion_func):
        raise TypeError('conversion_func must be callable.')
    _by_priority.setdefault(priority, []).append((types, conversion_func))
    _cache.clear()


def _functions_for(value):
    found = _cache.get(type(value))
    if found is None:
        found = [(types, f) for p in sorted(_by_priority) for types, f in _by_priority[p]
                 if isinstance(value, types)]
        _cache[type(value)] = found
    return found


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
    """The value as a Tensor of dtype, or of preferred_dtype if that can be."""
    return internal_convert_to_tensor(value, dtype, name, False,
                                      preferred_dtype if dtype_hint is None else dtype_hint)


def convert_to_tensor_v2(value, dtype=None, dtype_hint=None, name=None):
    return internal_convert_to_tensor(value, dtype, name, False, dtype_hint)


def internal_convert_to_tensor(value, dtype=None, name=None, as_ref=False, preferred_dtype=None,
                               ctx=None, accept_symbolic_tensors=True,
                               accept_composite_tensors=False):
    ops = _ops()
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, ops.Tensor):
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            raise ValueError('Tensor conversion requested dtype %s for Tensor with dtype %s: %r'
                             % (dtype.name, value.dtype.name, value))
        return value
    if preferred_dtype is not None:
        preferred_dtype = dtypes.as_dtype(preferred_dtype)
    for types, function in _functions_for(value):
        result = NotImplemented
        if dtype is None and preferred_dtype is not None:
            try:
                result = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented
            else:
                if result is not NotImplemented and \
                        result.dtype.base_dtype != preferred_dtype.base_dtype:
                    raise TypeError('convert_to_tensor did not convert to the preferred dtype: '
                                    '%s vs %s ' % (result.dtype.base_dtype,
                                                   preferred_dtype.base_dtype))
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, ops._TensorLike) and not accept_composite_tensors:
            raise RuntimeError('Error converting %s: Conversion function %r for type %s returned '
                               'non-Tensor: %r' % (name or 'value', function, types, result))
        if dtype is not None and not dtype.is_compatible_with(result.dtype):
            raise RuntimeError('Error converting %s: Conversion function %r for type %s returned '
                               'incompatible dtype: requested = %s, actual = %s'
                               % (name or 'value', function, types, dtype.name,
                                  result.dtype.name))
        return result
    raise TypeError('Cannot convert %r with type %s to Tensor: no conversion function registered.'
                    % (value, type(value)))


def internal_convert_n_to_tensor(values, dtype=None, name=None, as_ref=False, preferred_dtype=None,
                                 ctx=None):
    if not isinstance(values, (list, tuple)):
        raise TypeError('values must be a list.')
    return [internal_convert_to_tensor(v, dtype, None if name is None else '%s_%d' % (name, i),
                                       as_ref, preferred_dtype) for i, v in enumerate(values)]


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    return internal_convert_n_to_tensor(values, dtype, name, False, preferred_dtype)


def internal_convert_to_tensor_or_indexed_slices(value, dtype=None, name=None, as_ref=False):
    ops = _ops()
    if isinstance(value, ops._TensorLike):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError('Tensor conversion requested dtype %s for Tensor with dtype %s: %r'
                             % (dtypes.as_dtype(dtype).name, value.dtype.name, str(value)))
        return value
    return internal_convert_to_tensor(value, dtype, name, as_ref)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    return internal_convert_to_tensor_or_indexed_slices(value, dtype, name)


def internal_convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None, as_ref=False):
    if not isinstance(values, (list, tuple)):
        raise TypeError('values must be a list.')
    return [None if v is None else internal_convert_to_tensor_or_indexed_slices(
        v, dtype, None if name is None else '%s_%d' % (name, i), as_ref)
        for i, v in enumerate(values)]


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None):
    return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)


def internal_convert_to_tensor_or_composite(value, dtype=None, name=None, as_ref=False):
    from leat.python.framework import composite_tensor
    if isinstance(value, composite_tensor.CompositeTensor):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError('Tensor conversion requested dtype %s for Tensor with dtype %s: %r'
                             % (dtypes.as_dtype(dtype).name, value.dtype.name, str(value)))
        return value
    return internal_convert_to_tensor_or_indexed_slices(value, dtype, name, as_ref)


def convert_to_tensor_or_composite(value, dtype=None, name=None):
    return internal_convert_to_tensor_or_composite(value, dtype, name)


def internal_convert_n_to_tensor_or_composite(values, dtype=None, name=None, as_ref=False):
    if not isinstance(values, (list, tuple)):
        raise TypeError('values must be a list.')
    return [None if v is None else internal_convert_to_tensor_or_composite(
        v, dtype, None if name is None else '%s_%d' % (name, i), as_ref)
        for i, v in enumerate(values)]


def convert_n_to_tensor_or_composite(values, dtype=None, name=None):
    return internal_convert_n_to_tensor_or_composite(values, dtype, name)


def _constant(value, dtype=None, name=None, as_ref=False):
    from leat.python.framework import constant_op
    return constant_op.constant(value, dtype=dtype, name=name or 'Const')


def _has_tensor(values):
    tensor_like = _ops().is_dense_tensor_like
    for v in values:
        if isinstance(v, (list, tuple)):
            if _has_tensor(v):
                return True
        elif tensor_like(v):
            return True
    return False


def _packed(value, dtype=None, name=None, as_ref=False):
    """Lists with tensors in them."""
    if not _has_tensor(value):
        return NotImplemented
    from leat.python.ops import array_slicing
    return array_slicing._autopacking_conversion_function(value, dtype, name, as_ref)


_by_priority[99] = [((list, tuple), _packed)]
_by_priority[100] = [((list, tuple, bool, int, float, complex, str, bytes, np.generic, np.ndarray),
                      _constant)]
_by_priority[200] = [((object,), _constant)]
