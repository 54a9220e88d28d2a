# SPDX-License-Identifier: Apache-2.0
"""LSTMs along time and along the frequencies of their inputs (Li et al. 2015, Sainath and Li
2016)."""
import collections

from leat.contrib.rnn.python.ops import _cell_common as common
from leat.contrib.rnn.python.ops._gated_cells import _Sized
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope as vs
from leat.python.platform import tf_logging as logging


def _input_size(inputs):
    size = inputs.get_shape().with_rank(2).dims[-1].value
    if size is None:
        raise ValueError('Cannot infer input_size from static shape inference.')
    return size


class TimeFreqLSTMCell(_Sized):
    """An LSTM that goes over overlapping pieces of its inputs."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None,
                 num_unit_shards=1, forget_bias=1.0, feature_size=None, frequency_skip=1,
                 reuse=None):
        super(TimeFreqLSTMCell, self).__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._state_size = 2 * num_units
        self._output_size = num_units
        self._reuse = reuse

    def _make_tf_features(self, inputs):
        size = _input_size(inputs)
        count = int((size - self._feature_size) / self._frequency_skip) + 1
        return [common.columns(inputs, f * self._frequency_skip, self._feature_size)
                for f in range(count)]

    def call(self, inputs, state):
        pieces, n, dtype = self._make_tf_features(inputs), self._num_units, inputs.dtype
        weights = common.concat_variable(
            'W', [pieces[0].get_shape().as_list()[1] + 2 * n, 4 * n], dtype,
            self._num_unit_shards)
        bias = common.zero_variable('B', 4 * n, dtype)
        peep = (common.diagonals(('W_F_diag', 'W_I_diag', 'W_O_diag'), n, dtype)
                if self._use_peepholes else None)
        m_freq = array_ops.zeros([int(inputs.get_shape()[0]), n], dtype)
        state_out = m_out = None
        for k, piece in enumerate(pieces):
            c_prev = common.columns(state, 2 * k * n, n)
            m_prev = common.columns(state, (2 * k + 1) * n, n)
            matrix = math_ops.matmul(array_ops.concat([piece, m_prev, m_freq], 1), weights)
            i, j, f, o = array_ops.split(value=nn_ops.bias_add(matrix, bias),
                                         num_or_size_splits=4, axis=1)
            c = common.clip(common.new_lstm_state(c_prev, (i, j, f), self._forget_bias,
                                                  math_ops.tanh, peep and peep[:2]),
                            self._cell_clip)
            m = math_ops.sigmoid(o + peep[2] * c if peep else o) * math_ops.tanh(c)
            m_freq = m
            state_out = array_ops.concat([c, m] if k == 0 else [state_out, c, m], 1)
            m_out = m if k == 0 else array_ops.concat([m_out, m], 1)
        return m_out, state_out


class _GridVariables(object):
    """The variables of a block of frequencies."""

    def __init__(self, cell, block, depth, dtype):
        n = cell._num_units
        gates = 3 if cell._couple_input_forget_gates else 4
        share = cell._share_time_frequency_weights
        shape = [depth + 2 * n, gates * n]
        ways = ('f',) if share else ('f', 't')
        self.weights, self.biases, self.peepholes = {}, {}, {}
        for way in ways:
            self.weights[way] = common.concat_variable(
                'W_%s_%d' % (way, block), shape, dtype, cell._num_unit_shards)
            self.biases[way] = common.zero_variable('B_%s_%d' % (way, block), gates * n, dtype)
        if cell._use_peepholes:
            for way, long in zip(ways, ('freq', 'time')):
                for gate in ('F', 'I', 'O')[cell._couple_input_forget_gates:]:
                    self.peepholes[way, gate] = common.diagonals(
                        ['W_%s_diag_%s%s_%d' % (gate, long, to, block) for to in 'ft'], n, dtype)

    def add(self, value, way, gate, c_freq, c_time):
        """value, and where there are peepholes what they see of both c."""
        pair = self.peepholes.get((way, gate))
        if pair is None:
            return value
        return value + pair[0] * c_freq + pair[1] * c_time


class GridLSTMCell(_Sized):
    """An LSTM with a state along time and one along the frequencies."""

    def __init__(self, num_units, use_peepholes=False, share_time_frequency_weights=False,
                 cell_clip=None, initializer=None, num_unit_shards=1, forget_bias=1.0,
                 feature_size=None, frequency_skip=None, num_frequency_blocks=None,
                 start_freqindex_list=None, end_freqindex_list=None,
                 couple_input_forget_gates=False, state_is_tuple=True, reuse=None):
        super(GridLSTMCell, self).__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warn('%s: Using a concatenated state is slower and will soon be deprecated.  '
                         'Use state_is_tuple=True.', self)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._start_freqindex_list = start_freqindex_list
        self._end_freqindex_list = end_freqindex_list
        self._num_frequency_blocks = num_frequency_blocks
        self._reuse = reuse
        if num_frequency_blocks is None:
            raise ValueError('Must specify num_frequency_blocks')
        self._total_blocks = sum(int(count) for count in num_frequency_blocks)
        self._set_sizes()

    def _names(self, prefix):
        return ['%s_f%02d_b%02d_%s' % (prefix, freq, block, which)
                for block, count in enumerate(self._num_frequency_blocks)
                for freq in range(count) for which in 'cm']

    def _set_sizes(self):
        n, total = self._num_units, self._total_blocks
        self._state_tuple_type, self._state_size = None, n * total * 2
        if self._state_is_tuple:
            self._state_tuple_type = collections.namedtuple('GridLSTMStateTuple',
                                                            self._names('state'))
            self._state_size = self._state_tuple_type(*([n, n] * total))
        self._output_size = n * total * 2

    @property
    def state_tuple_type(self):
        return self._state_tuple_type

    def call(self, inputs, state):
        batch = tensor_shape.dimension_value(inputs.shape[0]) or array_ops.shape(inputs)[0]
        outputs, states = [], []
        for block, pieces in enumerate(self._make_tf_features(inputs)):
            m, s = self._compute(pieces, block, state, batch,
                                 state_is_tuple=self._state_is_tuple)
            outputs += m
            states += s
        new_state = (self._state_tuple_type(*states) if self._state_is_tuple
                     else array_ops.concat(states, 1))
        return array_ops.concat(outputs, 1), new_state

    def _gates(self, variables, way, cell_inputs):
        """[i, j, f or None, o]"""
        matrix = nn_ops.bias_add(math_ops.matmul(cell_inputs, variables.weights[way]),
                                 variables.biases[way])
        if self._couple_input_forget_gates:
            i, j, o = array_ops.split(value=matrix, num_or_size_splits=3, axis=1)
            return i, j, None, o
        return array_ops.split(value=matrix, num_or_size_splits=4, axis=1)

    def _next_c(self, variables, way, gates, c_freq, c_time):
        """The next c along frequencies (way 'f' of its own) or along time."""
        i, j, f, _, own = gates
        take = math_ops.sigmoid(variables.add(i, way, 'I', c_freq, c_time))
        if f is None:
            forget = 1.0 - take
        else:
            forget = math_ops.sigmoid(variables.add(f + self._forget_bias, way, 'F', c_freq,
                                                    c_time))
        return common.clip(forget * own + take * math_ops.tanh(j), self._cell_clip)

    def _previous(self, state, prefix, freq, block, state_is_tuple):
        """(c, m) of the step before."""
        if state_is_tuple:
            name = '%s_f%02d_b%02d' % (prefix, freq, block)
            return getattr(state, name + '_c'), getattr(state, name + '_m')
        n = self._num_units
        return (common.columns(state, 2 * freq * n, n),
                common.columns(state, (2 * freq + 1) * n, n))

    def _compute(self, freq_inputs, block, state, batch_size, state_prefix='state',
                 state_is_tuple=True):
        """(outputs, states) of a block's pieces."""
        dtype = freq_inputs[0].dtype
        variables = _GridVariables(self, block, freq_inputs[0].get_shape().as_list()[1], dtype)
        m_freq = array_ops.zeros([batch_size, self._num_units], dtype)
        c_freq = array_ops.zeros([batch_size, self._num_units], dtype)
        way = 'f' if self._share_time_frequency_weights else 't'
        outputs, states = [], []
        for k, piece in enumerate(freq_inputs):
            c_time, m_time = self._previous(state, state_prefix, k, block, state_is_tuple)
            cell_inputs = array_ops.concat([piece, m_time, m_freq], 1)
            of_freq = self._gates(variables, 'f', cell_inputs)
            of_time = of_freq if way == 'f' else self._gates(variables, 't', cell_inputs)
            new_freq = self._next_c(variables, 'f', (*of_freq, c_freq), c_freq, c_time)
            new_time = self._next_c(variables, way, (*of_time, c_time), c_freq, c_time)
            c_freq, c_time = new_freq, new_time
            m_freq = math_ops.sigmoid(variables.add(of_freq[3], 'f', 'O', c_freq, c_time)
                                      ) * math_ops.tanh(c_freq)
            m_time = math_ops.sigmoid(variables.add(of_time[3], way, 'O', c_freq, c_time)
                                      ) * math_ops.tanh(c_time)
            states += [c_time, m_time]
            outputs += [m_time, m_freq]
        return outputs, states

    def _pieces(self, inputs, start, size, wanted):
        count = int((size - self._feature_size) / self._frequency_skip) + 1
        if count != wanted:
            raise ValueError('Invalid num_frequency_blocks, requires %d but gets %d, please check '
                             'the input size and filter config are correct.' % (wanted, count))
        return [common.columns(inputs, start + f * self._frequency_skip, self._feature_size)
                for f in range(count)]

    def _make_tf_features(self, input_feat, slice_offset=0):
        """The pieces of each block."""
        size, inputs = _input_size(input_feat), input_feat
        if slice_offset:
            pads = [0, 0, 0, slice_offset] if slice_offset > 0 else [0, 0, -slice_offset, 0]
            inputs = array_ops.pad(inputs, constant_op.constant(pads, shape=[2, 2],
                                                                dtype=dtypes.int32), 'CONSTANT')
            slice_offset = max(slice_offset, 0)
        blocks, starts = self._num_frequency_blocks, self._start_freqindex_list
        if not starts:
            if len(blocks) != 1:
                raise ValueError('Length of num_frequency_blocks is not 1, but instead is %d'
                                 % len(blocks))
            return [self._pieces(inputs, slice_offset, size, blocks[0])]
        ends = self._end_freqindex_list
        if len(starts) != len(ends):
            raise ValueError('Length of start and end freqindex_list does not match %d %d'
                             % (len(starts), len(ends)))
        if len(blocks) != len(starts):
            raise ValueError('Length of num_frequency_blocks is not equal to start_freqindex_list '
                             '%d %d' % (len(blocks), len(starts)))
        return [self._pieces(inputs, start + slice_offset, end - start, wanted)
                for start, end, wanted in zip(starts, ends, blocks)]


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A grid LSTM that goes over the frequencies in both directions."""

    def __init__(self, num_units, use_peepholes=False, share_time_frequency_weights=False,
                 cell_clip=None, initializer=None, num_unit_shards=1, forget_bias=1.0,
                 feature_size=None, frequency_skip=None, num_frequency_blocks=None,
                 start_freqindex_list=None, end_freqindex_list=None,
                 couple_input_forget_gates=False, backward_slice_offset=0, reuse=None):
        super(BidirectionalGridLSTMCell, self).__init__(
            num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer,
            num_unit_shards, forget_bias, feature_size, frequency_skip, num_frequency_blocks,
            start_freqindex_list, end_freqindex_list, couple_input_forget_gates, True, reuse)
        self._backward_slice_offset = int(backward_slice_offset)

    def _set_sizes(self):
        n, total = self._num_units, 2 * self._total_blocks
        self._state_tuple_type = collections.namedtuple(
            'BidirectionalGridLSTMStateTuple',
            self._names('fwd_state') + self._names('bwd_state'))
        self._state_size = self._state_tuple_type(*([n, n] * total))
        self._output_size = 2 * n * total

    def call(self, inputs, state):
        batch = tensor_shape.dimension_value(inputs.shape[0]) or array_ops.shape(inputs)[0]
        forward = self._make_tf_features(inputs)
        backward = (self._make_tf_features(inputs, self._backward_slice_offset)
                    if self._backward_slice_offset else forward)
        outputs, states = [], []
        for scope, blocks in (('fwd', forward), ('bwd', [b[::-1] for b in backward])):
            with vs.variable_scope(scope):
                for block, pieces in enumerate(blocks):
                    m, s = self._compute(pieces, block, state, batch,
                                         state_prefix=scope + '_state', state_is_tuple=True)
                    outputs += m
                    states += s
        return array_ops.concat(outputs, 1), self._state_tuple_type(*states)
