# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.learn's modules."""
from leat.contrib.learn.python.learn import datasets  # noqa: F401
