# SPDX-License-Identifier: Apache-2.0
"""PythonState: an object of the program's own in a checkpoint, as a string."""
import abc
import functools

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import script_ops
from leat.python.training import saveable_object
from leat.python.training.tracking import base
from leat.python.util import compat

PYTHON_STATE = 'py_state'


class PythonState(base.Trackable, metaclass=abc.ABCMeta):
    """What implements serialize() and deserialize() is saved with what it hangs on."""

    @abc.abstractmethod
    def serialize(self):
        """The state as a string."""

    @abc.abstractmethod
    def deserialize(self, string_value):
        """Takes the state up from a string."""

    def _gather_saveables_for_checkpoint(self):
        return {PYTHON_STATE: functools.partial(_Saveable, self)}


class _Saveable(saveable_object.SaveableObject):
    """A string that the object makes when it is saved, and takes when it is restored."""

    def __init__(self, state, name):
        self._state = state
        with ops.init_scope():
            text = script_ops.py_func(lambda: compat.as_bytes(state.serialize()), [],
                                      dtypes.string, stateful=True)
            text.set_shape([])
        super().__init__(text, [saveable_object.SaveSpec(text, '', name, dtype=dtypes.string)],
                         name)

    def restore(self, restored_tensors, restored_shapes):
        del restored_shapes
        return script_ops.py_func(self._take, [restored_tensors[0]], [], stateful=True)

    def _take(self, text):
        self._state.deserialize(text)
