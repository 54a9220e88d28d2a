# SPDX-License-Identifier: Apache-2.0
"""RaggedTensor: rows of different lengths, as one tensor of all values and where each row begins.

The values may be ragged themselves; the innermost (flat) values are a tensor. Row i holds values
row_splits[i] to row_splits[i + 1]. What a factory knows of rows in other forms (lengths, the row of
each value) is kept beside the splits. Operations on them stand in the modules of this folder.
"""
import functools

import numpy as np

from leat.python.client import session
from leat.python.framework import composite_tensor
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_spec
from leat.python.framework import tensor_util
from leat.python.framework import type_spec
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_config
from leat.python.ops.ragged import ragged_tensor_value
from leat.python.ops.ragged import ragged_util
from leat.python.ops.ragged import segment_id_ops

_SPLITS = (dtypes.int32, dtypes.int64)


class RaggedTensor(composite_tensor.CompositeTensor):
    """A tensor with one or more dimensions whose slices differ in length."""

    def __init__(self, values, row_splits, cached_row_lengths=None, cached_value_rowids=None,
                 cached_nrows=None, internal=False):
        if not internal:
            raise ValueError('RaggedTensor constructor is private; please use one of the factory '
                             'methods instead (e.g., RaggedTensor.from_row_lengths())')
        if not isinstance(row_splits, ops.Tensor):
            raise TypeError('Row-splitting argument must be a Tensor, got %r' % row_splits)
        if not isinstance(values, (RaggedTensor, ops.Tensor)):
            raise TypeError('values must be a Tensor or RaggedTensor, got %r' % values)
        if row_splits.dtype not in _SPLITS:
            raise ValueError('Row-splitting argument must be int32 or int64')
        row_splits.shape.assert_has_rank(1)
        values.shape.with_rank_at_least(1)
        row_splits.set_shape([None])
        if isinstance(values, RaggedTensor) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError('row_splits and values.row_splits must have the same dtype')
        self._values = values
        self._row_splits = row_splits
        self._cached = {'row_lengths': cached_row_lengths, 'value_rowids': cached_value_rowids,
                        'nrows': cached_nrows}

    # --- factories ---

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Of the row of each value, in order; nrows is one more than the last where not told."""
        _check_bool(validate)
        with ops.name_scope(name, 'RaggedFromValueRowIds', [values, value_rowids, nrows]):
            values, value_rowids = cls._convert(values, value_rowids, 'value_rowids')
            if nrows is None:
                nrows = _rows_of_last_id(value_rowids)
            else:
                nrows = ops.convert_to_tensor(nrows, value_rowids.dtype, 'nrows')
                _check_static_nrows(nrows, value_rowids)
            value_rowids.shape.assert_has_rank(1)
            nrows.shape.assert_has_rank(0)
            values.shape[:1].assert_is_compatible_with(value_rowids.shape)
            if validate:
                checks = _rowid_checks(values, value_rowids, nrows)
                value_rowids = control_flow_ops.with_dependencies(checks, value_rowids)
            narrow_ids = math_ops.cast(value_rowids, dtypes.int32)
            narrow_rows = math_ops.cast(nrows, dtypes.int32)
            lengths = math_ops.bincount(narrow_ids, minlength=narrow_rows, maxlength=narrow_rows,
                                        dtype=value_rowids.dtype)
            splits = array_ops.concat([[0], math_ops.cumsum(lengths)], axis=0)
            known = tensor_util.constant_value(nrows)
            if known is not None:
                lengths.set_shape([known])
                splits.set_shape([known + 1])
            return cls(values, splits, cached_row_lengths=lengths, cached_value_rowids=value_rowids,
                       cached_nrows=nrows, internal=True)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Of where each row begins, and where the last one ends."""
        _check_bool(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError('row_splits tensor may not be empty.')
        if isinstance(row_splits, tensor_spec.TensorSpec):
            return cls(values=values, row_splits=row_splits, internal=True)
        with ops.name_scope(name, 'RaggedFromRowSplits', [values, row_splits]):
            values, row_splits = cls._convert(values, row_splits, 'row_splits')
            row_splits.shape.assert_has_rank(1)
            if validate:
                checks = _split_checks(values, row_splits)
                row_splits = control_flow_ops.with_dependencies(checks, row_splits)
            return cls(values=values, row_splits=row_splits, internal=True)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Of the length of each row."""
        _check_bool(validate)
        with ops.name_scope(name, 'RaggedFromRowLengths', [values, row_lengths]):
            values, row_lengths = cls._convert(values, row_lengths, 'row_lengths')
            row_lengths.shape.assert_has_rank(1)
            if validate:
                message = _not_valid('from_row_lengths')
                total = math_ops.reduce_sum(row_lengths)
                checks = [check_ops.assert_rank(row_lengths, 1, message=message),
                          check_ops.assert_non_negative(row_lengths, message=message),
                          check_ops.assert_equal(total, _nvals(values, row_lengths.dtype),
                                                 message=message)]
                row_lengths = control_flow_ops.with_dependencies(checks, row_lengths)
            splits = array_ops.concat([[0], math_ops.cumsum(row_lengths)], axis=0)
            return cls(values=values, row_splits=splits, cached_row_lengths=row_lengths,
                       internal=True)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Of where each row begins; the last one takes the rest."""
        _check_bool(validate)
        with ops.name_scope(name, 'RaggedFromRowStarts', [values, row_starts]):
            values, row_starts = cls._convert(values, row_starts, 'row_starts')
            row_starts.shape.assert_has_rank(1)
            nvals = _nvals(values, row_starts.dtype)
            if validate:
                message = _not_valid('from_row_starts')
                checks = [check_ops.assert_rank(row_starts, 1, message=message),
                          _assert_zero(row_starts[:1], message),
                          _assert_monotonic_increasing(row_starts, message),
                          check_ops.assert_less_equal(row_starts[-1:], nvals, message=message)]
                row_starts = control_flow_ops.with_dependencies(checks, row_starts)
            return cls(values, array_ops.concat([row_starts, [nvals]], axis=0), internal=True)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Of where each row ends."""
        _check_bool(validate)
        with ops.name_scope(name, 'RaggedFromRowLimits', [values, row_limits]):
            values, row_limits = cls._convert(values, row_limits, 'row_limits')
            row_limits.shape.assert_has_rank(1)
            if validate:
                message = _not_valid('from_row_limits')
                checks = [check_ops.assert_rank(row_limits, 1, message=message),
                          check_ops.assert_non_negative(row_limits[:1], message=message),
                          _assert_monotonic_increasing(row_limits, message),
                          check_ops.assert_equal(row_limits[-1:],
                                                 _nvals(values, row_limits.dtype),
                                                 message=message)]
                row_limits = control_flow_ops.with_dependencies(checks, row_limits)
            zero = array_ops.zeros([1], row_limits.dtype)
            return cls(values, array_ops.concat([zero, row_limits], axis=0), internal=True)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None,
                                 name=None, validate=True):
        """Of the row ids of every ragged dimension, outermost first."""
        _check_bool(validate)
        if isinstance(nested_value_rowids, ops.Tensor):
            raise TypeError('nested_value_rowids must be a list of Tensors')
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        elif isinstance(nested_nrows, ops.Tensor):
            raise TypeError('nested_nrows must be a list of Tensors')
        elif len(nested_nrows) != len(nested_value_rowids):
            raise ValueError('nested_nrows must have the same length as nested_value_rowids')
        with ops.name_scope(name, 'RaggedFromNestedValueRowIds',
                            [flat_values] + list(nested_value_rowids) + list(nested_nrows)):
            result = flat_values
            for rowids, nrows in reversed(list(zip(nested_value_rowids, nested_nrows))):
                result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
            return result

    @classmethod
    def _from_nested(cls, build, flat_values, nested, scope, what, name, validate):
        _check_bool(validate)
        if isinstance(nested, ops.Tensor):
            raise TypeError('%s must be a list of Tensors' % what)
        with ops.name_scope(name, scope, [flat_values] + list(nested)):
            result = flat_values
            for part in reversed(nested):
                result = build(result, part, validate=validate)
            return result

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Of the splits of every ragged dimension, outermost first."""
        return cls._from_nested(cls.from_row_splits, flat_values, nested_row_splits,
                                'RaggedFromNestedRowSplits', 'nested_row_splits', name, validate)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Of the row lengths of every ragged dimension, outermost first."""
        return cls._from_nested(cls.from_row_lengths, flat_values, nested_row_lengths,
                                'RaggedFromNestedRowlengths', 'nested_row_lengths', name, validate)

    @classmethod
    def _convert(cls, values, partition, name):
        """values and the partition as tensors, the partition of int32 or int64."""
        values = convert_to_tensor_or_ragged_tensor(values, name='values')
        if isinstance(values, RaggedTensor):
            if not isinstance(partition, ops.Tensor):
                partition = ops.convert_to_tensor(partition, name=name,
                                                  preferred_dtype=values.row_splits.dtype)
            if partition.dtype != values.row_splits.dtype:
                if not ragged_config.auto_cast_partition_dtype():
                    raise ValueError('dtype mismatch: %s (%s) vs values.row_splits (%s)'
                                     % (name, partition.dtype, values.row_splits.dtype))
                partition = math_ops.cast(partition, dtypes.int64)
                values = values.with_row_splits_dtype(dtypes.int64)
        else:
            partition = ops.convert_to_tensor(partition, name=name, preferred_dtype=dtypes.int64)
        if partition.dtype not in _SPLITS:
            raise ValueError('%s must have dtype int32 or int64' % name)
        return values, partition

    # --- what it is ---

    dtype = property(lambda self: self._values.dtype, doc='The type of the values.')
    values = property(lambda self: self._values, doc='The values of all rows, one after the other.')
    row_splits = property(lambda self: self._row_splits,
                          doc='Where each row begins in values, and where the last one ends.')

    @property
    def shape(self):
        """The static shape; ragged dimensions are None."""
        splits = tensor_shape.dimension_at_index(self._row_splits.shape, 0)
        nrows = None if splits.value is None else splits.value - 1
        return tensor_shape.TensorShape([nrows, None]).concatenate(self._values.shape[1:])

    def get_shape(self):
        return self.shape

    def _levels(self):
        """This tensor and the ragged tensors in it, outermost first."""
        found, value = [], self
        while isinstance(value, RaggedTensor):
            found.append(value)
            value = value._values
        return found

    @property
    def ragged_rank(self):
        """How many dimensions are partitioned."""
        return len(self._levels())

    @property
    def flat_values(self):
        """The innermost values, a tensor."""
        return self._levels()[-1]._values

    @property
    def nested_row_splits(self):
        """The row splits of every ragged dimension, outermost first."""
        return tuple(level._row_splits for level in self._levels())

    def value_rowids(self, name=None):
        """The row of each value."""
        if self._cached['value_rowids'] is not None:
            return self._cached['value_rowids']
        with ops.name_scope(name, 'RaggedValueRowIds', [self]):
            return segment_id_ops.row_splits_to_segment_ids(self._row_splits)

    def nested_value_rowids(self, name=None):
        """The row of each value, for every ragged dimension."""
        with ops.name_scope(name, 'RaggedNestedValueRowIds', [self]):
            return tuple(level.value_rowids() for level in self._levels())

    def nrows(self, out_type=None, name=None):
        """The number of rows, a scalar tensor."""
        out_type = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        if self._cached['nrows'] is not None:
            return math_ops.cast(self._cached['nrows'], out_type)
        with ops.name_scope(name, 'RaggedNRows', [self]):
            return array_ops.shape(self._row_splits, out_type=out_type)[0] - 1

    def row_starts(self, name=None):
        """Where each row begins."""
        with ops.name_scope(name, 'RaggedRowStarts', [self]):
            return self._row_splits[:-1]

    def row_limits(self, name=None):
        """Where each row ends."""
        with ops.name_scope(name, 'RaggedRowLimits', [self]):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """The lengths of the rows of an axis, ragged themselves where that is not the first."""
        if axis == 0:
            return self.nrows()
        if axis == 1 and self._cached['row_lengths'] is not None:
            return self._cached['row_lengths']
        with ops.name_scope(name, 'RaggedRowLengths', [self]):
            axis = ragged_util.get_positive_axis(axis, self.shape.ndims)
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            shape = array_ops.shape(self._values, out_type=self._row_splits.dtype)
            return self.with_values(
                array_ops.ones(shape[:axis - 1], self._row_splits.dtype) * shape[axis - 1])

    def nested_row_lengths(self, name=None):
        """The row lengths of every ragged dimension, outermost first."""
        with ops.name_scope(name, 'RaggedNestedRowLengths', [self]):
            return tuple(level.row_lengths() for level in self._levels())

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The smallest shape of a tensor that holds all rows, or its dims at axis."""
        out_type = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        with ops.name_scope(name, 'RaggedBoundingBox', [self, axis]):
            lengths = self.nested_row_lengths()
            nrows = self.nrows()
            if isinstance(axis, int):
                if axis == 0:
                    return math_ops.cast(nrows, out_type)
                if axis == 1:
                    return math_ops.cast(math_ops.maximum(math_ops.reduce_max(lengths[0]), 0),
                                         out_type)
            longest = [math_ops.maximum(math_ops.reduce_max(n), 0) for n in lengths]
            inner = array_ops.shape(self.flat_values, out_type=self._row_splits.dtype)[1:]
            box = array_ops.concat([array_ops.stack([nrows] + longest), inner], axis=0)
            box = math_ops.cast(box, out_type)
            return box if axis is None else array_ops.gather(box, axis)

    # --- others made of it ---

    def with_values(self, new_values):
        """The same rows of other values."""
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and \
                self._row_splits.dtype != new_values.row_splits.dtype:
            if not ragged_config.auto_cast_partition_dtype():
                raise ValueError('self and values have mismatched row_splits dtypes; use '
                                 'RaggedTensor.with_row_splits_dtype() to convert them to '
                                 'compatible dtypes.')
            wide = self.with_row_splits_dtype(dtypes.int64)
            return wide.with_values(new_values.with_row_splits_dtype(dtypes.int64))
        return self._like(new_values, self._row_splits)

    def _like(self, values, row_splits):
        cached = self._cached if row_splits.dtype == self._row_splits.dtype else {
            k: None if v is None else math_ops.cast(v, row_splits.dtype)
            for k, v in self._cached.items()}
        return RaggedTensor(values, row_splits, cached['row_lengths'], cached['value_rowids'],
                            cached['nrows'], internal=True)

    def with_flat_values(self, new_values):
        """The same rows of other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(convert_to_tensor_or_ragged_tensor(new_values))

    def with_row_splits_dtype(self, dtype):
        """The same with row splits of int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in _SPLITS:
            raise ValueError('dtype must be int32 or int64')
        if self._row_splits.dtype == dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return self._like(values, math_ops.cast(self._row_splits, dtype))

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None,
                    row_splits_dtype=dtypes.int64):
        """A dense tensor's rows, cut to lengths or freed of trailing padding."""
        from leat.python.ops.ragged import ragged_conversion_ops
        return ragged_conversion_ops.from_tensor(tensor, lengths, padding, ragged_rank, name,
                                                 row_splits_dtype)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """A SparseTensor of two dimensions whose rows have no gaps."""
        from leat.python.ops.ragged import ragged_conversion_ops
        return ragged_conversion_ops.from_sparse(st_input, name, row_splits_dtype)

    def to_tensor(self, default_value=None, name=None):
        """A dense tensor, short rows filled with default_value (0)."""
        from leat.python.ops.ragged import ragged_conversion_ops
        return ragged_conversion_ops.to_tensor(self, default_value, name)

    def to_sparse(self, name=None):
        """A SparseTensor of the values."""
        from leat.python.ops.ragged import ragged_conversion_ops
        return ragged_conversion_ops.to_sparse(self, name)

    def to_list(self):
        raise ValueError('RaggedTensor.to_list() is only supported in eager mode; in graph mode, '
                         'evaluate the RaggedTensor first and then use '
                         'RaggedTensorValue.to_list().')

    # --- as a value in Python ---

    def __repr__(self):
        return 'tf.RaggedTensor(values=%s, row_splits=%s)' % (self._values, self._row_splits)

    __str__ = __repr__

    def __getitem__(self, key):
        from leat.python.ops.ragged import ragged_getitem
        return ragged_getitem.ragged_tensor_getitem(self, key)

    @property
    def _type_spec(self):
        return RaggedTensorSpec(shape=self.shape, dtype=self.dtype, ragged_rank=self.ragged_rank,
                                row_splits_dtype=self._row_splits.dtype)

    def _shape_invariant_to_type_spec(self, shape):
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)

    def _shape_invariant_to_components(self, shape=None):
        spec = self._shape_invariant_to_type_spec(self.shape if shape is None else shape)
        return [part.shape for part in spec._component_specs]

    def consumers(self):
        return self._consumers()

    def _consumers(self):
        found = []
        for part in (self.flat_values,) + self.nested_row_splits:
            found += [op for op in part.consumers() if op not in found]
        return found

    def __bool__(self):
        raise TypeError('RaggedTensor may not be used as a boolean.')

    __nonzero__ = __bool__


