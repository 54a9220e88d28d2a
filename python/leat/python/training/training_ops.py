# SPDX-License-Identifier: Apache-2.0
"""The ops that update variables, by their functions' names."""
from leat.python.ops import gen_training_ops


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_training_ops, name)
