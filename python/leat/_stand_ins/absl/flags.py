# SPDX-License-Identifier: Apache-2.0
"""absl.flags: the flags of tf.flags, the same ones."""
from leat.python.platform.flags import *  # noqa: F401,F403
