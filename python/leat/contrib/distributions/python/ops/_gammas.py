# SPDX-License-Identifier: Apache-2.0
"""What is made of the Gamma distribution: Chi2, InverseGamma."""
from leat.contrib.distributions.python.ops import _scalar
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import gamma


class Chi2(gamma.Gamma):
    """The sum of the squares of df standard normal numbers."""

    def __init__(self, df, validate_args=False, allow_nan_stats=True, name='Chi2'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[df]) as name:
            self._df = _scalar.positive(df, 'df', validate_args)
            super(Chi2, self).__init__(
                concentration=0.5 * self._df, rate=constant_op.constant(0.5, dtype=self._df.dtype),
                validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}

    _param_shapes = _scalar.param_shapes('df')

    @property
    def df(self):
        return self._df


class Chi2WithAbsDf(Chi2):
    """Chi2 of floor(|df|)."""

    def __init__(self, df, validate_args=False, allow_nan_stats=True, name='Chi2WithAbsDf'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[df]) as name:
            super(Chi2WithAbsDf, self).__init__(
                df=math_ops.floor(math_ops.abs(df, name='abs_df'), name='floor_abs_df'),
                validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}


class InverseGamma(_scalar.ScalarDistribution):
    """1 / X of a Gamma X."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='InverseGamma'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            with ops.control_dependencies([
                    check_ops.assert_positive(concentration),
                    check_ops.assert_positive(rate)] if validate_args else []):
                self._concentration = array_ops.identity(concentration, name='concentration')
                self._rate = array_ops.identity(rate, name='rate')
                check_ops.assert_same_float_dtype([self._concentration, self._rate])
        self._begin([self._concentration, self._rate], parameters, name, validate_args,
                    allow_nan_stats, reparameterized=False)

    _param_shapes = _scalar.param_shapes('concentration', 'rate')

    @property
    def concentration(self):
        return self._concentration

    @property
    def rate(self):
        return self._rate

    def _positive(self, x):
        with ops.control_dependencies([check_ops.assert_positive(x)]
                                      if self.validate_args else []):
            return array_ops.identity(x)

    def _sample_n(self, n, seed=None):
        return 1. / random_ops.random_gamma(shape=[n], alpha=self.concentration, beta=self.rate,
                                            dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        x = self._positive(x)
        normalization = (math_ops.lgamma(self.concentration) -
                         self.concentration * math_ops.log(self.rate))
        return -(1. + self.concentration) * math_ops.log(x) - self.rate / x - normalization

    def _cdf(self, x):
        x = self._positive(x)
        return math_ops.igammac(self.concentration, self.rate / x)

    def _entropy(self):
        return (self.concentration + math_ops.log(self.rate) +
                math_ops.lgamma(self.concentration) -
                (1. + self.concentration) * math_ops.digamma(self.concentration))

    def _mean(self):
        return self._nan_unless(
            self._spread(self.concentration) > 1., self.rate / (self.concentration - 1.),
            'mean undefined when any concentration <= 1')

    def _variance(self):
        variance = (math_ops.square(self.rate) / math_ops.square(self.concentration - 1.) /
                    (self.concentration - 2.))
        return self._nan_unless(self._spread(self.concentration) > 2., variance,
                                'variance undefined when any concentration <= 2')

    def _mode(self):
        return self.rate / (1. + self.concentration)


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """InverseGamma of softplus(concentration) and softplus(rate)."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='InverseGammaWithSoftplusConcentrationRate'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            super(InverseGammaWithSoftplusConcentrationRate, self).__init__(
                concentration=nn_ops.softplus(concentration, name='softplus_concentration'),
                rate=nn_ops.softplus(rate, name='softplus_rate'), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}
