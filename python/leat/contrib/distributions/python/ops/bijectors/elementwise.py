# SPDX-License-Identifier: Apache-2.0
"""Bijectors of each number by itself."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops.distributions import bijector
from leat.python.ops.distributions import util as distribution_util


class AbsoluteValue(bijector.Bijector):
    """|x|, of which -y and y are the two inverses."""

    def __init__(self, validate_args=False, name='absolute_value'):
        super(AbsoluteValue, self).__init__(forward_min_event_ndims=0, is_constant_jacobian=True,
                                            validate_args=validate_args, name=name)

    @property
    def _is_injective(self):
        return False

    def _forward(self, x):
        return math_ops.abs(x)

    def _checked(self, y):
        if not self.validate_args:
            return y
        return control_flow_ops.with_dependencies([check_ops.assert_non_negative(
            y, message='Argument y was negative')], y)

    def _inverse(self, y):
        y = self._checked(y)
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        y = self._checked(y)
        zero = constant_op.constant(0., dtype=y.dtype)
        return zero, zero


class AffineScalar(bijector.Bijector):
    """scale * x + shift, each number by itself"""

    def __init__(self, shift=None, scale=None, validate_args=False, name='affine_scalar'):
        with ops.name_scope(name, values=[scale, shift]):
            self._shift = None if shift is None else ops.convert_to_tensor(shift, name='shift')
            self._scale = None if scale is None else ops.convert_to_tensor(scale, name='scale')
            if validate_args and self._scale is not None:
                self._scale = control_flow_ops.with_dependencies([check_ops.assert_none_equal(
                    self._scale, array_ops.zeros([], dtype=self._scale.dtype))], self._scale)
        super(AffineScalar, self).__init__(forward_min_event_ndims=0, is_constant_jacobian=True,
                                           validate_args=validate_args, name=name)

    @property
    def shift(self):
        return self._shift

    @property
    def scale(self):
        return self._scale

    def _forward(self, x):
        y = array_ops.identity(x)
        if self.scale is not None:
            y *= self.scale
        return y if self.shift is None else y + self.shift

    def _inverse(self, y):
        x = array_ops.identity(y)
        if self.shift is not None:
            x -= self.shift
        return x if self.scale is None else x / self.scale

    def _forward_log_det_jacobian(self, x):
        if self.scale is None:
            return constant_op.constant(0., dtype=x.dtype.base_dtype)
        return math_ops.log(math_ops.abs(self.scale))


class PowerTransform(bijector.Bijector):
    """(1 + power x)^(1 / power); exp(x) for a power of 0"""

    def __init__(self, power=0., validate_args=False, name='power_transform'):
        with ops.name_scope(name, values=[power]):
            power = tensor_util.constant_value(ops.convert_to_tensor(power, name='power'))
        if power is None or power < 0:
            raise ValueError('`power` must be a non-negative TF constant.')
        self._power = power
        super(PowerTransform, self).__init__(forward_min_event_ndims=0,
                                             validate_args=validate_args, name=name)

    @property
    def power(self):
        return self._power

    def _forward(self, x):
        x = self._valid(x, lambda v: [check_ops.assert_non_negative(
            1. + self.power * v, message='Forward transformation input must be at least {}.'
            .format(-1. / self.power))], self.power)
        if self.power == 0.:
            return math_ops.exp(x)
        return math_ops.exp(math_ops.log1p(x * self.power) / self.power)

    def _inverse(self, y):
        y = self._positive(y)
        if self.power == 0.:
            return math_ops.log(y)
        return math_ops.expm1(math_ops.log(y) * self.power) / self.power

    def _inverse_log_det_jacobian(self, y):
        return (self.power - 1.) * math_ops.log(self._positive(y))

    def _forward_log_det_jacobian(self, x):
        if self.power == 0.:
            return x
        return (1. / self.power - 1.) * math_ops.log1p(x * self.power)

    def _positive(self, y):
        return self._valid(y, lambda v: [check_ops.assert_positive(
            v, message='Inverse transformation input must be greater than 0.')], True)

    def _valid(self, x, assertions, needed):
        if not self.validate_args or not needed:
            return x
        return control_flow_ops.with_dependencies(assertions(x), x)


class Exp(PowerTransform):
    """exp(x)"""

    def __init__(self, validate_args=False, name='exp'):
        super(Exp, self).__init__(validate_args=validate_args, name=name)


class Gumbel(bijector.Bijector):
    """exp(-exp(-(x - loc) / scale))"""

    def __init__(self, loc=0., scale=1., validate_args=False, name='gumbel'):
        with ops.name_scope(name, values=[loc, scale]):
            self._loc = ops.convert_to_tensor(loc, name='loc')
            self._scale = ops.convert_to_tensor(scale, name='scale')
            check_ops.assert_same_float_dtype([self._loc, self._scale])
            if validate_args:
                self._scale = control_flow_ops.with_dependencies([check_ops.assert_positive(
                    self._scale, message='Argument scale was not positive')], self._scale)
        super(Gumbel, self).__init__(validate_args=validate_args, forward_min_event_ndims=0,
                                     name=name)

    @property
    def loc(self):
        return self._loc

    @property
    def scale(self):
        return self._scale

    def _forward(self, x):
        return math_ops.exp(-math_ops.exp(-(x - self.loc) / self.scale))

    def _inverse(self, y):
        return self.loc - self.scale * math_ops.log(-math_ops.log(self._checked(y)))

    def _inverse_log_det_jacobian(self, y):
        y = self._checked(y)
        return math_ops.log(self.scale / (-math_ops.log(y) * y))

    def _forward_log_det_jacobian(self, x):
        z = (x - self.loc) / self.scale
        return -z - math_ops.exp(-z) - math_ops.log(self.scale)

    def _checked(self, y):
        if not self.validate_args:
            return y
        return control_flow_ops.with_dependencies([
            check_ops.assert_non_negative(
                y, message='Inverse transformation input must be greater than 0.'),
            check_ops.assert_less_equal(
                y, constant_op.constant(1., y.dtype),
                message='Inverse transformation input must be less than or equal to 1.')], y)


class Sigmoid(bijector.Bijector):
    """1 / (1 + exp(-x))"""

    def __init__(self, validate_args=False, name='sigmoid'):
        super(Sigmoid, self).__init__(forward_min_event_ndims=0, validate_args=validate_args,
                                      name=name)

    def _forward(self, x):
        return math_ops.sigmoid(x)

    def _inverse(self, y):
        return math_ops.log(y) - math_ops.log1p(-y)

    def _inverse_log_det_jacobian(self, y):
        return -math_ops.log(y) - math_ops.log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -nn_ops.softplus(-x) - nn_ops.softplus(x)


class Softplus(bijector.Bijector):
    """c log(1 + exp(x / c)), where c, the softness of the hinge, is 1 if it is not given"""

    def __init__(self, hinge_softness=None, validate_args=False, name='softplus'):
        with ops.name_scope(name, values=[hinge_softness]):
            self._hinge_softness = None
            if hinge_softness is not None:
                self._hinge_softness = ops.convert_to_tensor(hinge_softness,
                                                             name='hinge_softness')
                if validate_args:
                    self._hinge_softness = control_flow_ops.with_dependencies([
                        check_ops.assert_none_equal(
                            array_ops.zeros([], dtype=self._hinge_softness.dtype),
                            self._hinge_softness, message='hinge_softness must be non-zero')],
                        self._hinge_softness)
        super(Softplus, self).__init__(forward_min_event_ndims=0, validate_args=validate_args,
                                       name=name)

    @property
    def hinge_softness(self):
        return self._hinge_softness

    def _scaled(self, x):
        if self.hinge_softness is None:
            return x
        return x / math_ops.cast(self.hinge_softness, x.dtype)

    def _forward(self, x):
        if self.hinge_softness is None:
            return nn_ops.softplus(x)
        return math_ops.cast(self.hinge_softness, x.dtype) * nn_ops.softplus(self._scaled(x))

    def _inverse(self, y):
        if self.hinge_softness is None:
            return distribution_util.softplus_inverse(y)
        return math_ops.cast(self.hinge_softness, y.dtype) * distribution_util.softplus_inverse(
            self._scaled(y))

    def _inverse_log_det_jacobian(self, y):
        return -math_ops.log(-math_ops.expm1(-self._scaled(y)))

    def _forward_log_det_jacobian(self, x):
        return -nn_ops.softplus(-self._scaled(x))


class Softsign(bijector.Bijector):
    """x / (1 + |x|)"""

    def __init__(self, validate_args=False, name='softsign'):
        super(Softsign, self).__init__(forward_min_event_ndims=0, validate_args=validate_args,
                                       name=name)

    def _forward(self, x):
        return x / (1. + math_ops.abs(x))

    def _inverse(self, y):
        y = self._checked(y)
        return y / (1. - math_ops.abs(y))

    def _forward_log_det_jacobian(self, x):
        return -2. * math_ops.log1p(math_ops.abs(x))

    def _inverse_log_det_jacobian(self, y):
        return -2. * math_ops.log1p(-math_ops.abs(self._checked(y)))

    def _checked(self, y):
        if not self.validate_args:
            return y
        return control_flow_ops.with_dependencies([
            check_ops.assert_greater(y, math_ops.cast(-1., y.dtype.base_dtype), message=(
                'Inverse transformation input must be greater than -1.')),
            check_ops.assert_less(y, math_ops.cast(1., y.dtype.base_dtype), message=(
                'Inverse transformation input must be less than 1.'))], y)


class Square(bijector.Bijector):
    """x^2 of numbers that are not negative"""

    def __init__(self, validate_args=False, name='square'):
        super(Square, self).__init__(forward_min_event_ndims=0, validate_args=validate_args,
                                     name=name)

    def _forward(self, x):
        return math_ops.square(self._checked(x))

    def _inverse(self, y):
        return math_ops.sqrt(self._checked(y))

    def _forward_log_det_jacobian(self, x):
        return np.log(2.) + math_ops.log(self._checked(x))

    def _checked(self, x):
        if not self.validate_args:
            return x
        return control_flow_ops.with_dependencies([check_ops.assert_non_negative(
            x, message='All elements must be non-negative.')], x)


class SinhArcsinh(bijector.Bijector):
    """sinh((arcsinh(x) + skewness) tailweight)"""

    def __init__(self, skewness=None, tailweight=None, validate_args=False, name='SinhArcsinh'):
        with ops.name_scope(name, values=[skewness, tailweight]):
            self._skewness = ops.convert_to_tensor(0. if skewness is None else skewness,
                                                   name='skewness')
            self._tailweight = ops.convert_to_tensor(1. if tailweight is None else tailweight,
                                                     name='tailweight', dtype=self._skewness.dtype)
            check_ops.assert_same_float_dtype([self._skewness, self._tailweight])
            if validate_args:
                self._tailweight = control_flow_ops.with_dependencies([check_ops.assert_positive(
                    self._tailweight, message='Argument tailweight was not positive')],
                    self._tailweight)
        super(SinhArcsinh, self).__init__(forward_min_event_ndims=0, validate_args=validate_args,
                                          name=name)

    @property
    def skewness(self):
        return self._skewness

    @property
    def tailweight(self):
        return self._tailweight

    def _forward(self, x):
        return math_ops.sinh((math_ops.asinh(x) + self.skewness) * self.tailweight)

    def _inverse(self, y):
        return math_ops.sinh(math_ops.asinh(y) / self.tailweight - self.skewness)

    @staticmethod
    def _log_root(x):
        """log sqrt(1 + x^2), where x^2 would overflow too"""
        return math_ops.log(math_ops.cosh(math_ops.asinh(x)))

    def _inverse_log_det_jacobian(self, y):
        return (math_ops.log(math_ops.cosh(math_ops.asinh(y) / self.tailweight - self.skewness)) -
                math_ops.log(self.tailweight) - self._log_root(y))

    def _forward_log_det_jacobian(self, x):
        return (math_ops.log(math_ops.cosh((math_ops.asinh(x) + self.skewness) * self.tailweight))
                + math_ops.log(self.tailweight) - self._log_root(x))
