# SPDX-License-Identifier: Apache-2.0
"""The Bernoulli distribution: 1 with probability probs, else 0."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler
from leat.python.ops.distributions import util as distribution_util

__all__ = ['Bernoulli']


class Bernoulli(distribution.Distribution):
    """By logits or probs, one of the two."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='Bernoulli'):
        parameters = dict(locals())
        with ops.name_scope(name) as name:
            self._logits, self._probs = distribution_util.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=name)
        super(Bernoulli, self).__init__(
            dtype=dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._logits, self._probs], name=name)

    @staticmethod
    def _param_shapes(sample_shape):
        return {'logits': ops.convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs

    def _batch_shape_tensor(self):
        return array_ops.shape(self._logits)

    def _batch_shape(self):
        return self._logits.get_shape()

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        new_shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        uniform = random_ops.random_uniform(new_shape, seed=seed, dtype=self.probs.dtype)
        sample = math_ops.less(uniform, self.probs)
        return math_ops.cast(sample, self.dtype)

    def _log_prob(self, event):
        event = math_ops.cast(event, self.logits.dtype)
        logits = self.logits
        if event.get_shape() != logits.get_shape():
            logits = array_ops.ones_like(event) * logits
            event = array_ops.ones_like(logits) * event
        return -nn.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return (-self.logits * (math_ops.sigmoid(self.logits) - 1) +
                nn.softplus(-self.logits))

    def _mean(self):
        return array_ops.identity(self.probs)

    def _variance(self):
        return self._mean() * (1. - self.probs)

    def _mode(self):
        return math_ops.cast(self.probs > 0.5, self.dtype)


@kullback_leibler.RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a, b, name=None):
    with ops.name_scope(name, 'kl_bernoulli_bernoulli', values=[a.logits, b.logits]):
        delta_probs0 = nn.softplus(-b.logits) - nn.softplus(-a.logits)
        delta_probs1 = nn.softplus(b.logits) - nn.softplus(a.logits)
        return (math_ops.sigmoid(a.logits) * delta_probs0 +
                math_ops.sigmoid(-a.logits) * delta_probs1)
