# SPDX-License-Identifier: Apache-2.0
"""The normal distribution's cumulative function, and its logarithm far out in the tails."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops

__all__ = ['log_ndtr', 'ndtr']


def _checked(x):
    if x.dtype.base_dtype.name not in ('float32', 'float64'):
        raise TypeError('x.dtype=%s is not handled, see docstring for supported types.' % x.dtype)


def ndtr(x, name='ndtr'):
    """P(X < x) of a standard normal X."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        _checked(x)
        return _ndtr(x)


def _ndtr(x):
    half_sqrt_2 = constant_op.constant(0.5 * np.sqrt(2.), dtype=x.dtype, name='half_sqrt_2')
    w = x * half_sqrt_2
    z = math_ops.abs(w)
    y = array_ops.where_v2(
        math_ops.less(z, half_sqrt_2), 1. + math_ops.erf(w),
        array_ops.where_v2(math_ops.greater(w, 0.), 2. - math_ops.erfc(z), math_ops.erfc(z)))
    return 0.5 * y


def log_ndtr(x, series_order=3, name='log_ndtr'):
    """log ndtr(x), by a series where ndtr itself is 0."""
    if not isinstance(series_order, int):
        raise TypeError('series_order must be a Python integer.')
    if series_order < 0:
        raise ValueError('series_order must be non-negative.')
    if series_order > 30:
        raise ValueError('series_order must be <= 30.')
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        _checked(x)
        double = x.dtype.base_dtype.name == 'float64'
        lower, upper = (-20., 8.) if double else (-10., 5.)
        return array_ops.where_v2(
            math_ops.greater(x, upper), -_ndtr(-x),
            array_ops.where_v2(
                math_ops.greater(x, lower), math_ops.log(_ndtr(math_ops.maximum(x, lower))),
                _log_ndtr_lower(math_ops.minimum(x, lower), series_order)))


def _log_ndtr_lower(x, series_order):
    x_2 = math_ops.square(x)
    log_scale = -0.5 * x_2 - math_ops.log(-x) - constant_op.constant(
        0.5 * np.log(2. * np.pi), dtype=x.dtype)
    return log_scale + math_ops.log(_log_ndtr_asymptotic_series(x, series_order))


def _log_ndtr_asymptotic_series(x, series_order):
    """1 - 1/x^2 + 3/x^4 - 15/x^6 ..."""
    if series_order <= 0:
        return constant_op.constant(1., dtype=x.dtype)
    x_2 = math_ops.square(x)
    even_sum = array_ops.zeros_like(x)
    odd_sum = array_ops.zeros_like(x)
    x_2n = x_2
    factorial = 1.
    for n in range(1, series_order + 1):
        factorial *= 2 * n - 1
        y = constant_op.constant(factorial, dtype=x.dtype) / x_2n
        if n % 2:
            odd_sum += y
        else:
            even_sum += y
        x_2n *= x_2
    return 1. + even_sum - odd_sum
