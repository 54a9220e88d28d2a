# SPDX-License-Identifier: Apache-2.0
"""What distributions share: logits and probabilities, each from the other; integers checked."""
import inspect

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops.distributions.matrix_util import (  # noqa: F401
    fill_triangular, fill_triangular_inverse, matrix_diag_transform, tridiag)
from leat.python.ops.distributions.shapes_util import (  # noqa: F401
    dimension_size, maybe_get_static_value, pad, pick_vector, prefer_static_broadcast_shape,
    prefer_static_rank, prefer_static_shape, prefer_static_value, rotate_transpose,
    same_dynamic_shape)


def get_logits_and_probs(logits=None, probs=None, multidimensional=False, validate_args=False,
                         name='get_logits_and_probs', dtype=None):
    """(logits, probs) of the one that is given."""
    with ops.name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError('Must pass probs or logits, but not both.')
        if probs is None:
            logits = ops.convert_to_tensor(logits, name='logits', dtype=dtype)
            if not logits.dtype.is_floating:
                raise TypeError('logits must having floating type.')
            if multidimensional:
                if validate_args:
                    logits = embed_check_categorical_event_shape(logits)
                return logits, nn.softmax(logits, name='probs')
            return logits, math_ops.sigmoid(logits, name='probs')
        probs = ops.convert_to_tensor(probs, name='probs', dtype=dtype)
        if not probs.dtype.is_floating:
            raise TypeError('probs must having floating type.')
        if validate_args:
            with ops.name_scope('validate_probs'):
                dependencies = [check_ops.assert_non_negative(probs)]
                one = ops.convert_to_tensor(1., dtype=probs.dtype, name='one')
                if multidimensional:
                    probs = embed_check_categorical_event_shape(probs)
                    dependencies.append(check_ops.assert_near(
                        math_ops.reduce_sum(probs, -1), one,
                        message='probs does not sum to 1.'))
                else:
                    dependencies.append(check_ops.assert_less_equal(
                        probs, one, message='probs has components greater than 1.'))
                probs = control_flow_ops.with_dependencies(dependencies, probs)
        with ops.name_scope('logits'):
            if multidimensional:
                return math_ops.log(probs), probs
            return math_ops.log(probs) - math_ops.log1p(-1. * probs), probs


def gen_new_seed(seed, salt):
    """Another seed, made of the seed and a word."""
    import hashlib
    if seed is None:
        return None
    text = (str(seed) + salt).encode('utf-8')
    return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF


# ---- types that hold whole numbers ----


def _is_known_unsigned_by_dtype(dt):
    return dt.base_dtype in (dtypes.bool, dtypes.uint8, dtypes.uint16)


def _is_known_signed_by_dtype(dt):
    return dt.base_dtype in (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int8,
                             dtypes.int16, dtypes.int32, dtypes.int64)


def _is_known_dtype(dt):
    return _is_known_unsigned_by_dtype(dt) or _is_known_signed_by_dtype(dt)


def _is_integer_like_by_dtype(dt):
    if not _is_known_dtype(dt):
        raise TypeError('Unrecognized dtype: {}'.format(dt.name))
    return dt.is_integer or dt.base_dtype == dtypes.bool


def _largest_integer_by_dtype(dt):
    """The greatest of the whole numbers that the type holds all of."""
    if not _is_known_dtype(dt):
        raise TypeError('Unrecognized dtype: {}'.format(dt.name))
    if dt.is_floating:
        return int(2**(np.finfo(dt.as_numpy_dtype).nmant + 1))
    if dt.is_integer:
        return np.iinfo(dt.as_numpy_dtype).max
    return 1


def _smallest_integer_by_dtype(dt):
    if not _is_known_dtype(dt):
        raise TypeError('Unrecognized dtype: {}'.format(dt.name))
    return 0 if _is_known_unsigned_by_dtype(dt) else -1 * _largest_integer_by_dtype(dt)


def assert_integer_form(x, data=None, summarize=None, message=None, int_dtype=None,
                        name='assert_integer_form'):
    """The op that fails where x has fractions."""
    with ops.name_scope(name, values=[x, data]):
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_integer:
            return control_flow_ops.no_op()
        message = message or '{} has non-integer components'.format(x)
        if int_dtype is None:
            sizes = {dtypes.float16: dtypes.int16, dtypes.float32: dtypes.int32,
                     dtypes.float64: dtypes.int64}
            if x.dtype.base_dtype not in sizes:
                raise TypeError('Unrecognized type {}'.format(x.dtype.name))
            int_dtype = sizes[x.dtype.base_dtype]
        return check_ops.assert_equal(
            x, math_ops.cast(math_ops.cast(x, int_dtype), x.dtype), data=data,
            summarize=summarize, message=message, name=name)


