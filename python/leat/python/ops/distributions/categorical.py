# SPDX-License-Identifier: Apache-2.0
"""The categorical distribution: class k with probability probs[k]."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler
from leat.python.ops.distributions import util as distribution_util

__all__ = ['Categorical']


class Categorical(distribution.Distribution):
    """By logits or probs, one of the two; the last dim is the classes'."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='Categorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = distribution_util.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, multidimensional=True,
                name=name)
            shape = self._logits.get_shape().with_rank_at_least(1)
            if shape.ndims is not None:
                self._batch_rank = ops.convert_to_tensor(shape.ndims - 1, dtype=dtypes.int32,
                                                         name='batch_rank')
            else:
                with ops.name_scope(name='batch_rank'):
                    self._batch_rank = array_ops.rank(self._logits) - 1
            logits_shape = array_ops.shape(self._logits, name='logits_shape')
            if tensor_shape.dimension_value(shape[-1]) is not None:
                self._event_size = ops.convert_to_tensor(
                    tensor_shape.dimension_value(shape[-1]), dtype=dtypes.int32,
                    name='event_size')
            else:
                with ops.name_scope(name='event_size'):
                    self._event_size = logits_shape[self._batch_rank]
            if shape[:-1].is_fully_defined():
                self._batch_shape_val = ops.convert_to_tensor(
                    shape[:-1].as_list(), dtype=dtypes.int32, name='batch_shape')
            else:
                with ops.name_scope(name='batch_shape'):
                    self._batch_shape_val = logits_shape[:-1]
        super(Categorical, self).__init__(
            dtype=dtype, reparameterization_type=distribution.NOT_REPARAMETERIZED,
            validate_args=validate_args, allow_nan_stats=allow_nan_stats, parameters=parameters,
            graph_parents=[self._logits, self._probs], name=name)

    @property
    def event_size(self):
        return self._event_size

    @property
    def logits(self):
        return self._logits

    @property
    def probs(self):
        return self._probs

    def _batch_shape_tensor(self):
        return array_ops.identity(self._batch_shape_val)

    def _batch_shape(self):
        return self.logits.get_shape()[:-1]

    def _event_shape_tensor(self):
        return ops.convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return tensor_shape.TensorShape([])

    def _sample_n(self, n, seed=None):
        logits_2d = self.logits
        if self.logits.get_shape().ndims != 2:
            logits_2d = array_ops.reshape(self.logits, [-1, self.event_size])
        sample_dtype = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = random_ops.multinomial(logits_2d, n, seed=seed, output_dtype=sample_dtype)
        draws = array_ops.reshape(array_ops.transpose(draws),
                                  array_ops.concat([[n], self.batch_shape_tensor()], 0))
        return math_ops.cast(draws, self.dtype)

    def _matched(self, k, params):
        """Events and parameters of one batch shape."""
        if k.get_shape()[0:] != params.get_shape()[:-1]:
            params = params * array_ops.ones_like(array_ops.expand_dims(k, -1),
                                                  dtype=params.dtype)
            k = k * array_ops.ones(array_ops.shape(params)[:-1], dtype=k.dtype)
            k.set_shape(params.get_shape()[:-1])
        return k, params

    def _log_prob(self, k):
        k = ops.convert_to_tensor(k, name='k')
        k, logits = self._matched(k, self.logits)
        return -nn_ops.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k):
        k = ops.convert_to_tensor(k)
        k, probs = self._matched(k, self.probs)
        below = array_ops.sequence_mask(k, self.event_size, dtype=self._probs.dtype)
        return math_ops.reduce_sum(below * probs, axis=-1)

    def _entropy(self):
        return -math_ops.reduce_sum(nn_ops.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self):
        ret = math_ops.argmax(self.logits, axis=self._batch_rank)
        return math_ops.cast(ret, self.dtype)


@kullback_leibler.RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a, b, name=None):
    with ops.name_scope(name, 'kl_categorical_categorical', values=[a.logits, b.logits]):
        delta = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return math_ops.reduce_sum(nn_ops.softmax(a.logits) * delta, axis=-1)
