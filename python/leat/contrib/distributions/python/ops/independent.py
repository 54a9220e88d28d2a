# SPDX-License-Identifier: Apache-2.0
"""Distributions whose last dims of the batch count as the event's."""
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.distributions import distribution as distribution_lib
from leat.python.ops.distributions import kullback_leibler


class Independent(distribution_lib.Distribution):
    """All dims of the batch but the first, unless it is said how many."""

    def __init__(self, distribution, reinterpreted_batch_ndims=None, validate_args=False,
                 name=None):
        parameters = dict(locals())
        name = name or 'Independent' + distribution.name
        self._distribution = distribution
        with ops.name_scope(name) as name:
            if reinterpreted_batch_ndims is None:
                ndims = distribution.batch_shape.ndims
                if ndims is None:
                    raise NotImplementedError('reinterpreted_batch_ndims must be given where the '
                                              'rank of the batch is not known')
                reinterpreted_batch_ndims = max(0, ndims - 1)
            known = tensor_util.constant_value(ops.convert_to_tensor(
                reinterpreted_batch_ndims, dtype='int32', name='reinterpreted_batch_ndims'))
            if known is None:
                raise NotImplementedError('reinterpreted_batch_ndims must be known when the graph '
                                          'is built')
            self._ndims = int(known)
            batch_ndims = distribution.batch_shape.ndims
            if batch_ndims is not None and self._ndims > batch_ndims:
                raise ValueError('reinterpreted_batch_ndims({}) cannot exceed '
                                 'distribution.batch_ndims({})'.format(self._ndims, batch_ndims))
            super(Independent, self).__init__(
                dtype=distribution.dtype,
                reparameterization_type=distribution.reparameterization_type,
                validate_args=validate_args, allow_nan_stats=distribution.allow_nan_stats,
                parameters=parameters, graph_parents=list(distribution._graph_parents), name=name)

    @property
    def distribution(self):
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self):
        return self._ndims

    def _cut(self, shape):
        """(what stays of a batch's shape, what becomes the event's)"""
        at = len(shape) - self._ndims if isinstance(shape, list) else (
            array_ops.size(shape) - self._ndims)
        return shape[:at], shape[at:]

    def _batch_shape_tensor(self):
        return self._cut(self.distribution.batch_shape_tensor())[0]

    def _batch_shape(self):
        shape = self.distribution.batch_shape
        if shape.ndims is None:
            return tensor_shape.TensorShape(None)
        return shape[:shape.ndims - self._ndims]

    def _event_shape_tensor(self):
        return array_ops.concat([self._cut(self.distribution.batch_shape_tensor())[1],
                                 self.distribution.event_shape_tensor()], 0)

    def _event_shape(self):
        shape = self.distribution.batch_shape
        if shape.ndims is None:
            return tensor_shape.TensorShape(None)
        return shape[shape.ndims - self._ndims:].concatenate(self.distribution.event_shape)

    def _sample_n(self, n, seed=None):
        return self.distribution.sample(sample_shape=n, seed=seed)

    def _summed(self, x):
        return math_ops.reduce_sum(x, axis=list(range(-self._ndims, 0)))

    def _log_prob(self, x):
        return self._summed(self.distribution.log_prob(x))

    def _entropy(self):
        return self._summed(self.distribution.entropy())

    def _mean(self):
        return self.distribution.mean()

    def _variance(self):
        return self.distribution.variance()

    def _stddev(self):
        return self.distribution.stddev()

    def _mode(self):
        return self.distribution.mode()


@kullback_leibler.RegisterKL(Independent, Independent)
def _kl_independent(a, b, name='kl_independent'):
    p, q = a.distribution, b.distribution
    if not (a.event_shape.is_fully_defined() and b.event_shape.is_fully_defined()):
        raise NotImplementedError('Event shapes must be known for the KL of Independents.')
    if a.event_shape != b.event_shape:
        raise ValueError('Event shapes do not match.')
    if p.event_shape != q.event_shape:
        raise NotImplementedError('KL between Independents whose parts have other event shapes')
    with ops.name_scope(name):
        return math_ops.reduce_sum(kullback_leibler.kl_divergence(p, q),
                                   axis=list(range(-a.reinterpreted_batch_ndims, 0)))
