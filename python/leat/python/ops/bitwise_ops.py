# SPDX-License-Identifier: Apache-2.0
"""Operations on the bits of integers: the ops' own functions."""
from leat.python.ops import gen_bitwise_ops


def __getattr__(name):
    return getattr(gen_bitwise_ops, name)
