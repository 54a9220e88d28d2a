# SPDX-License-Identifier: Apache-2.0
"""All of tf.image."""
from leat.python.ops import image_ops_impl


def __getattr__(name):
    if name == 'random_crop':
        from leat.python.ops import random_ops
        return random_ops.random_crop
    return getattr(image_ops_impl, name)
