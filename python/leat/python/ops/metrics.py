# SPDX-License-Identifier: Apache-2.0
"""tf.metrics in one module."""
from leat.python.ops.metrics_impl import *  # noqa: F401,F403
