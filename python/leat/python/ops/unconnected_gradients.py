# SPDX-License-Identifier: Apache-2.0
"""What tf.gradients gives for an x that ys do not depend on."""
import enum


class UnconnectedGradients(enum.Enum):
    """NONE: None; ZERO: zeros of x's shape."""
    NONE = 'none'
    ZERO = 'zero'
