# SPDX-License-Identifier: Apache-2.0
"""Functions that can be undone, with the logarithms of how they stretch volumes.

A subclass writes _forward, _inverse, and one of the two log det Jacobians (of an event of its least
rank). What was mapped is remembered, so that the inverse of a result is the very tensor that it was
made of."""
import abc
import contextlib

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops

__all__ = ['Bijector']


class _Mapping(object):
    """One argument x and its y, with log det Jacobians by the rank of events."""

    def __init__(self, x=None, y=None, kwargs=None):
        self.x, self.y, self.kwargs = x, y, kwargs or {}
        self.ildj = {}


class Bijector(abc.ABC):
    """Base class of bijectors."""

    @abc.abstractmethod
    def __init__(self, graph_parents=None, is_constant_jacobian=False, validate_args=False,
                 dtype=None, forward_min_event_ndims=None, inverse_min_event_ndims=None,
                 name=None):
        self._graph_parents = graph_parents or []
        for i, t in enumerate(self._graph_parents):
            if t is None or not tensor_util.is_tensor(t):
                raise ValueError('Graph parent item %d is not a Tensor; %s.' % (i, t))
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError('Must specify at least one of `forward_min_event_ndims` and '
                             '`inverse_min_event_ndims`.')
        if inverse_min_event_ndims is None:
            inverse_min_event_ndims = forward_min_event_ndims
        elif forward_min_event_ndims is None:
            forward_min_event_ndims = inverse_min_event_ndims
        for which, ndims in (('forward', forward_min_event_ndims),
                             ('inverse', inverse_min_event_ndims)):
            if not isinstance(ndims, (int, np.integer)):
                raise TypeError('Expected {}_min_event_ndims to be of type int, got {}'.format(
                    which, type(ndims).__name__))
            if ndims < 0:
                raise ValueError('{}_min_event_ndims must be a non-negative integer.'.format(which))
        self._forward_min_event_ndims = forward_min_event_ndims
        self._inverse_min_event_ndims = inverse_min_event_ndims
        self._is_constant_jacobian = is_constant_jacobian
        self._constant_ildj_map = {}
        self._validate_args = validate_args
        self._dtype = dtype
        self._from_x, self._from_y = {}, {}
        self._name = name or _snake(type(self).__name__.lstrip('_'))

    @property
    def graph_parents(self):
        return self._graph_parents

    @property
    def forward_min_event_ndims(self):
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self):
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self):
        return self._is_constant_jacobian

    @property
    def _is_injective(self):
        """False for what maps several x to one y: its inverse gives a tuple."""
        return True

    @property
    def validate_args(self):
        return self._validate_args

    @property
    def dtype(self):
        return self._dtype

    @property
    def name(self):
        return self._name

    # ---- shapes ----

    def _forward_event_shape_tensor(self, input_shape):
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape):
        return output_shape

    def _forward_event_shape(self, input_shape):
        return input_shape

    def _inverse_event_shape(self, output_shape):
        return output_shape

    def forward_event_shape_tensor(self, input_shape, name='forward_event_shape_tensor'):
        with self._name_scope(name, [input_shape]):
            input_shape = ops.convert_to_tensor(input_shape, dtype=dtypes.int32,
                                                name='input_shape')
            return self._forward_event_shape_tensor(input_shape)

    def forward_event_shape(self, input_shape):
        return self._forward_event_shape(tensor_shape.TensorShape(input_shape))

    def inverse_event_shape_tensor(self, output_shape, name='inverse_event_shape_tensor'):
        with self._name_scope(name, [output_shape]):
            output_shape = ops.convert_to_tensor(output_shape, dtype=dtypes.int32,
                                                 name='output_shape')
            return self._inverse_event_shape_tensor(output_shape)

    def inverse_event_shape(self, output_shape):
        return self._inverse_event_shape(tensor_shape.TensorShape(output_shape))

    # ---- what a subclass writes ----

    def _forward(self, x):
        raise NotImplementedError('forward not implemented.')

    def _inverse(self, y):
        raise NotImplementedError('inverse not implemented')

    def _inverse_log_det_jacobian(self, y):
        raise NotImplementedError('inverse_log_det_jacobian not implemented.')

    def _forward_log_det_jacobian(self, x):
        raise NotImplementedError('forward_log_det_jacobian not implemented.')

    # ---- the four functions ----

    def forward(self, x, name='forward'):
        return self._call_forward(x, name)

    def inverse(self, y, name='inverse'):
        return self._call_inverse(y, name)

    def inverse_log_det_jacobian(self, y, event_ndims, name='inverse_log_det_jacobian'):
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def forward_log_det_jacobian(self, x, event_ndims, name='forward_log_det_jacobian'):
        if self._is_injective:
            return self._call_forward_log_det_jacobian(x, event_ndims, name)
        raise NotImplementedError('forward_log_det_jacobian cannot be implemented for non-injective'
                                  ' transforms.')

    def _call_forward(self, x, name, **kwargs):
        with self._name_scope(name, [x]):
            x = ops.convert_to_tensor(x, name='x')
            self._maybe_assert_dtype(x)
            if not self._is_injective:  # nothing to remember: y has several x
                return self._forward(x, **kwargs)
            mapping = self._lookup(x=x, kwargs=kwargs)
            if mapping.y is None:
                mapping.y = self._forward(x, **kwargs)
                self._cache(mapping)
            return mapping.y

    def _call_inverse(self, y, name, **kwargs):
        with self._name_scope(name, [y]):
            y = ops.convert_to_tensor(y, name='y')
            self._maybe_assert_dtype(y)
            if not self._is_injective:
                return self._inverse(y, **kwargs)
            mapping = self._lookup(y=y, kwargs=kwargs)
            if mapping.x is None:
                mapping.x = self._inverse(y, **kwargs)
                self._cache(mapping)
            return mapping.x

    def _call_inverse_log_det_jacobian(self, y, event_ndims, name, **kwargs):
        with self._name_scope(name, [y]):
            with ops.control_dependencies(self._check_valid_event_ndims(
                    min_event_ndims=self.inverse_min_event_ndims, event_ndims=event_ndims)):
                y = ops.convert_to_tensor(y, name='y')
                self._maybe_assert_dtype(y)
                if not self._is_injective:
                    return tuple(self._reduce_jacobian_det_over_event(
                        y, ildj, self.inverse_min_event_ndims, event_ndims)
                        for ildj in self._inverse_log_det_jacobian(y, **kwargs))
                mapping = self._lookup(y=y, kwargs=kwargs)
                return self._ildj(mapping, event_ndims, y, None, kwargs)

    def _call_forward_log_det_jacobian(self, x, event_ndims, name, **kwargs):
        with self._name_scope(name, [x]):
            with ops.control_dependencies(self._check_valid_event_ndims(
                    min_event_ndims=self.forward_min_event_ndims, event_ndims=event_ndims)):
                x = ops.convert_to_tensor(x, name='x')
                self._maybe_assert_dtype(x)
                mapping = self._lookup(x=x, kwargs=kwargs)
                return -self._ildj(mapping, event_ndims, None, x, kwargs)

    def _ildj(self, mapping, event_ndims, y, x, kwargs):
        """The inverse's log det Jacobian, from whichever of the two the subclass has."""
        key = self._maybe_get_static_event_ndims(event_ndims)
        if key is not None:
            known = (self._constant_ildj_map if self.is_constant_jacobian else mapping.ildj).get(
                (ops.get_default_graph(), x is None, key))
            if known is not None:
                return known
        if x is None:
            result = self._of_either(
                lambda: self._reduced(y, self._inverse_log_det_jacobian(y, **kwargs),
                                      self.inverse_min_event_ndims, event_ndims),
                lambda: -self._forward_of(mapping, y, event_ndims, kwargs))
        else:
            result = self._of_either(
                lambda: -self._reduced(x, self._forward_log_det_jacobian(x, **kwargs),
                                       self.forward_min_event_ndims, event_ndims),
                lambda: self._inverse_of(mapping, x, event_ndims, kwargs))
        if key is not None:
            found = self._constant_ildj_map if self.is_constant_jacobian else mapping.ildj
            found[(ops.get_default_graph(), x is None, key)] = result
            self._cache(mapping)
        return result

    @staticmethod
    def _of_either(first, second):
        try:
            return first()
        except NotImplementedError as error:
            try:
                return second()
            except NotImplementedError:
                raise error from None

    def _forward_of(self, mapping, y, event_ndims, kwargs):
        x = mapping.x if mapping.x is not None else self._inverse(y, **kwargs)
        ndims = self.inverse_event_ndims_of(event_ndims)
        return self._reduced(x, self._forward_log_det_jacobian(x, **kwargs),
                             self.forward_min_event_ndims, ndims)

    def _inverse_of(self, mapping, x, event_ndims, kwargs):
        y = mapping.y if mapping.y is not None else self._forward(x, **kwargs)
        ndims = event_ndims - self.forward_min_event_ndims + self.inverse_min_event_ndims
        return self._reduced(y, self._inverse_log_det_jacobian(y, **kwargs),
                             self.inverse_min_event_ndims, ndims)

    def inverse_event_ndims_of(self, event_ndims):
        """The rank of the x of an event y of a rank."""
        return event_ndims - self.inverse_min_event_ndims + self.forward_min_event_ndims

    def _reduced(self, of, ildj, min_event_ndims, event_ndims):
        return self._reduce_jacobian_det_over_event(of, ildj, min_event_ndims, event_ndims)

    # ---- parts ----

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with ops.name_scope(self.name):
            with ops.name_scope(name, values=(values or []) + self.graph_parents) as scope:
                yield scope

    def _maybe_assert_dtype(self, x):
        if self.dtype is not None and self.dtype.base_dtype != x.dtype.base_dtype:
            raise TypeError('Input had dtype %s but expected %s.' % (self.dtype, x.dtype))

    @staticmethod
    def _key(tensor, kwargs):
        return (id(tensor), tuple(sorted((k, id(v)) for k, v in kwargs.items())))

    def _cache(self, mapping):
        if mapping.x is not None:
            self._from_x[self._key(mapping.x, mapping.kwargs)] = mapping
        if mapping.y is not None:
            self._from_y[self._key(mapping.y, mapping.kwargs)] = mapping

    def _lookup(self, x=None, y=None, kwargs=None):
        mapping = (self._from_x.get(self._key(x, kwargs)) if x is not None else
                   self._from_y.get(self._key(y, kwargs)))
        return mapping or _Mapping(x, y, kwargs)

    def _reduce_jacobian_det_over_event(self, y, ildj, min_event_ndims, event_ndims):
        """The sum over those dims of the event that ildj still has."""
        if self.is_constant_jacobian:
            # A constant may lack those dims; each of their elements counts.
            end = array_ops.rank(y) - min_event_ndims
            shape = array_ops.shape(y)[end - (event_ndims - min_event_ndims):end]
            ildj = array_ops.ones(shape, ildj.dtype) * ildj
        return math_ops.reduce_sum(ildj, self._get_event_reduce_dims(min_event_ndims, event_ndims))

    def _get_event_reduce_dims(self, min_event_ndims, event_ndims):
        known = self._maybe_get_static_event_ndims(event_ndims)
        if known is not None:
            return [-i for i in range(1, known - min_event_ndims + 1)]
        return math_ops.range(-(event_ndims - min_event_ndims), 0)

    def _check_valid_event_ndims(self, min_event_ndims, event_ndims):
        """The ops that fail unless the rank of events is a scalar of min_event_ndims or more."""
        event_ndims = ops.convert_to_tensor(event_ndims, name='event_ndims')
        known = tensor_util.constant_value(event_ndims)
        if not event_ndims.dtype.is_integer:
            raise ValueError('Expected integer dtype, got dtype {}'.format(event_ndims.dtype))
        assertions = []
        if known is not None:
            if known.ndim != 0:
                raise ValueError('Expected scalar event_ndims, got shape {}'.format(
                    event_ndims.shape))
            if min_event_ndims > known:
                raise ValueError('event_ndims ({}) must be larger than min_event_ndims ({})'.format(
                    known, min_event_ndims))
        elif self.validate_args:
            assertions.append(check_ops.assert_greater_equal(event_ndims, min_event_ndims))
        if event_ndims.shape.ndims not in (None, 0):
            raise ValueError('Expected scalar event_ndims, got shape {}'.format(event_ndims.shape))
        if event_ndims.shape.ndims is None and self.validate_args:
            assertions.append(check_ops.assert_rank(event_ndims, 0, message='Expected scalar.'))
        return assertions

    @staticmethod
    def _maybe_get_static_event_ndims(event_ndims):
        if not tensor_util.is_tensor(event_ndims):
            return int(event_ndims) if isinstance(event_ndims, (int, np.integer)) else None
        value = tensor_util.constant_value(event_ndims)
        return None if value is None else int(value)


def _snake(name):
    """AffineLinear as affine_linear."""
    return ''.join('_' + c.lower() if c.isupper() else c for c in name).lstrip('_')
