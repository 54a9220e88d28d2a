# SPDX-License-Identifier: Apache-2.0
"""tf.user_ops: the example of an op of one's own."""
from leat.python.ops import gen_user_ops


def my_fact():
    """A fact about factorials."""
    return gen_user_ops.fact()
