# SPDX-License-Identifier: Apache-2.0
"""Whether cond and while_loop make functional ops: here they do not, and cannot be told to."""
from leat.python.framework import errors_impl


def enable_control_flow_v2():
    raise errors_impl.UnimplementedError(
        None, None, 'tf.cond and tf.while_loop make the ops of 1.x: control flow v2 is not there')


def disable_control_flow_v2():
    """They make the ops of 1.x anyway."""


def control_flow_v2_enabled():
    return False


def output_all_intermediates(state):
    """Says whether functional branches and loops give all that is computed in them: noted."""
    global _output_all_intermediates
    _output_all_intermediates = state


_output_all_intermediates = None
