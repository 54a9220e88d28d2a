# SPDX-License-Identifier: Apache-2.0
"""Loops whose iterations stand side by side, and jacobians made with them."""
from leat.python.ops.parallel_for.control_flow_ops import for_loop
from leat.python.ops.parallel_for.control_flow_ops import pfor
from leat.python.ops.parallel_for.gradients import batch_jacobian
from leat.python.ops.parallel_for.gradients import jacobian

__all__ = ['batch_jacobian', 'for_loop', 'jacobian', 'pfor']
