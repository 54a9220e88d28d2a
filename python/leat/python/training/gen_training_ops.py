# SPDX-License-Identifier: Apache-2.0
"""The functions of the training ops, where some programs look for them."""
from leat.python.ops import gen_training_ops


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_training_ops, name)
