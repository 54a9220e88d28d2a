# SPDX-License-Identifier: Apache-2.0
"""unittest as TensorFlow's tests use it: temporary folders, stubs, main."""
import atexit
import os
import shutil
import sys
import tempfile
import unittest
from unittest import *  # noqa: F401,F403
from unittest import mock  # noqa: F401

from leat.python.platform import benchmark, flags
from leat.python.platform.test_checks import TestCase  # noqa: F401

Benchmark = benchmark.TensorFlowBenchmark
FLAGS = flags.FLAGS
_googletest_temp_dir = ''
_unittest_main = unittest.main


def _define(name, default, text):
    if name not in FLAGS:
        flags.DEFINE_string(name, default, text)


_define('test_srcdir', '', 'The folder of the tests\' sources.')
_define('test_tmpdir', os.environ.get('TEST_TMPDIR', ''), 'Where tests may write.')


def g_main(argv):
    """Runs the tests of the main module that argv, its shard of many, or all, says."""
    total = int(os.environ.get('TEST_TOTAL_SHARDS', '1'))
    index = int(os.environ.get('TEST_SHARD_INDEX', '0'))
    if total <= 1:
        return _unittest_main(argv=argv)
    loader = unittest.TestLoader()
    names = loader.getTestCaseNames
    counter = iter(range(1 << 30))
    loader.getTestCaseNames = lambda case: [
        name for name in names(case) if next(counter) % total == index]
    return _unittest_main(argv=argv, testLoader=loader)


def main(argv=None):
    """Runs the benchmarks that --benchmarks says, or the tests."""
    argv = list(sys.argv if argv is None else argv)
    rest = flags.FLAGS(argv, known_only=True)
    benchmark.benchmarks_main(g_main, rest)


def GetTempDir():
    """A folder of this process, taken away at its end."""
    global _googletest_temp_dir
    if not _googletest_temp_dir:
        above = os.environ.get('TEST_TMPDIR') or None
        if above:
            os.makedirs(above, exist_ok=True)
        _googletest_temp_dir = tempfile.mkdtemp(
            prefix=os.path.basename(sys.argv[0] or 'leat') + '_', dir=above)
        atexit.register(shutil.rmtree, _googletest_temp_dir, ignore_errors=True)
    return _googletest_temp_dir


def test_src_dir_path(relative_path):
    """A file of the source tree."""
    above = os.environ.get('TEST_SRCDIR', '')
    return os.path.join(above, 'org_tensorflow/tensorflow' if above else '', relative_path)


def StatefulSessionAvailable():
    return False


class StubOutForTesting:
    """Puts other things in the place of attributes, and the old ones back."""

    def __init__(self):
        self.cache = []
        self.stubs = []

    def __del__(self):
        self.CleanUp()

    def __enter__(self):
        return self

    def __exit__(self, unused_exc_type, unused_exc_value, unused_tb):
        self.CleanUp()

    def CleanUp(self):
        """Puts all back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj, attr_name, new_attr):
        """Sets an attribute of an object, a class or a module, wherever it comes from."""
        missing = object()
        own = obj.__dict__.get(attr_name, missing) if hasattr(obj, '__dict__') else missing
        if own is missing and not hasattr(obj, attr_name):
            raise AttributeError('Attribute not found.')
        self.stubs.append((obj, attr_name, own, own is not missing))
        setattr(obj, attr_name, new_attr)

    def SmartUnsetAll(self):
        """Puts back what SmartSet set."""
        for obj, name, old, was_own in reversed(self.stubs):
            if was_own:
                setattr(obj, name, old)
            else:
                delattr(obj, name)
        self.stubs = []

    def Set(self, parent, child_name, new_child):
        """Sets an attribute of a module or a class."""
        old = parent.__dict__.get(child_name, getattr(parent, child_name))
        self.cache.append((parent, old, child_name))
        setattr(parent, child_name, new_child)

    def UnsetAll(self):
        """Puts back what Set set."""
        for parent, old, name in reversed(self.cache):
            setattr(parent, name, old)
        self.cache = []
