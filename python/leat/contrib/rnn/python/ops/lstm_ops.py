# SPDX-License-Identifier: Apache-2.0
"""LSTM cells whose step, or whole sequence, is one op."""
import abc

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.layers import base as base_layer
from leat.python.ops import array_ops
from leat.python.ops import gen_rnn_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import rnn_cell_impl

LayerRNNCell = rnn_cell_impl.LayerRNNCell
_PEEPHOLES = ('w_i_diag', 'w_f_diag', 'w_o_diag')


def _add_weights(layer, input_size, num_units, use_peephole):
    """The kernel, the bias, and three peepholes (None without them)."""
    kernel = layer.add_variable('kernel', [input_size + num_units, num_units * 4])
    bias = layer.add_variable('bias', [num_units * 4],
                              initializer=init_ops.constant_initializer(0.0))
    peepholes = [layer.add_variable(name, [num_units]) if use_peephole else None
                 for name in _PEEPHOLES]
    return kernel, bias, peepholes


def _clip_attr(cell_clip):
    return cell_clip if cell_clip is not None else -1


def _lstm_block_cell(x, cs_prev, h_prev, w, b, wci=None, wcf=None, wco=None, forget_bias=None,
                     cell_clip=None, use_peephole=None, name=None):
    """A step: the op's seven results."""
    if wci is None:
        cell_size = cs_prev.shape.with_rank(2).dims[1].value
        if cell_size is None:
            raise ValueError('cell_size from `cs_prev` should not be None.')
        wci = wcf = wco = constant_op.constant([0] * cell_size, dtype=cs_prev.dtype)
    return gen_rnn_ops.lstm_block_cell(
        x=x, cs_prev=cs_prev, h_prev=h_prev, w=w, wci=wci, wcf=wcf, wco=wco, b=b,
        forget_bias=forget_bias, cell_clip=_clip_attr(cell_clip), use_peephole=use_peephole,
        name=name)


def _block_lstm(seq_len_max, x, w, b, cs_prev=None, h_prev=None, wci=None, wcf=None, wco=None,
                forget_bias=None, cell_clip=None, use_peephole=None, name=None):
    """Steps over a list of inputs: lists of each of the op's seven results."""
    dtype = x[0].dtype
    batch_size = x[0].get_shape().with_rank(2).dims[0].value
    cell_size4 = b.get_shape().with_rank(1).dims[0].value
    if cell_size4 is None:
        raise ValueError('`b` shape must not be None.')
    cell_size = cell_size4 // 4
    zero_state = None
    if cs_prev is None or h_prev is None:
        zero_state = constant_op.constant([0] * (batch_size * cell_size), dtype=dtype,
                                        shape=[batch_size, cell_size])
    if wci is None:
        wci = wcf = wco = constant_op.constant([0] * cell_size, dtype=dtype, shape=[cell_size])
    results = gen_rnn_ops.block_lstm(
        seq_len_max=seq_len_max, x=array_ops.stack(x),
        cs_prev=zero_state if cs_prev is None else cs_prev,
        h_prev=zero_state if h_prev is None else h_prev, w=w, wci=wci, wcf=wcf, wco=wco, b=b,
        forget_bias=forget_bias, cell_clip=_clip_attr(cell_clip), name=name,
        use_peephole=use_peephole)
    return [array_ops.unstack(result) for result in results]


