# SPDX-License-Identifier: Apache-2.0
"""What LinearOperators share: checks, hints, and products and solutions that broadcast."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import variables as variables_module


def convert_nonref_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """value as a tensor, unless it is a variable, which stays one."""
    if value is None:
        return None
    if is_ref(value):
        if dtype is not None and base_dtype(dtype) != base_dtype(value.dtype):
            raise TypeError('Mutable type must be of dtype "%s" but is "%s".'
                            % (dtype_name(dtype), dtype_name(value.dtype)))
        return value
    return ops.internal_convert_to_tensor(value, dtype=dtype, preferred_dtype=dtype_hint, name=name)


def base_dtype(dtype):
    return dtypes.as_dtype(dtype).base_dtype


def dtype_name(dtype):
    return dtypes.as_dtype(dtype).name


def is_ref(x):
    """Whether x is a variable, or like one."""
    return isinstance(x, variables_module.Variable) or \
        hasattr(x, 'dtype') and hasattr(x, 'shape') and hasattr(x, 'assign')


def assert_not_ref_type(x, arg_name):
    if is_ref(x):
        raise TypeError('Argument %s cannot be reference type. Found: %s' % (arg_name, type(x)))


# --- checks that run ---

def assert_no_entries_with_modulus_zero(x, message=None,
                                        name='assert_no_entries_with_modulus_zero'):
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        zero = ops.convert_to_tensor(0, dtype=x.dtype.real_dtype)
        return check_ops.assert_less(zero, math_ops.abs(x), message=message)


def assert_zero_imag_part(x, message=None, name='assert_zero_imag_part'):
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.base_dtype.is_floating:
            return control_flow_ops.no_op()
        zero = ops.convert_to_tensor(0, dtype=x.dtype.real_dtype)
        return check_ops.assert_equal(zero, math_ops.imag(x), message=message)


def assert_compatible_matrix_dimensions(operator, x):
    """Fails where x's rows are not as many as the operator's columns."""
    return check_ops.assert_equal(
        array_ops.shape(x)[-2], operator.domain_dimension_tensor(),
        message='Dimensions are not compatible.  shape[-2] of argument to be the same as this '
                'operator')


def assert_is_batch_matrix(tensor):
    rank = tensor.shape.ndims
    if rank is not None and rank < 2:
        raise ValueError('Expected [batch] matrix to have at least two dimensions.  Found: %s'
                         % tensor)


def shape_tensor(shape, name=None):
    """A shape as an int32 (or int64) tensor."""
    dtype = dtypes.int32 if isinstance(shape, (tuple, list)) and not shape else None
    return ops.convert_to_tensor(shape, dtype=dtype, name=name)


# --- batches ---

def broadcast_matrix_batch_dims(batch_matrices, name=None):
    """The matrices, their batch dimensions broadcast to one shape."""
    with ops.name_scope(name or 'broadcast_matrix_batch_dims', values=batch_matrices):
        matrices = [ops.convert_to_tensor(m) for m in batch_matrices]
        for m in matrices:
            assert_is_batch_matrix(m)
        if len(matrices) == 1:
            return matrices
        static = matrices[0].shape[:-2]
        for m in matrices[1:]:
            static = _static_broadcast(static, m.shape[:-2])
        if static.is_fully_defined() and all(m.shape[-2:].is_fully_defined() for m in matrices):
            return [m if m.shape[:-2] == static else array_ops.broadcast_to(
                m, static.concatenate(m.shape[-2:])) for m in matrices]
        batch = array_ops.shape(matrices[0])[:-2]
        for m in matrices[1:]:
            batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(m)[:-2])
        out = []
        for m in matrices:
            wide = array_ops.broadcast_to(
                m, array_ops.concat((batch, array_ops.shape(m)[-2:]), axis=0))
            wide.set_shape(static.concatenate(m.shape[-2:]))
            out.append(wide)
        return out


def _static_broadcast(a, b):
    from leat.python.framework import common_shapes
    return common_shapes.broadcast_shape(a, b)


def cholesky_solve_with_broadcast(chol, rhs, name=None):
    with ops.name_scope(name or 'CholeskySolveWithBroadcast', values=[chol, rhs]):
        chol, rhs = broadcast_matrix_batch_dims([chol, rhs])
        return linalg_ops.cholesky_solve(chol, rhs)


def matrix_solve_with_broadcast(matrix, rhs, adjoint=False, name=None):
    with ops.name_scope(name or 'MatrixSolveWithBroadcast', values=[matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return linalg_ops.matrix_solve(matrix, rhs, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(matrix, rhs, lower=True, adjoint=False, name=None):
    with ops.name_scope(name or 'MatrixTriangularSolve', values=[matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return linalg_ops.matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


# --- hints ---

def use_operator_or_provided_hint_unless_contradicting(operator, hint_attr_name,
                                                       provided_hint_value, message):
    """The operator's hint, or the one given; ValueError where they differ."""
    own = getattr(operator, hint_attr_name)
    if own is False and provided_hint_value:
        raise ValueError(message)
    if own and provided_hint_value is False:
        raise ValueError(message)
    if own or provided_hint_value:
        return True
    if own is False or provided_hint_value is False:
        return False
    return None


def static_shape_of(tensor):
    return tensor_shape.TensorShape(tensor.shape)


def known_int(dimension):
    """A dimension's number, or None."""
    value = getattr(dimension, 'value', dimension)
    return None if value is None else int(np.asarray(value))
