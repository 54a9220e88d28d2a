# SPDX-License-Identifier: Apache-2.0
"""Tensors of a data set by the names of items."""
import abc


class DataProvider(metaclass=abc.ABCMeta):
    """Maps items to tensors."""

    def __init__(self, items_to_tensors, num_samples):
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items):
        """The tensors of the items."""
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self):
        return self._items_to_tensors.keys()

    def num_samples(self):
        return self._num_samples

    def _validate_items(self, items):
        if not isinstance(items, (list, tuple)):
            raise ValueError('items must be a list or tuple')
        valid_items = self.list_items()
        for item in items:
            if item not in valid_items:
                raise ValueError('Item [%s] is invalid. Valid entries include: %s'
                                 % (item, valid_items))
