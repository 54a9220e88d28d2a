# SPDX-License-Identifier: Apache-2.0
"""RaggedTensorValue: the value of a RaggedTensor, in numpy arrays."""
import numpy as np


class RaggedTensorValue(object):
    """values (an array or a RaggedTensorValue) cut into rows at row_splits."""

    def __init__(self, values, row_splits):
        if not (isinstance(row_splits, (np.ndarray, np.generic)) and
                row_splits.dtype in (np.int64, np.int32) and row_splits.ndim == 1):
            raise TypeError('row_splits must be a 1D int32 or int64 numpy array')
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError('values must be a numpy array or a RaggedTensorValue')
        if isinstance(values, RaggedTensorValue) and \
                row_splits.dtype != values.row_splits.dtype:
            raise ValueError('row_splits and values.row_splits must have the same dtype')
        self._values = values
        self._row_splits = row_splits

    row_splits = property(lambda self: self._row_splits)
    values = property(lambda self: self._values)
    dtype = property(lambda self: self._values.dtype)

    @property
    def flat_values(self):
        """The innermost array."""
        values = self._values
        while isinstance(values, RaggedTensorValue):
            values = values._values
        return values

    @property
    def nested_row_splits(self):
        """The row splits of every ragged dimension, outermost first."""
        splits, value = [], self
        while isinstance(value, RaggedTensorValue):
            splits.append(value._row_splits)
            value = value._values
        return tuple(splits)

    @property
    def ragged_rank(self):
        return len(self.nested_row_splits)

    @property
    def shape(self):
        """The dims; a ragged one is None."""
        return (self._row_splits.shape[0] - 1, None) + tuple(self._values.shape[1:])

    def __str__(self):
        return '<tf.RaggedTensorValue %s>' % self.to_list()

    def __repr__(self):
        return 'tf.RaggedTensorValue(values=%r, row_splits=%r)' % (self._values, self._row_splits)

    def to_list(self):
        """The nested lists of Python values."""
        values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) \
            else self._values.tolist()
        splits = self._row_splits
        return [values[splits[i]:splits[i + 1]] for i in range(len(splits) - 1)]
