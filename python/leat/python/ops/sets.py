# SPDX-License-Identifier: Apache-2.0
"""tf.sets."""
from leat.python.ops.sets_impl import (  # noqa: F401
    set_difference, set_intersection, set_size, set_union)
