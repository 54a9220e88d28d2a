# SPDX-License-Identifier: Apache-2.0
"""Files that lie beside a program's modules."""
import os as _os
import sys as _sys


def load_resource(path):
    """The bytes of a file below the package."""
    with open(get_path_to_datafile(path), 'rb') as file:
        return file.read()


def get_data_files_path():
    """The folder of the file that calls this."""
    return _os.path.dirname(_sys._getframe(1).f_code.co_filename)


def get_root_dir_with_all_resources():
    """The folder below which a program's resources are."""
    return _os.path.dirname(_sys._getframe(1).f_code.co_filename)


def get_path_to_datafile(path):
    """A path that is said from the folder of the file that calls this."""
    return _os.path.join(_os.path.dirname(_sys._getframe(1).f_code.co_filename), path)


def readahead_file_path(path, readahead='128M'):
    """The path."""
    del readahead
    return path
