# SPDX-License-Identifier: Apache-2.0
"""The distribution of y = g(x), of that of x and a bijector g."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.distributions import distribution as distribution_lib
from leat.python.ops.distributions import identity_bijector
from leat.python.ops.distributions import util as distribution_util

__all__ = ['TransformedDistribution']


class TransformedDistribution(distribution_lib.Distribution):
    """y = bijector.forward(x); a scalar distribution may be given a shape of batches or events."""

    def __init__(self, distribution, bijector=None, batch_shape=None, event_shape=None,
                 validate_args=False, name=None):
        parameters = dict(locals())
        name = name or (('' if bijector is None else bijector.name) + distribution.name)
        with ops.name_scope(name, values=[event_shape, batch_shape]) as name:
            self._distribution = distribution
            self._bijector = identity_bijector.Identity(
                validate_args=validate_args) if bijector is None else bijector
            self._batch_override = self._maybe_validate_shape_override(
                batch_shape, distribution.is_scalar_batch, validate_args, 'batch_shape')
            self._event_override = self._maybe_validate_shape_override(
                event_shape, distribution.is_scalar_event, validate_args, 'event_shape')
            # An event shape over a batch: its dims are drawn first, and then turned to the end.
            self._turn = self._event_override is not None and self._batch_override is None and (
                distribution.batch_shape.ndims != 0)
        super(TransformedDistribution, self).__init__(
            dtype=distribution.dtype, reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args, allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            # What the parts are made of, not the parts: they name their own nodes.
            graph_parents=(list(distribution._graph_parents) + list(self._bijector.graph_parents)),
            name=name)

    @staticmethod
    def _maybe_validate_shape_override(override_shape, base_is_scalar, validate_args, name):
        """The shape as a vector of numbers, or of a tensor; None for none."""
        if override_shape is None:
            return None
        with ops.name_scope('validate_' + name):
            shape = ops.convert_to_tensor(override_shape, dtype=dtypes.int32, name=name)
            known = tensor_util.constant_value(shape)
            if known is not None and known.size == 0 and known.ndim == 1:
                return None
            if shape.get_shape().ndims not in (None, 1):
                raise ValueError('input is not a valid shape: not 1D')
            if known is not None and (known < 0).any():
                raise ValueError('shape override must have positive elements')
            scalar = tensor_util.constant_value(base_is_scalar())
            if scalar is not None and not scalar:
                raise ValueError('base distribution not scalar')
            assertions = []
            if validate_args:
                assertions = [
                    check_ops.assert_rank(shape, 1, message='input is not a valid shape: not 1D'),
                    check_ops.assert_greater_equal(
                        shape, 0, message='shape override must have positive elements')]
                if scalar is None:
                    assertions.append(check_ops.assert_equal(
                        base_is_scalar(), True, message='base distribution not scalar'))
            return control_flow_ops.with_dependencies(assertions, shape) if assertions else shape

    @property
    def distribution(self):
        return self._distribution

    @property
    def bijector(self):
        return self._bijector

    # ---- shapes ----

    def _event_shape_tensor(self):
        base = (self.distribution.event_shape_tensor() if self._event_override is None
                else self._event_override)
        return self.bijector.forward_event_shape_tensor(base)

    def _event_shape(self):
        base = (self.distribution.event_shape if self._event_override is None
                else tensor_util.constant_value_as_shape(self._event_override))
        return self.bijector.forward_event_shape(base)

    def _batch_shape_tensor(self):
        return (self.distribution.batch_shape_tensor() if self._batch_override is None
                else self._batch_override)

    def _batch_shape(self):
        return (self.distribution.batch_shape if self._batch_override is None
                else tensor_util.constant_value_as_shape(self._batch_override))

    def _base_event_ndims(self):
        """The rank of x's event."""
        if self._event_override is not None:
            return tensor_shape.dimension_value(self._event_override.shape[0])
        return self.distribution.event_shape.ndims

    def _maybe_get_static_event_ndims(self):
        """The rank of y's event: a number, or a tensor."""
        ndims = self.event_shape.ndims
        return array_ops.size(self.event_shape_tensor()) if ndims is None else ndims

    # ---- samples ----

    def _sample_n(self, n, seed=None):
        return self.bijector.forward(self._base_samples(n, seed))

    def _base_samples(self, n, seed):
        extra = [part for part in (self._batch_override, self._event_override) if part is not None]
        shape = extra + [[n]] if self._turn else [[n]] + extra
        x = self.distribution.sample(
            sample_shape=array_ops.concat(shape, 0) if extra else [n], seed=seed)
        return self._turned(x, to_end=True)

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        """As the base class's, but the bijector comes last: what it remembers are the samples."""
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = ops.convert_to_tensor(sample_shape, dtype=dtypes.int32,
                                                 name='sample_shape')
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, 'sample_shape')
            x = self._base_samples(n, seed)
            x = array_ops.reshape(x, array_ops.concat([sample_shape, array_ops.shape(x)[1:]], 0))
            return self._set_sample_static_shape(self.bijector.forward(x, **kwargs), sample_shape)

    def _turned(self, x, to_end=False):
        """The dims of an overriding event at the end, or (for the base) at the front again."""
        if not self._turn:
            return x
        count = array_ops.shape(self._event_override)[0]
        return distribution_util.rotate_transpose(x, -count if to_end else count)

    # ---- densities ----

    def _fibers(self, y, one, add):
        """One fiber's value, or those of all the x that y may come of, added."""
        x = self.bijector.inverse(y)
        event_ndims = self._maybe_get_static_event_ndims()
        ildj = self.bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims)
        if self.bijector._is_injective:
            return self._shaped(one(x, ildj), y)
        parts = [one(x_i, ildj_i) for x_i, ildj_i in zip(x, ildj)]
        return self._shaped(add(parts), y)

    def _shaped(self, value, y):
        ndims = self._maybe_get_static_event_ndims()
        if self._event_override is not None and isinstance(ndims, int) and ndims <= (
                y.shape.ndims or 0):
            value.set_shape(array_ops.broadcast_static_shape(
                y.get_shape().with_rank_at_least(1)[:y.shape.ndims - ndims], self.batch_shape))
        return value

    def _event_dims(self):
        """The dims of log_prob that an overriding event's are: they are summed."""
        count = self._base_event_ndims()
        return list(range(count)) if self._turn else list(range(-count, 0))

    def _log_prob(self, y):
        def one(x, ildj):
            value = self.distribution.log_prob(self._turned(x))
            if self._event_override is not None:
                value = math_ops.reduce_sum(value, self._event_dims())
            return value + math_ops.cast(ildj, value.dtype)
        return self._fibers(y, one, lambda parts: math_ops.reduce_logsumexp(
            array_ops.stack(parts), axis=0))

    def _prob(self, y):
        def one(x, ildj):
            value = self.distribution.prob(self._turned(x))
            if self._event_override is not None:
                value = math_ops.reduce_prod(value, self._event_dims())
            return value * math_ops.exp(math_ops.cast(ildj, value.dtype))
        return self._fibers(y, one, sum)

    def _one_to_one(self, what, y):
        if self._event_override is not None:
            raise NotImplementedError('%s is not implemented when overriding event_shape' % what)
        if not self.bijector._is_injective:
            raise NotImplementedError('%s is not implemented when bijector is not injective.'
                                      % what)
        return getattr(self.distribution, what)(self.bijector.inverse(y))

    def _log_cdf(self, y):
        return self._one_to_one('log_cdf', y)

    def _cdf(self, y):
        return self._one_to_one('cdf', y)

    def _log_survival_function(self, y):
        return self._one_to_one('log_survival_function', y)

    def _survival_function(self, y):
        return self._one_to_one('survival_function', y)

    def _quantile(self, value):
        if self._event_override is not None:
            raise NotImplementedError('quantile is not implemented when overriding event_shape')
        if not self.bijector._is_injective:
            raise NotImplementedError('quantile is not implemented when bijector is not injective.')
        return self.bijector.forward(self.distribution.quantile(value))

    def _entropy(self):
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError('entropy is not implemented')
        if not self.bijector._is_injective:
            raise NotImplementedError('entropy is not implemented when bijector is not injective.')
        entropy = self.distribution.entropy()
        if self._event_override is not None:  # so many independent numbers
            entropy *= math_ops.cast(math_ops.reduce_prod(self._event_override), entropy.dtype)
        if self._batch_override is not None:
            entropy = array_ops.reshape(entropy, array_ops.concat([
                array_ops.ones_like(self._batch_override), array_ops.shape(entropy)], 0))
            entropy = array_ops.tile(entropy, array_ops.concat([
                self._batch_override, array_ops.ones_like(array_ops.shape(entropy)[
                    array_ops.size(self._batch_override):])], 0))
            entropy.set_shape(self.batch_shape)
        dummy = array_ops.zeros(array_ops.concat(
            [self.batch_shape_tensor(), self.event_shape_tensor()], 0), self.dtype)
        event_ndims = self._maybe_get_static_event_ndims()
        ildj = self.bijector.inverse_log_det_jacobian(dummy, event_ndims=event_ndims)
        entropy -= math_ops.cast(ildj, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy
