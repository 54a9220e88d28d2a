# SPDX-License-Identifier: Apache-2.0
"""Branches that TensorFlow makes of functions; here they are Switch and Merge, with the same values
and gradients."""
from leat.python.ops import control_flow_ops


def cond_v2(pred, true_fn, false_fn, name='cond'):
    return control_flow_ops.cond(pred, true_fn, false_fn, strict=True, name=name)


def indexed_case(branch_index, branch_fns, name='indexed_case'):
    return control_flow_ops.switch_case(branch_index, branch_fns, name=name)
