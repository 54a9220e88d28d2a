# SPDX-License-Identifier: Apache-2.0
"""TypeSpec: what is known of a value before it is there, and how it opens into tensors."""
import abc

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.util import nest


class TypeSpec(abc.ABC):
    """The type of a composite value. Kinds say _serialize, _component_specs, _to_components and
    _from_components."""

    @property
    @abc.abstractmethod
    def value_type(self):
        """The class of the values."""

    @property
    @abc.abstractmethod
    def _component_specs(self):
        """The specs of the parts."""

    @abc.abstractmethod
    def _to_components(self, value):
        """The parts of a value."""

    @abc.abstractmethod
    def _from_components(self, components):
        """A value of its parts."""

    @abc.abstractmethod
    def _serialize(self):
        """A tuple that says all of it."""

    def is_compatible_with(self, spec_or_value):
        if not isinstance(spec_or_value, TypeSpec):
            spec_or_value = type_spec_from_value(spec_or_value)
        if type(self) is not type(spec_or_value):
            return False
        return self._compatible(self._serialize(), spec_or_value._serialize())

    @classmethod
    def _compatible(cls, a, b):
        if type(a) is not type(b):
            return False
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(cls._compatible(x, y) for x, y in zip(a, b))
        if isinstance(a, dict):
            return sorted(a) == sorted(b) and all(cls._compatible(a[k], b[k]) for k in a)
        if isinstance(a, (TypeSpec, tensor_shape.TensorShape, dtypes.DType)):
            return a.is_compatible_with(b)
        return a == b

    def most_specific_compatible_type(self, other):
        """The narrowest spec that both are kinds of; ValueError where there is none."""
        if type(self) is not type(other):
            raise ValueError('No TypeSpec is compatible with both %s and %s' % (self, other))
        return self._deserialize(self._most_specific(self._serialize(), other._serialize()))

    @classmethod
    def _most_specific(cls, a, b):
        if isinstance(a, (list, tuple)) and type(a) is type(b) and len(a) == len(b):
            return type(a)(cls._most_specific(x, y) for x, y in zip(a, b))
        if isinstance(a, tensor_shape.TensorShape):
            return a.most_specific_compatible_shape(b)
        if isinstance(a, TypeSpec):
            return a.most_specific_compatible_type(b)
        if a != b:
            raise ValueError('Types are not compatible: %r vs %r' % (a, b))
        return a

    @classmethod
    def _deserialize(cls, serialization):
        return cls(*serialization)

    def _to_tensor_list(self, value):
        return nest.flatten(self._to_components(value), expand_composites=True)

    def _from_tensor_list(self, tensor_list):
        return self._from_components(nest.pack_sequence_as(
            self._component_specs, tensor_list, expand_composites=True))

    @staticmethod
    def _key(value):
        if isinstance(value, (list, tuple)):
            return tuple(TypeSpec._key(v) for v in value)
        if isinstance(value, dict):
            return tuple((k, TypeSpec._key(value[k])) for k in sorted(value))
        if isinstance(value, tensor_shape.TensorShape):
            return ('shape', None if value.ndims is None else tuple(value.as_list()))
        return value

    def __eq__(self, other):
        return type(other) is type(self) and \
            self._key(self._serialize()) == self._key(other._serialize())

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._key(self._serialize()))

    def __repr__(self):
        return '%s%r' % (type(self).__name__, self._serialize())


class BatchableTypeSpec(TypeSpec):
    """A TypeSpec of values that can be batched."""


def type_spec_from_value(value):
    """The spec of a tensor, a composite value, or what converts to a tensor."""
    from leat.python.framework import ops
    from leat.python.framework import tensor_spec
    spec = getattr(value, '_type_spec', None)
    if spec is not None:
        return spec
    if isinstance(value, ops.Tensor):
        return tensor_spec.TensorSpec(value.shape, value.dtype)
    if isinstance(value, np.ndarray):
        return tensor_spec.TensorSpec(value.shape, value.dtype)
    try:
        tensor = ops.convert_to_tensor(value)
    except (ValueError, TypeError):
        raise TypeError('Could not build a TypeSpec for %r with type %s'
                        % (value, type(value).__name__)) from None
    return tensor_spec.TensorSpec(tensor.shape, tensor.dtype)