class LSTMBlockCell(LayerRNNCell):
    """A cell with the variables of BasicLSTMCell, or with peepholes."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None,
                 reuse=None, name='lstm_cell'):
        super(LSTMBlockCell, self).__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self.input_spec = base_layer.InputSpec(ndim=2)

    @property
    def state_size(self):
        return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        if not inputs_shape.dims[1].value:
            raise ValueError('Expecting inputs_shape[1] to be set: %s' % str(inputs_shape))
        self._kernel, self._bias, self._peepholes = _add_weights(
            self, inputs_shape.dims[1].value, self._num_units, self._use_peephole)
        self.built = True

    def call(self, inputs, state):
        if len(state) != 2:
            raise ValueError('Expecting state to be a tuple with length 2.')
        peepholes = self._peepholes
        if not self._use_peephole:
            peepholes = [array_ops.zeros([self._num_units])] * 3
        cs_prev, h_prev = state
        _, cs, _, _, _, _, h = _lstm_block_cell(
            inputs, cs_prev, h_prev, self._kernel, self._bias, *peepholes,
            forget_bias=self._forget_bias, cell_clip=self._cell_clip,
            use_peephole=self._use_peephole)
        return h, rnn_cell_impl.LSTMStateTuple(cs, h)


class LSTMBlockWrapper(base_layer.Layer, metaclass=abc.ABCMeta):
    """Layers that run an LSTM over a whole sequence [time, batch, inputs], or a list."""

    @property
    @abc.abstractmethod
    def num_units(self):
        """Cells."""

    @abc.abstractmethod
    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
        """Cell states and outputs of all times."""

    def _initial(self, initial_state, batch_size, dtype):
        if initial_state is None:
            if dtype is None:
                raise ValueError('Either initial_state or dtype needs to be specified')
            zeros = array_ops.zeros(array_ops.stack([batch_size, self.num_units]), dtype=dtype)
            return zeros, zeros, dtype
        if len(initial_state) != 2:
            raise ValueError('Expecting initial_state to be a tuple with length 2 or None')
        return initial_state[0], initial_state[1], initial_state[0].dtype

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = array_ops.stack(inputs)
        shape = inputs.get_shape().with_rank(3)
        if not shape.dims[2]:
            raise ValueError('Expecting inputs_shape[2] to be set: %s' % shape)
        batch_size = shape.dims[1].value
        if batch_size is None:
            batch_size = array_ops.shape(inputs)[1]
        time_len = shape.dims[0].value
        if time_len is None:
            time_len = array_ops.shape(inputs)[0]
        first_cs, first_output, dtype = self._initial(initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = ops.convert_to_tensor(sequence_length)
        cell_states, outputs = self._call_cell(inputs, first_cs, first_output, dtype,
                                               sequence_length)
        if sequence_length is None:
            final = cell_states[-1], outputs[-1]
        else:
            mask = array_ops.transpose(
                array_ops.sequence_mask(sequence_length, time_len, dtype), [1, 0])
            outputs *= array_ops.tile(array_ops.expand_dims(mask, [-1]), [1, 1, self.num_units])
            states = array_ops.concat([array_ops.expand_dims(first_cs, [0]), cell_states], 0)
            outs = array_ops.concat([array_ops.expand_dims(first_output, [0]), outputs], 0)
            final = (self._gather_states(states, sequence_length, batch_size),
                     self._gather_states(outs, sequence_length, batch_size))
        if is_list:
            outputs = array_ops.unstack(outputs)
        return outputs, rnn_cell_impl.LSTMStateTuple(*final)

    def _gather_states(self, data, indices, batch_size):
        """From data [time, batch, cells] each row of the batch at a time of its own."""
        return array_ops.gather_nd(
            data, array_ops.stack([indices, math_ops.range(batch_size)], axis=1))


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """A sequence in one op, with the variables of LSTMBlockCell."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None,
                 dtype=None, name='lstm_fused_cell'):
        super(LSTMBlockFusedCell, self).__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole
        self.input_spec = base_layer.InputSpec(ndim=3)

    @property
    def num_units(self):
        return self._num_units

    def build(self, input_shape):
        self._kernel, self._bias, self._peepholes = _add_weights(
            self, input_shape.dims[2].value, self._num_units, self._use_peephole)
        self.built = True

    def _call_cell(self, inputs, initial_cell_state=None, initial_output=None, dtype=None,
                   sequence_length=None):
        time_len = inputs.get_shape().with_rank(3).dims[0].value
        if time_len is None:
            time_len = array_ops.shape(inputs)[0]
        peepholes = self._peepholes
        if not self._use_peephole:
            peepholes = [array_ops.zeros([self._num_units], dtype=dtype)] * 3
        if sequence_length is None:
            longest = math_ops.cast(time_len, dtypes.int64)
        else:
            longest = math_ops.cast(math_ops.reduce_max(sequence_length), dtypes.int64)
        wci, wcf, wco = peepholes
        _, cs, _, _, _, _, h = gen_rnn_ops.block_lstm(
            seq_len_max=longest, x=inputs, cs_prev=initial_cell_state, h_prev=initial_output,
            w=self._kernel, wci=wci, wcf=wcf, wco=wco, b=self._bias,
            forget_bias=self._forget_bias, cell_clip=self._cell_clip,
            use_peephole=self._use_peephole)
        return cs, h