def _not_valid(factory):
    return 'Arguments to %s do not form a valid RaggedTensor' % factory


def _check_bool(validate):
    if not isinstance(validate, bool):
        raise TypeError('validate must have type bool')


def _nvals(values, out_type):
    """The number of rows of what a factory cuts."""
    if isinstance(values, RaggedTensor):
        return values.nrows(out_type)
    return array_ops.shape(values, out_type=out_type)[0]


def _assert_zero(tensor, message):
    return check_ops.assert_equal(tensor, constant_op.constant(0, tensor.dtype), message=message)


def _assert_monotonic_increasing(tensor, message):
    return check_ops.assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def _split_checks(values, row_splits):
    message = _not_valid('from_row_splits')
    nvals = _nvals(values, row_splits.dtype)
    return [check_ops.assert_rank(row_splits, 1, message=message),
            _assert_zero(row_splits[0], message),
            _assert_monotonic_increasing(row_splits, message),
            check_ops.assert_equal(row_splits[-1], nvals, message=message)]


def _rows_of_last_id(value_rowids):
    """One more than the last id; 0 where there is none."""
    known = tensor_util.constant_value(value_rowids)
    if known is not None:
        if known.ndim == 1 and not known.size:
            return ops.convert_to_tensor(0, value_rowids.dtype, 'const_nrows')
        return ops.convert_to_tensor(int(known.ravel()[-1]) + 1, value_rowids.dtype, 'const_nrows')
    return array_ops.concat([constant_op.constant([-1], value_rowids.dtype), value_rowids],
                            axis=0)[-1] + 1


