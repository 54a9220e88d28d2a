# SPDX-License-Identifier: Apache-2.0
"""Counts of classes whose probabilities are drawn from a Dirichlet distribution."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import special_math_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import multinomial
from leat.python.ops.distributions import util as distribution_util

__all__ = ['DirichletMultinomial']


class DirichletMultinomial(distribution.Distribution):
    """n! / prod counts! * B(concentration + counts) / B(concentration), over the last dim."""

    def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True,
                 name='DirichletMultinomial'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, concentration]) as name:
            # In this order, as the total's type is the samples'.
            self._total_count = ops.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = distribution_util.embed_check_nonnegative_integer_form(
                    self._total_count)
            self._concentration = self._checked(
                ops.convert_to_tensor(concentration, name='concentration'), validate_args)
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
        super(DirichletMultinomial, self).__init__(
            dtype=self._concentration.dtype, validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=distribution.NOT_REPARAMETERIZED, parameters=parameters,
            graph_parents=[self._total_count, self._concentration], name=name)

    @staticmethod
    def _checked(concentration, validate_args):
        if not validate_args:
            return concentration
        concentration = distribution_util.embed_check_categorical_event_shape(concentration)
        return control_flow_ops.with_dependencies([check_ops.assert_positive(
            concentration, message='Concentration parameter must be positive.')], concentration)

    @property
    def total_count(self):
        return self._total_count

    @property
    def concentration(self):
        return self._concentration

    @property
    def total_concentration(self):
        return self._total_concentration

    def _batch_shape_tensor(self):
        return array_ops.shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.get_shape()

    def _event_shape_tensor(self):
        return array_ops.shape(self.concentration)[-1:]

    def _event_shape(self):
        return self.concentration.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        # One member of the batch for each sample: each draws its own probabilities.
        alpha = self._mean_like(self.concentration)
        logits = math_ops.log(random_ops.random_gamma([n], alpha, dtype=self.dtype, seed=seed))
        totals = self.total_count + array_ops.zeros_like(logits[..., 0])
        counts = multinomial.draw_counts(
            1, k, logits, totals, self.dtype,
            distribution_util.gen_new_seed(seed, 'dirichlet_multinomial'))
        return array_ops.squeeze(counts, axis=[0])

    def _mean_like(self, x):
        """x, broadcast to the batch's shape and the event's."""
        return x + array_ops.zeros_like(self.total_count + array_ops.zeros_like(
            self.total_concentration))[..., array_ops.newaxis]

    def _log_prob(self, counts):
        counts = multinomial.checked_counts(counts, self.total_count, self.validate_args,
                                             'counts last-dimension must sum to `self.total_count`')
        ordered = (special_math_ops.lbeta(self.concentration + counts) -
                   special_math_ops.lbeta(self.concentration))
        return ordered + distribution_util.log_combinations(self.total_count, counts)

    def _mean(self):
        return self.total_count * (
            self.concentration / self.total_concentration[..., array_ops.newaxis])

    def _covariance(self):
        x = self._variance_scale_term() * self._mean()
        return array_ops.matrix_set_diag(
            -math_ops.matmul(x[..., array_ops.newaxis], x[..., array_ops.newaxis, :]),
            self._variance())

    def _variance(self):
        scale = self._variance_scale_term()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _variance_scale_term(self):
        """The root of (total_concentration + n) / (n (1 + total_concentration))."""
        c0 = self.total_concentration[..., array_ops.newaxis]
        return math_ops.sqrt((1. + c0 / self.total_count) / (1. + c0))
