# SPDX-License-Identifier: Apache-2.0
"""Mixtures: of several distributions (Mixture), or of one's members (MixtureSameFamily)."""
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops.distributions import categorical
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import util as distribution_util


def _expanded(probs, event_ndims):
    """Probabilities with dims of 1 for the event's."""
    shape = array_ops.concat([array_ops.shape(probs), array_ops.ones([event_ndims], 'int32')], 0)
    return array_ops.reshape(probs, shape)


class Mixture(distribution.Distribution):
    """Component k with the probability that cat gives k."""

    def __init__(self, cat, components, validate_args=False, allow_nan_stats=True,
                 use_static_graph=False, name='Mixture'):
        parameters = dict(locals())
        self._check(cat, components)
        with ops.name_scope(name) as name:
            assertions = []
            if validate_args:
                assertions = [check_ops.assert_equal(
                    cat.event_size, len(components), message=(
                        'cat.event_size and len(components) must be the same'))]
                batch = cat.batch_shape_tensor()
                assertions += [check_ops.assert_equal(
                    batch, c.batch_shape_tensor(),
                    message='components[%d] batch shape must match cat batch shape' % k)
                    for k, c in enumerate(components)]
            self._cat, self._components = cat, list(components)
            self._num_components = len(components)
            self._assertions = assertions
            self._static_event_shape = components[0].event_shape
            self._static_batch_shape = cat.batch_shape
        parents = list(cat._graph_parents)
        for c in components:
            parents += c._graph_parents
        super(Mixture, self).__init__(
            dtype=components[0].dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=parents, name=name)

    @staticmethod
    def _check(cat, components):
        if not isinstance(cat, categorical.Categorical):
            raise TypeError('cat must be a Categorical distribution, but saw: %s' % cat)
        if not components:
            raise ValueError('components must be a non-empty list or tuple')
        if not isinstance(components, (list, tuple)):
            raise TypeError('components must be a list or tuple, but saw: %s' % components)
        if not all(isinstance(c, distribution.Distribution) for c in components):
            raise TypeError('all entries in components must be Distribution instances but saw: %s'
                            % components)
        dtype = components[0].dtype
        if not all(d.dtype == dtype for d in components):
            raise TypeError('All components must have the same dtype, but saw dtypes: %s'
                            % [(d.name, d.dtype) for d in components])
        if not all(d.event_shape.is_compatible_with(components[0].event_shape)
                   for d in components):
            raise ValueError('Event shapes of components do not match: %s'
                             % [d.event_shape for d in components])

    @property
    def cat(self):
        return self._cat

    @property
    def components(self):
        return self._components

    @property
    def num_components(self):
        return self._num_components

    def _batch_shape_tensor(self):
        return self._cat.batch_shape_tensor()

    def _batch_shape(self):
        return self._static_batch_shape

    def _event_shape_tensor(self):
        return self._components[0].event_shape_tensor()

    def _event_shape(self):
        return self._static_event_shape

    def _event_ndims(self):
        ndims = self._static_event_shape.ndims
        if ndims is None:
            raise ValueError('Expected to know rank(event_shape) from component batch_shape/'
                             'event_shape, but the rank is unknown')
        return ndims

    def _cat_probs(self, log_probs=False):
        which = nn_ops.log_softmax if log_probs else nn_ops.softmax
        return array_ops.unstack(which(self.cat.logits), num=self.num_components, axis=-1)

    def _weighted(self, values):
        with ops.control_dependencies(self._assertions):
            probs = [_expanded(p, self._event_ndims()) for p in self._cat_probs()]
            return math_ops.add_n([p * v for p, v in zip(probs, values)])

    def _mean(self):
        return self._weighted([d.mean() for d in self.components])

    def _stddev(self):
        return math_ops.sqrt(self._variance())

    def _variance(self):
        means = [d.mean() for d in self.components]
        squares = [math_ops.square(d.stddev()) + math_ops.square(m)
                   for d, m in zip(self.components, means)]
        return self._weighted(squares) - math_ops.square(self._weighted(means))

    def _log_prob(self, x):
        with ops.control_dependencies(self._assertions):
            x = ops.convert_to_tensor(x, name='x')
            log_probs = [p + d.log_prob(x) for p, d in zip(self._cat_probs(log_probs=True),
                                                           self.components)]
            return math_ops.reduce_logsumexp(array_ops.stack(log_probs, axis=0), axis=[0])

    def _log_cdf(self, x):
        with ops.control_dependencies(self._assertions):
            x = ops.convert_to_tensor(x, name='x')
            log_cdfs = [p + d.log_cdf(x) for p, d in zip(self._cat_probs(log_probs=True),
                                                         self.components)]
            return math_ops.reduce_logsumexp(array_ops.stack(log_cdfs, axis=0), axis=[0])

    def _sample_n(self, n, seed=None):
        with ops.control_dependencies(self._assertions):
            which = self.cat.sample([n], seed=distribution_util.gen_new_seed(seed, 'mixture'))
            samples = [d.sample(n, seed=distribution_util.gen_new_seed(seed, 'mixture_%d' % k))
                       for k, d in enumerate(self.components)]
            stacked = array_ops.stack(samples, axis=0)
            chosen = array_ops.one_hot(which, self.num_components, axis=0, dtype='bool',
                                       on_value=True, off_value=False)
            chosen = _expanded(chosen, self._event_ndims())
            zeros = array_ops.zeros_like(stacked)
            return math_ops.reduce_sum(array_ops.where_v2(chosen, stacked, zeros), axis=0)

    def entropy_lower_bound(self, name='entropy_lower_bound'):
        """The mean of the components' entropies, which the mixture's is no less than."""
        with self._name_scope(name, values=[self.cat.logits]):
            with ops.control_dependencies(self._assertions):
                return math_ops.add_n([p * d.entropy() for p, d in zip(self._cat_probs(),
                                                                       self.components)])