def _check_static_nrows(nrows, value_rowids):
    rows = tensor_util.constant_value(nrows)
    ids = tensor_util.constant_value(value_rowids)
    if rows is None:
        return
    if rows < 0:
        raise ValueError('Expected nrows >= 0; got %d' % rows)
    if ids is not None and ids.ndim == 1 and ids.size and ids[-1] >= rows:
        raise ValueError('Expected nrows >= value_rowids[-1] + 1; got nrows=%d, '
                         'value_rowids[-1]=%d' % (rows, ids[-1]))


def _rowid_checks(values, value_rowids, nrows):
    message = _not_valid('from_value_rowids')
    count = array_ops.shape(value_rowids, out_type=value_rowids.dtype)[0]
    return [check_ops.assert_equal(count, _nvals(values, value_rowids.dtype), message=message),
            check_ops.assert_non_negative(value_rowids[:1], message=message),
            _assert_monotonic_increasing(value_rowids, message),
            check_ops.assert_less(value_rowids[-1:], nrows, message=message)]


def is_ragged(value):
    """Whether value is a RaggedTensor or a RaggedTensorValue."""
    return isinstance(value, (RaggedTensor, ragged_tensor_value.RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
    """value as it is where it is ragged, else as a tensor; a RaggedTensorValue as constants."""
    if isinstance(value, RaggedTensor):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError('Tensor conversion requested dtype %s for RaggedTensor with dtype %s: '
                             '%r' % (dtypes.as_dtype(dtype).name, value.dtype.name, value))
        return value
    if isinstance(value, ragged_tensor_value.RaggedTensorValue):
        with ops.name_scope(name, 'ConvertToTensorOrRaggedTensor', []):
            flat = ops.convert_to_tensor(value.flat_values, dtype=dtype,
                                         preferred_dtype=preferred_dtype, name='flat_values')
            return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits,
                                                       validate=False)
    return ops.internal_convert_to_tensor(value, dtype=dtype, preferred_dtype=preferred_dtype,
                                          name=name)


class RaggedTensorType(object):
    """The type of a ragged result that map_fn() is to make."""

    def __init__(self, dtype, ragged_rank, row_splits_dtype=dtypes.int64):
        row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        self._dtype = dtype
        self._ragged_rank = ragged_rank
        self._row_splits_dtype = row_splits_dtype

    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)


