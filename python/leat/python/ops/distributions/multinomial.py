# SPDX-License-Identifier: Apache-2.0
"""How often each class comes in total_count draws."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import map_fn as map_fn_lib
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import util as distribution_util

__all__ = ['Multinomial']


def checked_counts(counts, total_count, validate_args,
                   message='counts must sum to `self.total_count`'):
    """Counts that are whole, not negative, and sum to the total, if they are to be validated."""
    if not validate_args:
        return counts
    counts = distribution_util.embed_check_nonnegative_integer_form(counts)
    return control_flow_ops.with_dependencies([check_ops.assert_equal(
        total_count, math_ops.reduce_sum(counts, -1),
        message=message)], counts)


def draw_counts(num_samples, num_classes, logits, num_trials, dtype, seed):
    """[num_samples, ...batch, classes]: the counts of num_trials draws by logits."""
    # The batch is flattened: each of its members has its own number of draws.
    num_trials = math_ops.cast(num_trials, dtypes.int32)
    flat_logits = array_ops.reshape(logits + array_ops.zeros_like(
        math_ops.cast(num_trials, logits.dtype))[..., array_ops.newaxis], [-1, num_classes])
    batch = array_ops.shape(logits[..., 0] + math_ops.cast(num_trials, logits.dtype))
    flat_trials = array_ops.reshape(num_trials + array_ops.zeros(batch, dtypes.int32), [-1])

    def one_member(args):
        member_logits, trials = args[0], args[1]
        drawn = random_ops.multinomial(member_logits[array_ops.newaxis, ...],
                                       num_samples * trials, seed=seed)
        drawn = array_ops.reshape(drawn, [num_samples, trials])
        return math_ops.reduce_sum(array_ops.one_hot(drawn, depth=num_classes, dtype=dtype),
                                   axis=1)
    x = map_fn_lib.map_fn(one_member, [flat_logits, flat_trials], dtype=dtype)
    x = array_ops.transpose(x, perm=[1, 0, 2])
    return array_ops.reshape(x, array_ops.concat([[num_samples], batch, [num_classes]], 0))


class Multinomial(distribution.Distribution):
    """n! / prod counts! * prod probs^counts, over the last dim."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='Multinomial'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = ops.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = distribution_util.embed_check_nonnegative_integer_form(
                    self._total_count)
            self._logits, self._probs = distribution_util.get_logits_and_probs(
                logits=logits, probs=probs, multidimensional=True, validate_args=validate_args,
                name=name)
            self._mean_val = self._total_count[..., array_ops.newaxis] * self._probs
        super(Multinomial, self).__init__(
            dtype=self._probs.dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs], name=name)

    @property
    def total_count(self):
        return self._total_count

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs

    def _batch_shape_tensor(self):
        return array_ops.shape(self._mean_val)[:-1]

    def _batch_shape(self):
        return self._mean_val.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self._mean_val)[-1:]

    def _event_shape(self):
        return self._mean_val.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        return draw_counts(n, k, self.logits, self.total_count, self.dtype, seed)

    def _log_prob(self, counts):
        return self._log_unnormalized_prob(counts) - self._log_normalization(counts)

    def _log_unnormalized_prob(self, counts):
        counts = checked_counts(counts, self.total_count, self.validate_args)
        return math_ops.reduce_sum(counts * nn_ops.log_softmax(self.logits), -1)

    def _log_normalization(self, counts):
        counts = checked_counts(counts, self.total_count, self.validate_args)
        return -distribution_util.log_combinations(self.total_count, counts)

    def _mean(self):
        return array_ops.identity(self._mean_val)

    def _covariance(self):
        p = self.probs * array_ops.ones_like(self.total_count)[..., array_ops.newaxis]
        return array_ops.matrix_set_diag(
            -math_ops.matmul(self._mean_val[..., array_ops.newaxis],
                             p[..., array_ops.newaxis, :]),
            self._variance())

    def _variance(self):
        p = self.probs * array_ops.ones_like(self.total_count)[..., array_ops.newaxis]
        return self._mean_val - self._mean_val * p
