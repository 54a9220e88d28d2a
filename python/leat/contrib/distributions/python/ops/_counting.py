# SPDX-License-Identifier: Apache-2.0
"""Families of counts: Binomial, Geometric, NegativeBinomial, Poisson."""
import numpy as np

from leat.contrib.distributions.python.ops import _scalar
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import multinomial
from leat.python.ops.distributions import util as distribution_util


class _ByProbs(_scalar.ScalarDistribution):
    """What has logits and probs, one of which is given."""

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs

    def _set_logits_and_probs(self, logits, probs, validate_args, name):
        self._logits, self._probs = distribution_util.get_logits_and_probs(
            logits, probs, validate_args=validate_args, name=name)


class Binomial(_ByProbs):
    """How many of total_count trials succeed."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='Binomial'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            total = ops.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                total = control_flow_ops.with_dependencies([
                    check_ops.assert_non_negative(
                        total, message='total_count must be non-negative.'),
                    distribution_util.assert_integer_form(
                        total, message='total_count cannot contain fractional values.')], total)
            self._total_count = total
            self._set_logits_and_probs(logits, probs, validate_args, name)
        self._begin([self._total_count, self._probs], parameters, name, validate_args,
                    allow_nan_stats, reparameterized=False, dtype=self._probs.dtype)

    @property
    def total_count(self):
        return self._total_count

    def _checked(self, counts):
        if not self.validate_args:
            return counts
        counts = distribution_util.embed_check_nonnegative_integer_form(counts)
        return control_flow_ops.with_dependencies([check_ops.assert_less_equal(
            counts, self.total_count,
            message='counts are not less than or equal to n.')], counts)

    def _sample_n(self, n, seed=None):
        logits = array_ops.stack([self._spread(self.logits), array_ops.zeros(
            self.batch_shape_tensor(), self.dtype)], axis=-1)
        counts = multinomial.draw_counts(n, 2, logits, self.total_count, self.dtype, seed)
        return counts[..., 0]

    def _log_prob(self, counts):
        counts = self._checked(counts)
        others = self.total_count - counts
        combinations = (math_ops.lgamma(1. + others) + math_ops.lgamma(1. + counts) -
                        math_ops.lgamma(1. + self.total_count))
        return (math_ops.xlogy(counts, self.probs) +
                others * math_ops.log1p(-self.probs) - combinations)

    def _cdf(self, counts):
        counts = self._spread(self._checked(counts))
        total, probs = self._spread(self.total_count), self._spread(self.probs)
        all_ = math_ops.equal(counts, total)
        # Of all trials any number succeeds; the incomplete beta function is of what is below.
        left = array_ops.where(all_, array_ops.ones_like(counts), total - counts)
        below = math_ops.betainc(left, counts + 1., 1. - probs)
        return array_ops.where(all_, array_ops.ones_like(counts), below)

    def _mean(self):
        return self.total_count * self.probs

    def _variance(self):
        return self._mean() * (1. - self.probs)

    def _mode(self):
        return math_ops.floor((1. + self.total_count) * self.probs)


class Geometric(_ByProbs):
    """How many trials fail before the first that succeeds."""

    def __init__(self, logits=None, probs=None, validate_args=False, allow_nan_stats=True,
                 name='Geometric'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._set_logits_and_probs(logits, probs, validate_args, name)
            with ops.control_dependencies([check_ops.assert_positive(self._probs)]
                                          if validate_args else []):
                self._probs = array_ops.identity(self._probs, name='probs')
        self._begin([self._probs, self._logits], parameters, name, validate_args, allow_nan_stats,
                    reparameterized=False)

    def _sample_n(self, n, seed=None):
        sampled = random_ops.random_uniform(
            self._shape_of_samples(n), minval=np.finfo(self.dtype.as_numpy_dtype).tiny, maxval=1.,
            seed=seed, dtype=self.dtype)
        return math_ops.floor(math_ops.log(sampled) / math_ops.log1p(-self.probs))

    def _cdf(self, counts):
        counts = self._counts(counts) if self.validate_args else math_ops.floor(counts)
        counts *= array_ops.ones_like(self.probs)
        return array_ops.where(counts < 0., array_ops.zeros_like(counts),
                               -math_ops.expm1((counts + 1) * math_ops.log1p(-self.probs)))

    def _log_prob(self, counts):
        counts = self._counts(counts) if self.validate_args else math_ops.floor(counts)
        counts *= array_ops.ones_like(self.probs)
        probs = self.probs * array_ops.ones_like(counts)
        # With a probability of 1 the only count is 0: its logarithm is not to be NaN.
        safe = array_ops.where(math_ops.equal(counts, 0.), array_ops.zeros_like(probs), -probs)
        return counts * math_ops.log1p(safe) + math_ops.log(probs)

    def _entropy(self):
        # -(p log p + (1 - p) log(1 - p)) / p
        return (nn_ops.softplus(self.logits) - self.logits * self.probs) / self.probs

    def _mean(self):
        return math_ops.exp(-self.logits)

    def _variance(self):
        return self._mean() / self.probs

    def _mode(self):
        return array_ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class NegativeBinomial(_ByProbs):
    """How many trials succeed before total_count fail."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='NegativeBinomial'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._set_logits_and_probs(logits, probs, validate_args, name)
            self._total_count = _scalar.positive(total_count, 'total_count', validate_args)
        self._begin([self._total_count, self._probs], parameters, name, validate_args,
                    allow_nan_stats, reparameterized=False, dtype=self._probs.dtype)

    @property
    def total_count(self):
        return self._total_count

    def _sample_n(self, n, seed=None):
        # Poisson counts whose rates are Gamma.
        rate = random_ops.random_gamma(
            shape=[n], alpha=self._spread(self.total_count), beta=math_ops.exp(-self.logits),
            dtype=self.dtype, seed=seed)
        return random_ops.random_poisson(
            rate, shape=[], dtype=self.dtype,
            seed=distribution_util.gen_new_seed(seed, 'NegativeBinom'))

    def _cdf(self, x):
        if self.validate_args:
            x = distribution_util.embed_check_nonnegative_integer_form(x)
        return math_ops.betainc(self.total_count, 1. + x, math_ops.sigmoid(-self.logits))

    def _log_prob(self, x):
        if self.validate_args:
            x = distribution_util.embed_check_nonnegative_integer_form(x)
        unnormalized = (self.total_count * math_ops.log_sigmoid(-self.logits) +
                        x * math_ops.log_sigmoid(self.logits))
        return unnormalized - (-math_ops.lgamma(self.total_count + x) + math_ops.lgamma(1. + x) +
                               math_ops.lgamma(self.total_count))

    def _mean(self):
        return self.total_count * math_ops.exp(self.logits)

    def _mode(self):
        adjusted = array_ops.where(1. < self.total_count, self.total_count - 1.,
                                   array_ops.zeros_like(self.total_count))
        return math_ops.floor(adjusted * math_ops.exp(self.logits))

    def _variance(self):
        return self._mean() / math_ops.sigmoid(-self.logits)


