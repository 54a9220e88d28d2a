# SPDX-License-Identifier: Apache-2.0
"""Whether TensorFlow 2's behaviour is on: it is not."""


def enabled():
    return False


def enable():
    from leat.python.eager import context
    raise context.EagerUnsupportedError('TensorFlow 2 behaviour')


def disable():
    """It is off."""
