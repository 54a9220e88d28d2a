# SPDX-License-Identifier: Apache-2.0
"""Views cut off, joined and gone round."""
from leat.contrib.graph_editor import reroute
from leat.contrib.graph_editor import select
from leat.contrib.graph_editor import subgraph
from leat.contrib.graph_editor import util
from leat.python.ops import array_ops


def detach_control_inputs(sgv):
    """Its ops wait for none outside."""
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        cops = [cop for cop in op.control_inputs if cop not in sgv.ops]
        reroute.remove_control_inputs(op, cops)


def detach_control_outputs(sgv, control_outputs):
    """None outside waits for its ops."""
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError('Expected a util.ControlOutputs, got: {}', type(control_outputs))
    control_outputs.update()
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        for cop in control_outputs.get(op):
            if cop not in sgv.ops:
                reroute.remove_control_inputs(cop, op)


def detach_inputs(sgv, control_inputs=False):
    """(the view, the placeholders in the place of its inputs)"""
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        placeholders = [array_ops.placeholder(dtype=t.dtype, name=util.placeholder_name(t))
                        for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(sgv, control_outputs=None):
    """(the view, the placeholders that its consumers take)"""
    sgv = subgraph.make_view(sgv)
    used = sgv.remap_outputs([i for i, t in enumerate(sgv.outputs) if t.consumers()])
    consumers = subgraph.SubGraphView(used.consumers())
    outputs = set(used.outputs)
    consumers = consumers.remap_inputs([i for i, t in enumerate(consumers.inputs)
                                        if t in outputs])
    with used.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in consumers.inputs]
    reroute.swap_outputs(used, placeholders)
    if control_outputs is not None:
        detach_control_outputs(used, control_outputs)
    return used, placeholders


def detach(sgv, control_inputs=False, control_outputs=None, control_ios=None):
    """(the view, placeholders of inputs, placeholders of outputs)"""
    control_inputs, control_outputs = select.check_cios(control_inputs, control_outputs,
                                                        control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0, sgv1, disconnect_first=False):
    """sgv1's inputs are sgv0's outputs."""
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=list(sgv0.outputs)), sgv1)
    return sgv0, sgv1


def bypass(sgv):
    """Consumers of its outputs take its inputs; it has placeholders."""
    sgv = subgraph.make_view(sgv)
    inputs = list(sgv.inputs)
    sgv, detached = detach_inputs(sgv)
    reroute.reroute_ts(inputs, list(sgv.outputs))
    return sgv, detached
