# SPDX-License-Identifier: Apache-2.0
"""tf.sysconfig: how to compile and link a library of ops against Leat's C API."""
import os as _os


def _root():
    """The folder of the package leat."""
    return _os.path.dirname(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))


def _first(*paths):
    return next((path for path in paths if _os.path.exists(path)), paths[0])


def get_include():
    """The folder of the headers: of the package, the installation, or the source tree."""
    root = _root()
    above = _os.path.dirname(_os.path.dirname(root))
    return _first(_os.path.join(root, 'include'), _os.path.join(above, 'include'),
                  _os.path.join(_os.path.dirname(_os.path.dirname(above)), 'include'))


def get_lib():
    """The folder of the library."""
    from leat._load import core
    here = _os.path.dirname(_os.path.abspath(core.__file__))
    for folder in (here, _os.path.join(_os.path.dirname(here), 'lib'),
                   _os.path.join(_os.path.dirname(_os.path.dirname(_os.path.dirname(here))))):
        if _os.path.exists(_os.path.join(folder, 'libleat.so')) or _os.path.exists(
                _os.path.join(folder, 'libleat.so.0')):
            return folder
    return here


def get_compile_flags():
    """What a compiler needs to find the headers."""
    return ['-I' + get_include()]


def get_link_flags():
    """What a linker needs to find the library."""
    return ['-L' + get_lib(), '-l:libleat.so.0']
