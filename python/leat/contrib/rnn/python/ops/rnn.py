# SPDX-License-Identifier: Apache-2.0
"""Bidirectional nets over each other."""
from leat.python.ops import array_ops
from leat.python.ops import rnn
from leat.python.ops import variable_scope as vs


def _check(cells_fw, cells_bw, states_fw, states_bw):
    if not cells_fw:
        raise ValueError('Must specify at least one fw cell for BidirectionalRNN.')
    if not cells_bw:
        raise ValueError('Must specify at least one bw cell for BidirectionalRNN.')
    if not isinstance(cells_fw, list):
        raise ValueError('cells_fw must be a list of RNNCells (one per layer).')
    if not isinstance(cells_bw, list):
        raise ValueError('cells_bw must be a list of RNNCells (one per layer).')
    if len(cells_fw) != len(cells_bw):
        raise ValueError('Forward and Backward cells must have the same depth.')
    for name, states, cells in (('fw', states_fw, cells_fw), ('bw', states_bw, cells_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells)):
            raise ValueError('initial_states_%s must be a list of state tensors (one per layer).'
                             % name)


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                            initial_states_bw=None, dtype=None, sequence_length=None, scope=None):
    """(outputs of the last layer, last states forward, backward), unrolled."""
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw, layer = [], [], inputs
    with vs.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with vs.variable_scope('cell_%d' % i) as cell_scope:
                layer, state_fw, state_bw = rnn.static_bidirectional_rnn(
                    cell_fw, cell_bw, layer,
                    initial_state_fw=initial_states_fw and initial_states_fw[i],
                    initial_state_bw=initial_states_bw and initial_states_bw[i],
                    sequence_length=sequence_length, dtype=dtype, scope=cell_scope)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                                    initial_states_bw=None, dtype=None, sequence_length=None,
                                    parallel_iterations=None, time_major=False, scope=None,
                                    swap_memory=False):
    """(outputs of the last layer, last states forward, backward), in loops."""
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw, layer = [], [], inputs
    with vs.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with vs.variable_scope('cell_%d' % i):
                outputs, (state_fw, state_bw) = rnn.bidirectional_dynamic_rnn(
                    cell_fw, cell_bw, layer,
                    initial_state_fw=initial_states_fw and initial_states_fw[i],
                    initial_state_bw=initial_states_bw and initial_states_bw[i],
                    sequence_length=sequence_length, parallel_iterations=parallel_iterations,
                    dtype=dtype, swap_memory=swap_memory, time_major=time_major)
                layer = array_ops.concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)
