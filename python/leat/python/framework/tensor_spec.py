# SPDX-License-Identifier: Apache-2.0
"""TensorSpec: the shape, type and name of a tensor."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.framework import type_spec


class TensorSpec(type_spec.BatchableTypeSpec):
    """The type of a Tensor."""

    __slots__ = ['_shape', '_dtype', '_name']

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = tensor_shape.TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or getattr(spec, 'name', None))

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name or getattr(tensor.op, 'name', None))

    @property
    def value_type(self):
        from leat.python.framework import ops
        return ops.Tensor

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return self._dtype

    @property
    def name(self):
        return self._name

    @property
    def _component_specs(self):
        return self

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components

    def _serialize(self):
        return (self._shape, self._dtype, self._name)

    def is_compatible_with(self, spec_or_tensor):
        return self._dtype.is_compatible_with(spec_or_tensor.dtype) and \
            self._shape.is_compatible_with(spec_or_tensor.shape)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and self._key(self._serialize()) == \
            self._key(other._serialize())

    def __hash__(self):
        return hash(self._key((self._shape, self._dtype)))

    def __repr__(self):
        return 'TensorSpec(shape={}, dtype={}, name={})'.format(
            self.shape, repr(self.dtype), repr(self.name))

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with the least and the greatest value."""

    __slots__ = ('_minimum', '_maximum')

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        super(BoundedTensorSpec, self).__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError('%s must be not None' % ('minimum' if minimum is None else 'maximum'))
        try:
            minimum_shape = np.shape(minimum)
            np.broadcast(np.empty([d or 1 for d in self.shape.as_list()]),
                         np.empty(minimum_shape))
        except ValueError as e:
            raise ValueError('minimum is not compatible with shape. Message: {!r}.'
                             .format(str(e))) from None
        self._minimum = np.array(minimum, dtype=self.dtype.as_numpy_dtype)
        self._maximum = np.array(maximum, dtype=self.dtype.as_numpy_dtype)
        self._minimum.setflags(write=False)
        self._maximum.setflags(write=False)

    @classmethod
    def from_spec(cls, spec):
        return cls(spec.shape, spec.dtype, getattr(spec, 'minimum', spec.dtype.min),
                   getattr(spec, 'maximum', spec.dtype.max), spec.name)

    @property
    def minimum(self):
        return self._minimum

    @property
    def maximum(self):
        return self._maximum

    def __repr__(self):
        return 'BoundedTensorSpec(shape={}, dtype={}, name={}, minimum={}, maximum={})'.format(
            self.shape, repr(self.dtype), repr(self.name), repr(self.minimum),
            repr(self.maximum))

    def __eq__(self, other):
        return super(BoundedTensorSpec, self).__eq__(other) and \
            isinstance(other, BoundedTensorSpec) and \
            np.allclose(self.minimum, other.minimum) and np.allclose(self.maximum, other.maximum)

    def __hash__(self):
        return hash(self._key((self._shape, self._dtype)))