def assert_symmetric(matrix):
    """The matrix, when it is its transpose."""
    return control_flow_ops.with_dependencies(
        [check_ops.assert_equal(matrix, array_ops.matrix_transpose(matrix))], matrix)


def embed_check_nonnegative_integer_form(x, name='embed_check_nonnegative_integer_form'):
    """x, when it has no fractions and nothing negative."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        assertions = [check_ops.assert_non_negative(
            x, message="'{}' must be non-negative.".format(x))]
        if not x.dtype.is_integer:
            assertions.append(assert_integer_form(
                x, message="'{}' cannot contain fractional components.".format(x)))
        return control_flow_ops.with_dependencies(assertions, x)


def embed_check_categorical_event_shape(categorical_param,
                                        name='embed_check_categorical_event_shape'):
    """The parameter, when it has two classes or more, and no more than samples' type counts."""
    with ops.name_scope(name, values=[categorical_param]):
        x = ops.convert_to_tensor(categorical_param, name='categorical_param')
        dt = x.dtype.base_dtype
        if not dt.is_floating:
            raise TypeError('Unable to validate size of unrecognized dtype ({}).'.format(dt.name))
        most = _largest_integer_by_dtype(dt)
        try:
            shape = x.get_shape().with_rank_at_least(1)
        except ValueError:
            raise ValueError('A categorical-distribution parameter must have at least 1 '
                             'dimension.') from None
        classes = None if shape.ndims is None else tensor_shape.dimension_value(shape[-1])
        if classes is not None:
            if classes < 2:
                raise ValueError('A categorical-distribution parameter must have at least 2 '
                                 'events.')
            if classes > most:
                raise ValueError('Number of classes exceeds `dtype` precision, i.e., {} implies '
                                 'shape ({}) cannot exceed {}.'.format(dt.name, classes, most))
            return x
        size = array_ops.shape(x, name='x_shape')[-1]
        return control_flow_ops.with_dependencies([
            check_ops.assert_rank_at_least(x, 1, message=(
                'A categorical-distribution parameter must have at least 1 dimension.')),
            check_ops.assert_greater_equal(array_ops.shape(x)[-1], 2, message=(
                'A categorical-distribution parameter must have at least 2 events.')),
            check_ops.assert_less_equal(size, most, message=(
                'Number of classes exceeds `dtype` precision, i.e., {} dtype cannot exceed {} '
                'shape.'.format(dt.name, most)))], x)


def embed_check_integer_casting_closed(x, target_dtype, assert_nonnegative=True,
                                       name='embed_check_casting_closed'):
    """x, when a cast to the type and back gives it again."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer and not x.dtype.is_floating:
            raise TypeError('{}.dtype must be floating- or integer-type.'.format(x.dtype.name))
        if not target_dtype.is_integer and not target_dtype.is_floating:
            raise TypeError('target_dtype ({}) must be floating- or integer-type.'.format(
                target_dtype.name))
        if (not _is_integer_like_by_dtype(x.dtype) and
                not _is_integer_like_by_dtype(target_dtype)):
            raise TypeError('At least one of {}.dtype ({}) and target_dtype ({}) must be '
                            'integer-type.'.format(x, x.dtype.name, target_dtype.name))
        assertions = []
        if assert_nonnegative:
            assertions.append(check_ops.assert_non_negative(
                x, message='Elements must be non-negative.'))
        if x.dtype.is_floating:
            assertions.append(assert_integer_form(
                x, int_dtype=target_dtype,
                message='Elements must be {}-equivalent.'.format(target_dtype.name)))
        else:
            most, least = _largest_integer_by_dtype(target_dtype), _smallest_integer_by_dtype(
                target_dtype)
            if _largest_integer_by_dtype(x.dtype) > most:
                assertions.append(check_ops.assert_less_equal(
                    x, most, message='Elements cannot exceed {}.'.format(most)))
            if not assert_nonnegative and _smallest_integer_by_dtype(x.dtype) < least:
                assertions.append(check_ops.assert_greater_equal(
                    x, least, message='Elements cannot be smaller than {}.'.format(least)))
        return control_flow_ops.with_dependencies(assertions, x)


# ---- sums ----


def log_combinations(n, counts, name='log_combinations'):
    """log(n! / prod counts!), over the last dim."""
    with ops.name_scope(name, values=[n, counts]):
        n = ops.convert_to_tensor(n, name='n')
        counts = ops.convert_to_tensor(counts, name='counts')
        return math_ops.lgamma(n + 1) - math_ops.reduce_sum(math_ops.lgamma(counts + 1), axis=[-1])


def reduce_weighted_logsumexp(logx, w=None, axis=None, keep_dims=False, return_sign=False,
                              name=None):
    """log |sum w exp(logx)|, and the sum's sign if that is asked for."""
    with ops.name_scope(name, 'reduce_weighted_logsumexp', [logx, w]):
        logx = ops.convert_to_tensor(logx, name='logx')
        if w is None:
            total = math_ops.reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            if return_sign:
                return total, array_ops.ones_like(total)
            return total
        w = ops.convert_to_tensor(w, dtype=logx.dtype, name='w')
        log_absw_x = logx + math_ops.log(math_ops.abs(w))
        most = math_ops.reduce_max(log_absw_x, axis=axis, keepdims=True)
        most = array_ops.where(math_ops.is_inf(most), array_ops.zeros_like(most), most)
        wx = math_ops.sign(w) * math_ops.exp(log_absw_x - most)
        total = math_ops.reduce_sum(wx, axis=axis, keepdims=keep_dims)
        if not keep_dims:
            most = array_ops.squeeze(most, axis)
        result = most + math_ops.log(math_ops.abs(total))
        return (result, math_ops.sign(total)) if return_sign else result


