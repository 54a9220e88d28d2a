# SPDX-License-Identifier: Apache-2.0
"""What programs take from TensorFlow's C++ bindings by name: readers of checkpoints and records."""
from leat._load import core as _core
from leat.python.framework import dtypes
from leat.python.framework import errors_impl as errors
from leat.python.lib.io.tf_record import _call
from leat.python.util import compat


class CheckpointReader:
    """The variables of a checkpoint: their shapes, types and values. See NewCheckpointReader."""

    def __init__(self, filename):
        self._checkpoint = _call(_core.checkpoint, filename)
        self._rows = {name: (dtype, shape)
                      for name, dtype, shape in self._checkpoint.variables()}

    def get_variable_to_shape_map(self):
        """{name: [size, ...]}."""
        return {name: list(shape) for name, (_, shape) in self._rows.items()}

    def get_variable_to_dtype_map(self):
        """{name: DType}."""
        return {name: dtypes.as_dtype(dtype) for name, (dtype, _) in self._rows.items()}

    def has_tensor(self, tensor_str):
        """Whether there is a variable of this name."""
        return compat.as_str(tensor_str) in self._rows

    def get_tensor(self, tensor_str):
        """The value, as numpy has it."""
        name = compat.as_str(tensor_str)
        if name not in self._rows:
            raise errors.NotFoundError(None, None, 'Key %s not found in checkpoint' % name)
        return _call(self._checkpoint.read, name)

    def debug_string(self):
        """A line for each variable, as bytes."""
        from leat.core.framework import types_pb2
        return ''.join('%s (%s) [%s]\n' % (name, types_pb2.DataType.Name(dtype),
                                           ','.join(map(str, shape)))
                       for name, (dtype, shape) in self._rows.items()).encode()


def NewCheckpointReader(filepattern):
    """A CheckpointReader of a checkpoint: the prefix of one of format V2, or a file of V1."""
    return CheckpointReader(compat.as_str_any(compat.path_to_str(filepattern)))
