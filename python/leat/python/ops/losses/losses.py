# SPDX-License-Identifier: Apache-2.0
"""tf.losses in one module."""
from leat.python.ops.losses.losses_impl import *  # noqa: F401,F403
from leat.python.ops.losses.util import *  # noqa: F401,F403
