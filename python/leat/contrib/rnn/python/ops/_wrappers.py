# SPDX-License-Identifier: Apache-2.0
"""Cells around others: attention over their last outputs, highways past them."""
from leat.contrib.rnn.python.ops import _cell_common as common
from leat.contrib.rnn.python.ops.core_rnn_cell import _Linear
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import variable_scope as vs
from leat.python.platform import tf_logging as logging
from leat.python.util import nest


class AttentionCellWrapper(rnn_cell_impl.RNNCell):
    """A cell that looks at its attn_length last outputs (Bahdanau et al. 2014)."""

    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None,
                 state_is_tuple=True, reuse=None):
        super(AttentionCellWrapper, self).__init__(_reuse=reuse)
        rnn_cell_impl.assert_like_rnncell('cell', cell)
        if nest.is_sequence(cell.state_size) and not state_is_tuple:
            raise ValueError('Cell returns tuple of states, but the flag state_is_tuple is not '
                             'set. State size is: %s' % str(cell.state_size))
        if attn_length <= 0:
            raise ValueError('attn_length should be greater than zero, got %s' % str(attn_length))
        if not state_is_tuple:
            logging.warn('%s: Using a concatenated state is slower and will soon be deprecated.  '
                         'Use state_is_tuple=True.', self)
        self._state_is_tuple = state_is_tuple
        self._cell = cell
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._attn_length = attn_length
        self._input_size = input_size
        self._reuse = reuse
        self._linear1 = self._linear2 = self._linear3 = None

    @property
    def state_size(self):
        size = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return size if self._state_is_tuple else sum(list(size))

    @property
    def output_size(self):
        return self._attn_size

    def _parts(self, state):
        if self._state_is_tuple:
            return state
        size, n = self._cell.state_size, self._attn_size
        return (common.columns(state, 0, size), common.columns(state, size, n),
                common.columns(state, size + n, n * self._attn_length))

    def call(self, inputs, state):
        state, attns, attn_states = self._parts(state)
        attn_states = array_ops.reshape(attn_states, [-1, self._attn_length, self._attn_size])
        input_size = self._input_size or inputs.get_shape().as_list()[1]
        if self._linear1 is None:
            self._linear1 = _Linear([inputs, attns], input_size, True)
        cell_output, new_state = self._cell(self._linear1([inputs, attns]), state)
        query = (array_ops.concat(nest.flatten(new_state), 1) if self._state_is_tuple
                 else new_state)
        new_attns, new_attn_states = self._attention(query, attn_states)
        with vs.variable_scope('attn_output_projection'):
            if self._linear2 is None:
                self._linear2 = _Linear([cell_output, new_attns], self._attn_size, True)
            output = self._linear2([cell_output, new_attns])
        new_attn_states = array_ops.concat([new_attn_states, array_ops.expand_dims(output, 1)], 1)
        new_attn_states = array_ops.reshape(new_attn_states,
                                            [-1, self._attn_length * self._attn_size])
        new_state = (new_state, new_attns, new_attn_states)
        if not self._state_is_tuple:
            new_state = array_ops.concat(list(new_state), 1)
        return output, new_state

    def _attention(self, query, attn_states):
        """(what is seen, the states without the oldest)"""
        length, size, vec = self._attn_length, self._attn_size, self._attn_vec_size
        with vs.variable_scope('attention'):
            k = vs.get_variable('attn_w', [1, 1, size, vec])
            v = vs.get_variable('attn_v', [vec])
            hidden = array_ops.reshape(attn_states, [-1, length, 1, size])
            features = nn_ops.conv2d(hidden, k, [1, 1, 1, 1], 'SAME')
            if self._linear3 is None:
                self._linear3 = _Linear(query, vec, True)
            y = array_ops.reshape(self._linear3(query), [-1, 1, 1, vec])
            s = math_ops.reduce_sum(v * math_ops.tanh(features + y), [2, 3])
            a = nn_ops.softmax(s)
            d = math_ops.reduce_sum(array_ops.reshape(a, [-1, length, 1, 1]) * hidden, [1, 2])
            new_attns = array_ops.reshape(d, [-1, size])
            return new_attns, array_ops.slice(attn_states, [0, 1, 0], [-1, -1, -1])


class _Around(rnn_cell_impl.RNNCell):
    """A cell with the sizes and the zero state of another."""

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class HighwayWrapper(_Around):
    """A gate between the cell's inputs and its outputs (Srivastava et al. 2015)."""

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super(HighwayWrapper, self).__init__()
        self._cell = cell
        self._couple_carry_transform_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    @staticmethod
    def _gate(name, inp, bias):
        size = inp.get_shape().with_rank(2).dims[1].value
        weights = vs.get_variable(name + '_w', [size, size])
        biases = vs.get_variable(name + '_b', [size],
                                 initializer=init_ops.constant_initializer(bias))
        return math_ops.sigmoid(nn_ops.xw_plus_b(inp, weights, biases))

    def _highway(self, inp, out):
        carry = self._gate('carry', inp, self._carry_bias_init)
        if self._couple_carry_transform_gates:
            transform = 1 - carry
        else:
            transform = self._gate('transform', inp, -self._carry_bias_init)
        return inp * carry + out * transform

    def __call__(self, inputs, state, scope=None):
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        nest.map_structure(
            lambda inp, out: inp.get_shape().assert_is_compatible_with(out.get_shape()),
            inputs, outputs)
        return nest.map_structure(self._highway, inputs, outputs), new_state


class CompiledWrapper(_Around):
    """The cell, each of whose ops asks to be compiled; here it runs as it is."""

    def __init__(self, cell, compile_stateful=False):
        super(CompiledWrapper, self).__init__()
        self._cell = cell
        self._compile_stateful = compile_stateful

    def __call__(self, inputs, state, scope=None):
        return self._cell(inputs, state, scope=scope)
