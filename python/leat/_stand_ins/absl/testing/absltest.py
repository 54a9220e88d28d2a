# SPDX-License-Identifier: Apache-2.0
"""absl.testing.absltest: unittest, with temporary folders and a few more checks."""
from unittest import *  # noqa: F401,F403
from unittest import mock  # noqa: F401

from leat.python.platform import flags as _flags
from leat.python.platform import googletest as _googletest
from leat.python.platform.test_checks import TestCase  # noqa: F401

FLAGS = _flags.FLAGS


def get_default_test_tmpdir():
    return _googletest.GetTempDir()


def main(*args, **kwargs):
    """Runs the tests of the main module."""
    del args
    return _googletest.main(kwargs.get('argv'))
