# SPDX-License-Identifier: Apache-2.0
"""Elements moved round."""
from leat.python.ops import gen_manip_ops


def roll(input, shift, axis, name=None):
    """The elements shifted along axes, those pushed out coming in at the other end."""
    return gen_manip_ops.roll(input, shift, axis, name)
