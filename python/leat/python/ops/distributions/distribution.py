# SPDX-License-Identifier: Apache-2.0
"""The base class of distributions: samples, densities and moments in a scope of names.

A subclass writes _sample_n, _log_prob or _prob, _cdf or _log_cdf, and what moments it has.
"""
import contextlib

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops

__all__ = ['ReparameterizationType', 'FULLY_REPARAMETERIZED', 'NOT_REPARAMETERIZED',
           'Distribution']


class ReparameterizationType(object):
    """Whether gradients go through samples."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return '<Reparameteriation Type: %s>' % self._rep_type

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType('FULLY_REPARAMETERIZED')
NOT_REPARAMETERIZED = ReparameterizationType('NOT_REPARAMETERIZED')


def _missing(what):
    def method(self, *args, **kwargs):
        raise NotImplementedError('%s is not implemented: %s' % (what, type(self).__name__))
    return method


class Distribution(object):
    """A distribution, or a batch of them, of scalars or of larger events."""

    def __init__(self, dtype, reparameterization_type, validate_args, allow_nan_stats,
                 parameters=None, graph_parents=None, name=None):
        graph_parents = [] if graph_parents is None else graph_parents
        for i, t in enumerate(graph_parents):
            if t is None or not tensor_util.is_tensor(t):
                raise ValueError('Graph parent item %d is not a Tensor; %s.' % (i, t))
        if not name or name[-1] != '/':
            with ops.name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._set_parameters(parameters or {})
        self._graph_parents = graph_parents
        self._name = name

    def _set_parameters(self, parameters):
        """What it was made of: the locals() of a constructor, and no names of classes."""
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def parameters(self):
        return dict(self._parameters)

    @property
    def reparameterization_type(self):
        return self._reparameterization_type

    @property
    def allow_nan_stats(self):
        return self._allow_nan_stats

    @property
    def validate_args(self):
        return self._validate_args

    def copy(self, **override_parameters_kwargs):
        """A distribution with some of the parameters changed."""
        return type(self)(**dict(self.parameters, **override_parameters_kwargs))

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with ops.name_scope(self.name):
            with ops.name_scope(name, values=([] if values is None else values)
                                + self._graph_parents) as scope:
                yield scope

    # ---- shapes ----

    @classmethod
    def param_shapes(cls, sample_shape, name='DistributionParamShapes'):
        with ops.name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """The shapes of parameters for samples of a known shape."""
        if isinstance(sample_shape, tensor_shape.TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError('TensorShape sample_shape must be fully defined')
            sample_shape = sample_shape.as_list()
        static = {}
        for name, shape in cls.param_shapes(sample_shape).items():
            known = tensor_util.constant_value(shape)
            if known is None:
                raise ValueError('sample_shape must be a fully-defined TensorShape or list/tuple')
            static[name] = tensor_shape.TensorShape(known)
        return static

    _param_shapes = staticmethod(_missing('param_shapes'))
    _batch_shape_tensor = _missing('batch_shape_tensor')
    _event_shape_tensor = _missing('event_shape_tensor')

    def _batch_shape(self):
        return tensor_shape.TensorShape(None)

    def _event_shape(self):
        return tensor_shape.TensorShape(None)

    @property
    def batch_shape(self):
        return tensor_shape.as_shape(self._batch_shape())

    @property
    def event_shape(self):
        return tensor_shape.as_shape(self._event_shape())

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return ops.convert_to_tensor(self.batch_shape.as_list(), dtype=dtypes.int32,
                                             name='batch_shape')
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name='event_shape_tensor'):
        with self._name_scope(name):
            if self.event_shape.is_fully_defined():
                return ops.convert_to_tensor(self.event_shape.as_list(), dtype=dtypes.int32,
                                             name='event_shape')
            return self._event_shape_tensor()

    def is_scalar_event(self, name='is_scalar_event'):
        with self._name_scope(name):
            return self._is_scalar(self.event_shape, self.event_shape_tensor)

    def is_scalar_batch(self, name='is_scalar_batch'):
        with self._name_scope(name):
            return self._is_scalar(self.batch_shape, self.batch_shape_tensor)

    @staticmethod
    def _is_scalar(static, dynamic):
        if static.ndims is not None:
            return ops.convert_to_tensor(static.ndims == 0, name='is_scalar')
        return math_ops.equal(array_ops.shape(dynamic())[0], 0)

    # ---- samples ----

    _sample_n = _missing('sample_n')

    def sample(self, sample_shape=(), seed=None, name='sample'):
        """Samples; the shape comes before the batch's and the event's."""
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = ops.convert_to_tensor(sample_shape, dtype=dtypes.int32,
                                                 name='sample_shape')
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, 'sample_shape')
            samples = self._sample_n(n, seed, **kwargs)
            batch_event_shape = array_ops.shape(samples)[1:]
            final_shape = array_ops.concat([sample_shape, batch_event_shape], 0)
            samples = array_ops.reshape(samples, final_shape)
            return self._set_sample_static_shape(samples, sample_shape)

    @staticmethod
    def _expand_sample_shape_to_vector(x, name):
        """(the shape as a vector, the number of samples)"""
        known = tensor_util.constant_value(x)
        prod = (math_ops.reduce_prod(x) if known is None
                else np.prod(known, dtype=x.dtype.as_numpy_dtype()))
        ndims = x.get_shape().ndims
        if ndims == 0:
            if known is not None:
                x = ops.convert_to_tensor(np.array([known], dtype=x.dtype.as_numpy_dtype()),
                                          name=name)
            else:
                x = array_ops.reshape(x, [1])
        elif ndims is not None and ndims != 1:
            raise ValueError('Input is neither scalar nor vector.')
        return x, prod

    def _set_sample_static_shape(self, x, sample_shape):
        known = tensor_util.constant_value(sample_shape)
        if known is not None:
            x.set_shape(tensor_shape.TensorShape([int(d) for d in known])
                        .concatenate(self.batch_shape).concatenate(self.event_shape))
        return x

    # ---- densities ----

    _log_prob = _missing('log_prob')
    _prob = _missing('prob')
    _log_cdf = _missing('log_cdf')
    _cdf = _missing('cdf')
    _log_survival_function = _missing('log_survival_function')
    _survival_function = _missing('survival_function')
    _quantile = _missing('quantile')

    def _of_value(self, value, name, *ways):
        """The first of the ways that the subclass has, of the value as a tensor."""
        with self._name_scope(name, values=[value]):
            value = _as_dtype(value, self.dtype)
            missing = None
            for way in ways:
                try:
                    return way(value)
                except NotImplementedError as error:
                    missing = missing or error
            raise missing

    def log_prob(self, value, name='log_prob'):
        return self._of_value(value, name, self._log_prob,
                              lambda v: math_ops.log(self._prob(v)))

    def prob(self, value, name='prob'):
        return self._of_value(value, name, self._prob,
                              lambda v: math_ops.exp(self._log_prob(v)))

    def log_cdf(self, value, name='log_cdf'):
        return self._of_value(value, name, self._log_cdf,
                              lambda v: math_ops.log(self._cdf(v)))

    def cdf(self, value, name='cdf'):
        return self._of_value(value, name, self._cdf,
                              lambda v: math_ops.exp(self._log_cdf(v)))

    def log_survival_function(self, value, name='log_survival_function'):
        return self._of_value(value, name, self._log_survival_function,
                              lambda v: math_ops.log1p(-self.cdf(v)))

    def survival_function(self, value, name='survival_function'):
        return self._of_value(value, name, self._survival_function,
                              lambda v: 1. - self.cdf(v))

    def quantile(self, value, name='quantile'):
        return self._of_value(value, name, self._quantile)

    # ---- moments ----

    _entropy = _missing('entropy')
    _mean = _missing('mean')
    _variance = _missing('variance')
    _stddev = _missing('stddev')
    _covariance = _missing('covariance')
    _mode = _missing('mode')

    def entropy(self, name='entropy'):
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name='mean'):
        with self._name_scope(name):
            return self._mean()

    def mode(self, name='mode'):
        with self._name_scope(name):
            return self._mode()

    def covariance(self, name='covariance'):
        with self._name_scope(name):
            return self._covariance()

    def variance(self, name='variance'):
        with self._name_scope(name):
            try:
                return self._variance()
            except NotImplementedError as error:
                try:
                    return math_ops.square(self._stddev())
                except NotImplementedError:
                    raise error from None

    def stddev(self, name='stddev'):
        with self._name_scope(name):
            try:
                return self._stddev()
            except NotImplementedError as error:
                try:
                    return math_ops.sqrt(self._variance())
                except NotImplementedError:
                    raise error from None

    def cross_entropy(self, other, name='cross_entropy'):
        from leat.python.ops.distributions import kullback_leibler
        with self._name_scope(name):
            return kullback_leibler.cross_entropy(self, other,
                                                  allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other, name='kl_divergence'):
        from leat.python.ops.distributions import kullback_leibler
        with self._name_scope(name):
            return kullback_leibler.kl_divergence(self, other,
                                                  allow_nan_stats=self.allow_nan_stats)

    def __str__(self):
        return 'tfp.distributions.%s("%s"%s%s, dtype=%s)' % (
            type(self).__name__, self.name,
            ', batch_shape=%s' % self.batch_shape if self.batch_shape.ndims is not None else '',
            ', event_shape=%s' % self.event_shape if self.event_shape.ndims is not None else '',
            self.dtype.name)

    def __repr__(self):
        return '<tfp.distributions.%s \'%s\' batch_shape=%s event_shape=%s dtype=%s>' % (
            type(self).__name__, self.name, self.batch_shape, self.event_shape, self.dtype.name)


def _as_dtype(value, dtype):
    """The value as a tensor, of the type where it has none of its own."""
    return ops.convert_to_tensor(value, name='value', preferred_dtype=dtype)
