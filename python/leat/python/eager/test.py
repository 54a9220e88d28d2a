# SPDX-License-Identifier: Apache-2.0
"""tf.test under the name that tests of eager execution import."""
from leat.python.platform import test as _test
from leat.python.platform.test import *  # noqa: F401,F403


def __getattr__(name):
    return getattr(_test, name)


def main(argv=None):
    _test.main(argv)