class RaggedTensorSpec(type_spec.BatchableTypeSpec):
    """What is known of a RaggedTensor."""

    __slots__ = ['_shape', '_dtype', '_ragged_rank', '_row_splits_dtype']

    def __init__(self, shape=None, dtype=dtypes.float32, ragged_rank=None,
                 row_splits_dtype=dtypes.int64):
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError('Must specify ragged_rank or a shape with a known rank.')
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank
        if not isinstance(ragged_rank, int):
            raise TypeError('ragged_rank must be an int')
        if rank is not None and ragged_rank >= rank:
            raise ValueError('ragged_rank must be less than rank.')

    @property
    def value_type(self):
        return RaggedTensor if self._ragged_rank > 0 else ops.Tensor

    def _serialize(self):
        return (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)

    @property
    def _component_specs(self):
        if self._ragged_rank == 0:
            return [tensor_spec.TensorSpec(self._shape, self._dtype)]
        flat = tensor_shape.TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1:])
        outer = tensor_shape.dimension_at_index(self._shape, 0)
        outer_splits = tensor_spec.TensorSpec(
            [None if outer.value is None else outer.value + 1], self._row_splits_dtype)
        inner = tensor_spec.TensorSpec([None], self._row_splits_dtype)
        return [tensor_spec.TensorSpec(flat, self._dtype), outer_splits] + \
            [inner] * (self._ragged_rank - 1)

    def _to_components(self, value):
        if is_ragged(value):
            return [value.flat_values] + list(value.nested_row_splits)
        return [value]

    def _from_components(self, tensor_list):
        result = tensor_list[0]
        if all(isinstance(t, np.ndarray) for t in tensor_list):
            for splits in reversed(tensor_list[1:]):
                result = ragged_tensor_value.RaggedTensorValue(result, splits)
            return result
        for splits in reversed(tensor_list[1:]):
            result = RaggedTensor(result, splits, internal=True)
        return result

    @classmethod
    def from_value(cls, value):
        """The spec of a ragged value."""
        return cls(shape=value.shape, dtype=value.values.dtype, ragged_rank=value.ragged_rank,
                   row_splits_dtype=value.row_splits.dtype)