class Poisson(_scalar.ScalarDistribution):
    """exp(-rate) rate^x / x!"""

    def __init__(self, rate=None, log_rate=None, validate_args=False, allow_nan_stats=True,
                 name='Poisson'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            if (rate is None) == (log_rate is None):
                raise ValueError('Must specify exactly one of `rate` and `log_rate`.')
            if log_rate is None:
                rate = ops.convert_to_tensor(rate, name='rate')
            else:
                log_rate = ops.convert_to_tensor(log_rate, name='log_rate')
            given = rate if log_rate is None else log_rate
            if not given.dtype.is_floating:
                raise TypeError('{}.dtype={} is not a float type.'.format(
                    'rate' if log_rate is None else 'log_rate', given.dtype))
            if log_rate is None:
                rate = _scalar.positive(rate, 'rate', validate_args)
                self._rate, self._log_rate = rate, math_ops.log(rate, name='log_rate')
            else:
                self._rate, self._log_rate = math_ops.exp(log_rate, name='rate'), log_rate
        self._begin([self._rate], parameters, name, validate_args, allow_nan_stats,
                    reparameterized=False)

    @property
    def rate(self):
        return self._rate

    @property
    def log_rate(self):
        return self._log_rate

    def _log_prob(self, x):
        x = self._counts(x)
        return x * self.log_rate - math_ops.lgamma(1. + x) - self.rate

    def _log_cdf(self, x):
        return math_ops.log(self.cdf(x))

    def _cdf(self, x):
        x = self._counts(x)
        return math_ops.igammac(1. + x, self.rate)

    def _mean(self):
        return array_ops.identity(self.rate)

    def _variance(self):
        return array_ops.identity(self.rate)

    def _mode(self):
        return math_ops.floor(self.rate)

    def _sample_n(self, n, seed=None):
        return random_ops.random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)
