# SPDX-License-Identifier: Apache-2.0
"""What features are expected in Examples, and the lists of the ops made of them."""
import collections

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops

VarLenFeature = collections.namedtuple('VarLenFeature', ['dtype'])


class SparseFeature(collections.namedtuple(
        'SparseFeature', ['index_key', 'value_key', 'dtype', 'size', 'already_sorted'])):
    """Indices in some features and values in another."""

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super(SparseFeature, cls).__new__(cls, index_key, value_key, dtype, size,
                                                 already_sorted)


class FixedLenFeature(collections.namedtuple('FixedLenFeature',
                                             ['shape', 'dtype', 'default_value'])):
    """A feature of a known shape."""

    def __new__(cls, shape, dtype, default_value=None):
        return super(FixedLenFeature, cls).__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(collections.namedtuple(
        'FixedLenSequenceFeature', ['shape', 'dtype', 'allow_missing', 'default_value'])):
    """A list of items of a known shape."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super(FixedLenSequenceFeature, cls).__new__(cls, shape, dtype, allow_missing,
                                                           default_value)


Params = collections.namedtuple('Params', [
    'names', 'sparse_keys', 'sparse_types', 'dense_keys', 'dense_defaults', 'dense_shapes'])


class _Lists(object):
    """The flat lists, filled feature by feature."""

    def __init__(self):
        self.sparse_keys, self.sparse_types = [], []
        self.dense_keys, self.dense_types, self.dense_shapes = [], [], []
        self.dense_defaults = {}

    def add_sparse(self, key, dtype):
        if key in self.sparse_keys:
            known = self.sparse_types[self.sparse_keys.index(key)]
            if known != dtype:
                raise ValueError('Conflicting type %s vs %s for feature %s.'
                                 % (known, dtype, key))
            return
        self.sparse_keys.append(key)
        self.sparse_types.append(dtype)

    def add_dense(self, key, feature, shape):
        if not feature.dtype:
            raise ValueError('Missing type for feature %s.' % key)
        self.dense_keys.append(key)
        self.dense_shapes.append(shape)
        self.dense_types.append(feature.dtype)
        if feature.default_value is not None:
            self.dense_defaults[key] = feature.default_value


def _add_feature(lists, key, feature):
    if isinstance(feature, VarLenFeature):
        if not feature.dtype:
            raise ValueError('Missing type for feature %s.' % key)
        lists.add_sparse(key, feature.dtype)
    elif isinstance(feature, SparseFeature):
        if not feature.index_key:
            raise ValueError('Missing index_key for SparseFeature %s.' % (feature,))
        if not feature.value_key:
            raise ValueError('Missing value_key for SparseFeature %s.' % (feature,))
        if not feature.dtype:
            raise ValueError('Missing type for feature %s.' % key)
        index_keys = feature.index_key
        index_keys = [index_keys] if isinstance(index_keys, str) else index_keys
        for index_key in sorted(index_keys):
            lists.add_sparse(index_key, dtypes.int64)
        lists.add_sparse(feature.value_key, feature.dtype)
    else:
        if feature.shape is None:
            raise ValueError('Missing shape for feature %s.' % key)
        shape = tensor_shape.as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature) and feature.shape and shape.ndims and \
                shape.as_list()[0] is None and not all(
                    d is not None for d in shape.as_list()[1:]):
            raise ValueError('All dimensions of shape for feature %s need to be known but '
                             'received %s.' % (key, shape))
        lists.add_dense(key, feature, feature.shape)


def _features_to_raw_params(features, types):
    """(sparse keys, their types, dense keys, their types, defaults by key, shapes)."""
    lists = _Lists()
    for key in sorted(features or {}):
        feature = features[key]
        if not isinstance(feature, (VarLenFeature, SparseFeature, FixedLenFeature,
                                    FixedLenSequenceFeature)):
            raise ValueError('Invalid feature %s:%s.' % (key, feature))
        if type(feature) not in types:
            raise ValueError('Unsupported %s %s.' % (type(feature).__name__, feature))
        _add_feature(lists, key, feature)
    return (lists.sparse_keys, lists.sparse_types, lists.dense_keys, lists.dense_types,
            lists.dense_defaults, lists.dense_shapes)


def _prepend_none_dimension(features):
    """Sequences have as many items as there are."""
    if not features:
        return features
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to '
                                 'be True.')
            changed[key] = FixedLenSequenceFeature([None] + list(feature.shape), feature.dtype,
                                                   feature.allow_missing, feature.default_value)
    return changed


def _default_of(key, dtype, shape, defaults):
    """The default of a dense feature as a tensor: empty when it must be there."""
    default = defaults.get(key)
    dims = tensor_shape.as_shape(shape)
    if dims.ndims is not None and dims.ndims > 0 and dims.as_list()[0] is None:
        if default is None:
            return constant_op.constant('' if dtype == dtypes.string else 0, dtype=dtype)
        name = 'key_' + ''.join(c if c.isalnum() or c in '._' else '_' for c in key)
        default = ops.convert_to_tensor(default, dtype=dtype, name=name)
        return array_ops.reshape(default, [])
    if default is None:
        return constant_op.constant([], dtype=dtype)
    if not isinstance(default, ops.Tensor):
        name = 'key_' + ''.join(c if c.isalnum() or c in '._' else '_' for c in key)
        default = ops.convert_to_tensor(default, dtype=dtype, name=name)
        default = array_ops.reshape(default, dims.as_list())
    return default


def _process_raw_parameters(names, dense_defaults, sparse_keys, sparse_types, dense_keys,
                            dense_types, dense_shapes):
    """The lists checked, and the defaults as tensors."""
    names = [] if names is None else names
    dense_defaults = dense_defaults or {}
    sparse_keys, sparse_types = sparse_keys or [], sparse_types or []
    dense_keys, dense_types = dense_keys or [], dense_types or []
    dense_shapes = dense_shapes or [[]] * len(dense_keys)
    for what, items in (('dense_keys', dense_shapes), ('dense_keys', dense_types)):
        if len(items) != len(dense_keys):
            raise ValueError('len(%s) != len(dense_keys): %d vs. %d'
                             % (what, len(items), len(dense_keys)))
    if len(sparse_types) != len(sparse_keys):
        raise ValueError('len(sparse_keys) != len(sparse_types): %d vs %d'
                         % (len(sparse_keys), len(sparse_types)))
    if len(dense_keys) + len(sparse_keys) == 0:
        raise ValueError('Must provide at least one sparse key or dense key')
    both = set(dense_keys) & set(sparse_keys)
    if both:
        raise ValueError('Dense and sparse keys must not intersect; intersection: %s' % both)
    defaults = [_default_of(k, t, s, dense_defaults)
                for k, t, s in zip(dense_keys, dense_types, dense_shapes)]
    return Params(names, sparse_keys, sparse_types, dense_keys, defaults,
                  [tensor_shape.as_shape(s) for s in dense_shapes])