def match_row_splits_dtypes(*tensors, **kwargs):
    """The tensors, with row splits of int64 where their types differ (return_dtype: the type)."""
    return_dtype = kwargs.pop('return_dtype', False)
    if kwargs:
        raise ValueError('Unexpected keyword args %r' % kwargs)
    found = {t.row_splits.dtype for t in tensors if isinstance(t, RaggedTensor)}
    if len(found) > 1:
        if not ragged_config.auto_cast_partition_dtype():
            raise ValueError('Input RaggedTensors have mismatched row_splits dtypes; use '
                             'RaggedTensor.with_row_splits_dtype() to convert them to compatible '
                             'dtypes.')
        tensors = [t.with_row_splits_dtype(dtypes.int64) if isinstance(t, RaggedTensor) else t
                   for t in tensors]
        found = {dtypes.int64}
    if return_dtype:
        return (found.pop() if found else None, tensors)
    return tensors


# --- sessions ---

def _parts(value):
    return [value.flat_values] + list(value.nested_row_splits)


def _fetch(ragged):
    def value_of(parts):
        return functools.reduce(
            lambda values, splits: ragged_tensor_value.RaggedTensorValue(values, splits),
            reversed(parts[1:]), parts[0])
    return _parts(ragged), value_of


def _feed(ragged, value):
    if not is_ragged(value) or value.ragged_rank != ragged.ragged_rank:
        raise TypeError('A RaggedTensor of ragged rank %d is fed with a RaggedTensorValue of the '
                        'same ragged rank, got %r' % (ragged.ragged_rank, value))
    return list(zip(_parts(ragged), _parts(value)))


session.register_session_run_conversion_functions(RaggedTensor, _fetch, _feed, _parts)


def _no_tensor(value, dtype=None, name=None, as_ref=False):
    raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. Consider casting '
                    'elements to a supported type.' % (type(value), value))


ops.register_tensor_conversion_function(RaggedTensor, _no_tensor, 10)


from leat.python.ops.ragged import ragged_dispatch  # noqa: E402
from leat.python.ops.ragged import ragged_operators  # noqa: E402,F401

ragged_dispatch.register_dispatchers()
