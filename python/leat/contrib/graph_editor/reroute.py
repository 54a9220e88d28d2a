# SPDX-License-Identifier: Apache-2.0
"""Consumers of some tensors made to take others."""
from leat.contrib.graph_editor import subgraph
from leat.contrib.graph_editor import util
from leat.python.framework import ops as tf_ops

# (whether b's consumers take a's tensors, whether a's take b's)
_SWAP, _A2B, _B2A = (True, True), (True, False), (False, True)


def _check_ts_compatibility(ts0, ts1):
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    if len(ts0) != len(ts1):
        raise ValueError('ts0 and ts1 have different sizes: {} != {}'.format(len(ts0), len(ts1)))
    for t0, t1 in zip(ts0, ts1):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError('Dtypes {} and {} are not compatible.'.format(t0.dtype, t1.dtype))
        if not t0.get_shape().is_compatible_with(t1.get_shape()):
            raise ValueError('Shapes {} and {} are not compatible.'.format(t0.get_shape(),
                                                                           t1.get_shape()))


def _reroute_t(t0, t1, consumers1, can_modify, cannot_modify):
    """consumers1 of t1 take t0; how many inputs changed."""
    changed = 0
    for op in consumers1:
        if (can_modify is not None and op not in can_modify) or (
                cannot_modify is not None and op in cannot_modify):
            continue
        for i, t in enumerate(list(op.inputs)):
            if t is t1:
                op._update_input(i, t0)
                changed += 1
    return changed


def _reroute_ts(ts0, ts1, mode, can_modify=None, cannot_modify=None):
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    _check_ts_compatibility(ts0, ts1)
    if can_modify is not None:
        can_modify = set(util.make_list_of_op(can_modify))
    if cannot_modify is not None:
        cannot_modify = set(util.make_list_of_op(cannot_modify))
    consumers = [(list(dict.fromkeys(t0.consumers())), list(dict.fromkeys(t1.consumers())))
                 for t0, t1 in zip(ts0, ts1)]
    changed = 0
    for t0, t1, (consumers0, consumers1) in zip(ts0, ts1, consumers):
        if t0 is t1:
            continue
        if mode[0]:
            changed += _reroute_t(t0, t1, consumers1, can_modify, cannot_modify)
        if mode[1]:
            changed += _reroute_t(t1, t0, consumers0, can_modify, cannot_modify)
    return changed


def swap_ts(ts0, ts1, can_modify=None, cannot_modify=None):
    """Each takes the other's consumers; how many inputs changed."""
    return _reroute_ts(ts0, ts1, _SWAP, can_modify, cannot_modify)


def reroute_ts(ts0, ts1, can_modify=None, cannot_modify=None):
    """The consumers of ts1 take ts0; how many inputs changed."""
    return _reroute_ts(ts0, ts1, _A2B, can_modify, cannot_modify)


def _outputs_that_pass(a, b):
    """b's outputs that passed through a pass through b."""
    for i, t in enumerate(b._output_ts):
        if t in a._passthrough_ts:
            b._output_ts[i] = b._input_ts[a._input_ts.index(t)]


def _reroute_sgv_remap(sgv0, sgv1, mode):
    """The views after their inputs were rerouted."""
    new0, new1 = sgv0.copy(), sgv1.copy()
    for name in ('_input_ts', '_passthrough_ts'):
        own0, own1 = getattr(sgv0, name), getattr(sgv1, name)
        if mode[0]:
            setattr(new1, name, list(own0))
        if mode[1]:
            setattr(new0, name, list(own1))
    if mode[0]:
        _outputs_that_pass(sgv1, new1)
    if mode[1]:
        _outputs_that_pass(sgv0, new0)
    sgv0._assign_from(new0)
    sgv1._assign_from(new1)


def _views(sgv0, sgv1):
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    around = (util.get_consuming_ops(list(sgv0.passthroughs)) +
              util.get_consuming_ops(list(sgv1.passthroughs)))
    return sgv0, sgv1, list(dict.fromkeys(sgv0.ops + sgv1.ops + around))


def _reroute_sgv_inputs(sgv0, sgv1, mode):
    sgv0, sgv1, ops = _views(sgv0, sgv1)
    _reroute_ts(list(sgv0.inputs), list(sgv1.inputs), mode, can_modify=ops)
    _reroute_sgv_remap(sgv0, sgv1, mode)
    return sgv0, sgv1


def _reroute_sgv_outputs(sgv0, sgv1, mode):
    sgv0, sgv1, ops = _views(sgv0, sgv1)
    _reroute_ts(list(sgv0.outputs), list(sgv1.outputs), mode, cannot_modify=ops)
    return sgv0, sgv1


def _reroute_sgv(sgv0, sgv1, mode):
    _reroute_sgv_outputs(sgv0, sgv1, mode)
    return _reroute_sgv_inputs(sgv0, sgv1, mode)


def swap_inputs(sgv0, sgv1):
    return _reroute_sgv_inputs(sgv0, sgv1, _SWAP)


def reroute_inputs(sgv0, sgv1):
    """sgv1 takes the inputs of sgv0."""
    return _reroute_sgv_inputs(sgv0, sgv1, _A2B)


def swap_outputs(sgv0, sgv1):
    return _reroute_sgv_outputs(sgv0, sgv1, _SWAP)


def reroute_outputs(sgv0, sgv1):
    """Who took outputs of sgv1 takes those of sgv0."""
    return _reroute_sgv_outputs(sgv0, sgv1, _A2B)


def swap_ios(sgv0, sgv1):
    return _reroute_sgv(sgv0, sgv1, _SWAP)


def reroute_ios(sgv0, sgv1):
    return _reroute_sgv(sgv0, sgv1, _A2B)


def _controls(op, cops):
    if not isinstance(op, tf_ops.Operation):
        raise TypeError('Expected a tf.Operation, got: {}', type(op))
    return util.make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op, cops):
    """op does not wait for cops any more."""
    cops = _controls(op, cops)
    had = op.control_inputs
    for cop in cops:
        if cop not in had:
            raise ValueError('{} is not a control_input of {}'.format(op.name, cop.name))
    op._remove_all_control_inputs()
    op._add_control_inputs([cop for cop in had if cop not in cops])


def add_control_inputs(op, cops):
    """op waits for cops, too."""
    cops = _controls(op, cops)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError('{} is already a control_input of {}'.format(cop.name, op.name))
    op._add_control_inputs(cops)
