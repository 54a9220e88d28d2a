# SPDX-License-Identifier: Apache-2.0
"""What a Saver saves: an object with one or more named tensors, and how they are put back."""


class SaveSpec(object):
    """One tensor in a checkpoint: its name there, and which slice of that name it is."""

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor):
            if dtype is None or device is None:
                raise AssertionError('When passing a callable `tensor` to a SaveSpec, an explicit '
                                     'dtype and device must be provided.')
            self.dtype = dtype
            self.device = device
        else:
            self.dtype = tensor.dtype
            self.device = device if device is not None else tensor.device

    @property
    def tensor(self):
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject(object):
    """Base class: op is what is saved (a node, for the graph's sake), specs its tensors."""

    def __init__(self, op, specs, name):
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self):
        return False

    @property
    def device(self):
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """The op that gives the object those values; shapes where they are to be reshaped."""
        raise ValueError('Calling an abstract method.')
