# SPDX-License-Identifier: Apache-2.0
"""What a decoder of examples must have."""
import abc


class DataDecoder(metaclass=abc.ABCMeta):
    """Makes tensors of a serialized example."""

    @abc.abstractmethod
    def decode(self, data, items):
        """A tensor for each of the items."""

    @abc.abstractmethod
    def list_items(self):
        """The names of the items."""
