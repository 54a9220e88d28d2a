# SPDX-License-Identifier: Apache-2.0
"""The normal distribution's cumulative function, its logarithm in the tails, its inverse."""
import functools

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops

__all__ = ['erfinv', 'log_cdf_laplace', 'log_ndtr', 'ndtr', 'ndtri']


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


# A rational approximation of the normal quantile (P. J. Acklam), in the middle and in a tail;
# Newton steps then make it exact to the type.
_MIDDLE = ([-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
            1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00],
           [-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
            6.680131188771972e+01, -1.328068155288572e+01, 1.])
_TAIL = ([-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
          -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00],
         [7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
          3.754408661907416e+00, 1.])


def _ratio(x, coefficients):
    above, below = (functools.reduce(lambda sum_, c: sum_ * x + c, part[1:],
                                     array_ops.ones_like(x) * part[0]) for part in coefficients)
    return above / below


def ndtri(p, name='ndtri'):
    """The x of which ndtr(x) is p."""
    with ops.name_scope(name, values=[p]):
        p = ops.convert_to_tensor(p, name='p')
        if p.dtype.base_dtype.name not in ('float32', 'float64'):
            raise TypeError('p.dtype=%s is not handled, see docstring for supported types.'
                            % p.dtype)
        return _ndtri(p)


def _ndtri(p):
    dtype = p.dtype.as_numpy_dtype
    upper = math_ops.greater(p, dtype(0.5))
    tail = array_ops.where_v2(upper, 1. - p, p)
    # What is not a probability between, or is its end, takes part with another number.
    inside = math_ops.logical_and(math_ops.greater(tail, 0.), math_ops.less_equal(tail, 0.5))
    q = array_ops.where_v2(inside, tail, array_ops.ones_like(tail) * dtype(0.25))
    far = math_ops.less(q, dtype(0.02425))
    centred = array_ops.where_v2(far, array_ops.zeros_like(q), q - dtype(0.5))
    root = math_ops.sqrt(-2. * math_ops.log(array_ops.where_v2(
        far, q, array_ops.ones_like(q) * dtype(0.02))))
    x = array_ops.where_v2(far, _ratio(root, _TAIL),
                           centred * _ratio(math_ops.square(centred), _MIDDLE))
    for _ in range(2):
        log_cdf = log_ndtr(x, series_order=10)
        step = (log_cdf - math_ops.log(q)) * math_ops.exp(
            log_cdf + 0.5 * math_ops.square(x) + dtype(0.5 * np.log(2. * np.pi)))
        x = x - step
    x = array_ops.where_v2(upper, -x, x)
    ends = array_ops.where_v2(math_ops.greater_equal(p, dtype(1.)), array_ops.ones_like(p) * np.inf,
                              array_ops.ones_like(p) * -np.inf)
    return array_ops.where_v2(inside, x, ends)


def erfinv(x, name='erfinv'):
    """The y of which erf(y) is x."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.base_dtype.name not in ('float32', 'float64'):
            raise TypeError('x.dtype=%s is not handled, see docstring for supported types.'
                            % x.dtype)
        return ndtri((x + 1.0) / 2.0) / np.sqrt(2)


def log_cdf_laplace(x, name='log_cdf_laplace'):
    """log P(X < x) of a Laplace X of scale 1 about 0."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        safe_exp_neg_x = math_ops.exp(-math_ops.abs(x))
        return array_ops.where_v2(math_ops.less(x, 0.), x - np.log(2.),
                                  math_ops.log1p(-0.5 * safe_exp_neg_x))