class MixtureSameFamily(distribution.Distribution):
    """Member k of the last dim of a batch, with the probability that the first gives k."""

    def __init__(self, mixture_distribution, components_distribution, validate_args=False,
                 allow_nan_stats=True, name='MixtureSameFamily'):
        parameters = dict(locals())
        with ops.name_scope(name) as name:
            self._mixture_distribution = mixture_distribution
            self._components_distribution = components_distribution
            self._runtime_assertions = []
            batch = components_distribution.batch_shape
            if batch.ndims == 0:
                raise ValueError('`components_distribution` must have at least one dimension of '
                                 'batch')
            self._event_ndims_ = components_distribution.event_shape.ndims
            if self._event_ndims_ is None or batch.ndims is None:
                raise NotImplementedError('The ranks of the components\' shapes must be known.')
            self._check(mixture_distribution, batch, validate_args)
            super(MixtureSameFamily, self).__init__(
                dtype=components_distribution.dtype,
                reparameterization_type=distribution.NOT_REPARAMETERIZED,
                validate_args=validate_args, allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=(list(mixture_distribution._graph_parents) +
                               list(components_distribution._graph_parents)), name=name)

    def _check(self, mixture, batch, validate_args):
        if not mixture.dtype.is_integer:
            raise ValueError('`mixture_distribution.dtype` ({}) is not over integers'.format(
                mixture.dtype.name))
        if mixture.event_shape.ndims not in (None, 0):
            raise ValueError('`mixture_distribution` must have scalar `event_dim`s')
        if mixture.batch_shape.ndims and mixture.batch_shape.is_fully_defined() and (
                batch[:-1].is_fully_defined()) and mixture.batch_shape != batch[:-1]:
            raise ValueError('`mixture_distribution.batch_shape` ({}) is not compatible with '
                             '`components_distribution.batch_shape` ({})'.format(
                                 mixture.batch_shape.as_list(), batch[:-1].as_list()))
        km = tensor_shape.dimension_value(mixture.logits.shape.with_rank_at_least(1)[-1])
        kc = tensor_shape.dimension_value(batch.with_rank_at_least(1)[-1])
        if km is not None and kc is not None and km != kc:
            raise ValueError('`mixture_distribution components` ({}) does not equal '
                             '`components_distribution.batch_shape[-1]` ({})'.format(km, kc))
        self._num_components = km if km is not None else kc
        del validate_args

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def components_distribution(self):
        return self._components_distribution

    def _batch_shape_tensor(self):
        return self.components_distribution.batch_shape_tensor()[:-1]

    def _batch_shape(self):
        return self.components_distribution.batch_shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self):
        return self.components_distribution.event_shape_tensor()

    def _event_shape(self):
        return self.components_distribution.event_shape

    def _sample_n(self, n, seed=None):
        x = self.components_distribution.sample(n, seed=seed)
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        if self.mixture_distribution.batch_shape.ndims == 0:
            which = self.mixture_distribution.sample(
                shape, seed=distribution_util.gen_new_seed(seed, 'MixtureSameFamily'))
        else:
            which = self.mixture_distribution.sample(
                n, seed=distribution_util.gen_new_seed(seed, 'MixtureSameFamily'))
        mask = _expanded(array_ops.one_hot(which, self._num_components, dtype='bool',
                                           on_value=True, off_value=False), self._event_ndims_)
        return math_ops.reduce_sum(array_ops.where_v2(mask, x, array_ops.zeros_like(x)),
                                   axis=-1 - self._event_ndims_)

    def _padded(self, x):
        return array_ops.expand_dims(x, axis=-1 - self._event_ndims_)

    def _log_prob(self, x):
        log_prob_x = self.components_distribution.log_prob(self._padded(x))
        log_mix = nn_ops.log_softmax(self.mixture_distribution.logits, axis=-1)
        return math_ops.reduce_logsumexp(log_prob_x + log_mix, axis=-1)

    def _log_cdf(self, x):
        log_cdf_x = self.components_distribution.log_cdf(self._padded(x))
        log_mix = nn_ops.log_softmax(self.mixture_distribution.logits, axis=-1)
        return math_ops.reduce_logsumexp(log_cdf_x + log_mix, axis=-1)

    def _probs(self):
        return _expanded(nn_ops.softmax(self.mixture_distribution.logits), self._event_ndims_)

    def _mean(self):
        return math_ops.reduce_sum(self._probs() * self.components_distribution.mean(),
                                   axis=-1 - self._event_ndims_)

    def _variance(self):
        # The mean of the variances, and the variance of the means.
        axis = -1 - self._event_ndims_
        probs = self._probs()
        within = math_ops.reduce_sum(probs * self.components_distribution.variance(), axis=axis)
        between = math_ops.reduce_sum(probs * math_ops.squared_difference(
            self.components_distribution.mean(), self._padded(self._mean())), axis=axis)
        return within + between

    def _covariance(self):
        if self._event_ndims_ != 1:
            raise NotImplementedError('covariance is for vectors')
        probs = nn_ops.softmax(self.mixture_distribution.logits)
        matrix_probs = probs[..., array_ops.newaxis, array_ops.newaxis]
        within = math_ops.reduce_sum(matrix_probs * self.components_distribution.covariance(),
                                     axis=-3)
        difference = self.components_distribution.mean() - self._padded(self._mean())
        outer = difference[..., array_ops.newaxis] * difference[..., array_ops.newaxis, :]
        return within + math_ops.reduce_sum(matrix_probs * outer, axis=-3)
