# SPDX-License-Identifier: Apache-2.0
"""Nets over whole sequences, [time, batch, size], as one call."""
import abc

from leat.python.ops import array_ops
from leat.python.ops import rnn


class FusedRNNCell(metaclass=abc.ABCMeta):
    """What is called with whole sequences."""

    @abc.abstractmethod
    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """(outputs, final state)"""


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell, run over the steps."""

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = rnn.dynamic_rnn(
                self._cell, array_ops.stack(inputs) if is_list else inputs,
                sequence_length=sequence_length, initial_state=initial_state, dtype=dtype,
                time_major=True, scope=scope)
            return (array_ops.unstack(outputs, axis=0) if is_list else outputs), state
        outputs, state = rnn.static_rnn(
            self._cell, inputs if is_list else array_ops.unstack(inputs),
            initial_state=initial_state, dtype=dtype, sequence_length=sequence_length,
            scope=scope)
        return (outputs if is_list else array_ops.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Another one on reversed sequences."""

    def __init__(self, cell):
        self._cell = cell

    def _reverse(self, t, lengths):
        if isinstance(t, list):
            return list(reversed(t))
        if lengths is None:
            return array_ops.reverse_v2(t, [0])
        return array_ops.reverse_sequence(t, lengths, 0, 1)

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        more = {} if scope is None else {'scope': scope}
        outputs, state = self._cell(self._reverse(inputs, sequence_length),
                                    initial_state=initial_state, dtype=dtype,
                                    sequence_length=sequence_length, **more)
        return self._reverse(outputs, sequence_length), state