def softplus_inverse(x, name=None):
    """log(exp(x) - 1)"""
    with ops.name_scope(name, 'softplus_inverse', values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.
        too_small = math_ops.less(x, np.exp(threshold))
        too_large = math_ops.greater(x, -threshold)
        # Where the result is another branch's, the argument is one that gives no infinities.
        y = array_ops.where(math_ops.logical_or(too_small, too_large), array_ops.ones_like(x), x)
        middle = y + math_ops.log(-math_ops.expm1(-y))
        return array_ops.where(too_small, math_ops.log(x),
                               array_ops.where(too_large, x, middle))


def process_quadrature_grid_and_probs(quadrature_grid_and_probs, dtype, validate_args, name=None):
    """(grid, probabilities that sum to 1), of 8 points by Gauss and Hermite for None."""
    with ops.name_scope(name, 'process_quadrature_grid_and_probs', [quadrature_grid_and_probs]):
        if quadrature_grid_and_probs is None:
            grid, probs = np.polynomial.hermite.hermgauss(deg=8)
            grid = grid.astype(dtype.as_numpy_dtype)
            probs = probs.astype(dtype.as_numpy_dtype)
            probs /= np.linalg.norm(probs, ord=1, keepdims=True)
            return (ops.convert_to_tensor(grid, name='grid', dtype=dtype),
                    ops.convert_to_tensor(probs, name='probs', dtype=dtype))
        grid, probs = tuple(quadrature_grid_and_probs)
        grid = ops.convert_to_tensor(grid, name='grid', dtype=dtype)
        probs = ops.convert_to_tensor(probs, name='unnormalized_probs', dtype=dtype)
        probs /= math_ops.reduce_sum(math_ops.abs(probs), axis=-1, keepdims=True, name='probs')
        sizes = [tensor_shape.dimension_value(t.shape.with_rank_at_least(1)[-1])
                 for t in (probs, grid)]
        if None not in sizes:
            if sizes[0] != sizes[1]:
                raise ValueError('`quadrature_grid_and_probs` must be a `tuple` of same-length '
                                 'zero-th-dimension `Tensor`s (saw lengths {}, {})'.format(*sizes))
        elif validate_args:
            with ops.control_dependencies([check_ops.assert_equal(
                    dimension_size(probs, axis=-1), dimension_size(grid, axis=-1), message=(
                        '`quadrature_grid_and_probs` must be a `tuple` of same-length '
                        'zero-th-dimension `Tensor`s'))]):
                grid = array_ops.identity(grid)
        return grid, probs


def parent_frame_arguments():
    """The arguments of the function that calls this one, by name."""
    frame = inspect.currentframe().f_back
    names, varargs, keywords, values = inspect.getargvalues(frame)
    found = {name: values[name] for name in names if name != 'self'}
    if keywords is not None:
        found.update(values[keywords])
    del varargs
    return found
