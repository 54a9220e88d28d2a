# SPDX-License-Identifier: Apache-2.0
"""The base classes of columns, and the column of plain numbers."""
import collections

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import sparse_tensor as sparse_tensor_lib
from leat.python.framework import tensor_shape
from leat.python.ops import math_ops
from leat.python.ops import parsing_ops


class FeatureColumn(object):
    """Base class of columns, which are tuples of their settings: equal ones are one column."""

    __slots__ = ()

    @property
    def _var_scope_name(self):
        return self.name

    @property
    def _parse_example_spec(self):
        return self.parse_example_spec


class DenseColumn(FeatureColumn):
    """A column of numbers."""

    __slots__ = ()

    @property
    def _variable_shape(self):
        return self.variable_shape


_Numeric = collections.namedtuple('NumericColumn', ('key', 'shape', 'default_value', 'dtype',
                                                    'normalizer_fn'))


class NumericColumn(DenseColumn, _Numeric):
    """Numbers as they are, or normalised."""

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: parsing_ops.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape(self.shape)

    def _transform_feature(self, inputs):
        tensor = inputs.get(self.key)
        if isinstance(tensor, sparse_tensor_lib.SparseTensor):
            raise ValueError('The corresponding Tensor of numerical column must be a Tensor. '
                             'SparseTensor is not supported. key: {}'.format(self.key))
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return math_ops.cast(tensor, dtypes.float32)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


def checked_shape(shape, key):
    if not isinstance(shape, (tuple, list, np.ndarray)):
        shape = [shape]
    for dimension in shape:
        if not isinstance(dimension, (int, np.integer)):
            raise TypeError('shape dimensions must be integer. shape: {}, key: {}'.format(
                shape, key))
    shape = tuple(int(dimension) for dimension in shape)
    if any(dimension < 1 for dimension in shape):
        raise ValueError('shape dimensions must be greater than 0. shape: {}, key: {}'.format(
            shape, key))
    return shape


def checked_default(shape, default_value, dtype, key):
    """The default value as a tuple of tuples, of the type."""
    if default_value is None:
        return None
    if isinstance(default_value, (int, np.integer)):
        return _filled(shape, float(default_value) if dtype.is_floating else int(default_value))
    if isinstance(default_value, (float, np.floating)) and dtype.is_floating:
        return _filled(shape, float(default_value))
    if callable(getattr(default_value, 'tolist', None)):
        default_value = default_value.tolist()
    if np.shape(default_value) != tuple(shape):
        raise ValueError('The shape of default_value must be equal to given shape. default_value: '
                         '{}, shape: {}, key: {}'.format(default_value, shape, key))
    kinds = {type(v) for v in np.asarray(default_value, dtype=object).ravel()}
    if kinds <= {int} or (kinds <= {int, float} and dtype.is_floating):
        return _tuples(default_value, float if dtype.is_floating else int)
    raise TypeError('default_value must be compatible with dtype. default_value: {}, dtype: {}, '
                    'key: {}'.format(default_value, dtype, key))


def _filled(shape, value):
    for size in reversed(shape):
        value = (value,) * size
    return value


def _tuples(values, kind):
    if isinstance(values, (list, tuple)):
        return tuple(_tuples(v, kind) for v in values)
    return kind(values)


def check_key(key):
    if not isinstance(key, str):
        raise ValueError('key must be a string. Got: type {}. Given key: {}.'.format(
            type(key), key))


def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """A feature of numbers."""
    check_key(key)
    shape = checked_shape(shape, key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError('dtype must be convertible to float. dtype: {}, key: {}'.format(
            dtype, key))
    default_value = checked_default(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError('normalizer_fn must be a callable. Given: {}'.format(normalizer_fn))
    return NumericColumn(key, shape=shape, default_value=default_value, dtype=dtype,
                         normalizer_fn=normalizer_fn)
