# SPDX-License-Identifier: Apache-2.0
"""One of several classes, as a vector: OneHotCategorical, and what is nearly so, through which
gradients go (Concrete: Maddison et al. 2016; Gumbel-Softmax: Jang et al. 2016)."""
import numpy as np

from leat.contrib.distributions.python.ops.bijectors import elementwise
from leat.contrib.distributions.python.ops._loc_scale import Logistic
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler
from leat.python.ops.distributions import transformed_distribution
from leat.python.ops.distributions import util as distribution_util


class _Classes(distribution.Distribution):
    """Logits and probabilities whose last dim is the event's."""

    @property
    def event_size(self):
        return self._event_size

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs

    def _set_logits_and_probs(self, logits, probs, validate_args, name):
        self._logits, self._probs = distribution_util.get_logits_and_probs(
            name=name, logits=logits, probs=probs, validate_args=validate_args,
            multidimensional=True)
        with ops.name_scope(name='event_size'):
            known = tensor_shape.dimension_value(
                self._logits.shape.with_rank_at_least(1)[-1])
            self._event_size = (array_ops.shape(self._logits)[-1] if known is None else
                                ops.convert_to_tensor(known, dtype=dtypes.int32))

    def _batch_shape_tensor(self):
        return array_ops.shape(self.logits)[:-1]

    def _batch_shape(self):
        return self.logits.get_shape()[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self.logits)[-1:]

    def _event_shape(self):
        return self.logits.get_shape().with_rank_at_least(1)[-1:]


class OneHotCategorical(_Classes):
    """A vector with a single 1, where the class is."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='OneHotCategorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._set_logits_and_probs(logits, probs, validate_args, name)
        super(OneHotCategorical, self).__init__(
            dtype=dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._logits, self._probs], name=name)

    def _sample_n(self, n, seed=None):
        sample_shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        logits = array_ops.reshape(self.logits, [-1, self.event_size])
        samples = random_ops.multinomial(logits, n, seed=seed)
        samples = array_ops.one_hot(array_ops.transpose(samples), self.event_size,
                                    dtype=self.dtype)
        return array_ops.reshape(samples, sample_shape)

    def _checked(self, x):
        if not self.validate_args:
            return x
        one = array_ops.ones([], dtype=x.dtype)
        return control_flow_ops.with_dependencies([
            check_ops.assert_non_positive(x - one),
            check_ops.assert_near(one, math_ops.reduce_sum(x, axis=[-1]))
            if x.dtype.is_floating else
            check_ops.assert_equal(one, math_ops.reduce_sum(x, axis=[-1]))], x)

    def _log_prob(self, x):
        x = math_ops.cast(self._checked(x), self.logits.dtype)
        log_probs = nn_ops.log_softmax(self.logits)
        # A class that is not there counts nothing, though its logarithm be infinite.
        return math_ops.reduce_sum(array_ops.where_v2(
            math_ops.equal(x, 0.), array_ops.zeros_like(x * log_probs), x * log_probs), axis=-1)

    def _entropy(self):
        return -math_ops.reduce_sum(nn_ops.log_softmax(self.logits) * self.probs, axis=-1)

    def _mean(self):
        return self.probs

    def _mode(self):
        mode = array_ops.one_hot(math_ops.argmax(self.logits, axis=-1), self.event_size,
                                 dtype=self.dtype)
        mode.set_shape(self.logits.get_shape())
        return mode

    def _covariance(self):
        p = self.probs
        outer = -math_ops.matmul(array_ops.expand_dims(p, -1), array_ops.expand_dims(p, -2))
        return array_ops.matrix_set_diag(outer, self._variance())

    def _variance(self):
        return self.probs * (1. - self.probs)


@kullback_leibler.RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_categorical_categorical(a, b, name=None):
    with ops.name_scope(name, 'kl_categorical_categorical', values=[a.logits, b.logits]):
        difference = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return math_ops.reduce_sum(nn_ops.softmax(a.logits) * difference, axis=-1)


class ExpRelaxedOneHotCategorical(_Classes):
    """The logarithm of RelaxedOneHotCategorical's samples."""

    def __init__(self, temperature, logits=None, probs=None, dtype=None, validate_args=False,
                 allow_nan_stats=True, name='ExpRelaxedOneHotCategorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs, temperature]) as name:
            self._set_logits_and_probs(logits, probs, validate_args, name)
            with ops.control_dependencies([check_ops.assert_positive(temperature)]
                                          if validate_args else []):
                self._temperature = array_ops.identity(temperature, name='temperature')
        super(ExpRelaxedOneHotCategorical, self).__init__(
            dtype=dtype or self._logits.dtype,
            reparameterization_type=distribution.FULLY_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._logits, self._probs, self._temperature], name=name)

    @property
    def temperature(self):
        return self._temperature

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        uniform = random_ops.random_uniform(
            shape=shape, minval=np.finfo(self.dtype.as_numpy_dtype).tiny, maxval=1.,
            dtype=self.dtype, seed=seed)
        gumbel = -math_ops.log(-math_ops.log(uniform))
        noisy_logits = (gumbel + self.logits) / self._temperature
        return nn_ops.log_softmax(noisy_logits)

    def _log_prob(self, x):
        if self.validate_args:
            x = control_flow_ops.with_dependencies([
                check_ops.assert_non_positive(x),
                check_ops.assert_near(array_ops.zeros([], dtype=self.dtype),
                                      math_ops.reduce_logsumexp(x, axis=[-1]))], x)
        k = math_ops.cast(self.event_size, x.dtype)
        log_norm = math_ops.lgamma(k) + (k - 1.) * math_ops.log(self.temperature)
        softmax = nn_ops.log_softmax(self.logits - x * self._temperature)
        return log_norm + math_ops.reduce_sum(softmax, axis=[-1])


class RelaxedOneHotCategorical(transformed_distribution.TransformedDistribution):
    """A vector that sums to 1, the nearer to one-hot the lower the temperature."""

    def __init__(self, temperature, logits=None, probs=None, dtype=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedOneHotCategorical'):
        super(RelaxedOneHotCategorical, self).__init__(
            ExpRelaxedOneHotCategorical(temperature, logits=logits, probs=probs, dtype=dtype,
                                        validate_args=validate_args,
                                        allow_nan_stats=allow_nan_stats),
            elementwise.Exp(validate_args=validate_args), name=name)


class RelaxedBernoulli(transformed_distribution.TransformedDistribution):
    """A number between 0 and 1, the nearer to either the lower the temperature."""

    def __init__(self, temperature, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedBernoulli'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs, temperature]) as name:
            with ops.control_dependencies([check_ops.assert_positive(temperature)]
                                          if validate_args else []):
                self._temperature = array_ops.identity(temperature, name='temperature')
            self._logits, self._probs = distribution_util.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args)
            super(RelaxedBernoulli, self).__init__(
                distribution=Logistic(
                    self._logits / self._temperature, 1. / self._temperature,
                    validate_args=validate_args, allow_nan_stats=allow_nan_stats,
                    name=name + '/Logistic'),
                bijector=elementwise.Sigmoid(validate_args=validate_args),
                validate_args=validate_args, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}

    @property
    def temperature(self):
        return self._temperature

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs
