# SPDX-License-Identifier: Apache-2.0
"""Ops of the user's own, from shared objects."""
import os
import types

from leat._load import core
from leat.python.framework import errors_impl
from leat.python.framework import op_functions


def load_op_library(library_filename):
    """A module with a function for each op that the shared object registers."""
    from leat.core.framework import op_def_pb2
    try:
        data = core.load_library(library_filename)
    except core.Error as e:
        raise errors_impl.exception_type_from_error_code(e.args[0])(None, None, e.args[1]) from None
    ops = op_def_pb2.OpList.FromString(data)
    module = types.ModuleType(os.path.basename(library_filename))
    module.LIB_HANDLE, module.OP_LIST = None, ops
    for op in ops.op:
        function = op_functions.make(op.name)
        setattr(module, op_functions.snake_case(op.name), function)
    return module


def load_file_system_library(library_filename):
    """Loads a shared object for what it does when it is loaded."""
    load_op_library(library_filename)


def load_library(library_location):
    """A shared object, or all of a folder."""
    if os.path.isdir(library_location):
        names = [os.path.join(library_location, n) for n in sorted(os.listdir(library_location))
                 if n.endswith('.so')]
    elif os.path.exists(library_location):
        names = [library_location]
    else:
        raise OSError(2, 'The file or folder to load kernel libraries from does not exist.',
                      library_location)
    for name in names:
        load_op_library(name)
