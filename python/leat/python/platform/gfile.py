# SPDX-License-Identifier: Apache-2.0
"""tf.gfile: files and folders, under their oldest names."""
from leat.python.lib.io.file_io import FileIO as _FileIO
from leat.python.lib.io.file_io import copy as Copy
from leat.python.lib.io.file_io import create_dir as MkDir
from leat.python.lib.io.file_io import delete_file as Remove
from leat.python.lib.io.file_io import delete_recursively as DeleteRecursively
from leat.python.lib.io.file_io import file_exists as Exists
from leat.python.lib.io.file_io import get_matching_files as Glob
from leat.python.lib.io.file_io import is_directory as IsDirectory
from leat.python.lib.io.file_io import list_directory as ListDirectory
from leat.python.lib.io.file_io import recursive_create_dir as MakeDirs
from leat.python.lib.io.file_io import rename as Rename
from leat.python.lib.io.file_io import stat as Stat
from leat.python.lib.io.file_io import walk as Walk


class GFile(_FileIO):
    """A file."""

    def __init__(self, name, mode='r'):
        super().__init__(name=name, mode=mode)


class FastGFile(_FileIO):
    """A file."""

    def __init__(self, name, mode='r'):
        super().__init__(name=name, mode=mode)


Open = GFile

__all__ = ['Copy', 'DeleteRecursively', 'Exists', 'FastGFile', 'GFile', 'Glob', 'IsDirectory',
           'ListDirectory', 'MakeDirs', 'MkDir', 'Open', 'Remove', 'Rename', 'Stat', 'Walk']
