# SPDX-License-Identifier: Apache-2.0
"""Libraries of ops, as files beside a program."""
import os
import re

from leat.python.framework import load_library
from leat.python.platform import resource_loader


def load_op_library(path):
    """The module of the library's ops; None on a system that has none."""
    if os.name == 'nt':
        path = re.sub(r'\.so$', '.dll', path)
        if not os.path.exists(path):
            return None
    path = resource_loader.get_path_to_datafile(path)
    ret = load_library.load_op_library(path)
    assert ret, 'Could not load %s' % path
    return ret
