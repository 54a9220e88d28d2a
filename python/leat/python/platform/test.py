# SPDX-License-Identifier: Apache-2.0
"""tf.test: the test case, gradient checks, folders to write in; found when asked for."""
from unittest import mock  # noqa: F401

from leat.python.platform import googletest
from leat.python.platform.benchmark import TensorFlowBenchmark as Benchmark  # noqa: F401
from leat.python.platform.googletest import StubOutForTesting  # noqa: F401

_ELSEWHERE = {
    'leat.python.framework.test_util': (
        'assert_equal_graph_def', 'create_local_cluster', 'gpu_device_name', 'is_gpu_available'),
    'leat.python.ops.gradient_checker': ('compute_gradient', 'compute_gradient_error'),
}


def __getattr__(name):
    import importlib
    if name == 'TestCase':
        value = importlib.import_module('leat.python.framework.test_util').TensorFlowTestCase
    else:
        for module, names in _ELSEWHERE.items():
            if name in names:
                value = getattr(importlib.import_module(module), name)
                break
        else:
            raise AttributeError('module %r has no attribute %r' % (__name__, name))
    globals()[name] = value
    return value


def main(argv=None):
    """Runs the tests of the main module."""
    return googletest.main(argv)


def get_temp_dir():
    """A folder to write in, gone at the process's end."""
    return googletest.GetTempDir()


def test_src_dir_path(relative_path):
    """A file of the source tree."""
    return googletest.test_src_dir_path(relative_path)


def is_built_with_cuda():
    """False."""
    return False


def is_built_with_rocm():
    """False."""
    return False


def is_built_with_gpu_support():
    """False."""
    return False
