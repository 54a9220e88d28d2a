# SPDX-License-Identifier: Apache-2.0
"""Loops that TensorFlow makes of functions; here they are Enter and Exit, with the same values and
gradients."""
from leat.python.ops import control_flow_ops


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
               maximum_iterations=None, name=None, return_same_structure=True, back_prop=True):
    return control_flow_ops.while_loop(
        cond, body, loop_vars, shape_invariants=shape_invariants,
        parallel_iterations=parallel_iterations, maximum_iterations=maximum_iterations, name=name,
        return_same_structure=return_same_structure, back_prop=back_prop)
